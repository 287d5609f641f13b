// Package hostile has what tests need to be somebody who wants to do harm: zips that another
// program packed, content without end, and a measure of what it cost the reader.
package hostile

import (
	"archive/zip"
	"compress/flate"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// Zeros are as many zero bytes as anybody reads.
type Zeros struct{}

// Read fills a buffer with zeros.
func (Zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Entry is a file in a zip.
type Entry struct {
	Name    string
	Content io.Reader
}

func Text(name, text string) Entry { return Entry{name, strings.NewReader(text)} }

// WriteZip packs a zip with the standard library, and so as no release is packed. Names may be such
// as no release has. The method is zip.Store or zip.Deflate.
func WriteZip(t testing.TB, path string, method uint16, entries ...Entry) {
	t.Helper()
	out := must.Get(os.Create(path))(t)
	defer out.Close()
	w := zip.NewWriter(out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed) // there can be much to pack
	})
	must.Do(t, w.SetComment("packed by another program"))
	for _, e := range entries {
		f := must.Get(w.CreateHeader(&zip.FileHeader{Name: e.Name, Method: method}))(t)
		if _, err := io.Copy(f, e.Content); err != nil {
			t.Fatal(err)
		}
	}
	must.Do(t, w.Close())
}

// Allocated returns how many bytes of memory are taken while something is done, also those that are
// given back.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
