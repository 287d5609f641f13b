package input_test

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// good holds the same two records in each format.
var good = map[string]string{
	"a.yaml":   "id: a\ntitle: A\n---\nid: b\ntitle: B\n",
	"a.json":   "[\n{\"id\":\"a\",\"title\":\"A\"},\n{\"id\":\"b\",\"title\":\"B\"}\n]\n",
	"a.ndjson": "{\"id\":\"a\",\"title\":\"A\"}\n{\"id\":\"b\",\"title\":\"B\"}\n",
	"a.csv":    "id,title\na,A\nb,B\n",
}

var goodRecords = map[string][]string{
	"a.yaml":   {"{id:a,title:A}", "{id:b,title:B}"},
	"a.json":   {`{id:"a",title:"A"}`, `{id:"b",title:"B"}`},
	"a.ndjson": {`{id:"a",title:"A"}`, `{id:"b",title:"B"}`},
	"a.csv":    {"{id:<a>,title:<A>}", "{id:<b>,title:<B>}"},
}

func TestEveryFormatReadsPlainText(t *testing.T) {
	for _, way := range []struct {
		name  string
		write func(string) string
	}{
		{"as it is", func(s string) string { return s }},
		{"byte-order mark", func(s string) string { return "\ufeff" + s }},
		{"CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{"CRLF and byte-order mark", func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") }},
		{"no line break at the end", strings.TrimSpace},
	} {
		for file, content := range good {
			t.Run(way.name+" "+file, func(t *testing.T) {
				expectLines(t, lines(read(one(file, way.write(content)), 1)), goodRecords[file])
			})
		}
	}
}

func TestCRLFInsideText(t *testing.T) {
	for file, c := range map[string]struct{ content, want string }{
		"a.yaml": {"x_a: |\r\n  one\r\n  two\r\n", `{x_a:"one\ntwo\n"}`},
		"a.csv":  {"x_a,x_b\r\n\"one\r\ntwo\",c\r\n", "{x_a:<one\r\ntwo>,x_b:<c>}"},
	} {
		expectLines(t, lines(read(one(file, c.content), 1)), []string{c.want})
	}
}

func TestNotPlainText(t *testing.T) {
	expectBadInput(t, []badInput{
		{"Latin-1 in YAML", "a.yaml", "id: a\ntitle: caf\xe9\n", []string{"a.yaml:2:11: error FIL02: byte 0xE9 is not UTF-8; save the file as UTF-8"}},
		{"Latin-1 in JSON", "a.json", "{\"id\":\"a\",\n\"title\":\"caf\xe9\"}", []string{"a.json:2:13: error FIL02: byte 0xE9 is not UTF-8"}},
		{"Latin-1 in NDJSON", "a.ndjson", "{\"id\":\"a\"}\n{\"title\":\"caf\xe9\"}\n{\"id\":\"c\"}", []string{`{id:"a"}`, "a.ndjson:2:14: error FIL02: byte 0xE9 is not UTF-8", `{id:"c"}`}},
		{"Latin-1 in CSV", "a.csv", "id,title\na,A\nb,caf\xe9\nc,C\n", []string{"a.csv:3:3: error FIL02: byte 0xE9 is not UTF-8", "{id:<a>,title:<A>}", "{id:<c>,title:<C>}"}},
		{"Latin-1 in a CSV header", "a.csv", "id,caf\xe9\na,A\n", []string{"a.csv:1:4: error FIL02: byte 0xE9 is not UTF-8"}},

		{"NUL in YAML", "a.yaml", "id: a\ntitle: a\x00b\n", []string{"a.yaml:2:9: error FIL02: control character U+0000; delete it"}},
		{"NUL in JSON", "a.json", "{\"id\":\"a\x00\"}", []string{"a.json:1:9: error FIL02: control character U+0000"}},
		{"NUL between JSON values", "a.json", "{\"id\":\"a\"}\x00", []string{"a.json:1:11: error FIL02: control character U+0000"}},
		{"NUL in NDJSON", "a.ndjson", "{\"id\":\"a\x00\"}\n{\"id\":\"b\"}", []string{"a.ndjson:1:9: error FIL02: control character U+0000", `{id:"b"}`}},
		{"NUL after NDJSON", "a.ndjson", "{\"id\":\"a\"}\x00\n{\"id\":\"b\"}", []string{"a.ndjson:1:11: error FIL0", `{id:"b"}`}},
		{"NUL in CSV", "a.csv", "id,title\na,A\x00\nb,B\n", []string{"a.csv:2:3: error FIL02: control character U+0000", "{id:<b>,title:<B>}"}},

		{"delete in YAML", "a.yaml", "id: a\x7f\n", []string{"a.yaml:1:6: error FIL02: control character U+007F"}},
		{"delete in JSON", "a.json", "{\"id\":\"a\x7f\"}", []string{"a.json:1:9: error FIL02: control character U+007F"}},
		{"delete in NDJSON", "a.ndjson", "{\"id\":\"a\x7f\"}", []string{"a.ndjson:1:9: error FIL02: control character U+007F"}},
		{"escape character in CSV", "a.csv", "id,title\n\x1b[31m,A\n", []string{"a.csv:2:1: error FIL02: control character U+001B"}},

		{"line separator in YAML", "a.yaml", "id: a\ntitle: a\u2028b\n", []string{"a.yaml:2:9: error FIL02: U+2028 ends a line for some programs"}},
		{"next line in YAML", "a.yaml", "id: a\ntitle: \"\u0085\"\n", []string{"a.yaml:2:9: error FIL02: U+0085 ends a line"}},
		{"carriage returns in YAML", "a.yaml", "id: a\rtitle: b\r\n", []string{"a.yaml:1:6: error FIL02: U+000D ends a line"}},
		{"line separators elsewhere", "a.json", "{\"x_a\":\"\u2028\"}", []string{`{x_a:"\u2028"}`}},
		{"NUL as an escape in YAML", "a.yaml", "id: a\ntitle: \"a\\0b\"\n---\nid: c\n", []string{"a.yaml:2:8: error FIL02: the text contains a control character", "{id:c}"}},
		{"bell as an escape in a YAML name", "a.yaml", "id: a\n\"x_\\a\": 1\n", []string{"a.yaml:2:1: error FIL02: the name contains a control character"}},
		{"NUL as an escape in JSON", "a.json", `[{"id":"a","title":"\u0000"},{"id":"b"}]`, []string{"a.json:1:20: error FIL02: the text contains a control character", `{id:"b"}`}},
		{"NUL as an escape in a JSON name", "a.json", `{"x_\u0000":1}`, []string{"a.json:1:2: error FIL02: the text contains a control character"}},
		{"NUL as an escape in NDJSON", "a.ndjson", "{\"id\":\"\\u0000\"}\n{\"id\":\"b\"}", []string{"a.ndjson:1:7: error FIL02: the text contains a control character", `{id:"b"}`}},
		{"line breaks as escapes", "a.json", `{"x_a":"\t\r\n"}`, []string{`{x_a:"\t\r\n"}`}},
	})
}

func TestUTF16(t *testing.T) {
	for file, content := range good {
		for _, order := range []string{"\xff\xfe", "\xfe\xff"} {
			t.Run(file, func(t *testing.T) {
				expectLines(t, lines(read(one(file, encodeUTF16(order, content)), 1)), []string{file + ":1:1: error FIL02: the file is in UTF-16; save it as UTF-8"})
			})
		}
	}
}

func encodeUTF16(mark, s string) string {
	b := []byte(mark)
	for _, unit := range utf16.Encode([]rune(s)) {
		if mark == "\xff\xfe" {
			b = append(b, byte(unit), byte(unit>>8))
		} else {
			b = append(b, byte(unit>>8), byte(unit))
		}
	}
	return string(b)
}
