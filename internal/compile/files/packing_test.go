package files

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
)

// numbers are lines of numbers that were drawn by lot, as large as is asked for.
func numbers(size int) []byte {
	draw, text := rand.New(rand.NewPCG(1, 2)), []byte(nil)
	for len(text) < size {
		text = append(strconv.AppendUint(text, draw.Uint64()>>draw.IntN(60), 10), '\n')
	}
	return text
}

// TestCompressedAsWritten: a file that no scratch file may hold has the bytes and variants of one
// that lies on one, and can be read back.
func TestCompressedAsWritten(t *testing.T) {
	text := numbers(4<<20 + 100_000) // which is large
	var zips [][]byte
	for _, most := range []int64{maxScratch, 4 << 20, 0} {
		held := maxScratch
		maxScratch = most
		defer func() { maxScratch = held }()
		path := filepath.Join(t.TempDir(), "release.zip")
		w := must.Get(store.NewWriter(path))(t)
		set := must.Get(New(t.Context(), w, Options{}))(t)
		defer set.Close()
		f := must.Get(set.Create("api/v1/healthcare-statistics.json"))(t)
		for part := text; len(part) > 0; part = part[min(len(part), 100_001):] {
			must.Get(f.Write(part[:min(len(part), 100_001)]))(t)
		}
		must.Do(t, f.Close())
		in := must.Get(set.Open("api/v1/healthcare-statistics.json"))(t)
		if data, err := io.ReadAll(in); err != nil || !bytes.Equal(data, text) {
			t.Errorf("with %d bytes on scratch, %d are read back: %v", most, len(data), err)
		}
		must.Get(set.Finish())(t)
		must.Do(t, w.Put(layout.ManifestPath, []byte("{}")))
		must.Do(t, w.Commit())
		zips = append(zips, must.Get(os.ReadFile(path))(t))
	}
	if !bytes.Equal(zips[0], zips[1]) || !bytes.Equal(zips[0], zips[2]) {
		t.Error("the releases differ")
	}
}

// TestCompressedWithoutRoom: where a compressor has no room, writing ends with that, and so does
// what runs beside it.
func TestCompressedWithoutRoom(t *testing.T) {
	held := maxScratch
	maxScratch = 0
	defer func() { maxScratch = held }()
	w := &full{Writer: must.Get(store.NewWriter(filepath.Join(t.TempDir(), "release.zip")))(t)}
	w.files.Store(2)
	set := must.Get(New(t.Context(), w, Options{}))(t)
	f := must.Get(set.Create("api/v1/healthcare-statistics.json"))(t)
	_, err := f.Write(numbers(1 << 20))
	if err = errors.Join(err, f.Close()); !errors.Is(err, errFull) {
		t.Errorf("writing ends with %v", err)
	}
	set.Close()
}

// full gives so many scratch files.
type full struct {
	store.Writer
	files atomic.Int32
}

var errFull = errors.New("no space left")

func (w *full) Scratch() (*os.File, error) {
	if w.files.Add(-1) < 0 {
		return nil, errFull
	}
	return w.Writer.Scratch()
}

func (w *full) Pack(path string, size int64, gz io.ReaderAt, length int64) error {
	return w.Writer.(Packer).Pack(path, size, gz, length)
}
