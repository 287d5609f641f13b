package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/show/search"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/internal/testkit/specimen"
)

// leastSensible is how many of a hundred queries have to have a sensible first result, on each
// release.
const leastSensible = 95

// query is a line of testdata/queries.txt.
type query struct {
	release, text, want string
	missing             *string // what nothing mentions; nil where that is not asked
}

func readQueries(t *testing.T) (list []query) {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/queries.txt"))(t)
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(line, "|")
		if len(parts) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		q := query{release: parts[0], text: parts[1], want: parts[2]}
		if len(parts) > 3 {
			q.missing = &parts[3]
		}
		list = append(list, q)
	}
	return list
}

// sensible reports whether the first address is one that a query wants, "" for nothing, and whether
// what nothing mentions is said.
func (q query) sensible(first, missing string) bool {
	if q.missing != nil && *q.missing != missing {
		return false
	}
	return slices.ContainsFunc(strings.Fields(q.want), func(part string) bool {
		if part == "-" {
			return first == ""
		}
		return strings.Contains(strings.ToLower(first), strings.ToLower(part))
	})
}

// TestQueries: what people would type has a sensible first result, with the script of the pages,
// and programs find the same.
func TestQueries(t *testing.T) {
	process.NeedNode(t)
	sample := must.Get(sampleSite())(t)
	all := readQueries(t)
	for name, files := range map[string]map[string][]byte{"sample": sample, "immunization": immunization(t)} {
		list := slices.DeleteFunc(slices.Clone(all), func(q query) bool { return q.release != name })
		good := 0
		finder := must.Get(search.OpenFinder(t.Context(), indexFiles(files)))(t)
		for i, answer := range askAll(t, files, list) {
			first := ""
			if len(answer.First) > 0 {
				first = answer.First[0][0].(string)
			}
			if got := askFinder(t, finder, list[i].text); !slices.Equal(got, answer.addresses()) {
				t.Errorf("%s: %q finds %q with the script, and %q without it", name, list[i].text, answer.addresses(), got)
			}
			if list[i].sensible(first, strings.Join(answer.Missing, " ")) {
				good++
			} else {
				t.Logf("%s: %q finds %q, not %s; %q are missing", name, list[i].text, first, list[i].want, answer.Missing)
			}
		}
		t.Logf("%s: %d of %d queries have a sensible first result", name, good, len(list))
		if len(list) < 100 || good*100 < leastSensible*len(list) {
			t.Errorf("%s: of %d queries, %d have a sensible first result; %d of 100 are wanted", name, len(list), good, leastSensible)
		}
	}
}

// TestMisspeltAreas: a misspelt name finds the page of its area, even if there are more areas than
// words in the list of spellings.
func TestMisspeltAreas(t *testing.T) {
	process.NeedNode(t)
	codes, list := "code,name,level,parent,valid_from,valid_to\n", []query(nil)
	for i := range 5000 {
		name := ""
		for rest := i*7919%15625 + 15625; rest > 1; rest /= 25 {
			name += []string{"ba", "co", "di", "fu", "ge", "ha", "jo", "ki", "lu", "me", "na", "po", "ri", "su", "te", "va", "wo", "zi", "bru", "cle", "dra", "fli", "gro", "pla", "stu"}[rest%25]
		}
		codes += fmt.Sprintf("A%d,%s,district,,,\n", i, name)
		if i%97 == 3 {
			typed := name[:2] + "x" + name[2:]
			list = append(list, query{text: typed, want: fmt.Sprintf("/areas/d/A%d/", i)})
		}
	}
	files := makeSite(t, fstest.MapFS{
		"stele.yaml": {Data: []byte("title: T\npublisher: P\nlicense: CC0-1.0\ncontact: c@example.org\nlanguage: en\nnotice: N\nareas:\n  d: {title: Districts, codes: a/c.csv, changes: a/d.csv}\n")},
		"a/c.csv":    {Data: []byte(codes)},
		"a/d.csv":    {Data: []byte("date,from_code,to_code,kind,share,basis,note\n")},
	}, compiler.Options{NoVariants: true, Render: renderers()[:1]})
	finder := must.Get(search.OpenFinder(t.Context(), indexFiles(files)))(t)
	for i, answer := range askAll(t, files, list) {
		got, other, want := answer.addresses(), askFinder(t, finder, list[i].text), list[i].want
		if got[0] != want || !slices.Equal(other, got) {
			t.Errorf("%q finds %q with the script, and %q without it, want %s", list[i].text, got, other, want)
		}
	}
}

// answer is what the script finds.
type answer struct {
	First   [][]any // addresses, titles and what they count
	Instead []string
	Missing []string
	Count   int
}

// addresses are those of the first results, with how many there are and what words were taken for.
func (a *answer) addresses() (list []string) {
	for _, row := range a.First {
		list = append(list, row[0].(string))
	}
	return append(list, fmt.Sprint(a.Count, slices.Sorted(slices.Values(a.Instead)), a.Missing))
}

// indexFiles are where programs find the same index.
type indexFiles map[string][]byte

func (f indexFiles) Read(_ context.Context, name string) ([]byte, error) {
	if data := f["search/"+name+".json"]; data != nil {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func (f indexFiles) Has(_ context.Context, of *search.Shown, id string) bool {
	return f[of.Folder+"/"+id+"/index.html"] != nil
}

// askFinder finds what the script finds.
func askFinder(t *testing.T, f *search.Finder, text string) (list []string) {
	t.Helper()
	found, err := f.Find(t.Context(), text, "")
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if found.Own != "" {
		list = append(list, found.Own)
	}
	for _, r := range found.Results[:min(len(found.Results), 3)] {
		row, err := f.Row(t.Context(), r.Document)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		list = append(list, row["address"])
	}
	instead := slices.Sorted(maps.Values(found.Instead))
	return append(list, fmt.Sprint(len(found.Results), instead, found.Missing))
}

// askAll asks the script of the pages.
func askAll(t *testing.T, files map[string][]byte, list []query) (answers []answer) {
	t.Helper()
	dir := t.TempDir()
	wanted := regexp.MustCompile(`^(search/.*\.json|(entities|source-objects|proof|evidence|signals|recommendations|decision-views)/[^/]+/index\.html)$`)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if wanted.MatchString(path) {
			lay(t, filepath.Join(dir, path), files[path])
		}
	}
	scripts := must.Get(filepath.Glob("assets/part-*.js"))(t)
	for _, path := range scripts {
		data := must.Get(os.ReadFile(path))(t)
		lay(t, filepath.Join(dir, path), data)
	}
	lay(t, filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`))
	texts := make([]string, 0, len(list))
	for _, q := range list {
		texts = append(texts, q.text)
	}
	input := must.Get(json.Marshal(texts))(t)
	cmd := exec.CommandContext(t.Context(), "node", "testdata/scripts/queries.mjs", filepath.Join(dir, "assets"))
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), os.Stderr
	out := must.Get(cmd.Output())(t)
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(list) {
		t.Fatalf("%d answers to %d queries: %v", len(answers), len(list), err)
	}
	return answers
}

func lay(t *testing.T, path string, data []byte) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, data, 0o644))
}

// immunization is the release of that example with two years of values, which has all its
// indicators and areas.
func immunization(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	plan, err := specimen.Import("../../../examples/immunization", "countries.csv", dir)
	if err != nil || len(plan.New) == 0 {
		t.Fatalf("%v: %v", plan, err)
	}
	values, err := filepath.Glob(filepath.Join(dir, "records/healthcare-statistics/*/values.csv"))
	if err != nil || len(values) == 0 {
		t.Fatalf("%d files of values: %v", len(values), err)
	}
	for _, path := range values {
		data := must.Get(os.ReadFile(path))(t)
		var kept strings.Builder
		for line := range strings.Lines(string(data)) {
			if kept.Len() == 0 || strings.Contains(line, ",2014,") || strings.Contains(line, ",2015,") {
				kept.WriteString(line)
			}
		}
		lay(t, path, []byte(kept.String()))
	}
	return makeSite(t, os.DirFS(dir), compiler.Options{NoVariants: true, Render: renderers()[:1]})
}
