package check_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/judging/check"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// zeros is a digest.
var zeros = strings.Repeat("0", 64)

const settings = "title: T\nbase_url: https://records.example.org\npublisher: P\nlicense: CC0-1.0\ncontact: c@example.org\nlanguage: en\nnotice: N\n"

// entry is a record in a folder.
type entry struct {
	kind, id string
	members  map[string]any
}

// minimal are the members that each kind needs besides those of the envelope. They lean on the
// records that every folder has; see in.
var minimal = map[string]string{
	"signal":               `{"signal_type":"trend","observation":"O","detected_date":"2026-01-01","evidence_ids":["evd-base"]}`,
	"evidence":             `{"evidence_type":"guideline","finding":"F","evidence_label":"not_rated"}`,
	"proof_claim":          `{"claim":"C","evidence":[{"evidence_id":"evd-base","stance":"context"}]}`,
	"healthcare_statistic": `{"indicator":"mcv1","ref_area_scheme":"iso3166","ref_area":"FRA","time_period":"2025","value":1,"unit":"percent","unit_label":"U","obs_status":"A"}`,
	"source_object":        `{"source_type":"report","producer":"P","citation_full":"C","url_main":"https://example.org/"}`,
	"public_reference":     `{"reference_note":"N","illustrative":true}`,
	"graph_node":           `{"record_id":"evd-base","record_kind":"evidence","label":"L"}`,
	"graph_edge":           `{"source":"evd-base","target":"opp-base","relation":"cites","directed":true,"asserted_by":"evd-base"}`,
	"change_event":         `{"record_id":"evd-base","record_kind":"evidence","change_type":"updated","before":{"version":1,"sha256":"` + zeros + `"},"after":{"version":2,"sha256":"` + zeros + `"},"changed_fields":["/title"],"release":"r"}`,
	"entity":               `{"entity_type":"place","name":"N"}`,
	"opportunity":          `{"need":"N","evidence_ids":["evd-base"]}`,
	"recommendation":       `{"action":"A","direction":"for","strength":"strong","opportunity_ids":["opp-base"],"evidence_ids":["evd-base"]}`,
	"decision_view":        `{"question":"Q","options":[{"option_id":"o","label":"L","recommendation_ids":[]}],"decision_label":"undecided"}`,
}

const envelope = `{"version":2,"title":"T","summary":"S","source_links":[{"url":"https://example.org/a","role":"primary"}],"verification_date":"2026-01-10",
	"source_updates":[],"corrections":[],"published_date":"2026-01-01","updated_date":"2026-01-10","claim_boundary":{"statement":"B"}}`

var dates = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)

// r is a record that is minimal but for the members that are given as JSON.
func r(kind, id, members string) entry {
	e := entry{kind, id, map[string]any{}}
	for _, text := range []string{envelope, minimal[kind], members} {
		if text == "" {
			continue
		}
		if err := json.Unmarshal([]byte(text), &e.members); err != nil {
			panic(fmt.Sprintf("%s: %v", text, err))
		}
	}
	e.members["id"] = id
	if !strings.Contains(members, "updated_date") { // it changed on the last day that it tells of
		for _, d := range dates.FindAllString(members, -1) {
			e.members["updated_date"] = max(d, e.members["updated_date"].(string))
		}
	}
	if !record.KindNamed(kind).Shape().Member("claim_boundary").Required {
		delete(e.members, "claim_boundary")
	}
	return e
}

// in makes a folder of records, each in a file of its own, with two records that others may lean
// on: evd-base and opp-base. What is in the folder counts as used, because evd-base names it.
func in(entries ...entry) fstest.MapFS {
	base := r("evidence", "evd-base", "")
	named := []string{}
	for _, e := range entries {
		if e.kind == "source_object" || e.kind == "entity" {
			named = append(named, e.id)
		}
	}
	base.members["see_also"] = named
	return alone(append(entries, base, r("opportunity", "opp-base", ""))...)
}

// alone makes a folder of records and nothing else.
func alone(entries ...entry) fstest.MapFS {
	fsys := fstest.MapFS{"stele.yaml": {Data: []byte(settings)}}
	for i, e := range entries {
		data, err := json.Marshal(e.members)
		if err != nil {
			panic(err)
		}
		fsys[fmt.Sprintf("records/%s/%02d-%s.json", record.KindNamed(e.kind).Folder(), i, e.id)] = &fstest.MapFile{Data: data}
	}
	return fsys
}

// run checks a folder and returns its problems as "CODE id pointer". That no event tells of a
// correction (EVT02) it leaves out: publish has the tests of that.
func run(t testing.TB, fsys fs.FS) []string {
	t.Helper()
	result := must.Get(specimen.Check(fsys, compiler.Options{Date: "2026-02-01", Workers: 2}))(t)
	var list []string
	for _, p := range result.Problems {
		if p.Code != codes.ChangeWithoutEvent {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", p.Code, p.Record, p.Pointer)))
		}
	}
	return list
}

// rule is a folder and the problems that it has.
type rule struct {
	name    string
	entries []entry
	want    []string
}

func expectRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			if got := run(t, in(c.entries...)); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// The cases of every rule lean on this: a record of each kind, and nothing wrong.
func TestMinimalRecords(t *testing.T) {
	var entries []entry
	for _, k := range record.Kinds {
		more := ""
		if k.Name == record.KindChangeEvent { // the one that there is says what is not so
			more = `{"record_id":"evd-gone","change_type":"removed","after":null}`
		}
		entries = append(entries, r(k.Name, k.Prefix+"a", more))
	}
	if len(minimal) != len(record.Kinds) {
		t.Fatalf("%d minimal records for %d kinds", len(minimal), len(record.Kinds))
	}
	if got := run(t, in(entries...)); len(got) > 0 {
		t.Errorf("got %q", got)
	}
	result, err := specimen.Check(in(entries...), compiler.Options{Date: "2026-02-01"})
	if err != nil || result.Records != len(record.Kinds)+2 || len(result.Kinds) != len(record.Kinds) ||
		result.Kinds["evidence"] != 2 ||
		result.Kinds["signal"] != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestNoSettings(t *testing.T) {
	fsys := in()
	delete(fsys, "stele.yaml")
	if _, err := specimen.Check(fsys, compiler.Options{}); err == nil {
		t.Error("a folder without stele.yaml was checked")
	}
}

func TestEverythingWrongIsFoundAtOnce(t *testing.T) {
	fsys := in(r("signal", "sig-a", `{"verfication_date":"2026-01-01","evidence_ids":["evd-bas"]}`))
	maps.Copy(fsys, fstest.MapFS{
		"stele.yaml":                {Data: []byte(settings + "titel: T\n")},
		"records/nothing/a.yaml":    {Data: []byte("id: a")},
		"records/signals/b.yaml":    {Data: []byte("id: [")},
		"records/signals/c.csv":     {Data: []byte("id,title\nx\n")},
		"records/signals/d.ndjson":  {Data: []byte("{\n")},
		"records/evidence/e.yaml":   {Data: []byte("hello\n")},
		"records/evidence/evd.toml": {Data: []byte("hello\n")},
	})
	want := []string{
		"FIL06", "FIL06", "FIL03", "FIL07", "FIL03", // evd-bas may stand in one of these
		"SCH01", "SCH02 sig-a /verfication_date", "SCH02  /titel",
	}
	if got := run(t, fsys); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestWorkersDoNotMatter(t *testing.T) {
	var entries []entry
	for i := range 300 {
		entries = append(entries, r("signal", fmt.Sprintf("sig-%d", i%290), fmt.Sprintf(`{"evidence_ids":["evd-%d"],"version":%d}`, i, i%3)))
	}
	fsys := in(entries...)
	// what is wrong with the defaults of a table shows in each row, whoever reads it
	shared := r("signal", "sig-a", `{"x_contact":"jane.roe@hospital.fr","x_city":"ZÃ¼rich"}`).members
	delete(shared, "id")
	defaults := must.Get(json.Marshal(shared))(t)
	for _, folder := range []string{"a", "b"} {
		var rows strings.Builder
		rows.WriteString("id\n")
		for i := range 4_000 { // eight batches
			fmt.Fprintf(&rows, "sig-%s-%d\n", folder, i)
		}
		fsys["records/signals/"+folder+"/_defaults.yaml"] = &fstest.MapFile{Data: defaults}
		fsys["records/signals/"+folder+"/rows.csv"] = &fstest.MapFile{Data: []byte(rows.String())}
	}
	fsys["stele.yaml"] = &fstest.MapFile{Data: []byte(settings + "accept: [{code: PRV02, record: sig-a-0, reason: It is an office.}]\n")}
	var first *check.Result
	for _, workers := range []int{1, 2, 8} {
		result := must.Get(specimen.Check(fsys, compiler.Options{Date: "2026-02-01", Workers: workers}))(t)
		if first == nil {
			first = result
		}
		if !slices.Equal(result.Problems, first.Problems) || result.Errors != first.Errors || result.Errors < 300 ||
			result.Warnings != first.Warnings || result.Accepted != 1 {
			t.Fatalf("%d workers: %d errors, %d warnings, %d accepted; with one %d, %d and %d", workers,
				result.Errors, result.Warnings, result.Accepted, first.Errors, first.Warnings, first.Accepted)
		}
	}
}

func TestMoreProblemsThanAreKept(t *testing.T) {
	var b strings.Builder
	const lines = check.MaxProblems + 1234
	for range lines {
		b.WriteString("0\n")
	}
	fsys := fstest.MapFS{"stele.yaml": {Data: []byte(settings)}, "records/signals/a.ndjson": {Data: []byte(b.String())}}
	result, err := specimen.Check(fsys, compiler.Options{})
	if err != nil || len(result.Problems) != check.MaxProblems || result.Errors != lines || result.Records != lines {
		t.Errorf("%d kept of %d, %d records, %v", len(result.Problems), result.Errors, result.Records, err)
	}
}
