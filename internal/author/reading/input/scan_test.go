package input

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"stele/internal/base/schema"
	"stele/internal/testkit/must"
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

// expectSame reads a line. What is read is what encoding/json reads; what is not has a reason.
func expectSame(t *testing.T, line string) {
	t.Helper()
	var tree schema.Tree
	if !tree.ScanJSON("a", line, 7) {
		if problem := jsonProblem("a", []byte(line), schema.Pos{Line: 7, Column: 1}); problem.Message == "" {
			t.Fatalf("%q is refused without a reason", line)
		}
		return
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var want any
	must.Do(t, d.Decode(&want))
	if got := plain(&tree, 0); d.More() || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q is read as\n%v\nnot as\n%v", line, got, want)
	}
}

// plain is a node as encoding/json has it.
func plain(t *schema.Tree, i int32) any {
	n := &t.Nodes[i]
	switch n.Type {
	case schema.Object:
		object := map[string]any{}
		for c := range t.Children(i) {
			object[t.Nodes[c].Name] = plain(t, c)
		}
		return object
	case schema.Array:
		list := []any{}
		for c := range t.Children(i) {
			list = append(list, plain(t, c))
		}
		return list
	case schema.Digits:
		return json.Number(n.Text)
	case schema.Bool:
		return n.Text == "true"
	case schema.Null:
		return nil
	}
	return n.Text
}

func FuzzScan(f *testing.F) {
	for _, line := range append(scanned, refusals...) {
		if len(line) < 1000 {
			f.Add(line)
		}
	}
	f.Fuzz(expectSame)
}
