package bulk

import (
	"fmt"
	"iter"
	"os"
	"testing"

	"stele/internal/author/settings"
	"stele/internal/build/render"
	"stele/record"
	"stele/release"
)

// edges is records of derived edges, of which large releases have the most.
type edges struct {
	render.Records
	count int
}

func (e edges) Settings() settings.Settings { return settings.Settings{} }
func (e edges) Release() *release.Manifest  { return &release.Manifest{} }
func (edges) AsOf(*record.Kind) record.Date { return "" }

func (e edges) Collection(*record.Kind) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var line []byte
		for i := range e.count {
			line = fmt.Appendf(line[:0], `{"id":"sta-%07d--about--ent-%04[2]d","kind":"graph_edge","version":1,"source":"sta-%07[1]d","target":"ent-%04[2]d","relation":"about","directed":true,"asserted_by":"sta-%07[1]d"}`, i, i%500)
			if !yield(line, nil) {
				return
			}
		}
	}
}

// BenchmarkTables: how long 100,000 edges take.
func BenchmarkTables(b *testing.B) {
	k := record.KindNamed("graph_edge")
	for _, format := range []Format{NDJSON, CSV, Parquet} {
		b.Run(string(format), func(b *testing.B) {
			file, err := os.CreateTemp(b.TempDir(), "")
			if err != nil {
				b.Fatal(err)
			}
			defer file.Close()
			b.ReportAllocs()
			for b.Loop() {
				t := &table{download: newDownload("edges", format, k), file: file}
				if err := writeTables(edges{count: 100_000}, k, []*table{t}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
