// Package increment tells how a pack differs from the one before it, in few bytes, and makes the
// one from the other.
//
// A pack is a zip as package store writes it. It is cut into chunks where its content says so, so
// that what is inserted moves no other cut. The digests of the chunks, its sums, are all that has
// to be known of the older pack. An increment has what is new, says where the rest lies, and leaves
// out what follows from other bytes of the pack: compressed variants, which change wholly when
// their file changes a little, and the directory of the zip. What lies deflated in a pack is cut as
// it is when it is unpacked: the large files of that sort stand behind the pack, one after the
// other, as if they belonged to it.
package increment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"os"

	"stele/internal/base/compress"
	"stele/internal/disk/store"
)

// Sums are the digests of the chunks of a pack, in their order.
type Sums struct {
	fine   uint8 // a chunk ends at one of 2^fine places, on average
	size   int64 // of the pack
	inside int   // how many chunks are of the pack itself
	chunks []chunk
}

// begins are where the chunks lie.
func (s *Sums) begins() []int64 {
	list := make([]int64, len(s.chunks))
	var at int64
	for i, c := range s.chunks {
		if i == s.inside {
			at = s.size
		}
		list[i] = at
		at += int64(c.length)
	}
	return list
}

// packed is a deflated file of a pack.
type packed struct {
	name       string
	at, length int64 // of what the pack has of it
	size       int64
}

func (p *packed) open(pack io.ReaderAt) io.ReadCloser {
	return compress.Inflate(io.NewSectionReader(pack, p.at, p.length))
}

// worth is how large a deflated file is that is cut unpacked. Smaller ones that change are sent
// whole, all together compressed as one.
const worth = 64 << 10

// large are the files of a pack that are cut unpacked, in the order of its directory. A pack that
// some other program made has none.
func large(pack *os.File) (list []packed, err error) {
	if _, err := store.Directory(pack); err != nil {
		return nil, nil
	}
	for p, err := range store.Parts(pack) {
		if err != nil {
			return nil, err
		}
		if !p.Deflate || p.Size < worth {
			continue
		}
		at, err := p.Content(pack)
		if err != nil {
			return nil, err
		}
		list = append(list, packed{string(p.Name), at, p.Packed, p.Size})
	}
	return list, nil
}

// chunk is a stretch of a pack.
type chunk struct {
	length uint32
	sum    sum
}

// sum is the first half of a SHA-256 digest: nobody finds two contents that share it.
type sum [16]byte

// sizes of chunks
const (
	least    = 1 << 10
	finest   = 11
	coarsest = 24
	most     = 8 // times what is usual
	fewest   = 20
)

const sumsFormat = "stele-sums/1\n"

// errSums says that bytes are no sums.
var errSums = errors.New("these are no sums of a pack")

// gear gives each byte a number by which cuts are found. It is part of the format.
var gear = func() (table [256]uint64) {
	for i := range table { // SplitMix64
		z := uint64(i+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		table[i] = z ^ z>>31
	}
	return table
}()

// cut is how long the first chunk of some bytes is, which are all that follow or as many as the
// longest chunk has.
func cut(b []byte, fine uint8) int {
	mask := uint64(1<<fine-1) << (64 - fine)
	end := min(len(b), most<<fine)
	var h uint64
	for i := least - 64; i < end; i++ {
		h = h<<1 + gear[b[i]]
		if i >= least && h&mask == 0 {
			return i + 1
		}
	}
	return end
}

// Survey finds the sums of a pack: as finely as those of another, which may be nil. The directory
// of a zip is left out: it follows from the rest.
func Survey(ctx context.Context, pack *os.File, like *Sums) (*Sums, error) {
	info, err := pack.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size()
	if start, err := store.Directory(pack); err == nil {
		end = start
	}
	// about a million at most, as long as that is possible
	s := &Sums{fine: uint8(min(max(finest, bits.Len64(uint64(end))-fewest), coarsest))}
	if like != nil {
		s.fine = like.fine
	}
	s.size = info.Size()
	if err := s.cutAll(ctx, io.NewSectionReader(pack, 0, end), end); err != nil {
		return nil, err
	}
	s.inside = len(s.chunks)
	list, err := large(pack)
	for _, p := range list {
		in := p.open(pack)
		if err = errors.Join(s.cutAll(ctx, in, p.size), in.Close()); err != nil {
			return nil, err
		}
	}
	return s, err
}

// cutAll adds the chunks of what a reader has.
func (s *Sums) cutAll(ctx context.Context, in io.Reader, size int64) error {
	buffer := make([]byte, 1<<20+most<<s.fine)
	have, ended := 0, false
	for !ended {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := io.ReadFull(in, buffer[have:])
		have += n
		size -= int64(n)
		ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return err
		}
		rest := buffer[:have]
		for len(rest) >= most<<s.fine || ended && len(rest) > 0 {
			n := cut(rest, s.fine)
			digest := sha256.Sum256(rest[:n])
			s.chunks = append(s.chunks, chunk{uint32(n), sum(digest[:])})
			rest = rest[n:]
		}
		have = copy(buffer, rest)
	}
	if size != 0 {
		return errors.New("a file of the pack does not have the size that it says")
	}
	return nil
}

// Encode writes sums as bytes.
func (s *Sums) Encode() []byte {
	b := append([]byte(sumsFormat), s.fine)
	b = binary.AppendUvarint(b, uint64(s.size))
	b = binary.AppendUvarint(b, uint64(s.inside))
	for _, c := range s.chunks {
		b = binary.AppendUvarint(b, uint64(c.length))
		b = append(b, c.sum[:]...)
	}
	return b
}

// Decode reads what Encode wrote.
func Decode(b []byte) (*Sums, error) {
	head := len(sumsFormat) + 1
	if len(b) < head || string(b[:len(sumsFormat)]) != sumsFormat || b[head-1] < finest || b[head-1] > coarsest {
		return nil, errSums
	}
	s := &Sums{fine: b[head-1]}
	b = b[head:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > 1<<60 {
		return nil, errSums
	}
	inside, m := binary.Uvarint(b[n:])
	if m <= 0 || inside > uint64(len(b)) {
		return nil, errSums
	}
	s.size, s.inside = int64(size), int(inside)
	for b = b[n+m:]; len(b) > 0; {
		length, n := binary.Uvarint(b)
		if n <= 0 || length == 0 || length > most<<s.fine || len(b) < n+len(sum{}) {
			return nil, errSums
		}
		s.chunks = append(s.chunks, chunk{uint32(length), sum(b[n:])})
		b = b[n+len(sum{}):]
	}
	if s.inside > len(s.chunks) {
		return nil, errSums
	}
	return s, nil
}
