package starter_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"stele/internal/author/editing/starter"
	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

const today = "2026-02-01"

func files(t *testing.T) map[string][]byte {
	t.Helper()
	all := must.Get(specimen.StarterFiles())(t)
	return all
}

// listing are the files below a folder, with their contents.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		all[path] = string(data)
		return err
	}))
	return all
}

func TestStarterHasNoProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	must.Do(t, starter.Init(dir))
	if got, want := slices.Sorted(maps.Keys(listing(t, dir))), slices.Sorted(maps.Keys(files(t))); !slices.Equal(
		got,
		want,
	) {
		t.Errorf("written %q, not %q", got, want)
	}
	result := must.Get(specimen.Check(os.DirFS(dir), compiler.Options{Date: today}))(t)
	for _, p := range result.Problems { // warnings too: only the address is to be replaced
		if p.Code != codes.ExampleAddress {
			t.Error(p.String())
		}
	}
	if len(result.Kinds) != len(record.Kinds) {
		t.Errorf("examples of %d kinds", len(result.Kinds))
	}
}

func TestInitOverwritesNothing(t *testing.T) {
	for _, there := range []string{"stele.yaml", ".stele/signal.json", "records/signals/sig-example-rise.yaml", "records/README.md"} {
		t.Run(there, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, filepath.FromSlash(there))
			must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
			must.Do(t, os.WriteFile(name, []byte("mine"), 0o644))
			err := starter.Init(dir)
			if err == nil || !strings.Contains(err.Error(), name+" already exists, so nothing was written") {
				t.Errorf("error %v", err)
			}
			if got := listing(t, dir); len(got) != 1 || got[there] != "mine" {
				t.Errorf("the folder holds %q", slices.Sorted(maps.Keys(got)))
			}
		})
	}
}

func TestInitWhereAFileStandsInPlaceOfAFolder(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "records"), []byte("mine"), 0o644))
	if err := starter.Init(dir); err == nil {
		t.Error("no error")
	}
	if err := starter.Init(filepath.Join(dir, "records")); err == nil || !strings.HasSuffix(err.Error(), "records is a file, not a folder") {
		t.Errorf("in place of the folder itself: %v", err)
	}
	if got := listing(t, dir); len(got) != 1 {
		t.Errorf("the folder holds %q", slices.Sorted(maps.Keys(got)))
	}
}

var schemaComment = regexp.MustCompile(`^# yaml-language-server: \$schema=(\S+)\n`)

// schemaOf is the path of the schema that a YAML file names in its first line.
func schemaOf(t *testing.T, name string, data []byte) string {
	t.Helper()
	m := schemaComment.FindSubmatch(data)
	if m == nil {
		t.Fatalf("%s does not begin with the comment that names its schema", name)
	}
	return path.Join(path.Dir(name), string(m[1]))
}

// yamlFiles are the starter's own YAML files.
func yamlFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	for name := range files(t) {
		if path.Ext(name) == ".yaml" {
			names = append(names, name)
		}
	}
	if len(names) < len(record.Kinds)+2 {
		t.Fatalf("only %d YAML files", len(names))
	}
	slices.Sort(names)
	return names
}

func TestEveryYAMLFileNamesItsSchema(t *testing.T) {
	all := files(t)
	for _, name := range yamlFiles(t) {
		want := starter.SchemaDir + "/settings.json"
		if folder := strings.Split(name, "/"); folder[0] == "records" {
			want = starter.SchemaDir + "/" + record.KindInFolder(folder[1]).Name
			if path.Base(name) == "_defaults.yaml" {
				want += "-defaults"
			}
			want += ".json"
		}
		if got := schemaOf(t, name, all[name]); got != want || all[got] == nil {
			t.Errorf("%s names %s, not %s", name, got, want)
		}
	}
}

// compile makes a schema that can be asked.
func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc := must.Get(jsonschema.UnmarshalJSON(bytes.NewReader(schema)))(t)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	must.Do(t, c.AddResource("schema.json", doc))
	s := must.Get(c.Compile("schema.json"))(t)
	return s
}

// editorsView is a YAML value as editors see it, by YAML 1.2: dates are text.
func editorsView(t *testing.T, n *yaml.Node) any {
	t.Helper()
	switch n.Kind {
	case yaml.DocumentNode:
		return editorsView(t, n.Content[0])
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			list = append(list, editorsView(t, c))
		}
		return list
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			object[n.Content[i].Value] = editorsView(t, n.Content[i+1])
		}
		return object
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return json.Number(n.Value)
	case "!!bool":
		return n.Value == "true"
	case "!!null":
		return nil
	}
	return n.Value
}

func parse(t *testing.T, name string, data []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(data, &n); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return editorsView(t, &n)
}

// An editor shows no error in what people begin with.
func TestYAMLFilesSatisfyTheirSchemas(t *testing.T) {
	all := files(t)
	for _, name := range yamlFiles(t) {
		t.Run(name, func(t *testing.T) {
			schema := compile(t, all[schemaOf(t, name, all[name])])
			if err := schema.Validate(parse(t, name, all[name])); err != nil {
				t.Error(err)
			}
		})
	}
}

// fillIn are the codes that ask for something to be filled in, and nothing else.
var fillIn = []codes.Code{
	codes.WrongValue, codes.NoSource, codes.NoBoundary, codes.MalformedURL,
	codes.MalformedID,
}

func TestTemplates(t *testing.T) {
	for _, k := range record.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			id := k.Prefix + "new"
			template := starter.Template(k, id, today)
			object, ok := parse(t, k.Name, template).(map[string]any)
			if !ok || object["id"] != id {
				t.Fatalf("ID %v", object["id"])
			}
			name := path.Join("records", k.Folder(), id+".yaml")
			if got, want := schemaOf(t, name, template), ".stele/"+k.Name+".json"; got != want {
				t.Errorf("schema %s, not %s", got, want)
			}
			for _, m := range k.Shape().Members {
				if !m.Implied && !bytes.Contains(template, []byte("\n"+m.Name+":")) &&
					!bytes.Contains(template, []byte("\n# "+m.Name+":")) {
					t.Errorf("%s is not in the template", m.Name)
				}
			}
			problems := problemsOf(t, name, template)
			if len(problems) == 0 && k.Name != "graph_node" {
				t.Error("nothing is left to fill in")
			}
			for _, p := range problems {
				if !slices.Contains(fillIn, p.Code) || p.Line == 0 {
					t.Error(p.String())
				}
			}
		})
	}
}

// problemsOf checks a record in a folder of its own.
func problemsOf(t *testing.T, name string, data []byte) []schema.Problem {
	t.Helper()
	fsys := fstest.MapFS{name: {Data: data}, input.SettingsFile: {Data: files(t)[input.SettingsFile]}}
	result := must.Get(specimen.Check(fsys, compiler.Options{Date: today}))(t)
	// nothing can refer to it yet
	return slices.DeleteFunc(result.Problems, func(p schema.Problem) bool { return p.Code == codes.Unreferenced })
}

func TestNew(t *testing.T) {
	dir := t.TempDir()
	signal := record.KindNamed("signal")
	name, err := starter.New(dir, signal, "sig-a", today, false)
	if err != nil || name != filepath.Join("records", "signals", "sig-a.yaml") {
		t.Fatalf("%s, %v", name, err)
	}
	before := listing(t, dir)
	if _, err := starter.New(dir, signal, "sig-a", "2027-01-01", false); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second time: %v", err)
	}
	for _, id := range []string{"", "a b", "../a", "a/b", "con", strings.Repeat("a", 129), "-a"} {
		if _, err := starter.New(dir, signal, id, today, false); err == nil {
			t.Errorf("ID %q was taken", id)
		}
	}
	if _, err := starter.New(dir, signal, "a b", today, false); err == nil || fmt.Sprint(err) != `the ID contains a character other than letters, digits, '.', '_' and '-': write "a-b"` {
		t.Errorf("no proposal: %v", err)
	}
	if after := listing(t, dir); !maps.Equal(before, after) {
		t.Errorf("the folder holds %q", slices.Sorted(maps.Keys(after)))
	}
}
