// Package compress compresses the files of a release. No other package imports compressors, except
// sheet and readers of Zstandard.
//
// Compressed bytes may differ between versions of the libraries. Releases therefore contain the
// digests of compressed files, and the number of the compressors that made them.
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

// Number identifies the compressors and their settings. Increase it with any change to the
// compressed bytes: builds reuse the variants of releases with the same number.
const Number = 1

// Encoding is a content encoding at certain levels.
type Encoding struct {
	Coding Coding
	Name   string // as in Content-Encoding
	Suffix string // the suffix of compressed files, as web servers expect it
	writer func(class int) (writer, error)
	// Idle writers for each class of size: creating one takes longer than compressing a record.
	idle *[classes]idle
}

func newEncoding(c Coding, w func(class int) (writer, error)) Encoding {
	return Encoding{c, c.String(), [...]string{Brotli: ".br", Zstd: ".zst", Gzip: ".gz"}[c], w, new([classes]idle)}
}

// idle keeps writers for reuse, at most as many as are used at the same time. sync.Pool would drop
// them and allocate others, and a writer uses up to 50 MB.
type idle struct {
	mu      sync.Mutex
	writers []writer
	only    sync.Mutex // held while a writer of class small is in use, so that only one exists
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

// FreeWriters frees the writers that are kept for reuse. Call it when nothing will be compressed
// for a while.
func FreeWriters() {
	for _, e := range append(slices.Clone(All), Far) {
		for i := range e.idle {
			e.idle[i].mu.Lock()
			e.idle[i].writers = nil
			e.idle[i].mu.Unlock()
		}
	}
}

// writer is a compressor that can be reused.
type writer interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// Encodings are the encodings of a release's variants, the best first.
var Encodings = []Encoding{
	newEncoding(Brotli, brotliWriter), newEncoding(Zstd, zstdWriter), newEncoding(Gzip, gzipWriter),
}

// Listings are the same encodings for large files that consist mostly of digests and URLs.
// Searching longer for repetitions finds no more there, so that fast levels compress as well as
// thorough ones.
var Listings = []Encoding{
	newEncoding(Brotli, func(int) (writer, error) { return brotliWriter(large) }),
	newEncoding(Zstd, func(int) (writer, error) { return zstdWriter(large) }),
	newEncoding(Gzip, func(int) (writer, error) { return gzip.NewWriterLevel(nil, 2) }),
}

// Quick is the encoding of hundreds of thousands of small files, such as pages: gzip, which every
// client and server supports, at a level that takes some tens of microseconds. The others would
// save a tenth of the size, less than a network packet, and take twenty times as long.
var Quick = newEncoding(Gzip, func(int) (writer, error) { return gzip.NewWriterLevel(nil, 3) })

// Zstandard is the encoding of archives and histories. A file may contain several of its frames.
var Zstandard = Encodings[1]

// Far is Zstandard with a large window, for increments, in which the same lines are far apart.
var Far = newEncoding(Zstd, func(int) (writer, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(16<<20))
})

// All contains all encodings of a release's files. Other packages refer to them by index.
var All = slices.Concat(Encodings, Listings, []Encoding{Quick})

// Equal reports whether e is other, with the same levels.
func (e Encoding) Equal(other Encoding) bool { return e.idle == other.idle }

// Stream compresses the output of write into one frame, at the level for files of middle size.
func (e Encoding) Stream(w io.Writer, write func(io.Writer) error) error {
	return e.writeFrame(w, middle, write)
}

// Pack compresses the output of write with Zstandard. If readers would refuse the expanded size for
// a file of this size, it appends padding that readers skip.
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

// counter counts the bytes that are written through it.
type counter struct {
	to io.Writer
	n  int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.n += int64(n)
	return n, err
}

func Named(name string) (Encoding, bool) {
	i := slices.IndexFunc(Encodings, func(e Encoding) bool { return e.Name == name })
	return Encodings[max(i, 0)], i >= 0
}

// For returns the encodings for the variants of the file at path with this size.
func For(path string, size int64) []Encoding {
	if !IsSmall(size) && (strings.HasPrefix(path, layout.IndexFolder) || strings.HasPrefix(path, "sitemap")) {
		return Listings
	}
	return Encodings
}

// Classes of size. Most records are tiny: every core compresses some of them, so writers must not
// use much memory, and they need no window larger than the record. Small files get the best
// compression, because it takes little time. Large files do not: saving the last tenth would take
// minutes.
const (
	tiny  = iota // fits into a window of 64 KiB
	small        // up to 1 MiB
	middle
	large // above 4 MiB
	classes
)

// IsSmall reports whether files of this size get the best compression, which takes little time and
// much memory.
func IsSmall(size int64) bool { return classOf(size) <= small }

const (
	tinyWindow = 16                 // as a power of two
	maxTiny    = 1<<tinyWindow - 16 // brotli's reach in this window
)

func classOf(size int64) int {
	switch {
	case size <= maxTiny:
		return tiny
	case size <= 1<<20:
		return small
	case size <= 4<<20:
		return middle
	}
	return large
}

// Encode compresses r, which has size bytes, to w.
func (e Encoding) Encode(w io.Writer, r io.Reader, size int64) error {
	return e.writeFrame(w, classOf(size), func(z io.Writer) error {
		_, err := io.Copy(z, r)
		return err
	})
}

func (e Encoding) writeFrame(w io.Writer, class int, write func(io.Writer) error) (err error) {
	if class == small { // a writer uses up to 50 MB, and few files are in this class
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
	if class != large { // these are rare, so their memory is freed
		e.idle[class].put(z)
	}
	return nil
}

// AppendBlock appends content to b, compressed with a fast format that only this program reads.
func AppendBlock(b, content []byte) []byte {
	b = slices.Grow(b, MaxBlockSize(len(content)))
	return b[:len(b)+len(s2.Encode(b[len(b):cap(b)], content))]
}

// MaxBlockSize returns the greatest compressed size of size bytes in the format of AppendBlock.
func MaxBlockSize(size int) int { return s2.MaxEncodedLen(size) }

// OpenBlock returns the content of a block that AppendBlock wrote, stored in buffer if it fits.
func OpenBlock(buffer, block []byte) ([]byte, error) { return s2.Decode(buffer[:cap(buffer)], block) }

// Inflate returns a reader that decompresses DEFLATE data, such as the part of a gzip file between
// its header and trailer. Closing it makes its memory available for reuse.
func Inflate(r io.Reader) io.ReadCloser {
	in, ok := inflaters.Get().(io.ReadCloser)
	if !ok {
		return &inflater{flate.NewReader(r)}
	}
	in.(flate.Resetter).Reset(r, nil) // which does not fail
	return &inflater{in}
}

var inflaters sync.Pool

type inflater struct{ in io.ReadCloser } // nil after Close

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

// Reader returns a reader that decompresses r.
func (e Encoding) Reader(r io.Reader) (io.Reader, error) {
	switch e.Coding {
	case Brotli:
		return brotli.NewReader(r), nil
	case Zstd:
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
	}
	return gzip.NewReader(r)
}

// The levels were chosen by measurements on collections; see docs/decisions.

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
	window := 8 << 20 // the most that browsers accept
	if class == tiny {
		window = 1 << tinyWindow
	}
	// One goroutine, so that the same input gives the same bytes.
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(class != large))
}

func gzipWriter(class int) (writer, error) {
	return gzip.NewWriterLevel(nil, [...]int{9, 9, 6, 5}[class])
}

const (
	// manyPages is the number of pages of one sort above which only pages that gain by it are
	// compressed.
	manyPages = 20_000
	// firstFlight is the number of bytes that a server sends before it waits for an acknowledgement
	// (ten packets, RFC 6928). A page of that size arrives no sooner if it is smaller.
	firstFlight = 14_600
)

// IsPageCompressed reports whether a page of this size is worth compressing if there are count
// pages.
func IsPageCompressed(count int, size int64) bool { return count <= manyPages || size > firstFlight }

// packet is the number of bytes of a response that fit into a network packet.
const packet = 1460

// Saves reports whether sending compressed bytes instead of size bytes saves a network packet.
func Saves(size, compressed int64) bool {
	return (compressed+packet-1)/packet < (size+packet-1)/packet
}
