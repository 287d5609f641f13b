package input_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"stele/internal/author/reading/input"
	"stele/internal/testkit/heap"
	"stele/internal/testkit/hostile"
)

// mixed is a folder in which records, problems and files of every size and format take turns.
func mixed() fstest.MapFS {
	files := map[string]string{"signals/_defaults.yaml": "x_from: \"{id}\"\n"}
	for i := range 40 {
		files[fmt.Sprintf("signals/%02d.yaml", i)] = fmt.Sprintf("id: y%d\n", i)
		files[fmt.Sprintf("evidence/%02d.json", i)] = fmt.Sprintf("[{\"id\":\"j%d\"},{\"id\":", i)
	}
	var table, stream strings.Builder
	table.WriteString("id,title\n")
	for i := range 5_000 {
		fmt.Fprintf(&table, "c%d,T%s\n", i, strings.Repeat(",", i%7/6))
		fmt.Fprintf(&stream, "{\"id\":\"n%d\",\"x_pad\":%q}\n", i, strings.Repeat("x", i%500))
	}
	files["entities/a.csv"], files["entities/b.ndjson"] = table.String(), stream.String()
	return folder(files)
}

func TestOrderDoesNotDependOnWorkers(t *testing.T) {
	fsys := mixed()
	want := lines(read(fsys, 1))
	if len(want) < 10_000 {
		t.Fatalf("only %d lines", len(want))
	}
	for range 3 {
		if got := lines(read(fsys, 8)); !slices.Equal(got, want) {
			t.Fatal("eight workers give another result than one")
		}
	}
}

func TestStoppingEarlyEndsEveryGoroutine(t *testing.T) {
	fsys := mixed()
	// more than is handed over ahead
	fsys["records/signals/00.json"] = &fstest.MapFile{Data: []byte("[" + strings.Repeat("0,", 20_000) + "0]")}
	for _, after := range []int{1, 2, 50, 3_000} {
		before := goleak.IgnoreCurrent()
		n := 0
		for range input.Read(input.Batches(fsys, nil), 4, func() func(input.Item) item { return keep }) {
			if n++; n == after {
				break
			}
		}
		if n != after {
			t.Errorf("stopped after %d, not %d", n, after)
		}
		goleak.VerifyNone(t, before)
	}
}

// Files that are streamed may be larger than any limit: nothing is lost where one piece ends and
// the next begins.
func TestStreamedFilesOfAnySize(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	const records = 120_000
	var table, stream strings.Builder
	table.WriteString("id,title,x_a\n")
	for i := range records {
		pad := strings.Repeat("x", i%97)
		fmt.Fprintf(&table, "r%d,%s,\"%s\n\"\n", i, pad, pad[:i%3*len(pad)/3])
		fmt.Fprintf(&stream, "{\"id\":\"r%d\",\"x_a\":%q}\n", i, pad)
	}
	for file, content := range map[string]string{"a.csv": table.String(), "a.ndjson": stream.String()} {
		t.Run(file, func(t *testing.T) {
			if len(content) < 8<<20 {
				t.Fatalf("%d bytes are too few", len(content))
			}
			height := strings.Count(content, "\n") / records // lines of a record
			n := 0
			for at := range input.Read(input.Batches(one(file, content), nil), 2, func() func(input.Item) string {
				return func(i input.Item) string { return fmt.Sprintf("%s:%d", i.Tree.Nodes[1].Text, i.Tree.Nodes[0].At.Line) }
			}) {
				if want := fmt.Sprintf("r%d:%d", n, height*(n+1)); at != want {
					t.Fatalf("record %d is %s, not %s", n, at, want)
				}
				n++
			}
			if n != records {
				t.Errorf("%d records", n)
			}
		})
	}
}

// bigFile is a file that is made up while it is read: a beginning, a pattern again and again, and
// an end.
type bigFile struct {
	begin, pattern, end string
	size                int64 // of the patterns together
}

func (b *bigFile) open() io.Reader {
	return io.MultiReader(
		strings.NewReader(b.begin),
		&repeated{pattern: bytes.Repeat([]byte(b.pattern), 4096), left: b.size},
		strings.NewReader(b.end),
	)
}

type repeated struct {
	pattern []byte
	at      int
	left    int64
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), r.left)], r.pattern[r.at:])
	r.at, r.left = (r.at+n)%len(r.pattern), r.left-int64(n)
	return n, nil
}

// bigFS is a folder of small files in which one path leads to a big one.
type bigFS struct {
	fstest.MapFS
	path string
	big  *bigFile
}

func (b bigFS) Open(name string) (fs.File, error) {
	if name == b.path {
		return &openBigFile{b, b.big.open()}, nil
	}
	return b.MapFS.Open(name)
}

func (b bigFS) Stat(name string) (fs.FileInfo, error) {
	if name == b.path {
		return bigInfo{b.big}, nil
	}
	return b.MapFS.Stat(name)
}

type openBigFile struct {
	fs bigFS
	io.Reader
}

func (f *openBigFile) Stat() (fs.FileInfo, error) { return bigInfo{f.fs.big}, nil }
func (f *openBigFile) Close() error               { return nil }

type bigInfo struct{ big *bigFile }

func (i bigInfo) Name() string       { return "big" }
func (i bigInfo) Size() int64        { return i.big.size }
func (i bigInfo) Mode() fs.FileMode  { return 0o644 }
func (i bigInfo) ModTime() time.Time { return time.Time{} }
func (i bigInfo) IsDir() bool        { return false }
func (i bigInfo) Sys() any           { return nil }

// Memory stays small whatever a file holds: what is allocated in all, garbage included, is a small
// part of the file.
func TestBigFilesTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	const gigabyte, most = 1 << 30, 64 << 20
	for _, c := range []struct {
		name, file string
		big        bigFile
		want       []string
	}{
		{"NDJSON line", "big.ndjson", bigFile{"{\"id\":\"a\"}\n{\"x_a\":\"", "x", "\"}\n{\"id\":\"c\"}\n{\n", gigabyte}, []string{`{id:"a"}`, "big.ndjson:2: error FIL05: the line is longer than 4 MiB", `{id:"c"}`, "big.ndjson:4:2: error FIL03"}},
		{"NDJSON line that ends the file", "big.ndjson", bigFile{"{\"id\":\"a\"}\n{\"x_a\":\"", "x", "", gigabyte}, []string{`{id:"a"}`, "big.ndjson:2: error FIL05: the line is longer than 4 MiB"}},
		{"NDJSON file without a line break", "big.ndjson", bigFile{"", "[", "", gigabyte}, []string{"big.ndjson:1: error FIL05: the line is longer than 4 MiB"}},
		{"CSV line", "big.csv", bigFile{"id,title\na,A\nb,", "x", "\nc,C\n", gigabyte}, []string{"big.csv:3: error FIL05: a row is longer than 4 MiB", "{id:<a>,title:<A>}"}},
		{"CSV quotation mark that is not closed, first cell", "big.csv", bigFile{"id,title\na,A\n\"b,B", "\nc,C", "", gigabyte}, []string{"big.csv:3: error FIL05: a row is longer than 4 MiB", "{id:<a>,title:<A>}"}},
		{"CSV quotation mark that is not closed, later cell", "big.csv", bigFile{"id,title\na,\"A\nA\"\nb,\"B\n", "c,C\n", "", gigabyte}, []string{"big.csv:4: error FIL05: a row is longer than 4 MiB", "{id:<a>,title:<A\nA>}"}},
		{"CSV quotation mark that is not closed, header", "big.csv", bigFile{"id,\"title\n", "c,C\n", "", gigabyte}, []string{"big.csv:1: error FIL05: a row is longer than 4 MiB"}},
		{"CSV row of commas", "big.csv", bigFile{"id,title\na,A\n", ",", "", gigabyte}, []string{"big.csv:3: error FIL05: a row is longer than 4 MiB or has more than 200000 cells", "{id:<a>,title:<A>}"}},
		{"YAML file", "big.yaml", bigFile{"id: a\n# ", "x", "", gigabyte}, []string{"big.yaml: error FIL05: the file is larger than 16 MiB"}},
		{"JSON file", "big.json", bigFile{"{\"id\":\"", "x", "", gigabyte}, []string{"big.json: error FIL05: the file is larger than 64 MiB"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := "records/signals/" + c.file
			fsys := bigFS{folder(map[string]string{"signals/" + c.file: "stands for the big file", "entities/good.yaml": "id: good"}), path, &c.big}
			var items []item
			used := hostile.Allocated(func() { items = read(fsys, 2) })
			expectLines(t, lines(items), append([]string{"{id:good}"}, c.want...)) // entities come first
			if used > most {
				t.Errorf("%d MiB were allocated", used>>20)
			}
		})
	}
}

// What is made of records is handed on while a file is read, because it can take far more room than
// the file.
func TestResultsAreNotCollected(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	const records, most = 200_000, 128 << 20
	for file, content := range map[string]string{
		"a.json":   "[" + strings.Repeat("0,", records-1) + "0]",
		"a.ndjson": strings.Repeat("0\n", records),
	} {
		t.Run(file, func(t *testing.T) {
			type result [4 << 10]byte // 800 MB of them in all
			n, highest := 0, uint64(0)
			for range input.Read(input.Batches(one(file, content), nil), 2, func() func(input.Item) *result {
				return func(input.Item) *result { return new(result) }
			}) {
				if n++; n%20_000 == 0 {
					highest = max(highest, heap.Live())
				}
			}
			if n != records || highest == 0 || highest > most {
				t.Errorf("%d records, at most %d MiB held", n, highest>>20)
			}
		})
	}
}

func TestProblemsAreNotCollected(t *testing.T) {
	const rows = 100_000
	n := 0
	for _, i := range read(one("a.csv", "id\n"+strings.Repeat("a,b\n", rows)), 2) {
		if n += len(i.problems); len(i.problems) > 1000 {
			t.Fatalf("%d problems at once", len(i.problems))
		}
	}
	if n != rows {
		t.Errorf("%d problems with %d rows", n, rows)
	}
}
