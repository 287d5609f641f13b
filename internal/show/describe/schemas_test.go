package describe_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/describe"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

// compile makes a published schema that can be asked. It may refer to nothing outside.
func compile(t *testing.T, files fstest.MapFS, path string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	must.Do(t, c.AddResource(base+"/"+path, value(t, file(t, files, path))))
	s := must.Get(c.Compile(base + "/" + path))(t)
	return s
}

// TestSchemasFitTheFiles: every published collection and record is as its schema says, and a spoilt
// one is not.
func TestSchemasFitTheFiles(t *testing.T) {
	race.LeaveOut(t, "one goroutine holds every record to its schema")
	files := theSample()
	for _, k := range record.Kinds {
		all, one := compile(t, files, "schemas/"+k.Folder()+".json"), compile(t, files, "schemas/"+k.Folder()+"/record.json")
		data := file(t, files, k.Collection.Path[1:])
		if err := all.Validate(value(t, data)); err != nil {
			t.Errorf("%s: %v", k.Collection.Path, err)
		}
		lines := bytes.Split(data, []byte{'\n'})
		for _, line := range lines[1 : len(lines)-2] {
			if err := one.Validate(value(t, bytes.TrimSuffix(line, []byte{','}))); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		for _, spoil := range []string{`"kind":"` + k.Name + `"`, `"count":`, `"notice":`, `"records":`, `"id":`} {
			spoilt := strings.Replace(string(data), spoil, `"X`+spoil[2:], 1)
			if err := all.Validate(value(t, []byte(spoilt))); err == nil {
				t.Errorf("%s with another name for %s is still valid", k.Collection.Path, spoil)
			}
		}
	}
}

// TestSchemasOfTheManifest: the manifest and the listings are as their schemas say, in a second
// release that has everything in it too.
func TestSchemasOfTheManifest(t *testing.T) {
	race.LeaveOut(t, "one goroutine holds documents to schemas")
	previous := must.Get(release.Open(context.Background(), theSample()))(t)
	records := growing(3)
	own := append(records["stele.yaml"].Data, "about: How we work.\ngraph_statistics: true\n"...)
	records["stele.yaml"] = &fstest.MapFile{Data: own}
	files := must.Get(specimen.Build(records, compiler.Options{
		Date: "2026-11-16", Previous: previous,
		Render: []render.Renderer{describe.Options{}.Write},
	}))(t).MapFS()
	kind := compile(t, files, "schemas/index.json")
	for path, schema := range map[string]*jsonschema.Schema{
		"manifest.json": compile(t, files, "schemas/manifest.json"), "index/pages.json": compile(t, files, "schemas/pages.json"),
		"index/histories.json": compile(t, files, "schemas/pages.json"),
		"routes/first.json":    compile(t, files, "schemas/routes.json"), "index/entities.json": kind, "index/changes.json": kind, "index/graph-nodes.json": kind,
		"index/releases.json": compile(t, files, "schemas/releases.json"), "index/standing.json": compile(t, files, "schemas/standing.json"),
	} {
		data := file(t, files, path)
		if err := schema.Validate(value(t, data)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if spoilt := bytes.Replace(data, []byte(`"kind"`), []byte(`"kin"`), 1); schema.Validate(value(t, spoilt)) == nil {
			t.Errorf("%s is valid when spoilt", path)
		}
	}
}

// TestSchemasAreStrict: ajv compiles all schemas in its strict mode.
func TestSchemasAreStrict(t *testing.T) {
	dir := tools(t).workshop(t)
	files := theSample()
	var names []string
	for _, path := range paths(files, "schemas/", ".json") {
		name := strings.ReplaceAll(path, "/", "-")
		must.Do(t, os.WriteFile(filepath.Join(dir, name), file(t, files, path), 0o644))
		names = append(names, name)
	}
	run(t, dir, "strict.mjs", names...)
}
