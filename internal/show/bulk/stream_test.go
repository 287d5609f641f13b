package bulk_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"stele/internal/author/reading/settings"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/render"
	"stele/internal/show/bulk"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/must"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// stream is many statistics that are nowhere: each is made when it is asked for. It
// remembers the most memory that was in use meanwhile.
type stream struct {
	render.Records
	count int
	words string // if there are some, titles are all different, and every thousandth has these
	mu    sync.Mutex
	peak  uint64
}

func (s *stream) Areas() []*areas.Scheme { return nil }

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
			words := ""
			if s.words != "" {
				words = fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)}))
			}
			if i%1000 == 500 {
				words += s.words
			}
			line = fmt.Appendf(line[:0], `{"id":"sta-%07d","kind":"healthcare_statistic","version":1,"title":"Statistic %[1]d%[2]s","source_links":[{"url":"https://example.org/%[1]d","role":"primary"}],"value":%[1]d.50}`, i, words)
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
	s.peak = max(s.peak, heap.Live())
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
				must.Do(t, choice.Set(string(format)))
				must.Do(t, choice.Write(s, folderOutput{dir: dir}))
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
	file := must.Get(parquet.OpenFile(f, size))(t)
	if n := len(file.RowGroups()); n < 2 {
		t.Errorf("%d row groups", n)
	}
	for name, want := range map[string]string{
		"id": "sta-%07d", "value_text": "%d.50", "source_links.list.element.url": "https://example.org/%d",
	} {
		leaf, ok := file.Schema().Lookup(strings.Split(name, ".")...)
		if !ok {
			t.Fatalf("there is no column %s", name)
		}
		i := 0
		for _, group := range file.RowGroups() {
			for v := range columnValues(t, group.ColumnChunks()[leaf.ColumnIndex]) {
				if got := v.String(); got != fmt.Sprintf(want, i) {
					t.Fatalf("%s of row %d is %s", name, i, got)
				}
				i++
			}
		}
		if i != count {
			t.Errorf("%d values of %s, and %d records", i, name, count)
		}
	}
}

// columnValues reads the values of a column.
func columnValues(t *testing.T, chunk parquet.ColumnChunk) iter.Seq[parquet.Value] {
	return func(yield func(parquet.Value) bool) {
		pages := chunk.Pages()
		defer pages.Close()
		buffer := make([]parquet.Value, 1000)
		for page, err := pages.ReadPage(); err != io.EOF; page, err = pages.ReadPage() {
			must.Do(t, err)
			for values := page.Values(); ; {
				n, err := values.ReadValues(buffer)
				for _, v := range buffer[:n] {
					if !yield(v) {
						return
					}
				}
				if err == io.EOF {
					break
				}
				must.Do(t, err)
			}
			parquet.Release(page)
		}
	}
}
