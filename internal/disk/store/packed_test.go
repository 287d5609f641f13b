package store

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
)

// packedText is one of the texts that packedZip has.
func packedText(size int) []byte { return bytes.Repeat([]byte("a line of text\n"), size/15+1)[:size] }

// packedSizes are those of a file that is read whole, and of one that goes to disk to be read from
// anywhere.
var packedSizes = []int{0, 5000, maxInMemory + 1}

// packedZip is a release of which some files are deflated.
func packedZip(t testing.TB) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "release.zip")
	w := put(t, path, "text")
	for _, size := range packedSizes {
		var gz bytes.Buffer
		z := gzip.NewWriter(&gz)
		must.Get(z.Write(packedText(size)))(t)
		must.Do(t, z.Close())
		name := fmt.Sprintf("api/packed-%d.json", size)
		must.Do(t, w.(*zipWriter).Pack(name, int64(size), bytes.NewReader(gz.Bytes()), int64(gz.Len())))
		must.Do(t, w.Put(name+".gz", gz.Bytes()))
	}
	must.Do(t, w.Commit())
	data := must.Get(os.ReadFile(path))(t)
	return data
}

// TestPack: what is packed is read as it is, from its beginning and from anywhere, here and by
// ordinary tools, and when the zip was amended.
func TestPack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "release.zip")
	must.Do(t, os.WriteFile(path, packedZip(t), 0o644))
	for range 2 {
		r, closeRelease, err := Open(path)
		must.Do(t, err)
		if r.Files.(*zipFS).foreign != nil {
			t.Error("it is left to the standard library")
		}
		for _, size := range packedSizes {
			readsPacked(t, r.Files, size)
		}
		must.Do(t, closeRelease())
		withTools(t, path)
		z := must.Get(zip.OpenReader(path))(t)
		for _, f := range z.File {
			if strings.HasPrefix(f.Name, "api/packed") && !strings.HasSuffix(f.Name, ".gz") && f.Method != zip.Deflate {
				t.Errorf("%s is not packed", f.Name)
			}
			readAll(t, f)
		}
		must.Do(t, z.Close())
		must.Do(t, amendZip(path, nil, func(yield func(string, []byte) bool) { yield("added", []byte("text")) }))
	}
}

func readsPacked(t *testing.T, files fs.FS, size int) {
	t.Helper()
	name, want := fmt.Sprintf("api/packed-%d.json", size), packedText(size)
	f, err := files.Open(name)
	must.Do(t, err)
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() != int64(size) {
		t.Errorf("%s has %d bytes, %v", name, info.Size(), err)
	}
	if size > 0 {
		part := make([]byte, 100)
		if _, err := f.(io.ReaderAt).ReadAt(part, int64(size-100)); err != nil || !bytes.Equal(part, want[size-100:]) {
			t.Errorf("%s ends in %q, %v", name, part, err)
		}
	}
	if data, err := io.ReadAll(f); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%s has %d other bytes, %v", name, len(data), err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// readOne opens a zip and reads a file of it.
func readOne(path, name string) error {
	r, done, err := Open(path)
	if err != nil {
		return err
	}
	defer done()
	_, err = r.ReadFile(name, 1<<20)
	return err
}

// TestHostilePack: a file that is not what the zip says of it is not read.
func TestHostilePack(t *testing.T) {
	const name = "api/packed-5000.json"
	whole := packedZip(t)
	change := func(at int, value uint32) []byte {
		data := slices.Clone(whole)
		entry := bytes.LastIndex(data, []byte(name+"PK")) - listedSize // that of the variant ends in .gz
		if entry < 0 || binary.LittleEndian.Uint32(data[entry:]) != directorySignature {
			t.Fatal("there is no entry")
		}
		binary.LittleEndian.PutUint32(data[entry+at:], value)
		return data
	}
	path := filepath.Join(t.TempDir(), "hostile.zip")
	for what, data := range map[string][]byte{
		"nothing":          whole,
		"checksum":         change(16, 1),
		"too few bytes":    change(20, 20),
		"too many bytes":   change(20, math.MaxInt32),
		"larger":           change(24, 5001),
		"smaller":          change(24, 4999),
		"much larger":      change(24, math.MaxInt32),
		"another method":   change(10, 12),
		"stored, it says":  change(10, 0),
		"beyond the zip":   change(42, math.MaxInt32),
		"the next as well": change(42, 0),
	} {
		must.Do(t, os.WriteFile(path, data, 0o644))
		if err := readOne(path, name); (err == nil) != (what == "nothing") {
			t.Errorf("%s: %v", what, err)
		}
	}
	w := must.Get(NewWriter(filepath.Join(t.TempDir(), "release.zip")))(t)
	defer w.Abort()
	for _, gz := range []string{"", "text that is long enough", "\x1f\x8b\x08\x08 and text that is long enough"} {
		if err := w.(*zipWriter).Pack(layout.ManifestPath, 4, strings.NewReader(gz), int64(len(gz))); err == nil {
			t.Errorf("%q is packed", gz)
		}
	}
}
