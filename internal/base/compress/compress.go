// Package compress holds the content encodings that a release carries beside its files. It is the
// only room that imports compressors.
//
// Compressed bytes may differ between versions of the libraries. Digests of them are stored, and
// releases have the number of the compressors that made them.
package compress

import (
	"encoding/binary"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"stele/internal/base/layout"
)

// Number is that of the compressors and their settings. Whoever changes them so that other bytes
// come out raises it: variants are taken over only from releases that were made with the same.
const Number = 1

// Encoding is a content encoding.
type Encoding struct {
	Coding Coding
	Name   string // as in Content-Encoding
	Suffix string // what a file's name gets, as web servers look for it
	writer func(class int) (writer, error)
	// writers for each class of size; making one costs more than compressing a record
	idle *[classes]idle
}

func encoding(c Coding, w func(class int) (writer, error)) Encoding {
	return Encoding{c, c.String(), [...]string{Brotli: ".br", Zstd: ".zst", Gzip: ".gz"}[c], w, new([classes]idle)}
}

// idle keeps writers that were used, to be used again. There are never more of them than work at
// once. A sync.Pool would let them go and have others made, and a writer has up to 50 MB.
type idle struct {
	mu      sync.Mutex
	writers []writer
	only    sync.Mutex // held while the one writer works of which there are not to be more
}

func (i *idle) get() writer {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.writers) - 1
	if last < 0 {
		return nil
	}
	w := i.writers[last]
	i.writers[last] = nil
	i.writers = i.writers[:last]
	return w
}

func (i *idle) put(w writer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.writers = append(i.writers, w)
}

// Rest lets go of what is kept to be used again, when there is nothing to compress for a while.
func Rest() {
	for _, e := range append(slices.Clone(All), Far) {
		for i := range e.idle {
			e.idle[i].mu.Lock()
			e.idle[i].writers = nil
			e.idle[i].mu.Unlock()
		}
	}
}

// writer compresses, and can be used again.
type writer interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// Encodings are those that a release carries, the best first.
var Encodings = []Encoding{encoding(Brotli, brotliWriter), encoding(Zstd, zstdWriter), encoding(Gzip, gzipWriter)}

// Listings are the same encodings, for large files that are digests and addresses for the most
// part. Who searches longer for what repeats in them finds no more, so that quick levels come out
// no larger than thorough ones.
var Listings = []Encoding{
	encoding(Brotli, func(int) (writer, error) { return brotliWriter(large) }),
	encoding(Zstd, func(int) (writer, error) { return zstdWriter(large) }),
	encoding(Gzip, func(int) (writer, error) { return gzip.NewWriterLevel(nil, 2) }),
}

// Quick is for small files by the hundred thousand, such as pages: the encoding that every client
// and every web server knows, at a level that takes some tens of microseconds. The others would
// save a tenth of the size, which is less than a network packet, and take twenty times as long.
var Quick = encoding(Gzip, func(int) (writer, error) { return gzip.NewWriterLevel(nil, 3) })

// Zstandard is the one in which a release keeps what only grows and is read seldom. Its frames can
// stand one after the other in a file.
var Zstandard = Encodings[1]

// Far is Zstandard that finds what repeats over a long way, for increments, which have the same
// lines from several files.
var Far = encoding(Zstd, func(int) (writer, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(16<<20))
})

// All are the ways in which files of a release are compressed. Others know them by their places.
var All = slices.Concat(Encodings, Listings, []Encoding{Quick})

// Is reports whether an encoding is another at the same levels.
func (e Encoding) Is(other Encoding) bool { return e.idle == other.idle }

// Stream compresses what write writes, into one frame, at the level for files of middle size.
func (e Encoding) Stream(w io.Writer, write func(io.Writer) error) error {
	return e.frame(w, middle, write)
}

// Pack does the same with Zstandard, for a file that readers expand: where the text is longer than
// they accept of a file of this size, padding follows, which they skip.
func Pack(w io.Writer, write func(io.Writer) error) error {
	packed, text := &counter{to: w}, &counter{}
	if err := Zstandard.Stream(packed, func(w io.Writer) error { text.to = w; return write(text) }); err != nil {
		return err
	}
	missing := layout.MinPacked(text.n) - packed.n
	if missing <= 0 {
		return nil
	}
	const skippable = 0x184D2A50 // the magic number of a frame that decoders skip (RFC 8878, 3.1.2)
	head := binary.LittleEndian.AppendUint32(nil, skippable)
	_, err := w.Write(append(binary.LittleEndian.AppendUint32(head, uint32(missing)), make([]byte, missing)...))
	return err
}

// counter counts what is written through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

// Named finds an encoding by its name.
func Named(name string) (Encoding, bool) {
	i := slices.IndexFunc(Encodings, func(e Encoding) bool { return e.Name == name })
	return Encodings[max(i, 0)], i >= 0
}

// For says how a file of a release is compressed.
func For(path string, size int64) []Encoding {
	if !Small(size) && (strings.HasPrefix(path, layout.IndexFolder) || strings.HasPrefix(path, "sitemap")) {
		return Listings
	}
	return Encodings
}

// Classes of size. Small files cost nothing to compress as well as possible. Most records are tiny:
// every core compresses them, so that writers must not take much memory, and they need no more than
// a window of their own size. Of the largest, the last tenth is not worth the minutes that it
// takes.
const (
	tiny  = iota // what fits into a window of 64 KiB
	small        // up to 1 MiB
	middle
	large // above 4 MiB
	classes
)

// Small reports whether a file of a size is compressed as well as possible, which takes little time
// and much memory.
func Small(size int64) bool { return classOf(size) <= small }

const (
	tinyWindow = 16                 // as a power of two
	mostTiny   = 1<<tinyWindow - 16 // which is what brotli reaches back in it
)

func classOf(size int64) int {
	switch {
	case size <= mostTiny:
		return tiny
	case size <= 1<<20:
		return small
	case size <= 4<<20:
		return middle
	}
	return large
}

// Encode compresses what r holds, which is size bytes long.
func (e Encoding) Encode(w io.Writer, r io.Reader, size int64) error {
	return e.frame(w, classOf(size), func(z io.Writer) error {
		_, err := io.Copy(z, r)
		return err
	})
}

func (e Encoding) frame(w io.Writer, class int, write func(io.Writer) error) (err error) {
	if class == small { // a writer has up to 50 MB, and few files are as large
		e.idle[class].only.Lock()
		defer e.idle[class].only.Unlock()
	}
	z := e.idle[class].get()
	if z == nil {
		if z, err = e.writer(class); err != nil {
			return err
		}
	}
	z.Reset(w)
	if err := write(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if class != large { // few are needed, and their memory had better be free for others
		e.idle[class].put(z)
	}
	return nil
}

// AppendBlock appends a block, compressed as quickly as it is written: for what only this program
// reads again. MostOfBlock is how long one becomes at most, and OpenBlock has its content, in the
// room that there is for it.
func AppendBlock(b, content []byte) []byte {
	b = slices.Grow(b, MostOfBlock(len(content)))
	return b[:len(b)+len(s2.Encode(b[len(b):cap(b)], content))]
}

// MostOfBlock goes with AppendBlock, as does OpenBlock.
func MostOfBlock(size int) int { return s2.MaxEncodedLen(size) }

// OpenBlock goes with AppendBlock.
func OpenBlock(room, block []byte) ([]byte, error) { return s2.Decode(room[:cap(room)], block) }

// Inflate decompresses what lies between the head and the end of what gzip made. Closing it lets
// its memory be used again.
func Inflate(r io.Reader) io.ReadCloser {
	in, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return &inflater{flate.NewReader(r)}
	}
	in.(flate.Resetter).Reset(r, nil) // which does not fail
	return &inflater{in}
}

var inflaters sync.Pool

type inflater struct{ in io.ReadCloser } // nil once it is closed

func (f *inflater) Read(b []byte) (int, error) {
	if f.in == nil {
		return 0, fs.ErrClosed
	}
	return f.in.Read(b)
}

func (f *inflater) Close() error {
	if f.in != nil {
		inflaters.Put(f.in)
		f.in = nil
	}
	return nil
}

// Reader decompresses what r holds.
func (e Encoding) Reader(r io.Reader) (io.Reader, error) {
	switch e.Coding {
	case Brotli:
		return brotli.NewReader(r), nil
	case Zstd:
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	}
	return gzip.NewReader(r)
}

// The levels were chosen by measuring them on collections; docs/decisions has the table.

func brotliWriter(class int) (writer, error) {
	switch class {
	case tiny:
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: 9, LGWin: tinyWindow}), nil
	case small:
		return brotli.NewWriterLevel(nil, 9), nil
	case middle:
		return brotli.NewWriterLevel(nil, 5), nil
	}
	return brotli.NewWriterV2(nil, 1), nil
}

func zstdWriter(class int) (writer, error) {
	level := [...]zstd.EncoderLevel{
		zstd.SpeedBetterCompression, zstd.SpeedBestCompression, zstd.SpeedDefault, zstd.SpeedFastest,
	}[class]
	window := 8 << 20 // which is what browsers take
	if class == tiny {
		window = 1 << tinyWindow
	}
	// One goroutine, so that the same input gives the same bytes.
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(class != large)) // which copies what is longer
}

func gzipWriter(class int) (writer, error) {
	return gzip.NewWriterLevel(nil, [...]int{9, 9, 6, 5}[class])
}

const (
	// manyPages is how many pages of a sort cost so much to compress that only those are compressed
	// that gain by it.
	manyPages = 20_000
	// firstFlight is what a server sends before it waits for an answer (ten packets, RFC 6928). A
	// page up to that size arrives no sooner if it is smaller.
	firstFlight = 14_600
)

// PageGains reports whether a page of a size is worth compressing, of which there are so many.
func PageGains(count int, size int64) bool { return count <= manyPages || size > firstFlight }

// packet is how much of a response fits into a network packet.
const packet = 1460

// Saves reports whether a file of one size in place of another saves a network packet.
func Saves(size, compressed int64) bool {
	return (compressed+packet-1)/packet < (size+packet-1)/packet
}
