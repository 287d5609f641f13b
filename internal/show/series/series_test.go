package series_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"stele/internal/base/sheet"
	"stele/internal/compile/compiler"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/show/series"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// added are records beside those of the sample: a bound, an interval, a breakdown, editions, a
// coded answer, a period that spans years, and a value that was retracted.
var added = map[string]string{
	"records/entities/x.yaml": `
id: ent-x-notified
title: Notified cases
summary: Cases that were notified.
source_links: [{url: "https://apps.who.int/gho/data/node.home", source_id: src-who-gho, role: primary}]
entity_type: indicator
name: Notified cases
measure: {code: x-notified, definition: Cases that a doctor notified., dimensions: [{name: sex, codes: {f: Female, m: Male}}]}
---
id: ent-x-policy
title: Vaccination policy
summary: Whether vaccination is required.
source_links: [{url: "https://apps.who.int/gho/data/node.home", source_id: src-who-gho, role: primary}]
entity_type: indicator
name: Vaccination policy
measure: {code: x-policy, codes: {"60": Required for entry, "61": Not required}}
`,
	"records/healthcare-statistics/x/_defaults.yaml": `
indicator: x-notified
indicator_id: ent-x-notified
ref_area_scheme: iso3166
ref_area: FRA
unit: cases
unit_label: notified cases
obs_status: A
summary: A figure of the tests.
claim_boundary: {statement: "Notified cases, and no others"}
source_links: [{url: "https://apps.who.int/gho/data/node.home", source_id: src-who-gho, role: primary}]
`,
	"records/healthcare-statistics/x/figures.yaml": `
id: sta-x-bound
title: A bound
time_period: "2019"
less_than: 5
note: "Suppressed, because it is small"
---
id: sta-x-range
title: An interval
time_period: "2020"
value: 12.50
lower: 10
upper: 14.0
interval: confidence
level: 95
numerator: 25
denominator: 2
dimensions: {sex: f}
---
id: sta-x-spans
title: Several years
time_period: 2015/P3Y
value: 7
---
id: sta-x-edition
title: An edition
time_period: "2020"
vintage: "2025"
value: 13
dimensions: {sex: f}
---
id: sta-x-missing
title: None
time_period: "2018"
obs_status: O
---
id: sta-x-retracted
title: A mistake
version: 2
updated_date: 2026-11-14
verification_date: 2026-11-14
time_period: "2017"
value: 999
corrections: [{date: 2026-11-14, type: retraction, in_version: 2, fields: [value], summary: "It was a number of pages, not of cases."}]
---
id: sta-x-policy
title: Policy
indicator: x-policy
indicator_id: ent-x-policy
time_period: "2021"
code: "60"
unit: answer
unit_label: answer
`,
}

// made is a release of the sample and of these, with the files of its indicators.
var made = sync.OnceValues(func() (fstest.MapFS, error) {
	files, err := specimen.Sample()
	if err != nil {
		return nil, err
	}
	for path, text := range added {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return build(files, "")
})

func build(files fstest.MapFS, choice string) (fstest.MapFS, error) {
	s := &series.Series{}
	if choice != "" {
		if err := s.Choice.Set(choice); err != nil {
			return nil, err
		}
	}
	made, err := specimen.Build(files, compiler.Options{Date: "2026-11-15", NoVariants: true, Render: []render.Renderer{s.Write}})
	if err != nil {
		return nil, err
	}
	return made.MapFS(), nil
}

func release(t *testing.T) fstest.MapFS {
	t.Helper()
	files := must.Get(made())(t)
	return files
}

func read(t *testing.T, path string) string {
	t.Helper()
	f := release(t)[path]
	if f == nil {
		t.Fatalf("there is no %s", path)
	}
	return string(f.Data)
}

// object is a JSON object.
type object = map[string]any

func parseObject(t *testing.T, text string) (o object) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // digits stay as they are
	must.Do(t, d.Decode(&o))
	return o
}

// lay lays members over those of an object, those of objects one by one.
func lay(under, over object) object {
	all := maps.Clone(under)
	for name, value := range over {
		inner, isObject := value.(object)
		if below, ok := all[name].(object); ok && isObject {
			value = lay(below, inner)
		}
		all[name] = value
	}
	return all
}

// TestList: the list of indicators has all of them, with their rows and the sizes of their files.
func TestList(t *testing.T) {
	var list struct {
		Count      int
		Indicators []struct {
			Rows  int
			Files []struct {
				Path  string
				Bytes int
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(read(t, "healthcare-statistics/index.json")), &list))
	rows := 0
	for _, x := range list.Indicators {
		rows += x.Rows
		for _, f := range x.Files {
			if has := release(t)[strings.TrimPrefix(f.Path, "/")]; has == nil || len(has.Data) != f.Bytes {
				t.Errorf("%s does not have %d bytes", f.Path, f.Bytes)
			}
		}
	}
	all := parseObject(t, read(t, "api/v1/healthcare-statistics.json"))["records"].([]any)
	if rows != len(all) || list.Count != len(list.Indicators) || list.Count == 0 {
		t.Errorf("%d rows of %d, %d indicators", rows, len(all), list.Count)
	}
}

// TestRecords: the JSON of an indicator, and that of its areas, has every record whole, with its
// standing, and no other.
func TestRecords(t *testing.T) {
	want := map[string]object{}
	for _, r := range parseObject(t, read(t, "api/v1/healthcare-statistics.json"))["records"].([]any) {
		want[r.(object)["id"].(string)] = r.(object)
	}
	counts := map[string]int{}
	for path, f := range release(t) {
		rest, ok := strings.CutPrefix(path, "healthcare-statistics/")
		if !ok || !strings.HasSuffix(path, ".json") || strings.Contains(rest, ".metadata.") || rest == "index.json" {
			continue
		}
		for _, a := range parseObject(t, string(f.Data))["areas"].([]any) {
			area := a.(object)
			for _, r := range area["records"].([]any) {
				got := lay(area["shared"].(object), r.(object))
				id := got["id"].(string)
				standing := "stands"
				if id == "sta-x-retracted" {
					standing = "retracted"
				}
				if got["standing"] != standing {
					t.Errorf("%s: %s is %v", path, id, got["standing"])
				}
				delete(got, "standing")
				delete(got, "standing_since")
				if !reflect.DeepEqual(got, want[id]) {
					t.Errorf("%s: %s is %v, not %v", path, id, got, want[id])
				}
				counts[id]++
			}
		}
	}
	for id := range want {
		if counts[id] != 2 { // of the indicator and of the area
			t.Errorf("%s stands in %d files", id, counts[id])
		}
	}
}

// TestLittleMemory: what lies in a scratch file, and is written as a stream, gives the same bytes.
func TestLittleMemory(t *testing.T) {
	want := release(t)
	files := must.Get(specimen.Sample())(t)
	for path, text := range added {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	series.Little(t)
	got := must.Get(build(files, ""))(t)
	for path, f := range want {
		listing := strings.HasPrefix(path, "index/") || path == "manifest.json" // large files are listed elsewhere
		if !listing && (got[path] == nil || !bytes.Equal(got[path].Data, f.Data)) {
			t.Errorf("%s differs", path)
		}
	}
}

// table reads a CSV by the IDs of its records.
func table(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	lines := must.Get(csv.NewReader(strings.NewReader(read(t, path))).ReadAll())(t)
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows[row["id"]+row["RECORD_ID"]] = row
	}
	return rows
}

// TestTable: the CSV says what is and nothing else: a bound is no value, a code has its meaning,
// and nobody computes with what was retracted.
func TestTable(t *testing.T) {
	for _, path := range []string{"healthcare-statistics/x-notified.csv", "healthcare-statistics/x-notified/areas/FRA.csv"} {
		rows := table(t, path)
		for id, want := range map[string]map[string]string{
			"sta-x-bound":     {"value": "", "less_than": "5", "note": "Suppressed, because it is small", "standing": "stands", "version": "1"},
			"sta-x-range":     {"value": "12.50", "lower": "10", "upper": "14.0", "interval": "confidence", "level": "95", "dim_sex": "f", "numerator": "25"},
			"sta-x-edition":   {"value": "13", "vintage": "2025"},
			"sta-x-missing":   {"value": "", "obs_status": "O", "corrections": ""},
			"sta-x-retracted": {"value": "", "standing": "retracted", "corrections": "1", "version": "2", "sources": "1", "claim_boundary": "1"},
		} {
			for name, text := range want {
				if rows[id][name] != text {
					t.Errorf("%s: %s has %s %q, not %q", path, id, name, rows[id][name], text)
				}
			}
		}
	}
	if r := table(t, "healthcare-statistics/x-policy.csv")["sta-x-policy"]; r["value"] != "" || r["code"] != "60" || r["code_label"] != "Required for entry" {
		t.Errorf("an answer is %v", r)
	}
}

// TestWorkbook: a workbook has the cells that the CSV has, numbers as numbers, and what was
// retracted is no figure in it.
func TestWorkbook(t *testing.T) {
	books := 0
	for path, f := range release(t) {
		if !strings.HasSuffix(path, ".xlsx") {
			continue
		}
		books++
		rows := table(t, strings.TrimSuffix(path, ".xlsx")+".csv")
		o := sheet.Options{Sheet: "Figures"}
		read := must.Get(sheet.Read(t.Context(), path, bytes.NewReader(f.Data), int64(len(f.Data)), o))(t)
		var names []string
		n := 0
		for row, err := range read.Rows() {
			must.Do(t, err)
			if names == nil {
				for _, c := range row.Cells {
					names = append(names, c.Text)
				}
				continue
			}
			n++
			want := rows[row.At(slices.Index(names, "id")).Text]
			for name, text := range want {
				switch name {
				case "corrections", "source_updates", "sources", "claim_boundary": // which are numbers there
					continue
				}
				c := row.At(slices.Index(names, name))
				if c.Text != text || text != "" && (c.Kind == sheet.Number) != slices.Contains(counted, name) {
					t.Errorf("%s: %s of %s is %v, not %q", path, name, want["id"], c, text)
				}
			}
		}
		if n != len(rows) {
			t.Errorf("%s has %d figures of %d", path, n, len(rows))
		}
	}
	if books < 5 {
		t.Errorf("%d indicators have a workbook", books)
	}
}

// counted are the columns that have numbers.
var counted = []string{"value", "less_than", "greater_than", "lower", "upper", "level", "numerator", "denominator", "version"}

// TestMetadata: the numbers in the CSV lead to sources, claim boundaries and corrections, and its
// columns are described as the charts of Our World in Data are.
func TestMetadata(t *testing.T) {
	for _, path := range []string{"healthcare-statistics/mcv1", "healthcare-statistics/mcv1/areas/GBR"} {
		d := parseObject(t, read(t, path+".metadata.json"))
		known := map[string]bool{}
		for _, list := range []string{"sources", "claimBoundaries"} {
			for _, e := range d[list].([]any) {
				known[list+e.(object)["number"].(json.Number).String()] = true
			}
		}
		for id, row := range table(t, path+".csv") {
			for n := range strings.FieldsSeq(row["sources"]) {
				if !known["sources"+n] {
					t.Errorf("%s: %s has source %s", path, id, n)
				}
			}
			if n := row["claim_boundary"]; !known["claimBoundaries"+n] {
				t.Errorf("%s: %s has boundary %s", path, id, n)
			}
		}
		value := d["columns"].(object)["value"].(object)
		for _, name := range []string{
			"titleShort", "titleLong", "unit", "shortUnit", "timespan", "type", "shortName", "lastUpdated", "citationShort", "citationLong", "fullMetadata",
		} {
			if value[name] == nil || value[name] == "" {
				t.Errorf("%s: the value has no %s", path, name)
			}
		}
		if chart := d["chart"].(object); chart["title"] == nil || chart["citation"] == nil || chart["originalChartUrl"] == nil {
			t.Errorf("%s: the chart is %v", path, chart)
		}
	}
	if c := parseObject(t, read(t, "healthcare-statistics/x-notified.metadata.json"))["corrections"].(object); len(c["sta-x-retracted"].([]any)) != 1 {
		t.Errorf("the corrections are %v", c)
	}
}

// TestMarkdown: the Markdown shows values as people read them.
func TestMarkdown(t *testing.T) {
	text := read(t, "healthcare-statistics/x-notified/areas/FRA.md")
	for _, part := range []string{
		"\\<5. Suppressed, because it is small", "| 12.50 (10–14.0, 95 % confidence) |", "| Female |", "| retracted |",
		"It was a number of pages", "Notified cases, and no others", "https://apps.who.int/gho/data/node.home", "Cases that a doctor notified.",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in\n%s", part, text)
		}
	}
	if strings.Contains(text, "999") {
		t.Error("it shows what was retracted")
	}
	if policy := read(t, "healthcare-statistics/x-policy.md"); !strings.Contains(policy, "Required for entry") {
		t.Errorf("an answer has no words:\n%s", policy)
	}
	if all := read(t, "healthcare-statistics/mcv1.md"); !strings.Contains(all, "/healthcare-statistics/mcv1/areas/{code}.md") {
		t.Error("the indicator does not lead to its areas")
	}
}

// TestChoice: a publisher says which files are made.
func TestChoice(t *testing.T) {
	files := must.Get(specimen.Sample())(t)
	for choice, want := range map[string][2]bool{"none": {}, "csv": {}, "indicators": {true, false}, "areas": {true, true}} {
		release := must.Get(build(files, choice))(t)
		got := [2]bool{
			release["healthcare-statistics/mcv1.csv"] != nil, release["healthcare-statistics/mcv1/areas/GBR.csv"] != nil,
		}
		if got != want {
			t.Errorf("%s makes %v", choice, got)
		}
	}
	var c bulk.Choice
	if c.Areas(20_001) || !c.Areas(20_000) {
		t.Error("the default makes files for any number of areas")
	}
}
