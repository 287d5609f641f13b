package input_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/internal/testkit/race"
)

func TestDefaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"own members win", map[string]string{"signals/_defaults.yaml": "title: T\nversion: 1\n", "signals/a.yaml": "id: a\ntitle: own\n"}, []string{"{id:a,title:own,version:1}"}},
		{"own null wins", map[string]string{"signals/_defaults.yaml": "title: T\n", "signals/a.json": `{"title":null}`}, []string{"{title:null}"}},
		{"objects are merged", map[string]string{"signals/_defaults.yaml": "x_a: {b: 1, c: {d: 2, e: 3}}\n", "signals/a.yaml": "x_a: {f: 4, c: {d: 5}}\n"}, []string{"{x_a:{f:4,c:{d:5,e:3},b:1}}"}},
		{"lists are replaced", map[string]string{"signals/_defaults.yaml": "aliases: [a, b]\n", "signals/a.yaml": "aliases: [c]\n"}, []string{"{aliases:[c]}"}},
		{"empty lists replace", map[string]string{"signals/_defaults.yaml": "aliases: [a, b]\n", "signals/a.yaml": "aliases: []\n"}, []string{"{aliases:[]}"}},
		{"other types replace", map[string]string{"signals/_defaults.yaml": "x_a: {b: 1}\n", "signals/a.yaml": "x_a: c\n"}, []string{"{x_a:c}"}},
		{"every format has them", map[string]string{"signals/_defaults.yaml": "x: 1\n", "signals/a.yaml": "id: a", "signals/b.json": `{"id":"b"}`, "signals/c.ndjson": `{"id":"c"}`, "signals/d.csv": "id\nd\n"}, []string{"{id:a,x:1}", `{id:"b",x:1}`, `{id:"c",x:1}`, "{id:<d>,x:1}"}},
		{"an ID takes any period", map[string]string{"signals/_defaults.yaml": "id: \"a-{x_p}\"\ntitle: \"{x_p}\"\n", "signals/a.csv": "x_p\n2016-07-01/P1Y\n2016-W29\n"}, []string{"{x_p:<2016-07-01/P1Y>,id:<a-2016-07-01-P1Y>,title:<2016-07-01/P1Y>}", "{x_p:<2016-W29>,id:<a-2016-W29>,title:<2016-W29>}"}},
		{"an ID takes ages and sizes", map[string]string{"signals/_defaults.yaml": "id: \"a-{x_p}\"\n", "signals/a.csv": "x_p\n15+\n<5\nboth sexes\n"}, []string{"{x_p:<15+>,id:<a-15plus>}", "{x_p:<<5>,id:<a-under5>}", "{x_p:<both sexes>,id:<a-both-sexes>}"}},
		{"an ID does without a dimension", map[string]string{"signals/_defaults.yaml": "id: \"a-{x_p}-{vintage}-{dimensions.sex}\"\n", "signals/a.csv": "x_p,dimensions.sex,vintage\n1,f,\n2,,2024\n"}, []string{"{x_p:<1>,dimensions:{sex:<f>},id:<a-1-f>}", "{x_p:<2>,vintage:<2024>,id:<a-2-2024>}"}},
		{"only this kind has them", map[string]string{"signals/_defaults.yaml": "x: 1\n", "signals/a.yaml": "id: a", "evidence/b.yaml": "id: b"}, []string{"{id:a,x:1}", "{id:b}"}},
		{"empty cells take them", map[string]string{"signals/_defaults.yaml": "title: T\n", "signals/a.csv": "id,title\na,\nb,B\n"}, []string{"{id:<a>,title:T}", "{id:<b>,title:<B>}"}},
		{"inner over outer", map[string]string{"signals/_defaults.yaml": "title: outer\nx_a: {b: 1, c: 2}\n", "signals/in/_defaults.yaml": "title: inner\nx_a: {c: 3}\n", "signals/in/deep/a.yaml": "id: a", "signals/b.yaml": "id: b"}, []string{"{id:b,title:outer,x_a:{b:1,c:2}}", "{id:a,title:inner,x_a:{c:3,b:1}}"}},
		{"inner templates stay templates", map[string]string{"signals/_defaults.yaml": "title: \"outer {id}\"\nsummary: \"sum {id}\"\n", "signals/in/_defaults.yaml": "title: \"inner {id}\"\n", "signals/in/a.yaml": "id: a"}, []string{"{id:a,title:<inner a>,summary:<sum a>}"}},
		{"not an object of members", map[string]string{"signals/_defaults.yaml": "x: 1\n", "signals/a.yaml": "- word\n- id: b\n"}, []string{"word", "{id:b,x:1}"}},
		{"empty defaults", map[string]string{"signals/_defaults.yaml": "# nothing\n", "signals/a.yaml": "id: a"}, []string{"{id:a}"}},
		{"wrong defaults", map[string]string{"signals/_defaults.yaml": "- x: 1\n", "signals/a.yaml": "id: a"}, []string{"_defaults.yaml:1:1: error FIL03: _defaults.yaml must contain one object with members", "{id:a}"}},
		{"two documents of defaults", map[string]string{"signals/_defaults.yaml": "x: 1\n---\ny: 2\n", "signals/a.yaml": "id: a"}, []string{"_defaults.yaml:3:1: error FIL03: _defaults.yaml must contain one object", "{id:a}"}},
		{"broken defaults", map[string]string{"signals/_defaults.yaml": "x: [\n", "signals/a.yaml": "id: a"}, []string{"_defaults.yaml:1: error FIL03: malformed YAML", "{id:a}"}},
		{"broken inner defaults leave the outer ones", map[string]string{"signals/_defaults.yaml": "x: 1\n", "signals/in/_defaults.yaml": "x: [\n", "signals/in/a.yaml": "id: a"}, []string{"in/_defaults.yaml:1: error FIL03: malformed YAML", "{id:a,x:1}"}},
	} {
		t.Run(c.name, func(t *testing.T) { expectLines(t, lines(read(folder(c.files), 2)), c.want) })
	}
}

func TestTemplates(t *testing.T) {
	for _, c := range []struct{ name, template, record, want string }{
		{"name", "{id}", "id: a", "a"},
		{"names in text", "x {id}-{title} y", "id: a\ntitle: b", "x a-b y"},
		{"the same name twice", "{id}{id}", "id: a", "aa"},
		{"number", "{version}", "version: 12", "12"},
		{"truth", "{illustrative}", "illustrative: true", "true"},
		{"digits stay", "{value}", "value: 0.050", "0.050"},
		{"quoted empty text", "<{id}>", `id: ""`, "<>"},
		{"inner name", "{x_a.b}", "x_a: {b: c}", "c"},
		{"inner name of a list", "{x_a.1.b}", "x_a: [{b: c}, {b: d}]", "d"},
		{"braces", "{{id}} {id} {{", "id: a", "{id} a {"},
		{"three braces", "{{{id}}}", "id: a", "{a}"},
		{"closing brace alone", "a } b", "id: a", "a } b"},
		{"value with braces", "{id}", `id: "{title}"`, "{title}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"signals/_defaults.yaml": fmt.Sprintf("x_t: %q\n", c.template), "signals/a.yaml": c.record + "\n"}
			items := read(folder(files), 1)
			if len(items) != 1 || len(items[0].problems) > 0 || !strings.HasSuffix(items[0].record, ",x_t:<"+c.want+">}") {
				t.Errorf("got %q", lines(items))
			}
		})
	}
}

func TestTemplatesThatCannotBeFilled(t *testing.T) {
	for _, c := range []struct{ name, template, record, message string }{
		{"no such member", "{titel}", "title: a", "{titel} is not a text member of the record (records/signals/a.yaml:1); did you mean {title}?"},
		{"nothing like it", "{unit}", "title: a", "{unit} is not a text member of the record (records/signals/a.yaml:1); write the name of a member"},
		{"member of the defaults", "{x_t}", "title: a", "{x_t} is not a text member"},
		{"object", "{x_a}", "x_a: {b: c}", "{x_a} is not a text member"},
		{"list", "{x_a}", "x_a: [b]", "{x_a} is not a text member"},
		{"null", "{x_a}", "x_a: null", "{x_a} is not a text member"},
		{"nothing", "{x_a}", "x_a:", "{x_a} is not a text member"},
		{"no inner member", "{x_a.c}", "x_a: {b: c}", "{x_a.c} is not a text member"},
		{"no name", "{}", "title: a", "{} is not a text member"},
		{"not closed", "a {title", "title: a", "{title} is not a text member"},
		{"first of two", "{x_b} {x_c}", "title: a", "{x_b} is not a text member"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"signals/_defaults.yaml": fmt.Sprintf("# shared\nx_t: %q\n", c.template), "signals/a.yaml": c.record + "\n"}
			got := lines(read(folder(files), 1))
			if len(got) != 2 || !strings.HasPrefix(got[0], "_defaults.yaml:2:6: error DEF01: "+c.message) {
				t.Errorf("got %q", got)
			}
		})
	}
}

// What stands in the defaults word for word is wrong there, and what was filled in is wrong in the
// record.
func TestPlacesOfDefaults(t *testing.T) {
	items := read(folder(map[string]string{
		"signals/_defaults.yaml":    "x_a: b\nx_c: {d: e, f: \"{id}\"}\n",
		"signals/in/_defaults.yaml": "\nx_g: h\n",
		"signals/in/a.csv":          "id\nx\ny\n",
	}), 1)
	if len(items) != 2 {
		t.Fatalf("%d items", len(items))
	}
	want := []string{
		" 3:1", "/id 3:1", "/x_g 2:6 records/signals/in/_defaults.yaml", "/x_a 1:6 records/signals/_defaults.yaml",
		"/x_c 2:6 records/signals/_defaults.yaml", "/x_c/d 2:10 records/signals/_defaults.yaml", "/x_c/f 3:1",
	}
	if !slices.Equal(items[1].places, want) {
		t.Errorf("\n got %q\nwant %q", items[1].places, want)
	}
}

func TestDefaultsThatGrow(t *testing.T) {
	race.LeaveOut(t, "one goroutine fills in")
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, "x_%d: \"{title}{title}\"\n", i)
	}
	items := read(folder(map[string]string{
		"signals/_defaults.yaml": many.String(),
		"signals/a.yaml":         "title: " + strings.Repeat("x", 100_000) + "\n---\ntitle: y\n",
	}), 1)
	if len(items) != 2 || len(items[0].problems) != 1 || items[0].problems[0].Code != "FIL05" ||
		len(items[0].record) > 6<<20 {
		t.Errorf("%d items, problems %v", len(items), items[0].problems)
	}
	if len(items[1].problems) > 0 || strings.Count(items[1].record, "<yy>") != 10_000 {
		t.Errorf("the next record: %v", items[1].problems)
	}
}

// With many members on both sides, looking each up among all would take minutes.
func TestManyMembersAndManyDefaults(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	member := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d: 1\n", name, i)
		}
		return b.String()
	}
	const n = 90_000
	items := read(folder(map[string]string{"signals/_defaults.yaml": member("x_shared", n) + "x_own7: 2\n", "signals/a.yaml": member("x_own", n)}), 1)
	if len(items) != 1 || len(items[0].places) != 1+2*n || strings.Contains(items[0].record, "x_own7:2,") {
		t.Errorf("%d items, %d values", len(items), len(items[0].places))
	}
}

func TestAliasesThatGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine copies 256 MiB")
	}
	text := "x_t: &t " + strings.Repeat("x", 1<<20) + "\n"
	list := "- x_l: &l [" + strings.Repeat("x, ", 50_000) + "x]\n"
	for name, content := range map[string]string{
		"a long text many times": text + "x_a: [" + strings.Repeat("*t, ", 1_000) + "*t]\n",
		"a long list many times": list + strings.Repeat("- *l\n", 1_000),
	} {
		t.Run(name, func(t *testing.T) {
			messages := map[string]int{}
			for problems := range input.Read(input.Batches(one("a.yaml", content), nil), 1,
				func() func(input.Item) []schema.Problem {
					return func(i input.Item) []schema.Problem { return i.Problems }
				}) {
				for _, p := range problems {
					messages[p.Message]++
				}
			}
			if got := slices.Collect(maps.Keys(messages)); len(got) != 1 || got[0] != "the aliases of the file expand to more than 256 MiB" {
				t.Errorf("problems %v", messages)
			}
		})
	}
}
