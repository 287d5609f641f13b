package input_test

import (
	"strings"
	"testing"
	"testing/fstest"
)

// badInput is a file and the lines that come of it: records, and problems up to their advice.
type badInput struct {
	name, file, content string
	want                []string
}

// expectBadInput reads each file beside a good one, which must be read all the same.
func expectBadInput(t *testing.T, cases []badInput) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			fsys := one(c.file, c.content)
			fsys["records/decision-views/good.yaml"] = &fstest.MapFile{Data: []byte("id: good")}
			expectLines(t, lines(read(fsys, 2)), append(c.want, "{id:good}"))
		})
	}
}

func TestBadYAML(t *testing.T) {
	expectBadInput(t, []badInput{
		{"merge conflict", "a.yaml", "id: a\n<<<<<<< HEAD\ntitle: b\n=======\ntitle: c\n>>>>>>> other\n", []string{"a.yaml:2: error FIL03: unresolved merge conflict; choose between"}},
		{"tab in the indentation", "a.yaml", "id: a\nx_y:\n\tz: 1\n", []string{"a.yaml:3:1: error FIL03: malformed YAML: a tab at the beginning of a line; YAML indents"}},
		{"colon in text", "a.yaml", "id: a\ntitle: Measles: the return\n", []string{"a.yaml:2: error FIL03: malformed YAML: mapping values are not allowed in this context; there may be a colon"}},
		{"wrong indentation far below the beginning", "a.yaml", "# a comment\n\nid: a\ntitle: b\n\nx_a:\n  b: 1\n  c: 2\n d: 3\n", []string{"a.yaml:9: error FIL03: malformed YAML: did not find expected key; check the indentation"}},
		{"wrong indentation of a list", "a.yaml", "# a comment\nid: a\naliases:\n  - b\n - c\n", []string{"a.yaml:5: error FIL03: malformed YAML: did not find expected key"}},
		{"wrong indentation", "a.yaml", "x_a:\n  b: 1\n c: 2\n", []string{"a.yaml:3: error FIL03: malformed YAML: did not find expected key; check the indentation"}},
		{"text that begins with a star", "a.yaml", "title: *important\n", []string{"a.yaml:1: error FIL03: malformed YAML: unknown anchor 'important' referenced; put a text"}},
		{"quotation mark not closed", "a.yaml", "id: a\ntitle: \"abc\n", []string{"a.yaml:2: error FIL03: malformed YAML: found unexpected end of stream"}},
		{"list not closed", "a.yaml", "id: a\naliases: [b, c\n", []string{"a.yaml:2: error FIL03: malformed YAML: did not find expected ',' or ']'"}},
		{"merge key", "a.yaml", "x_a: &a {b: 1}\nx_c:\n  <<: *a\n", []string{"a.yaml:3:3: error FIL03: merge keys (<<) are not supported"}},
		{"tag", "a.yaml", "id: a\ntitle: !secret x\n", []string{`a.yaml:2:8: error FIL03: the tag "!secret" is not supported`}},
		{"number tag", "a.yaml", "version: !!int 1\n", []string{`a.yaml:1:10: error FIL03: the tag "!!int" is not supported`}},
		{"binary tag", "a.yaml", "title: !!binary aGVsbG8=\n", []string{`a.yaml:1:8: error FIL03: the tag "!!binary" is not supported`}},
		{"text tag", "a.yaml", "title: !!str 12\n", []string{`{title:"12"}`}},
		{"object as a name", "a.yaml", "? {a: 1}\n: b\n", []string{"a.yaml:1:3: error FIL03: the name of a member must be plain text"}},
		{"list as a name", "a.yaml", "id: a\n? [a, b]\n: c\n", []string{"a.yaml:2:3: error FIL03: the name of a member must be plain text"}},
		{"alias as a name", "a.yaml", "x_a: &a b\n*a : c\n", []string{"a.yaml:2:1: error FIL03: the name of a member must be plain text"}},
		{"alias of what is around it", "a.yaml", "x_a: &a\n  b: *a\n", []string{"a.yaml:2:6: error FIL05: values are nested more than 100 deep"}},
		{"alias bomb", "a.yaml", aliasBomb(12), []string{"a.yaml:1:38: error FIL05: a record has more than 200000 values"}},
		{"nested too deep, braces", "a.yaml", "x_a: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), []string{"a.yaml:1:106: error FIL05: values are nested more than 100 deep"}},
		{"nested 10,000 deep, braces", "a.yaml", "x_a: " + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), []string{"a.yaml:1: error FIL03: malformed YAML: "}},
		{"nested 10,000 deep, dashes", "a.yaml", strings.Repeat("- ", 10_000) + "a\n", []string{"a.yaml:1:205: error FIL05: values are nested more than 100 deep"}},
		{"document after a bad one", "a.yaml", "id: a\n---\nid: b\n---\ntitle: [\n---\nid: c\n", []string{"{id:a}", "{id:b}", "a.yaml:5: error FIL03: malformed YAML: did not find expected node content"}},
		{"element after a bad one", "a.yaml", "- id: a\n- id: !x b\n- id: c\n", []string{"{id:a}", `a.yaml:2:7: error FIL03: the tag "!x"`, "{id:c}"}},
		{"empty documents", "a.yaml", "---\n---\nid: a\n---\n# nothing\n", []string{"{id:a}"}},
		{"only empty documents", "a.yaml", "---\n---\n# nothing\n", []string{"a.yaml: warning FIL08: no records in this file"}},
		{"only comments", "a.yaml", "# nothing\n", []string{"a.yaml: warning FIL08: no records in this file"}},
		{"only spaces", "a.yaml", "  \n\n", []string{"a.yaml: warning FIL08: no records in this file"}},
		{"empty list", "a.yaml", "[]\n", []string{"a.yaml: warning FIL08: no records in this file"}},
		{"duplicate names are kept for the decoder", "a.yaml", "id: a\nid: b\n", []string{"{id:a,id:b}"}},
		{"word where a record is expected", "a.yaml", "hello\n", []string{"hello"}},
	})
}

// aliasBomb is a few hundred bytes of YAML that mean 10 to the power of depth values.
func aliasBomb(depth int) string {
	b := "x_0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range depth - 1 {
		alias := "*a" + string(rune('0'+i%10))
		b += "x_" + strings.Repeat(
			"y",
			i+1,
		) + ": &a" + string(
			rune('0'+(i+1)%10),
		) + " [" + strings.Repeat(
			alias+", ",
			9,
		) + alias + "]\n"
	}
	return b
}

func TestBadJSON(t *testing.T) {
	expectBadInput(t, []badInput{
		{"cut off", "a.json", `{"id":"a","title":"x`, []string{"a.json:1:21: error FIL03: malformed JSON: the file ends in the middle of a record"}},
		{"list cut off", "a.json", "[{\"id\":\"a\"},\n{\"id\":", []string{`{id:"a"}`, "a.json:2:7: error FIL03: malformed JSON: the file ends in the middle of a record"}},
		{"list not closed", "a.json", "[{\"id\":\"a\"}\n", []string{`{id:"a"}`, "a.json:2:1: error FIL03: malformed JSON: the file ends in the middle of a record"}},
		{"garbage after the record", "a.json", "{\"id\":\"a\"}\n}", []string{`{id:"a"}`, "a.json:2:1: error FIL03: a JSON file must contain one record or one list of records, but more follows here"}},
		{"second record", "a.json", "{\"id\":\"a\"}\n{\"id\":\"b\"}", []string{`{id:"a"}`, "a.json:2:1: error FIL03: a JSON file must contain one record or one list"}},
		{"garbage after the list", "a.json", "[{\"id\":\"a\"}],", []string{`{id:"a"}`, "a.json:1:14: error FIL03: a JSON file must contain one record or one list"}},
		{"comma too many in an object", "a.json", `{"id":"a",}`, []string{"a.json:1:10: error FIL03: malformed JSON: invalid character ',' at start of value; check for a superfluous comma"}},
		{"comma too many in a list", "a.json", `[{"id":"a"},]`, []string{`{id:"a"}`, "a.json:1:12: error FIL03: malformed JSON: invalid character ',' at start of value; check for a superfluous comma"}},
		{"single quotation marks", "a.json", `{'id':"a"}`, []string{"a.json:1:2: error FIL03: malformed JSON: invalid character '\\'' at start of value; JSON writes texts in double"}},
		{"comment", "a.json", "{\n  // an ID\n  \"id\":\"a\"}", []string{"a.json:2:3: error FIL03: malformed JSON: invalid character '/' at start of value; remove the comment"}},
		{"NaN", "a.json", `{"value":NaN}`, []string{"a.json:1:10: error FIL03: malformed JSON: invalid character 'N'"}},
		{"leading zero", "a.json", `{"value":01}`, []string{"a.json:1:11: error FIL03: malformed JSON: "}},
		{"half of a surrogate pair", "a.json", `{"id":"\ud800"}`, []string{"a.json:1:8: error FIL03: malformed JSON: invalid surrogate pair"}},
		{"nested 10,000 deep", "a.json", `{"x_a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}", []string{"a.json:1:107: error FIL05: values are nested more than 100 deep"}},
		{"nested 10,000 objects deep", "a.json", strings.Repeat(`{"x_a":`, 10_000) + "1" + strings.Repeat("}", 10_000), []string{"a.json:1:701: error FIL05: values are nested more than 100 deep"}},
		{"record after one that is too deep", "a.json", `[{"x_a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `},{"id":"b"}]`, []string{"a.json:1:108: error FIL05: values are nested", `{id:"b"}`}},
		{"nothing after one that is too deep and cut off", "a.json", `[{"x_a":` + strings.Repeat("[", 200) + `},{"id":"b"}]`, []string{"a.json:1:108: error FIL05: values are nested"}},
		{"too many values", "a.json", `{"x_a":[` + strings.Repeat("1,", 200_000) + "1]}", []string{"a.json:1:400005: error FIL05: a record has more than 200000 values"}},
		{"empty list", "a.json", "[]", []string{"a.json: warning FIL08: no records in this file"}},
		{"only spaces", "a.json", " \n\n", []string{"a.json: warning FIL08: no records in this file"}},
		{"duplicate names are kept for the decoder", "a.json", `{"id":"a","id":"b"}`, []string{`{id:"a",id:"b"}`}},
		{"word where a record is expected", "a.json", `["hello"]`, []string{`"hello"`}},
	})
}

func TestBadNDJSON(t *testing.T) {
	expectBadInput(t, []badInput{
		{"merge conflict", "a.ndjson", "{\"id\":\"a\"}\n<<<<<<< HEAD\n", []string{`{id:"a"}`, "a.ndjson:2: error FIL03: unresolved merge conflict"}},
		{"line cut off", "a.ndjson", "{\"id\":\"a\"}\n{\"id\":\n{\"id\":\"c\"}\n", []string{`{id:"a"}`, "a.ndjson:2:7: error FIL03: malformed JSON: the file ends in the middle", `{id:"c"}`}},
		{"last line cut off", "a.ndjson", "{\"id\":\"a\"}\n{\"id\":\"b", []string{`{id:"a"}`, "a.ndjson:2:9: error FIL03: malformed JSON: the file ends in the middle"}},
		{"two records on a line", "a.ndjson", "{\"id\":\"a\"} {\"id\":\"b\"}\n{\"id\":\"c\"}\n", []string{"a.ndjson:1:12: error FIL03: text after the record on this line", `{id:"c"}`}},
		{"one record on two lines", "a.ndjson", "{\"id\":\n\"a\"}\n", []string{"a.ndjson:1:7: error FIL03: malformed JSON: the file ends in the middle", "a.ndjson:2:4: error FIL03: text after the record"}},
		{"blank lines", "a.ndjson", "\n{\"id\":\"a\"}\n  \n\r\n{\"id\":\"b\"}\n\n", []string{`{id:"a"}`, `{id:"b"}`}},
		{"only blank lines", "a.ndjson", "\n \n", []string{"a.ndjson: warning FIL08: no records in this file"}},
		{"nested 10,000 deep", "a.ndjson", "{\"id\":\"a\"}\n{\"x_a\":" + strings.Repeat("[", 10_000) + "\n{\"id\":\"c\"}\n", []string{`{id:"a"}`, "a.ndjson:2:107: error FIL05: values are nested more than 100 deep", `{id:"c"}`}},
		{"other ending", "a.jsonl", "{\"id\":\"a\"}\n", []string{`{id:"a"}`}},
	})
}

func TestBadCSV(t *testing.T) {
	expectBadInput(t, []badInput{
		{"row too short", "a.csv", "id,title\na\nb,B\n", []string{"a.csv:2: error FIL07: the row has 1 cells, the header has 2; write a comma for each empty cell", "{id:<b>,title:<B>}"}},
		{"row too long", "a.csv", "id,title\na,b,c\nb,B\n", []string{"a.csv:2: error FIL07: the row has 3 cells, the header has 2; put quotation marks", "{id:<b>,title:<B>}"}},
		{"duplicate column of a name", "a.csv", "id,title,id\na,b,c\n", []string{"a.csv:1:10: error FIL07: duplicate column for a member"}},
		{"column inside another", "a.csv", "id,x_a,x_a.b\na,b,c\n", []string{"a.csv:1:8: error FIL07: duplicate column for a member"}},
		{"column around another", "a.csv", "id,x_a.b,x_a\na,b,c\n", []string{"a.csv:1:10: error FIL07: duplicate column for a member"}},
		{"members and elements", "a.csv", "id,x_a.b,x_a.0\na,b,c\n", []string{"a.csv:1:10: error FIL07: a column has an index where another has a name"}},
		{"gap in a list", "a.csv", "id,aliases.0,aliases.2\na,b,c\n", []string{"a.csv:1:14: error FIL07: indexes must count from 0"}},
		{"list that begins with 1", "a.csv", "id,aliases.1\na,b\n", []string{"a.csv:1:4: error FIL07: indexes must count from 0"}},
		{"number with a leading zero", "a.csv", "id,aliases.0,aliases.00\na,b,c\n", []string{"a.csv:1:14: error FIL07: a column has an index where another has a name"}},
		{"column without a name", "a.csv", "id,,title\na,b,c\n", []string{"a.csv:1:4: error FIL07: a column without a name"}},
		{"empty step in a name", "a.csv", "id,x_a..b\na,b\n", []string{"a.csv:1:4: error FIL07: a column without a name"}},
		{"every fault in a header", "a.csv", "id,id,,x_a.1\na,b,c,d\n", []string{"a.csv:1:4: error FIL07: duplicate column", "a.csv:1:7: error FIL07: a column without a name", "a.csv:1:8: error FIL07: indexes must count"}},
		{"semicolons", "a.csv", "id;title\na;b\n", []string{"a.csv:1:1: error FIL07: the header has only one cell: the columns may not be separated by commas"}},
		{"tabs", "a.csv", "id\ttitle\na\tb\n", []string{"a.csv:1:1: error FIL07: the header has only one cell"}},
		{"header nested too deep", "a.csv", "id,x_a" + strings.Repeat(".a", 10_000) + "\na,b\n", []string{"a.csv:1:4: error FIL07: values are nested more than 100 deep"}},
		{"too many columns", "a.csv", strings.Repeat("x_a,", 200_000) + "id\n", []string{"a.csv:1:40001: error FIL05: the header has more than 10000 columns"}},
		{"no rows", "a.csv", "id,title\n", []string{"a.csv: warning FIL08: no records in this file"}},
		{"rows of commas", "a.csv", "id,title\n,\n,\n", []string{"a.csv: warning FIL08: no records in this file"}},
		{"rows of commas at the end", "a.csv", "id,title\na,b\n,\n", []string{"{id:<a>,title:<b>}"}},
		{"only blank lines", "a.csv", "\n\n", []string{"a.csv: warning FIL08: no records in this file"}},
		{"quotation mark not closed", "a.csv", "id,title\na,b\nc,\"d\ne,f\n", []string{"a.csv:3: error FIL03: malformed CSV: a quotation mark is not closed", "{id:<a>,title:<b>}"}},
		{"quotation mark inside a quoted cell", "a.csv", "id,title\na,\"b\"c\"\nd,e\n", []string{"a.csv:2:5: error FIL03: malformed CSV: a quotation mark is not closed, or not doubled inside a quoted cell", "{id:<d>,title:<e>}"}},
		{"quotation mark in a plain cell", "a.csv", "id,title\na,5\" tall\nd,e\n", []string{"a.csv:2:4: error FIL03: malformed CSV: a quotation mark in an unquoted cell", "{id:<d>,title:<e>}"}},
		{"quotation mark in the header", "a.csv", "id,ti\"tle\na,b\n", []string{"a.csv:1:6: error FIL03: malformed CSV"}},
	})
}
