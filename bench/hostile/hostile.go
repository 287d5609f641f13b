//go:build unix

// Hostile measures the CPU time and peak memory of the worst known inputs of each reader, at three
// sizes. README.md has the limits and the results.
//
//	go run ./bench/hostile            about five minutes, and 3 GB of disk
//	go run ./bench/hostile history    one of them
package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"stele/bench/trial"
	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/base/sheet"
	"stele/internal/compile/compiler"
	"stele/internal/disk/historyset"
	"stele/internal/disk/increment"
	"stele/internal/disk/store"
	"stele/internal/testkit/specimen"
	"stele/release"
)

// input is a sort of foreign file: make returns about n bytes of it, and read reads them. The
// reader may refuse the file.
type input struct {
	make func(n int) []byte
	read func(path string, data []byte) error
}

var inputs = map[string]input{
	"YAML": {func(n int) []byte { // a long text with as many aliases as possible
		return []byte("x_one: &a " + strings.Repeat("a", n/2) + "\nx_all: [" + strings.Repeat("*a, ", n/8) + "]\n")
	}, checked("records/signals/a.yaml")},
	"JSON": {
		func(n int) []byte { return []byte(`{"x_a":[` + strings.Repeat("0,", n/2-8) + "0]}") },
		checked("records/signals/a.json"),
	},
	"NDJSON":   {func(n int) []byte { return []byte(strings.Repeat("{}\n", n/3)) }, checked("records/signals/a.ndjson")},
	"CSV":      {func(n int) []byte { return []byte("id\n" + strings.Repeat("a\n", n/2)) }, checked("records/signals/a.csv")},
	"manifest": {manifest, func(_ string, data []byte) error { return new(release.Manifest).Decode(data) }},
	"line":     {func(n int) []byte { return []byte(strings.Repeat("a", n)) }, readLine},
	"history": {func(n int) []byte {
		return expandingBody(n, `{"release":"0123456789ab","date":"2026-01-01","record":{"x":"`)
	}, readHistory},
	"archive": {func(n int) []byte { return expandingBody(n, "") }, readArchive},
	"zip": {entries, func(path string, _ []byte) error {
		_, done, err := store.Open(path)
		return errors.Join(err, closed(done))
	}},
	"increment": {pieces, readIncrement},
	"workbook":  {workbook, readSheet("a.xlsx")},
	"table":     {func(n int) []byte { return []byte("a,b\n" + strings.Repeat("1,\n", n/3)) }, readSheet("a.csv")},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) == 4 { // a run of this program that is measured, or makes what is
		one, path := inputs[os.Args[1]], os.Args[2]
		if n, err := strconv.Atoi(os.Args[3]); err == nil {
			if err := os.WriteFile(path, one.make(n), 0o600); err != nil {
				log.Fatal(err)
			}
			return
		}
		data, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(one.read(path, data))
		return
	}
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err == nil {
		err = errors.Join(measure(dir, os.Args[1:]), os.RemoveAll(dir))
	}
	if err != nil {
		log.Fatal(err)
	}
}

func measure(dir string, names []string) error {
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(inputs))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s\n\n", runtime.NumCPU(), runtime.Version())
	fmt.Print("| | 1 kB | 100 kB | 10 MB |\n|---|---:|---:|---:|\n")
	for _, name := range names {
		fmt.Printf("| %s |", name)
		for _, size := range []string{"1000", "100000", "10000000"} {
			path := filepath.Join(dir, "input")
			if _, err := trial.Run(exec.Command(self, name, path, size)); err != nil {
				return err
			}
			u, err := trial.Run(exec.Command(self, name, path, "read"))
			if err != nil {
				return err
			}
			fmt.Printf(" %d MB, %.1f s |", u.Peak/1e6, u.CPU.Seconds())
		}
		fmt.Println()
	}
	return nil
}

// checked returns a function that checks a folder with a file of records.
func checked(at string) func(string, []byte) error {
	return func(path string, data []byte) error {
		folder, err := specimen.Starter()
		if err != nil {
			return err
		}
		folder[at] = &fstest.MapFile{Data: data}
		w, err := store.NewWriter(path + ".release")
		if err != nil {
			return err
		}
		_, err = compiler.Check(context.Background(), folder, w, compiler.Options{Date: "2026-02-01"})
		return errors.Join(err, w.Abort())
	}
}

// manifest returns a manifest with as many files as possible.
func manifest(n int) []byte {
	var b bytes.Buffer
	sum := strings.Repeat("0", 64)
	fmt.Fprintf(&b, `{"format":%q,"release":"0123456789ab","date":"2026-01-01","content":%q,"files":[`, layout.Format, sum)
	for i := 0; b.Len() < n-200; i++ {
		fmt.Fprintf(&b, `{"path":"%08d","size":1,"sha256":%q},`, i, sum)
	}
	fmt.Fprintf(&b, `{"path":"z","size":1,"sha256":%q}]}`, sum)
	return b.Bytes()
}

// described returns the manifest of a release whose collection of events is the file.
func described(path string, size int64) *release.Manifest {
	return &release.Manifest{
		Kinds: []release.Kind{{Kind: "change_event", Collection: "api/v1/changes.json"}},
		Files: []release.File{{Path: "api/v1/changes.json", Size: size}, {Path: path, Size: size}},
	}
}

func readLine(_ string, data []byte) error {
	const path = "api/v1/changes.json"
	files := fstest.MapFS{path: &fstest.MapFile{Data: append([]byte("{\"records\":[\n"), data...)}}
	r := &release.Release{Manifest: described("z", int64(len(data)+13)), Files: files}
	for _, err := range r.Records("change_event") {
		if err != nil {
			return err
		}
	}
	return nil
}

// expandingBody compresses a line of one letter that is a thousand times as long.
func expandingBody(n int, line string) []byte {
	var b bytes.Buffer
	letters := bytes.Repeat([]byte("a"), 1<<20)
	compress.Zstandard.Stream(&b, func(w io.Writer) error { // memory takes all that is written
		_, err := io.WriteString(w, line)
		for written := 0; written < 1000*n && err == nil; written += len(letters) {
			_, err = w.Write(letters)
		}
		return err
	})
	return append(b.Bytes(), make([]byte, max(0, n-b.Len()))...)
}

func readHistory(_ string, data []byte) error {
	path := "history/signals" + layout.HistoryPack
	set, err := historyset.New(func() (*os.File, error) { return os.CreateTemp("", "stele-bench-") })
	if err != nil {
		return err
	}
	defer set.Close()
	return set.Add(path, bytes.NewReader(data), described(path, int64(len(data))), func(id string) string { return id })
}

func readArchive(_ string, data []byte) error {
	const path = "archive/changes/2020.ndjson.zst"
	r := &release.Release{
		Manifest: described(path, int64(len(data))), Files: fstest.MapFS{path: &fstest.MapFile{Data: data}},
	}
	for _, err := range r.Archived(&layout.Archive{Path: path, Size: layout.MaxExpanded(int64(len(data))), Count: 1}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// entries returns a zip of empty files.
func entries(n int) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n / 120 {
		w.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf("%08d", i)}) // memory takes all that is written
	}
	w.Close()
	return b.Bytes()
}

// closed closes what was opened.
func closed(done func() error) error {
	if done == nil {
		return nil
	}
	return done()
}

// pieces returns an increment of as many pieces as possible.
func pieces(n int) []byte {
	const isNew, kinds = 0, 5
	count := min(1<<12+8*n, 1<<22) - 1
	rest := make([]byte, n)
	for i := range rest {
		rest[i] = byte(rand.N(256))
	}
	var b bytes.Buffer
	b.WriteString("stele-increment/1\n")
	compress.Far.Stream(&b, func(w io.Writer) error {
		ops := binary.AppendUvarint(nil, uint64(count+n))
		ops = append(ops, 0, 0)
		for range count {
			ops = append(binary.AppendUvarint(ops, 1*kinds+isNew), 'a')
		}
		_, err := w.Write(append(binary.AppendUvarint(ops, uint64(n*kinds+isNew)), rest...))
		return err
	})
	return b.Bytes()
}

func readIncrement(path string, data []byte) error {
	old, err := os.Create(path + ".zip")
	if err != nil {
		return err
	}
	err = zip.NewWriter(old).Close()
	to, err2 := os.Create(path + ".new")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	in, err := compress.Far.Reader(bytes.NewReader(data[len("stele-increment/1\n"):]))
	if err != nil {
		return err
	}
	size, err := binary.ReadUvarint(bufio.NewReader(in))
	if err != nil {
		return err
	}
	steps := []*io.SectionReader{io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))}
	return errors.Join(increment.Apply(context.Background(), old, steps, to, int64(size)), old.Close(), to.Close())
}

// workbook returns a sheet of identical rows.
func workbook(n int) []byte {
	const book = `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` +
		`<sheet name="a" sheetId="1" r:id="r"/></sheets></workbook>`
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`
	relation := func(target, sort string) string {
		return `<Relationships><Relationship Id="r" Target="` + target +
			`" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + sort + `"/></Relationships>`
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", types},
		{"_rels/.rels", relation("xl/workbook.xml", "officeDocument")},
		{"xl/workbook.xml", book},
		{"xl/_rels/workbook.xml.rels", relation("worksheets/sheet1.xml", "worksheet")},
		{"xl/worksheets/sheet1.xml", "<worksheet><sheetData>"},
	} {
		out, _ := w.Create(part[0]) // memory takes all that is written
		io.WriteString(out, part[1])
		if strings.HasSuffix(part[1], "<sheetData>") {
			rows := strings.Repeat("<row><c><v>1</v></c></row>", 1000)
			for written := 0; written < 250*n; written += len(rows) {
				io.WriteString(out, rows)
			}
		}
	}
	w.Close()
	return b.Bytes()
}

// readSheet reads the rows of a table.
func readSheet(name string) func(string, []byte) error {
	return func(_ string, data []byte) error {
		t, err := sheet.Read(context.Background(), name, bytes.NewReader(data), int64(len(data)), sheet.Options{})
		if err != nil {
			return err
		}
		for _, err := range t.Rows() {
			if err != nil {
				return err
			}
		}
		return nil
	}
}
