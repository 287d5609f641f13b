package record

import (
	"strings"
	"testing"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// goodStatistic is a record that nothing is wrong with, a member on each line.
const goodStatistic = `{
  "id": "sta-1",
  "version": 2,
  "title": "Coverage in France",
  "summary": "Coverage was 86 per cent.",
  "claim_boundary": {"statement": "One-year-olds only."},
  "source_links": [{"url": "https://example.org/a", "role": "primary"}],
  "verification_date": "2026-11-14",
  "source_updates": [],
  "corrections": [],
  "published_date": "2026-11-01",
  "updated_date": "2026-11-14",
  "see_also": ["sta-2"],
  "illustrative": true,
  "indicator": "mcv1",
  "ref_area_scheme": "iso3166",
  "ref_area": "FRA",
  "time_period": "2016",
  "value": 86.0,
  "unit": "percent",
  "unit_label": "per cent of one-year-olds",
  "obs_status": "A",
  "dimensions": {"sex": "all"},
  "x_note": 1
}`

// messageCase changes a good record in one place.
type messageCase struct{ old, new, want string }

// checkMessages compares the problems, as a publisher reads them, with what is wanted.
func checkMessages(t *testing.T, kind, good string, cases []messageCase) {
	t.Helper()
	k := KindNamed(kind)
	if _, problems := decode(t, k, good); len(problems) > 0 {
		t.Fatalf("the good record is not good: %s", lines(problems))
	}
	for _, c := range cases {
		if strings.Count(good, c.old) != 1 {
			t.Fatalf("%s stands %d times in the good record", c.old, strings.Count(good, c.old))
		}
		text := strings.Replace(good, c.old, c.new, 1)
		_, _, problems := (&Parser{Date: "2026-11-14"}).Decode(k, treeOf(t, text))
		if got := lines(problems); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.new, got, c.want)
		}
	}
}

func lines(problems []schema.Problem) string {
	var all []string
	for _, p := range problems {
		all = append(all, strings.TrimPrefix(p.String(), "record.json:"))
	}
	return strings.Join(all, "\n")
}

// doc is how messages quote what is said of a statistic's member.
func doc(path string) (text string) {
	eachMember(KindNamed("healthcare_statistic").Shape(), "", func(at string, m *schema.Member) {
		if at == "/"+path {
			text = strings.ToLower(m.Doc[:1]) + strings.TrimSuffix(m.Doc[1:], ".")
		}
	})
	return text
}

// TestMessages shows what publishers read after common mistakes. Line and column come first.
func TestMessages(t *testing.T) {
	checkMessages(t, "healthcare_statistic", goodStatistic, []messageCase{
		{`"indicator": "mcv1"`, `"indicater": "mcv1"`, `15:3: error SCH02: unknown member "indicater"; did you mean "indicator"?`},
		{`"indicator": "mcv1",`, ``, `1:1: error SCH01: member "indicator" is missing; add indicator: ` + doc("indicator")},
		{`"x_note"`, `"remark"`, `24:3: error SCH02: unknown member "remark"; delete it, or call it "x_remark" if it is your own`},
		{`"x_note"`, `"Unit-Lable"`, `24:3: error SCH02: unknown member "Unit-Lable"; delete it, or call it "x_unit-lable" if it is your own`},
		{`"role": "primary"`, `"role": "primary", "part": "main"`, `7:72: error SCH02: unknown member "part"; the members here are url, source_id, role, locator, quote`},
		{`"role": "primary"`, `"role": "Primary"`, `7:61: error SCH03: role: unknown value "Primary"; did you mean "primary"?`},
		{`"role": "primary"`, `"role": "main"`, `7:61: error SCH03: role: unknown value "main"; write one of primary, secondary, background, disputed, superseded, archive`},
		{`86.0`, `"86.0"`, `19:12: error SCH01: value must be a number, not "86.0"; write 86.0 without quotation marks`},
		{`86.0`, `"about 86"`, `19:12: error SCH01: value must be a number, not "about 86"`},
		{`86.0`, `null`, `19:12: error SCH01: member "value" is empty; delete it, or write ` + doc("value")},
		{`["sta-2"]`, `"sta-2"`, `13:15: error SCH01: see_also must be a list, not "sta-2"; write a list: [sta-2]`},
		{`[{"url": "https://example.org/a", "role": "primary"}]`, `{"url": "https://example.org/a", "role": "primary"}`, `7:19: error SCH01: source_links must be a list, not an object; write a list, in YAML each element on a line that begins with "- "`},
		{`[{"url": "https://example.org/a", "role": "primary"}]`, `[]`, `7:19: error SRC01: member "source_links" has no elements; add at least 1`},
		{`"source_updates": []`, `"source_updates": null`, `9:21: error SCH01: member "source_updates" is empty; write [] if there are none`},
		{`"version": 2`, `"version": 0`, `3:14: error SCH01: version must be at least 1; write 1 or more`},
		{`"version": 2`, `"version": 1.5`, `3:14: error SCH01: version must be a whole number, not 1.5; write digits only`},
		{`"2016"`, `2016`, `18:18: error SCH01: time_period must be text, not the number 2016; write it in quotation marks: "2016"`},
		{`"percent"`, `true`, `20:11: error SCH01: unit must be text, not true; write it in quotation marks: "true"`},
		{`true`, `"yes"`, `14:19: error SCH01: illustrative must be true or false, not "yes"; write true or false`},
		{`{"statement": "One-year-olds only."}`, `"One-year-olds only."`, `6:21: error SCH01: claim_boundary must be an object with members, not "One-year-olds only."; its members are statement, population, place, period, excludes`},
		{`"One-year-olds only."`, `" "`, `6:35: error BND01: member "statement" is empty; write ` + doc("claim_boundary/statement")},
		{`"Coverage in France"`, `"` + strings.Repeat("ü", 161) + `"`, `4:12: error SCH01: title has 161 characters; at most 160 are allowed; shorten it`},
		{`"all"`, `1`, `23:25: error SCH01: member "sex" must be text, not the number 1; write it in quotation marks: "1"`},
		{`["sta-2"]`, `["sta-2", null]`, `13:25: error SCH01: "see_also" has an empty element; delete it, or write a value`},
		{`"2026-11-01"`, `"1.11.2026"`, `11:21: error DAT01: "1.11.2026" is not a valid date; write 2026-11-01`},
		{`"sta-1"`, `"sta 1"`, `2:9: error ID01: the ID contains a character other than letters, digits, '.', '_' and '-'; write "sta-1"`},
		{`"https://example.org/a"`, `"example.org/a"`, `7:28: error SRC02: "example.org/a" is not an absolute http or https URL; write https://example.org/a`},
		{`"x_note": 1`, `"x_note": 1e999`, `24:13: error SCH01: 1e999 is out of the range of numbers that programs can read`},
	})
}

func TestProblemsPointAtTheirPlace(t *testing.T) {
	text := strings.Replace(goodStatistic, `"FRA"`, `"Fran\u00e7ais"`, 1)
	text = strings.Replace(text, `["sta-2"]`, `["sta-2", "ü b"]`, 1)
	text = strings.Replace(text, `"role"`, `"rôle"`, 1)
	_, problems := decode(t, KindNamed("healthcare_statistic"), text)
	want := []schema.Problem{
		{Code: codes.UnknownMember, Line: 7, Column: 53, Width: 4, Pointer: "/source_links/0/rôle", Value: "primary"},
		{Code: codes.WrongValue, Line: 7, Column: 20, Pointer: "/source_links/0"},
		{Code: codes.MalformedID, Line: 13, Column: 25, Width: 5, Pointer: "/see_also/1", Value: "ü b"},
		{Code: codes.MalformedArea, Line: 17, Column: 15, Width: 10, Pointer: "/ref_area", Value: "Français"},
	}
	if len(problems) != len(want) {
		t.Fatalf("%d problems, want %d: %s", len(problems), len(want), lines(problems))
	}
	for i, p := range problems {
		if p.File != "record.json" || p.Record != "sta-1" {
			t.Errorf("%s is said to be of %s in %s", p.Code, p.Record, p.File)
		}
		p.File, p.Record, p.Message, p.Fix = "", "", "", ""
		if p != want[i] {
			t.Errorf("problem %d is %+v, want %+v", i, p, want[i])
		}
	}
}

func TestNotAnObject(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:     `1:1: error SCH01: a record must be an object with members, not a list; write the members of the record, such as id: and title:`,
		`"word"`: `1:1: error SCH01: a record must be an object with members, not "word"; write the members of the record, such as id: and title:`,
		`null`:   `1:1: error SCH01: a record must be an object with members, not null; write the members of the record, such as id: and title:`,
	} {
		rec, problems := decode(t, KindNamed("entity"), text)
		if got := lines(problems); got != want || rec == nil {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	var into struct {
		Title string `json:"title" doc:"A title."`
	}
	if got := lines(schema.DecodeInto(treeOf(t, `[]`), &into)); !strings.HasPrefix(got, "1:1: error SCH01: expected members, not a list") {
		t.Errorf("got %s", got)
	}
}

func TestMembersThatStandTwice(t *testing.T) {
	tree := new(schema.Tree)
	tree.Reset("record.json")
	tree.Open(schema.Object, schema.Pos{Line: 1, Column: 1})
	add := func(name, text string) {
		tree.SetName(name, schema.Pos{Line: 2, Column: 3})
		tree.AddScalar(schema.String, text, schema.Pos{Line: 2, Column: 9})
	}
	add("id", "nod-1")
	add("id", "nod-2")
	add("x_a", "one")
	add("x_a", "two")
	tree.Close()
	rec, _, problems := new(Parser).Decode(KindNamed("graph_node"), tree)
	got := map[string]int{}
	for _, p := range problems {
		if p.Code == codes.DuplicateMember {
			got[p.Pointer]++
		}
	}
	if got["/id"] != 1 || got["/x_a"] != 1 || len(got) != 2 {
		t.Errorf("standing twice: %v", got)
	}
	if e := rec.Common(); e.ID != "nod-1" || len(e.Extra) != 1 || e.Extra[0].JSON != `"one"` {
		t.Errorf("the first one counts, but the record has %q and %v", e.ID, e.Extra)
	}
}
