// Package compress holds the content encodings that a release carries beside its files. It is the only room that imports compressors.
//
// Compressed bytes may differ between versions of the libraries: digests of them are stored, and they are never expected to come out the same again
// from another version of the program.
package compress

import (
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Encoding is a content encoding.
type Encoding struct {
	Name   string // as in Content-Encoding
	Suffix string // what a file's name gets, as web servers look for it
	writer func(small bool) (writer, error)
	reader func(r io.Reader) (io.Reader, error)
	idle   *[2]sync.Pool // writers for large and small files; making one costs more than compressing a record
}

// writer compresses, and can be used again.
type writer interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// Encodings are those that a release carries, the best first.
var Encodings = []Encoding{
	{"br", ".br", brotliWriter, func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }, new([2]sync.Pool)},
	{"zstd", ".zst", zstdWriter, func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	}, new([2]sync.Pool)},
	{"gzip", ".gz", gzipWriter, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }, new([2]sync.Pool)},
}

// Named finds an encoding by its name.
func Named(name string) (Encoding, bool) {
	for _, e := range Encodings {
		if e.Name == name {
			return e, true
		}
	}
	return Encoding{}, false
}

// small is the size up to which the last per cent is worth the time: such files cost nothing to compress well.
const small = 1 << 20

// Encode compresses what r holds, which is size bytes long.
func (e Encoding) Encode(w io.Writer, r io.Reader, size int64) (err error) {
	class := 0
	if size <= small {
		class = 1
	}
	z, ok := e.idle[class].Get().(writer)
	if !ok {
		if z, err = e.writer(class == 1); err != nil {
			return err
		}
	}
	z.Reset(w)
	if _, err := io.Copy(z, r); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	e.idle[class].Put(z)
	return nil
}

// Reader decompresses what r holds.
func (e Encoding) Reader(r io.Reader) (io.Reader, error) { return e.reader(r) }

// The levels for large files were chosen by measuring them on collections: the next higher level takes two to four times as long and saves
// less than a tenth. docs/benchmarks.md has the table.

func brotliWriter(small bool) (writer, error) {
	if small {
		return brotli.NewWriterLevel(nil, 9), nil
	}
	return brotli.NewWriterLevel(nil, 5), nil
}

func zstdWriter(small bool) (writer, error) {
	level := zstd.SpeedDefault
	if small {
		level = zstd.SpeedBestCompression
	}
	// One goroutine, so that the same input gives the same bytes. Browsers take windows of up to 8 MiB.
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
}

func gzipWriter(small bool) (writer, error) {
	if small {
		return gzip.NewWriterLevel(nil, 9)
	}
	return gzip.NewWriterLevel(nil, 6)
}

// packet is how much of a response fits into a network packet.
const packet = 1460

// Saves reports whether a file of one size in place of another saves a network packet.
func Saves(size, compressed int64) bool {
	return (compressed+packet-1)/packet < (size+packet-1)/packet
}
