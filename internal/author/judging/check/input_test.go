package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// places checks a folder and answers with its problems as "file:line:column CODE", without the
// folder of signals.
func places(t *testing.T, files map[string]string) []string {
	t.Helper()
	fsys := in()
	for name, content := range files {
		fsys["records/signals/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	result := must.Get(specimen.Check(fsys, compiler.Options{Date: "2026-02-01", Workers: 2}))(t)
	var list []string
	for _, p := range result.Problems {
		list = append(list, fmt.Sprintf("%s %s", strings.TrimPrefix(p.Position(), "records/signals/"), p.Code))
	}
	return list
}

// signal is a whole signal in YAML, in 14 lines.
const signal = `id: sig-a
version: 1
title: T
summary: S
claim_boundary: {statement: Limits}
source_links: [{url: "https://example.org/", role: primary}]
verification_date: 2026-01-01
source_updates: []
corrections: []
published_date: 2026-01-01
updated_date: 2026-01-01
signal_type: trend
observation: O
detected_date: 2026-01-01
evidence_ids: [evd-base]
`

// signalJSON is the same in JSON, one line, without the closing brace.
const signalJSON = `{"id":"sig-j","version":1,"title":"T","summary":"S","claim_boundary":{"statement":"B"},"source_links":[{"url":"https://example.org/","role":"primary"}],` +
	`"verification_date":"2026-01-01","source_updates":[],"corrections":[],"published_date":"2026-01-01","updated_date":"2026-01-01","signal_type":"trend","observation":"O","detected_date":"2026-01-01","evidence_ids":["evd-base"]`

func TestBadMembers(t *testing.T) {
	long := strings.Repeat("9", 1<<20)
	for _, c := range []struct {
		name, add string // YAML after the whole signal, or JSON after its last member
		want      []string
	}{
		{"members of the publisher's own", "x_a: {b: [1, ~, {c: d}]}\n", nil},
		{"duplicate inside", "subjects: [{scheme: a, scheme: b, code: c}]\n", []string{"a.yaml:16:24 FIL04"}},
		{"duplicate of the publisher's own", "x_a: 1\nx_a: 2\n", []string{"a.yaml:17:1 FIL04"}},
		{"duplicate inside of the publisher's own", "x_a: {b: 1, c: [{d: 1, d: 2}], b: 2}\n", []string{"a.yaml:16:24 FIL04", "a.yaml:16:32 FIL04"}},
		{"huge exponent of the publisher's own", "x_a: 1e999999\n", []string{"a.yaml:16:6 SCH01"}},
		{"long number of the publisher's own", "x_a: " + long + "\n", []string{"a.yaml:16:6 SCH01"}},

		{"JSON, duplicate inside of the publisher's own", ",\n\"x_a\":{\"b\":1,\"b\":2}}", []string{"a.json:2:14 FIL04"}},
		{"JSON, huge exponent", ",\n\"x_a\":[1,1e999999]}", []string{"a.json:2:10 SCH01"}},
		{"JSON, tiny exponent", ",\n\"x_a\":1e-999999}", []string{"a.json:2:7 SCH01"}},
		{"JSON, long number", ",\n\"x_a\":" + long + "}", []string{"a.json:2:7 SCH01"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"a.yaml": signal + c.add}
			if strings.HasPrefix(c.name, "JSON") {
				files = map[string]string{"a.json": signalJSON + c.add}
			}
			if got := places(t, files); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}

// What stands word for word in defaults is one problem there, however many records take it; what
// was filled in is one in each record.
func TestProblemsWithDefaults(t *testing.T) {
	shared := strings.Replace(strings.Replace(signal, "id: sig-a\n", "", 1), "title: T\n", "title: \"{x_title}\"\n", 1)
	for _, c := range []struct {
		name, defaults, table string
		want                  []string
	}{
		{"nothing wrong", shared, "id,x_title\na,A\nb,B\n", nil},
		{"word for word", strings.Replace(shared, "trend", "trendy", 1), "id,x_title\na,A\nb,B\nc,C\n", []string{"_defaults.yaml:11:14 SCH03"}},
		{"unknown member", shared + "titel: T\n", "id,x_title\na,A\nb,B\n", []string{"_defaults.yaml:15:1 SCH02"}},
		{"twice in the defaults", shared + "version: 2\n", "id,x_title\na,A\nb,B\n", []string{"_defaults.yaml:15:1 FIL04"}},
		{"filled in", shared, "id,x_title\na," + strings.Repeat("A", 161) + "\nb,B\nc," + strings.Repeat("C", 161) + "\n", []string{"a.csv:2:1 SCH01", "a.csv:4:1 SCH01"}},
		{"a name that is missing in one row", shared, "id,x_title\na,A\nb,\n", []string{"_defaults.yaml:2:8 DEF01", "a.csv:3:1 SCH01"}},
		{"a name that no row has", strings.Replace(shared, "{x_title}", "{x_titel}", 1), "id,x_title\na,A\nb,B\n", []string{"_defaults.yaml:2:8 DEF01", "_defaults.yaml:2:8 DEF01", "a.csv:2:1 SCH01", "a.csv:3:1 SCH01"}},
		{"number from a template", strings.Replace(shared, "version: 1", `version: "{x_v}"`, 1), "id,x_title,x_v\na,A,3\nb,B,x\n", []string{"a.csv:3:1 SCH01"}},
		{"reference from a template", strings.Replace(shared, "[evd-base]", `["evd-{x_e}"]`, 1), "id,x_title,x_e\na,A,base\nb,B,bsae\n", []string{"a.csv:3:1 REF01"}},
		{"reference word for word", strings.Replace(shared, "[evd-base]", "[evd-x]", 1), "id,x_title\na,A\nb,B\n", []string{"_defaults.yaml:14:16 REF01"}},
		{"missing in both", strings.Replace(shared, "summary: S\n", "", 1), "id,x_title\na,A\nb,B\n", []string{"a.csv:2:1 SCH01", "a.csv:3:1 SCH01"}},
		{"wrong column", shared, "id,x_title,titel\na,A,x\nb,B,y\n", []string{"a.csv:1:12 SCH02"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := places(t, map[string]string{"_defaults.yaml": c.defaults, "a.csv": c.table}); !slices.Equal(got, c.want) {
				t.Errorf("\n got %q\nwant %q", got, c.want)
			}
		})
	}
}
