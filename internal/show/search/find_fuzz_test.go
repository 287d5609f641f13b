package search

import (
	"context"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// oneFile has the same for every name but head and rows.
type oneFile struct{ head, words, rows []byte }

func (f oneFile) Read(_ context.Context, name string) ([]byte, error) {
	switch {
	case name == "head":
		return f.head, nil
	case strings.HasPrefix(name, "rows/"):
		return f.rows, nil
	}
	return f.words, nil
}

func (oneFile) Has(context.Context, *Shown, string) bool { return true }

// FuzzFinder: whatever an index says, a search of it ends, with results that it can show or an
// error.
func FuzzFinder(f *testing.F) {
	x := New(400)
	for i := range 400 {
		x.Add(i, []Text{{Text: "measles vaccine", Weight: uint32(1 + i%15)}, {Text: "GBR", Weight: 9, Whole: true}})
	}
	shown := []Shown{{Name: "Claims", Kind: "proof_claim", Folder: "proof", Prefix: "clm-", Count: 400, Boost: 1}}
	head := must.Get(x.Head([]string{"address", "title"}, shown))(f)
	f.Add(head, x.Bucket(x.bucket("measle")), []byte(`[["/proof/clm-a/","A"]]`), "clm-a measels in 2015")
	f.Add([]byte(`{"documents":9,"chunk":1,"buckets":1,"prefix":1,"perBlock":1024,"shares":1,"shown":[{"count":9}]}`),
		[]byte(`{"":{"a":"b"},"measle":[0,-7,99999999999]}`), []byte(`[[]]`), "measles 10.1000/x a")
	f.Add([]byte(`{"documents":9,"chunk":1,"buckets":1,"prefix":1,"perBlock":1024,"shares":1,"phrases":[`+
		strings.Repeat(`["a","aaaaaaaaaaaaaaaa"],`, 30)+`["b","c"]]}`), []byte(`{}`), []byte(`[[]]`), "a a")
	f.Fuzz(func(t *testing.T, head, words, rows []byte, query string) {
		finder, err := OpenFinder(t.Context(), oneFile{head, words, rows})
		if err != nil || len(query) > 200 {
			return
		}
		found, err := finder.Find(t.Context(), query, "")
		if err != nil {
			return
		}
		for _, r := range found.Results[:min(3, len(found.Results))] {
			if r.Document < 0 || r.Document >= finder.head.Documents {
				t.Errorf("document %d of %d", r.Document, finder.head.Documents)
			}
			_, _ = finder.Row(t.Context(), r.Document) // an error is fine
		}
	})
}
