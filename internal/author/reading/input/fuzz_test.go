package input_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
	"stele/record"
)

// seeds are where the fuzzers begin, by format. The first of each is a record without faults.
var seeds = map[string][]string{
	".yaml": {
		wholeSignal(": ", "\n"), "id: a\n---\n- id: b\n- [c]\n", "x_a: &a {b: [1, 2.50, ~, null, true, 'x', \"\\u00e9\"]}\nx_b: *a\n", "? [a]\n: b\n", "<<: {a: 1}\n",
		"x_t: |\n  a\n  b\nx_f: >-\n  c\n\n  d\n", "a: !t b\n", "a:\n\t- b\n", "%YAML 1.1\n---\na: b\n...\n", "a: \"\\0\"\n", "'", "[", "{a: b, c}", "\ufeffid: a\r\n", "- - - a\n",
	},
	".json": {
		"{" + wholeSignal(`":`, ",") + "}", `[{"id":"a","x_a":{"b":[1,-0.5e3,null,true,"\u00e9\n"]}},{}]`, `{"a":1,"a":2}`, `[]`, `{"a":`, `{} x`, `"a"`, "\ufeff{}", "[1,]", `{"a":"\ud83d\ude00"}`, `"\ud800"`, "{\r\n\t}\r\n",
		`{"version":1e999999}`, `{"aliases":["` + strings.Repeat("a", 300) + `"]}`, strings.Repeat("[", 120),
	},
	".ndjson": {
		"{" + wholeSignal(`":`, ",") + "}\n", "{\"id\":\"a\"}\n\n{\"id\":\"b\"}\r\n", "{}{}\n{", "\ufeff{}\n", "\"\x00\"\n[]\n", "\xff\xfe{\x00}\x00",
	},
	".csv": {
		wholeTable(), "id,title\na,b\n\nc\n", "id,x_a.0.b,x_a.0.c,x_a.1\na,1,2,3\n", "id\n\"a\nb\"\n", "id\na\"b\n\"c", "id;title\na;b\n", "a,a\n1,2\n", "\ufeffid\r\na\r\n", ",\n,\n", "x_a.b,x_a\n1,2\n", "é,日\n\xff,\x00\n",
	},
}

// wholeMembers are the members of a signal, with values that mean the same in JSON and YAML.
var wholeMembers = [][2]string{
	{"id", `"sig-a"`},
	{"version", "2"},
	{"title", `"T é"`},
	{"summary", `"S"`},
	{"claim_boundary", `{"statement": "B", "excludes": []}`},
	{"source_links", `[{"url": "https://example.org/a", "role": "primary"}]`},
	{"verification_date", `"2026-01-10"`},
	{"source_updates", "[]"},
	{"corrections", `[{"date": "2026-01-10", "type": "correction", "in_version": 2, "fields": ["title"], "summary": "C"}]`},
	{"published_date", `"2026-01-01"`},
	{"updated_date", `"2026-01-10"`},
	{"signal_type", `"trend"`},
	{"observation", `"O"`},
	{"detected_date", `"2026-01-01"`},
	{"evidence_ids", `["evd-a"]`},
	{"x_own", `{"n": [0.050, 1e3, null, false, ""]}`},
}

func wholeSignal(colon, comma string) string {
	parts := make([]string, len(wholeMembers))
	for i, m := range wholeMembers {
		parts[i] = m[0] + colon + m[1]
		if strings.HasPrefix(colon, `"`) {
			parts[i] = `"` + parts[i]
		}
	}
	return strings.Join(parts, comma)
}

func wholeTable() string {
	return "id,version,title,summary,claim_boundary.statement,source_links.0.url,source_links.0.role,verification_date,published_date,updated_date,signal_type,observation,detected_date,evidence_ids.0,x_own\n" +
		"sig-a,1,\"T, é\",S,B,https://example.org/a,primary,2026-01-10,2026-01-01,2026-01-10,trend,O,2026-01-01,evd-a,0.050\n"
}

func FuzzYAML(f *testing.F)   { fuzz(f, ".yaml", nil) }
func FuzzJSON(f *testing.F)   { fuzz(f, ".json", expectSameAsJSON) }
func FuzzNDJSON(f *testing.F) { fuzz(f, ".ndjson", expectOneForEachLine) }
func FuzzCSV(f *testing.F)    { fuzz(f, ".csv", nil) }

func fuzz(f *testing.F, format string, expect func(*testing.T, []byte, []readRecord)) {
	for _, seed := range seeds[format] {
		for kind := range record.Kinds {
			f.Add([]byte(seed), uint8(kind))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		k := record.Kinds[int(kind)%len(record.Kinds)]
		got := readAndDecode(k, "a"+format, data)
		if len(got) == 0 {
			t.Fatal("nothing was read, and nothing said about it")
		}
		for _, r := range got {
			expectSound(t, k, data, r)
			expectRoundTrip(t, k, r)
		}
		if expect != nil {
			expect(t, data, got)
		}
	})
}

// readRecord is a record that was read and decoded.
type readRecord struct {
	rec      record.Record
	problems []schema.Problem // of reading
	faults   []schema.Problem // of decoding
}

// readAndDecode reads a file of records of a kind. CSV tables get the two members that they cannot
// write.
func readAndDecode(k *record.Kind, name string, data []byte) []readRecord {
	dir := "records/" + k.Folder() + "/"
	fsys := fstest.MapFS{dir + name: {Data: data}}
	if strings.HasSuffix(name, ".csv") {
		fsys[dir+"_defaults.yaml"] = &fstest.MapFile{Data: []byte("source_updates: []\ncorrections: []\n")}
	}
	return slices.Collect(input.Read(input.Batches(fsys, nil), 1, func() func(input.Item) readRecord {
		var d record.Parser
		return func(i input.Item) readRecord {
			r := readRecord{problems: slices.Clone(i.Problems)}
			if i.Tree != nil {
				rec, _, problems := d.Decode(i.Kind, i.Tree)
				r.rec, r.faults = rec, slices.Clone(problems)
			}
			return r
		}
	}))
}

// expectSound makes sure that a record or a problem came out, and that problems have a code, a file
// and a line that is there.
func expectSound(t *testing.T, k *record.Kind, data []byte, r readRecord) {
	t.Helper()
	if r.rec == nil && len(r.problems) == 0 {
		t.Fatal("an item without record and problem")
	}
	last := 1 + bytes.Count(data, []byte{'\n'})
	for _, p := range slices.Concat(r.problems, r.faults) {
		if p.Code.Info().Code == "" || p.Message == "" {
			t.Errorf("problem without a code or a message: %v", p)
		}
		if !strings.HasPrefix(p.File, "records/"+k.Folder()) {
			t.Errorf("problem in another file: %v", p)
		}
		if p.Line < 0 || p.Line > last && !strings.HasSuffix(p.File, "_defaults.yaml") || p.Column < 0 ||
			p.Column > len(data)+1 ||
			p.Width < 0 {
			t.Errorf("problem outside of the %d lines: %v", last, p)
		}
	}
}

// expectRoundTrip makes sure that a record without faults survives being written and read again.
func expectRoundTrip(t *testing.T, k *record.Kind, r readRecord) {
	t.Helper()
	if r.rec == nil || len(r.problems)+len(r.faults) > 0 {
		return
	}
	written := k.AppendJSON(nil, r.rec)
	if !json.Valid(written) {
		t.Fatalf("not JSON: %s", written)
	}
	again := readAndDecode(k, "b.json", written)
	if len(again) != 1 || len(again[0].problems)+len(again[0].faults) > 0 {
		t.Fatalf("%s\nreads as %+v", written, again)
	}
	if !reflect.DeepEqual(again[0].rec, r.rec) {
		t.Errorf("%s\nreads as another record", written)
	}
	if rewritten := k.AppendJSON(nil, again[0].rec); !bytes.Equal(rewritten, written) {
		t.Errorf("written as\n%s\nand then as\n%s", written, rewritten)
	}
}

// expectSameAsJSON compares what is taken for JSON with what the standard library takes for it.
// Escapes are left out, because they can write control characters and half surrogate pairs, which
// are no text; and no person nests so deep.
func expectSameAsJSON(t *testing.T, data []byte, got []readRecord) {
	t.Helper()
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	valid := json.Valid(data)
	refused := slices.ContainsFunc(got, func(r readRecord) bool {
		return slices.ContainsFunc(
			r.problems,
			func(p schema.Problem) bool { return p.Code == "FIL02" || p.Code == "FIL03" || p.Code == "FIL05" },
		)
	})
	flat := bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) <= 100
	plain := !bytes.ContainsAny(data, "\\\x7f") && utf8.Valid(data)
	if refused && valid && flat && plain {
		t.Errorf("refused, but valid JSON: %+v", got)
	}
	if !refused && !valid && len(bytes.TrimSpace(data)) > 0 {
		t.Errorf("taken, but malformed JSON")
	}
}

func expectOneForEachLine(t *testing.T, data []byte, got []readRecord) {
	t.Helper()
	if bytes.HasPrefix(bytes.TrimPrefix(data, []byte("\ufeff")), []byte{0xff, 0xfe}) ||
		bytes.HasPrefix(bytes.TrimPrefix(data, []byte("\ufeff")), []byte{0xfe, 0xff}) {
		return
	}
	want := 0
	for line := range bytes.SplitSeq(bytes.TrimPrefix(data, []byte("\ufeff")), []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) > 0 {
			want++
		}
	}
	if len(got) != max(1, want) {
		t.Errorf("%d items of %d lines", len(got), want)
	}
}
