package bulk_test

import (
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"stele/internal/bulk"
	"stele/internal/render"
	"stele/internal/settings"
	"stele/internal/standing"
	"stele/record"
	"stele/release"
)

// stream is many statistics that are nowhere: each is made when it is asked for. It
// remembers the most memory that was in use meanwhile.
type stream struct {
	render.Records
	count int
	mu    sync.Mutex
	peak  uint64
}

func (s *stream) Settings() settings.Settings { return settings.Settings{} }

func (s *stream) Standing(*record.Kind, int) standing.Entry { return standing.Entry{} }

// There are no entities, by whose names areas would be called.

func (s *stream) Len(*record.Kind) int  { return 0 }
func (s *stream) Reader() render.Reader { return nil }

func (s *stream) AsOf(*record.Kind) record.Date { return "" }

func (s *stream) Release() *release.Manifest {
	m := &release.Manifest{}
	for _, k := range record.Kinds {
		m.Kinds = append(m.Kinds, release.Kind{Kind: k.Name, Count: 0})
	}
	m.Kind("healthcare_statistic").Count = s.count
	return m
}

func (s *stream) Collection(k *record.Kind) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		if k.Name != "healthcare_statistic" {
			return
		}
		var line []byte
		for i := range s.count {
			line = fmt.Appendf(line[:0], `{"id":"sta-%07d","kind":"healthcare_statistic","version":1,"title":"Statistic %[1]d","source_links":[{"url":"https://example.org/%[1]d","role":"primary"}],"value":%[1]d.50}`, i)
			if i%5000 == 0 {
				s.measure()
			}
			if !yield(line, nil) {
				return
			}
			clear(line) // whoever still looks at it sees that it is gone
		}
	}
}

func (s *stream) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.peak = max(s.peak, m.HeapAlloc)
}

// folderOutput puts files into a folder.
type folderOutput struct {
	render.Output
	dir string
}

func (o folderOutput) Put(string, []byte) error { return nil }

func (o folderOutput) Create(path string) (io.WriteCloser, error) {
	return os.Create(filepath.Join(o.dir, filepath.Base(path)))
}

func (o folderOutput) Scratch() (*os.File, error) { return os.CreateTemp(o.dir, "scratch-") }

// TestStreams: three times the records take no more memory, and all of them arrive. SQLite is left
// out: its memory is its own, which this does not see, and its cache has a fixed size.
func TestStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	for _, format := range []bulk.Format{bulk.NDJSON, bulk.CSV, bulk.Parquet} {
		t.Run(string(format), func(t *testing.T) {
			few, many := &stream{count: 60_000}, &stream{count: 180_000}
			var dir string
			for _, s := range []*stream{few, many} {
				dir = t.TempDir()
				var choice bulk.Choice
				if err := choice.Set(string(format)); err != nil {
					t.Fatal(err)
				}
				if err := choice.Renderer()(s, folderOutput{dir: dir}); err != nil {
					t.Fatal(err)
				}
			}
			const slack = 16 << 20
			if many.peak > few.peak+few.peak/2+slack {
				t.Errorf("%d MiB for %d records, and %d MiB for %d", few.peak>>20, few.count, many.peak>>20, many.count)
			}
			if format == bulk.Parquet {
				checkRowGroups(t, filepath.Join(dir, "healthcare-statistics.parquet"), many.count)
			}
		})
	}
}

// checkRowGroups makes sure that rows are divided into groups, and that none was overwritten by a
// later one.
func checkRowGroups(t *testing.T, path string, count int) {
	t.Helper()
	f, size := openFile(t, path)
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(file.RowGroups()); n < 2 {
		t.Errorf("%d row groups", n)
	}
	rows := readParquet(t, record.KindNamed(record.KindHealthcareStatistic), file)
	if len(rows) != count {
		t.Fatalf("%d rows, and %d records", len(rows), count)
	}
	for i, row := range rows {
		if row["id"] != fmt.Sprintf("sta-%07d", i) || row["value_text"] != fmt.Sprintf("%d.50", i) || row["source_links"] != fmt.Sprintf(`[{"url":"https://example.org/%d","role":"primary"}]`, i) {
			t.Fatalf("row %d is %v", i, row)
		}
	}
}
