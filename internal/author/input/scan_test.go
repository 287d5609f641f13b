package input

import (
	"reflect"
	"strings"
	"testing"

	"stele/internal/base/schema"
)

// scanned are lines that the scanner must read by itself.
var scanned = []string{
	`{"id":"a","x_a":{"b":[1,-0.5e3,0,10,1E+2,1e-2,null,true,false,"","é","日本","\u00e9\n\"\\\/"]}}`,
	" \t{ \"a\" : [ 1 , {} , [ ] ] , \"a\" : \"é\" , \"é\" : { \"b\":\"c\" } }\r",
	"{\n  \"é\": 1,\r\n  \"b\": [\n\"é\", 2]\n}\n",
	`"a"`, `[]`, `{}`, `-0`, `null`,
	`{"a":"\ud83d\ude00","b":1}`,
	strings.Repeat("[", schema.MaxDepth-1) + "1" + strings.Repeat("]", schema.MaxDepth-1),
}

// refusals are lines that it must leave to others.
var refusals = []string{
	``, ` `, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `{1:2}`, `{"a":1]`, `[`, `[1`, `[1,`, `[1,]`, `[1 2]`, `[1}`,
	`"a`, `"\`, `"\"`, `"\x"`, `"\ud800"`, `"\u0000"`, `"\u007f"`, "\"\x00\"", "\"\x7f\"", "\"\xff\"", "\"\\\x01\"", "\"\\é\"", "\"a\nb\"", "\"\xed\xa0\x80\"",
	`01`, `-`, `-a`, `1.`, `.5`, `1e`, `1e+`, `+1`, `0x1`, `NaN`, `tru`, `trues`, `nul`, `fals`, `{} {}`, `1 1`, "\ufeff{}", "\u00a01", "\v1",
	strings.Repeat("[", schema.MaxDepth+1) + strings.Repeat("]", schema.MaxDepth+1),
	"[" + strings.Repeat("1,", schema.MaxNodes) + "1]",
}

// expectSameTree reads a line in both ways. What the scanner reads, the other reads too, into the
// same tree.
func expectSameTree(t *testing.T, line string) {
	t.Helper()
	var got, want schema.Tree
	if !got.ScanJSON("a", line, 7) {
		return
	}
	if problem := newJSONReader().readLine(&want, "a", []byte(line), 7); problem != nil {
		t.Fatalf("%q is read, but %v", line, problem)
	}
	if !reflect.DeepEqual(got.Nodes, want.Nodes) || !reflect.DeepEqual(got.Files, want.Files) {
		t.Fatalf("%q is read as\n%v\nnot as\n%v", line, got.Nodes, want.Nodes)
	}
}

func FuzzScan(f *testing.F) {
	for _, line := range append(scanned, refusals...) {
		if len(line) < 1000 {
			f.Add(line)
		}
	}
	f.Fuzz(expectSameTree)
}
