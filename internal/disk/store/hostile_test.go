package store

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/maphash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/testkit/hostile"
	"stele/internal/testkit/must"
	"stele/release"
)

// smallZip is a release as the program writes it.
func smallZip(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.zip")
	commit(t, path, "text")
	data := must.Get(os.ReadFile(path))(t)
	return data
}

// entryNamed is where the entry of a name begins in the directory of a zip.
func entryNamed(t testing.TB, data []byte, name string) int {
	t.Helper()
	at := bytes.LastIndex(data, []byte(name)) - listedSize
	if at < 0 || binary.LittleEndian.Uint32(data[at:]) != directorySignature {
		t.Fatalf("there is no entry %s", name)
	}
	return at
}

// withSize makes a zip whose directory says of an entry that it has a size of 64 bits.
func withSize(t testing.TB, data []byte, name string, size uint64) []byte {
	t.Helper()
	at := entryNamed(t, data, name)
	extra := appendZip64(nil, size, size)
	rest := at + listedSize + len(name)
	data = slices.Insert(slices.Clone(data), rest, extra...)
	binary.LittleEndian.PutUint32(data[at+20:], math.MaxUint32)
	binary.LittleEndian.PutUint32(data[at+24:], math.MaxUint32)
	binary.LittleEndian.PutUint16(data[at+30:], uint16(len(extra)))
	end := len(data) - 22 - 20 - 56
	binary.LittleEndian.PutUint64(data[end+40:], binary.LittleEndian.Uint64(data[end+40:])+uint64(len(extra)))
	locator := end + 56
	binary.LittleEndian.PutUint64(data[locator+8:], uint64(end))
	return data
}

// renamed gives an entry another name of the same length: in the directory, before the file, or in
// both.
func renamed(t testing.TB, data []byte, name, other string, directory, local bool) []byte {
	t.Helper()
	data = slices.Clone(data)
	if directory {
		copy(data[entryNamed(t, data, name)+listedSize:], other)
	}
	if local {
		at := bytes.Index(data, []byte(name))
		if at < 30 || binary.LittleEndian.Uint32(data[at-30:]) != localSignature {
			t.Fatalf("there is no file %s", name)
		}
		copy(data[at:], other)
	}
	return data
}

// readFiles reads every file of a zip, as far as it may.
func readFiles(path string) error {
	r, done, err := Open(path)
	if err != nil {
		return err
	}
	defer done()
	for name, err := range r.Files.(*zipFS).Names() {
		if err != nil {
			return err
		}
		if _, err := r.ReadFile(name, 1<<20); err != nil {
			return err
		}
	}
	return nil
}

// TestHostileZip: no zip makes its reader take memory for what is not there, and none has files
// that other programs would see as others.
func TestHostileZip(t *testing.T) {
	const name = "api/small.json"
	whole := smallZip(t)
	path := filepath.Join(t.TempDir(), "hostile.zip")
	wrongSum := slices.Clone(whole)
	wrongSum[entryNamed(t, whole, name)+16] ^= 1
	method := slices.Clone(whole)
	method[bytes.Index(whole, []byte(name))-30+8] = 8
	for what, data := range map[string][]byte{
		"size of 64 bits":           withSize(t, whole, name, math.MaxInt64),
		"size above 64 bits":        withSize(t, whole, name, math.MaxUint64),
		"size beyond the file":      withSize(t, whole, name, uint64(len(whole))),
		"manifest of 64 bits":       withSize(t, whole, "manifest.json", math.MaxInt64-1),
		"path above the release":    renamed(t, whole, name, "../../small.sh", true, true),
		"absolute path":             renamed(t, whole, name, "/etc/cron.json", true, true),
		"line end in a name":        renamed(t, whole, name, "api/small\r\nX: y", true, true),
		"backslash in a name":       renamed(t, whole, name, `api\small.json`, true, true),
		"two entries of one name":   renamed(t, whole, name, "api/large.json", true, false),
		"a local header of another": renamed(t, whole, name, "api/other.json", false, true),
		"wrong checksum":            wrongSum,
		"packed by the header":      method,
	} {
		must.Do(t, os.WriteFile(path, data, 0o644))
		if err := readFiles(path); err == nil {
			t.Errorf("%s: nothing is wrong", what)
		}
	}
	must.Do(t, os.WriteFile(path, whole, 0o644))
	if err := readFiles(path); err != nil {
		t.Errorf("the whole one: %v", err)
	}
}

// TestHostileZipOfOthers: the same of zips that another program packed.
func TestHostileZipOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hostile.zip")
	for what, names := range map[string][]string{
		"path above the release":  {"../../x.sh"},
		"absolute path":           {"/x"},
		"line end":                {"a\r\nb"},
		"two entries of one name": {"a", "a"},
		"empty name":              {""},
	} {
		var entries []hostile.Entry
		for _, name := range append(names, layout.ManifestPath) {
			entries = append(entries, hostile.Text(name, "text"))
		}
		hostile.WriteZip(t, path, zip.Deflate, entries...)
		_, _, err := openFiles(path, false)
		if err == nil || !strings.Contains(err.Error(), "invalid path") && !strings.Contains(err.Error(), "duplicate") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestBombIsNotUnpacked: of a file that is packed in a zip, no more is unpacked than may be read.
func TestBombIsNotUnpacked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.zip")
	bomb := hostile.Entry{Name: layout.ManifestPath, Content: io.LimitReader(hostile.Zeros{}, 4*layout.MaxManifest)}
	hostile.WriteZip(t, path, zip.Deflate, bomb)
	var err error
	taken := hostile.Allocated(func() { _, _, err = Open(path) })
	if err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("the error is %v", err)
	}
	if taken > 2*layout.MaxManifest {
		t.Errorf("it took %d bytes", taken)
	}
}

// FuzzZip: whatever a zip says, reading it ends, and takes no more memory than it has bytes.
func FuzzZip(f *testing.F) {
	whole := smallZip(f)
	f.Add(whole)
	f.Add(packedZip(f))
	f.Add(withSize(f, whole, "api/small.json", math.MaxInt64))
	f.Add(renamed(f, whole, "api/small.json", "api/other.json", false, true))
	path := filepath.Join(f.TempDir(), "fuzz.zip")
	hostile.WriteZip(f, path, zip.Deflate, hostile.Text("a", strings.Repeat("text", 1000)))
	packed := must.Get(os.ReadFile(path))(f)
	f.Add(packed)
	f.Add(zipEnd(0, 0, 0, 0))
	f.Add(append(rawDirectoryEntry(1, 0, 0, "x"), zipEnd(1, 47, 0, 47)...))
	// one file for all, which is never closed between them: some systems bring it to disk then
	file := must.Get(os.Create(path))(f)
	f.Cleanup(func() { file.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 16<<10 { // nothing new is in a longer one
			return
		}
		_, err := file.WriteAt(data, 0)
		must.Do(t, errors.Join(err, file.Truncate(int64(len(data)))))
		z := &zipFS{file: file, seed: maphash.MakeSeed()}
		if z.readDirectory() != nil {
			return
		}
		seen := map[string]bool{}
		for name, err := range z.Names() {
			if err != nil {
				return
			}
			if !layout.ValidPath(name) || seen[name] {
				t.Fatalf("the zip has %q", name)
			}
			seen[name] = true
			one, err := z.Open(name)
			if err != nil {
				continue
			}
			const most = 64 << 10
			content, err := io.ReadAll(io.LimitReader(one, most))
			if stored, ok := one.(*storedFile); ok && err == nil && len(content) < most &&
				crc32.ChecksumIEEE(content) != stored.crc {
				t.Errorf("%s is read with a wrong checksum", name)
			}
		}
	})
}

// TestWritersRefusePaths: what no reader takes, no writer writes.
func TestWritersRefusePaths(t *testing.T) {
	dir := t.TempDir()
	for _, target := range []string{filepath.Join(dir, "folder"), filepath.Join(dir, "release.zip")} {
		w := must.Get(NewWriter(target))(t)
		refusesPaths(t, w)
		if err := w.Abort(); err != nil {
			t.Error(err)
		}
	}
	refusesPaths(t, NewMemory())
}

func refusesPaths(t *testing.T, w Writer) {
	t.Helper()
	for _, path := range []string{"", "../x", "/x", "a\r\nb", "a//b", "a b", strings.Repeat("a", 300)} {
		if err := w.Put(path, nil); err == nil {
			t.Errorf("%T puts %q", w, path)
		}
		if _, err := w.Create(path); err == nil {
			t.Errorf("%T creates %q", w, path)
		}
	}
}

// TestSparseFile: a file that says that it is huge costs nothing.
func TestSparseFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "release")
	commit(t, dir, "text")
	for _, name := range []string{"api/small.json", layout.ManifestPath} {
		if err := os.Truncate(filepath.Join(dir, name), 1<<40); err != nil {
			t.Skipf("no sparse files here: %v", err)
		}
	}
	if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is larger than") {
		t.Errorf("the error is %v", err)
	}
	files, done, err := openFiles(dir, true)
	must.Do(t, err)
	defer done()
	r := release.Release{Files: files}
	if _, err := r.ReadFile("api/small.json", 4); err == nil {
		t.Error("it is read")
	}
	if _, err := fs.Stat(files, "api/small.json"); err != nil {
		t.Error(err)
	}
}
