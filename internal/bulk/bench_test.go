package bulk

import (
	"fmt"
	"io"
	"iter"
	"testing"

	"stele/internal/render"
	"stele/internal/settings"
	"stele/record"
	"stele/release"
)

// edges are derived edges alone, of which large releases have the most.
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
	for name, write := range map[string]func(io.Writer, render.Records, *record.Kind) error{
		"ndjson": writeNDJSON,
		"csv":    writeCSV, "parquet": writeParquet,
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := write(io.Discard, edges{count: 100_000}, k); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
