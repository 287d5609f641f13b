//go:build !race

package compiler_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// entityDefaults is what the entities of these tests share.
const entityDefaults = `version: 1
title: A title
entity_type: condition
name: Something
source_links: [{url: "https://example.org/", role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
`

// writings are ways to write a text, and the text that is to be published. What stands at TEXT is
// written as it is.
var writings = []struct{ name, file, written, text string }{
	{"literal block, one line break at its end", "yaml", "|\n  two\n  lines\n", "two\nlines\n"},
	{"literal block, none at its end", "yaml", "|-\n  two\n  lines\n\n", "two\nlines"},
	{"literal block, all at its end", "yaml", "|+\n  two\n  lines\n\n\n", "two\nlines\n\n\n"},
	{"literal block, the last of the file", "yaml", "|\n  no line break follows", "no line break follows"},
	{"literal block, empty lines in it", "yaml", "|\n\n  a\n\n\n  b\n", "\na\n\n\nb\n"},
	{"literal block, indented lines", "yaml", "|2\n    deep\n   less\n  not\n", "  deep\n less\nnot\n"},
	{"literal block, blanks and tabs", "yaml", "|\n  a \n  b\t\n  c\td\n", "a \nb\t\nc\td\n"},
	{"literal block, what looks like a comment", "yaml", "|\n  # a\n  - b: c\n", "# a\n- b: c\n"},
	{"literal block, carriage returns", "yaml", "|\r\n  two\r\n  lines\r\n", "two\nlines\n"},
	{"folded block, one line break at its end", "yaml", ">\n  one\n  line\n", "one line\n"},
	{"folded block, none at its end", "yaml", ">-\n  one\n  line\n", "one line"},
	{"folded block, all at its end", "yaml", ">+\n  one\n  line\n\n", "one line\n\n"},
	{"folded block, paragraphs", "yaml", ">-\n  one\n  line\n\n  two\n\n\n  three\n", "one line\ntwo\n\nthree"},
	{"folded block, indented lines", "yaml", ">-\n  one\n    a\n    b\n  two\n", "one\n  a\n  b\ntwo"},
	{"escapes", "yaml", `"\ta\r\nb\n\u0085\u2028\ufeff\u00a0 "`, "\ta\r\nb\n\u0085\u2028\ufeff\u00a0 "},
	{"single quotation marks", "yaml", "'  it''s  '", "  it's  "},
	{"a date in quotation marks", "yaml", `"2026-01-10"`, "2026-01-10"},
	{"a word in quotation marks", "yaml", `"true"`, "true"},
	{"no value in quotation marks", "yaml", `"~"`, "~"},
	{"a number in quotation marks", "yaml", `'1.50'`, "1.50"},
	{"a date", "yaml", "2026-01-10", "2026-01-10"},
	{"a number", "yaml", "1.50", "1.50"},
	{"a number that begins with 0", "yaml", "007", "007"},
	{"a number by sixteens", "yaml", "0x1F", "0x1F"},
	{"a number in sixties", "yaml", "12:30:45", "12:30:45"},
	{"a yes", "yaml", "yes", "yes"},
	{"a tagged text", "yaml", "!!str true", "true"},
	{"a letter and an accent", "yaml", "e\u0301 \u00e9 \u212b", "e\u0301 \u00e9 \u212b"},
	{"a byte-order mark in the text", "yaml", "a\ufeffb", "a\ufeffb"},
	{"blanks that are no blanks", "yaml", "a\u00a0\u2003b\u200b", "a\u00a0\u2003b\u200b"},

	{"JSON escapes", "json", `"\ta\r\nb\n\u0085\u2028\ufeff\ud83d\ude00\/\\\""`, "\ta\r\nb\n\u0085\u2028\ufeff\U0001f600/\\\""},
	{"JSON blanks", "json", `"  a\t"`, "  a\t"},
	{"JSON as it is", "json", "\"e\u0301 \u00e9 \u0085 \u2028 \ufeff\"", "e\u0301 \u00e9 \u0085 \u2028 \ufeff"},
	{"NDJSON escapes", "ndjson", `"\ta\r\nb\n\u0085\u2028\ufeff\ud83d\ude00\/\\\""`, "\ta\r\nb\n\u0085\u2028\ufeff\U0001f600/\\\""},
	{"NDJSON as it is", "ndjson", "\"  e\u0301 \u00e9 \u0085 \u2028 \ufeff \"", "  e\u0301 \u00e9 \u0085 \u2028 \ufeff "},

	{"cell of two lines", "csv", "\"two\nlines\"", "two\nlines"},
	{"cell of two lines of Windows", "csv", "\"two\r\nlines\r\n\"", "two\r\nlines\r\n"},
	{"cell of odd line breaks", "csv", "\"\r\na\rb\r\r\nc\n\r\n\"", "\r\na\rb\r\r\nc\n\r\n"},
	{"cell with quotation marks and line breaks", "csv", "\"\"\"a\"\"\r\n\"\"\r\n,b\r\n\"", "\"a\"\r\n\"\r\n,b\r\n"},
	{"cell with blanks", "csv", "  a\t ", "  a\t "},
	{"quoted cell with blanks", "csv", "\"\ta  \"", "\ta  "},
	{"cell with odd characters", "csv", "e\u0301 \u00e9 \u0085 \u2028 \ufeff", "e\u0301 \u00e9 \u0085 \u2028 \ufeff"},
	{"cell with a number", "csv", "1.50", "1.50"},
	{"cell with a word", "csv", "true", "true"},
	{"cell with null", "csv", "null", "null"},
	{"cell with a formula", "csv", "=1+1", "=1+1"},
}

// written is a file with one record whose summary is a text. A member of the publisher's own has
// the text, an empty place, and the ID; but not in YAML, where a block is to end the file.
func written(file, id, text string) string {
	switch file {
	case "yaml":
		return "id: " + id + "\nsummary: " + text
	case "csv":
		return "summary,id,x_own.0,x_own.1,x_own.2\r\n" + text + "," + id + "," + text + ",,\"" + id + "\"\r\n"
	}
	return fmt.Sprintf(`{"id":%q,"summary":%s,"x_own":[%s,null,%q]}`, id, text, text, id)
}

// TestTextIsKept: however a text is written, every character of it is published.
func TestTextIsKept(t *testing.T) {
	folder := fstest.MapFS{
		"stele.yaml":                      starterFolder(t)["stele.yaml"],
		"records/entities/_defaults.yaml": {Data: []byte(entityDefaults)},
	}
	for i, w := range writings {
		id := fmt.Sprintf("ent-%03d", i)
		for _, mark := range []string{"", "\ufeff"} { // with and without a byte-order mark
			name := fmt.Sprintf("records/entities/%s%d.%s", id, len(mark), w.file)
			folder[name] = &fstest.MapFile{Data: []byte(mark + written(w.file, fmt.Sprint(id, "-", len(mark)), w.written))}
		}
	}
	r := makeRelease(t, folder, compiler.Options{Date: "2026-01-10", NoVariants: true})
	entities := read(t, r, "api/v2/entities.json")
	if len(entities.Records) != 2*len(writings) {
		t.Fatalf("%d records of %d", len(entities.Records), 2*len(writings))
	}
	for i, line := range entities.Records {
		w := writings[i/2]
		var got struct {
			ID, Summary string
			Own         []*string `json:"x_own"`
		}
		must.Do(t, json.Unmarshal(line, &got))
		if got.Summary != w.text {
			t.Errorf("%s: %q is published as %q, not as %q", w.name, w.written, got.Summary, w.text)
		}
		if own := got.Own; w.file != "yaml" &&
			(len(own) != 3 || own[0] == nil || *own[0] != w.text || own[1] != nil ||
				own[2] == nil || *own[2] != got.ID) {
			t.Errorf("%s: the list is %s", w.name, line)
		}
	}
}

// TestTextThatIsNotKept: what cannot be published as it was written is a finding.
func TestTextThatIsNotKept(t *testing.T) {
	for _, w := range []struct{ name, file, written, finding string }{
		{"a control character", "yaml", `"a\0b"`, "FIL02"},
		{"a control character as it is", "yaml", "a\x01b", "FIL02"},
		{"a bell", "json", `"a\u0007b"`, "FIL02"},
		{"a control character as it is", "json", "\"a\x01b\"", "FIL02"},
		{"NUL", "ndjson", `"a\u0000b"`, "FIL02"},
		{"NUL as it is", "csv", "a\x00b", "FIL02"},
		{"half of a character", "json", `"\ud83d"`, "FIL03"},
		{"half of a character", "ndjson", `"\ud83d"`, "FIL03"},
		{"half of a character", "yaml", `"\ud83d"`, "FIL0"},
		{"a line break of some programs", "yaml", "a\u0085b", "FIL02"},
		{"a line break of some programs", "yaml", "\"a\u2028b\"", "FIL02"},
		{"a tab that begins a block", "yaml", "|\n  \ta\n", "FIL03"},
		{"another encoding", "csv", "caf\xe9", "FIL02"},
		{"true, where text is asked for", "yaml", "true", "SCH01"},
		{"nothing", "yaml", "~", "SCH01"},
		{"only blanks", "csv", "\"  \"", "SCH01"},
	} {
		folder := fstest.MapFS{
			"stele.yaml":                      starterFolder(t)["stele.yaml"],
			"records/entities/_defaults.yaml": {Data: []byte(entityDefaults)},
			"records/entities/a." + w.file:    {Data: []byte(written(w.file, "ent-a", w.written))},
		}
		got := problems(stopBuild(t, folder, compiler.Options{Date: "2026-01-10"}))
		if !strings.Contains(strings.Join(got, "\n"), w.finding) {
			t.Errorf("%s in %s: %q, not %s", w.name, w.file, got, w.finding)
		}
	}
}

// TestEmptyPlacesOfLists: a list with an empty place in it is a finding in every format, and is not
// closed up.
func TestEmptyPlacesOfLists(t *testing.T) {
	for file, record := range map[string]string{
		"yaml": "id: ent-a\nsummary: A.\naliases:\n  - a\n  -\n  - c\n",
		"json": `{"id":"ent-a","summary":"A.","aliases":["a",null,"c"]}`,
		"csv":  "id,summary,aliases.0,aliases.1,aliases.2\nent-a,A.,a,,c\n",
	} {
		folder := fstest.MapFS{
			"stele.yaml":                      starterFolder(t)["stele.yaml"],
			"records/entities/_defaults.yaml": {Data: []byte(entityDefaults)},
			"records/entities/a." + file:      {Data: []byte(record)},
		}
		got := problems(stopBuild(t, folder, compiler.Options{Date: "2026-01-10"}))
		if !strings.Contains(strings.Join(got, "\n"), `SCH01: "aliases" has an empty element`) {
			t.Errorf("in %s: %q", file, got)
		}
	}
}
