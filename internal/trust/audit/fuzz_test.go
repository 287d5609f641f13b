package audit

import (
	"bytes"
	"encoding/json"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"stele/record"
)

// FuzzCollection: whatever a service sends is read to its end or refused. JSON is refused only for
// its depth, and nothing else is taken for JSON.
func FuzzCollection(f *testing.F) {
	for _, text := range []string{
		`[]`, `[{"id":"a"},{"id":"a"}]`, `{"count":2,"records":[{"signal_id":"a","evidence_ids":["b"]}],"next":"?2"}`,
		`{"data":{"items":[{"id":1}]}}`, `{"a":[1,{"id":"x"}]}`, `[{"id":"` + "\xff" + `"}]`, "\ufeff[]", `[{"id":{"id":"a"}}]`, `"text"`, `{}{}`, ``, `[`, `[NaN]`,
		`{"source":"a","target":["b"],"sourceId":"c"}`,
	} {
		f.Add([]byte(text), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		k := record.Kinds[int(kind)%len(record.Kinds)]
		c := &collection{kind: k}
		r := &reader{names: newNames(k), single: true, sampleSize: 2, total: new(atomic.Int64)}
		err := r.read(bytes.NewReader(data), c)
		valid, odd := json.Valid(data) && utf8.Valid(data), lonely(data)
		if valid != (err == nil) && !isLimit(err) && !odd {
			t.Fatalf("%q: %v", data, err)
		}
		if l := c.list; l != nil && (l.nameless > l.records || len(l.ids) > l.records || len(l.chosen) > 2) {
			t.Fatalf("%q: %+v", data, l)
		}
		if _, _, err := newNames(k).unwrap(data); err != nil && valid && !isLimit(depthError(err)) && !odd {
			t.Fatalf("%q is no single record: %v", data, err)
		}
	})
}

// lonely reports whether a text escapes half of a character, which is no text (RFC 8259, section
// 8.2), and which only some readers take.
func lonely(data []byte) bool { return bytes.Contains(bytes.ToLower(data), []byte(`\ud`)) }
