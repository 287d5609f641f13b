package store

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/testkit/hostile"
	"stele/internal/testkit/must"
)

// readAll reads an entry with the standard library, which checks its checksum.
func readAll(t testing.TB, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	must.Do(t, err)
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return data
}

// withTools runs the tools that are on the machine on a zip.
func withTools(t *testing.T, path string) {
	t.Helper()
	for _, args := range [][]string{{"python3", "-m", "zipfile", "-t", path}, {"unzip", "-tq", path}} {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s is not there", args[0])
			continue
		}
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "warning") || strings.Contains(string(out), "corrupted") {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
	}
}

func TestZipIsOrdinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release.zip")
	commit(t, path, "some text, ")
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	raw := must.Get(os.ReadFile(path))(t)
	var names []string
	for _, f := range z.File {
		names = append(names, f.Name)
		data := readAll(t, f)
		at, err := f.DataOffset()
		if err != nil || f.Method != zip.Store || !bytes.Equal(raw[at:][:len(data)], data) {
			t.Errorf("%s cannot be read in place: %v", f.Name, err)
		}
		if f.Mode() != 0o644 || f.Modified.UTC() != time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) || f.NonUTF8 {
			t.Errorf("%s has mode %v, time %v", f.Name, f.Mode(), f.Modified)
		}
	}
	if want := []string{"api/large.json", "api/small.json", "empty", layout.ManifestPath}; !slices.Equal(names, want) {
		t.Errorf("the entries are %v", names)
	}
	withTools(t, path)
}

// TestZipManyEntries: more entries than sixteen bits can count.
func TestZipManyEntries(t *testing.T) {
	const many = 70_000
	path := filepath.Join(t.TempDir(), "release.zip")
	w, err := NewWriter(path)
	must.Do(t, err)
	for i := range many {
		must.Do(t, w.Put(fmt.Sprintf("api/%06d.json", i), fmt.Appendf(nil, "%d", i)))
	}
	must.Do(t, errors.Join(w.Put(layout.ManifestPath, manifest(t, "many")), w.Commit()))
	z, err := zip.OpenReader(path)
	must.Do(t, err)
	defer z.Close()
	if len(z.File) != many+1 || z.File[many-1].Name != "api/069999.json" || string(readAll(t, z.File[many-1])) != "69999" {
		t.Errorf("there are %d entries", len(z.File))
	}
	r, closeRelease, err := Open(path)
	must.Do(t, err)
	defer closeRelease()
	for i := 0; i < many; i += 997 {
		if data, err := fs.ReadFile(r.Files, fmt.Sprintf("api/%06d.json", i)); err != nil || string(data) != fmt.Sprint(i) {
			t.Fatalf("entry %d is %q, %v", i, data, err)
		}
	}
	if unzip, err := exec.LookPath("unzip"); err == nil {
		if out, err := exec.Command(unzip, "-tq", path).CombinedOutput(); err != nil {
			t.Errorf("unzip: %v\n%s", err, out)
		}
	}
}

// TestZipOf5GB: a file beyond four gigabytes, and one after it. The large one is a hole in the
// file, which costs no disk.
func TestZipOf5GB(t *testing.T) {
	const size int64 = 5 << 30
	path := filepath.Join(t.TempDir(), "release.zip")
	w, err := NewWriter(path)
	must.Do(t, err)
	defer w.Abort()
	z := w.(*zipWriter)
	f, err := z.Create("api/large.json")
	must.Do(t, err)
	must.Get(io.WriteString(f, "begin"))(t)
	must.Do(t, z.w.Flush())
	if _, err := z.file.Seek(size, io.SeekCurrent); err != nil {
		t.Skip("no room for a file of this size: ", err)
	}
	z.offset += size
	f.(*zipEntryWriter).size += size
	must.Get(io.WriteString(f, "end"))(t)
	if err := errors.Join(f.Close(), z.Put("api/small.json", []byte("behind")), z.Put(layout.ManifestPath, manifest(t, "large"))); err != nil {
		t.Skip("no room for a file of this size: ", err)
	}
	if err := z.Commit(); err != nil {
		t.Skip("no room for a file of this size: ", err)
	}

	std, err := zip.OpenReader(path)
	must.Do(t, err)
	defer std.Close()
	if len(std.File) != 3 || std.File[0].UncompressedSize64 != uint64(size+8) ||
		std.File[0].CompressedSize64 != uint64(size+8) ||
		string(readAll(t, std.File[1])) != "behind" {
		t.Errorf(
			"the standard library sees %d entries, the first of %d bytes",
			len(std.File),
			std.File[0].UncompressedSize64,
		)
	}
	r, closeRelease, err := Open(path)
	must.Do(t, err)
	defer closeRelease()
	large := must.Get(r.Files.Open("api/large.json"))(t)
	end := make([]byte, 3)
	if _, err := large.(io.ReaderAt).ReadAt(end, size+5); err != nil || string(end) != "end" {
		t.Errorf("the end is %q, %v", end, err)
	}
	if info, err := large.Stat(); err != nil || info.Size() != size+8 {
		t.Errorf("the size is %v, %v", info, err)
	}
	if data, err := fs.ReadFile(r.Files, "api/small.json"); err != nil || string(data) != "behind" {
		t.Errorf("what lies after is %q, %v", data, err)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		script := "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print([i.file_size for i in z.infolist()][0], z.read('api/small.json').decode())"
		if out, err := exec.Command(python, "-c", script, path).CombinedOutput(); err != nil ||
			strings.TrimSpace(string(out)) != fmt.Sprint(size+8, " behind") {
			t.Errorf("python: %v\n%s", err, out)
		}
	}
	if unzip, err := exec.LookPath("unzip"); err == nil {
		if out, err := exec.Command(unzip, "-p", path, "api/small.json").CombinedOutput(); err != nil || string(out) != "behind" {
			t.Errorf("unzip: %v\n%s", err, out)
		}
	}
}

// TestZipOfOthers: a release that somebody packed with another program is a release too.
func TestZipOfOthers(t *testing.T) {
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		path := filepath.Join(t.TempDir(), name+".zip")
		hostile.WriteZip(t, path, method,
			hostile.Text("api/", ""),
			hostile.Text("api/small.json", "text"),
			hostile.Text("api/large.json", strings.Repeat("text", 10)),
			hostile.Text("empty", ""),
			hostile.Text(layout.ManifestPath, string(manifest(t, "text"))))
		check(t, path, "text")
	}
}

// rawDirectoryEntry returns an entry of a zip's directory, with lengths that may be wrong.
func rawDirectoryEntry(names, extras, comments uint16, rest string) []byte {
	b := binary.LittleEndian.AppendUint32(nil, directorySignature)
	b = append(b, make([]byte, 24)...)
	for _, n := range []uint16{names, extras, comments} {
		b = binary.LittleEndian.AppendUint16(b, n)
	}
	return append(append(b, make([]byte, 12)...), rest...)
}

// zipEnd are the records at the end of a zip, which say where its directory lies.
func zipEnd(count, size, start, at uint64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, end64Signature)
	b = append(b, make([]byte, 20)...)
	for _, n := range []uint64{count, count, size, start} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = binary.LittleEndian.AppendUint32(b, locator64Signature)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, at)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = binary.LittleEndian.AppendUint32(b, endSignature)
	return append(b, make([]byte, 18)...)
}

// TestNoZip: what only looks like a zip gives an error, and neither a panic nor a gigabyte.
func TestNoZip(t *testing.T) {
	overflowing := rawDirectoryEntry(0xffff, 0xffff, 0, strings.Repeat("x", 2*0xffff))
	for name, data := range map[string][]byte{
		"nothing":             {},
		"short":               []byte("PK"),
		"text":                []byte(strings.Repeat("text ", 50)),
		"lengths that wrap":   append(overflowing, zipEnd(1, uint64(len(overflowing)), 0, uint64(len(overflowing)))...),
		"name beyond the end": append(rawDirectoryEntry(0xffff, 0, 0, "x"), zipEnd(1, 47, 0, 47)...),
		"count too large":     append(rawDirectoryEntry(1, 0, 0, "x"), zipEnd(1<<62, 47, 0, 47)...),
		"count too small":     append(append(rawDirectoryEntry(1, 0, 0, "x"), rawDirectoryEntry(1, 0, 0, "y")...), zipEnd(1, 94, 0, 94)...),
		"directory outside":   zipEnd(1, 1<<40, 0, 0),
		"negative start":      zipEnd(1, 1, 1<<63, 0),
		"negative size":       zipEnd(1, 1<<63, 0, 0),
		"end elsewhere":       zipEnd(0, 0, 0, 1<<63),
		"no directory":        append([]byte(strings.Repeat("x", 47)), zipEnd(1, 47, 0, 47)...),
		"no manifest":         zipEnd(0, 0, 0, 0),
	} {
		path := filepath.Join(t.TempDir(), "release.zip")
		must.Do(t, os.WriteFile(path, data, 0o644))
		if _, _, err := Open(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWriteDirectory: the directory of a zip follows from what stands before its files, also from a
// zip that ends there; what is no zip has none.
func TestWriteDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release.zip")
	w, err := NewWriter(path)
	must.Do(t, err)
	for i := range 300 {
		must.Do(t, w.Put(fmt.Sprintf("small/%d.txt", i), bytes.Repeat([]byte{'x'}, i)))
		out, err := w.Create(fmt.Sprintf("large/%d.txt", i))
		must.Do(t, err)
		_, err = out.Write(bytes.Repeat([]byte{'y'}, i))
		if err = errors.Join(err, out.Close()); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, w.Commit())
	data, err := os.ReadFile(path)
	must.Do(t, err)
	f, err := os.Open(path)
	must.Do(t, err)
	defer f.Close()
	start, err := FindDirectory(f)
	must.Do(t, err)
	var b bytes.Buffer
	err = WriteDirectory(&b, bytes.NewReader(data[:start]), start)
	if err != nil || !bytes.Equal(b.Bytes(), data[start:]) {
		t.Errorf("another directory of %d bytes, not %d: %v", b.Len(), len(data)-int(start), err)
	}
	for _, data := range [][]byte{data[:start-1], data[1:], []byte("PK"), bytes.Repeat([]byte{'x'}, 1000)} {
		if err := WriteDirectory(io.Discard, bytes.NewReader(data), int64(len(data))); err == nil {
			t.Errorf("%d bytes have a directory", len(data))
		}
	}
}
