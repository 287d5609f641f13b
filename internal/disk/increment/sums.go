// Package increment encodes the difference between two packs in few bytes, and builds the later
// pack from the earlier one.
//
// A pack is a zip that package store wrote. It is cut into chunks at positions that depend on the
// content, so that an insertion does not move other cuts. The digests of the chunks, the sums, are
// all that is needed of the older pack. An increment contains the new bytes and the origin of all
// others. It leaves out the parts that follow from other parts of the pack: compressed variants,
// which change completely with a small change of their file, and the directory of the zip. Large
// deflated files are cut in inflated form, as if they followed the pack one after the other.
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

// Sums are the digests of a pack's chunks, in order.
type Sums struct {
	fine   uint8 // a chunk ends after 2^fine bytes on average
	size   int64 // of the pack
	inside int   // number of chunks of the pack itself
	chunks []chunk
}

func (s *Sums) chunkOffsets() []int64 {
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
	at, length int64 // of the deflated data
	size       int64
}

func (p *packed) open(pack io.ReaderAt) io.ReadCloser {
	return compress.Inflate(io.NewSectionReader(pack, p.at, p.length))
}

// minUnpacked is the size from which deflated files are cut in inflated form. Smaller ones that
// changed are sent completely, compressed together.
const minUnpacked = 64 << 10

// largeFiles returns the files of a pack that are cut in inflated form, in the order of its
// directory. A pack that another program made has none.
func largeFiles(pack *os.File) (list []packed, err error) {
	if _, err := store.FindDirectory(pack); err != nil {
		return nil, nil
	}
	for p, err := range store.Parts(pack) {
		if err != nil {
			return nil, err
		}
		if !p.Deflate || p.Size < minUnpacked {
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

// chunk is a range of a pack.
type chunk struct {
	length uint32
	sum    sum
}

// sum is half of a SHA-256 digest, long enough that collisions cannot be found.
type sum [16]byte

// Sizes of chunks. A chunk has at least minChunk bytes and at most maxFactor times the average,
// which is 2^finest to 2^coarsest bytes.
const (
	minChunk  = 1 << 10
	finest    = 11
	coarsest  = 24
	maxFactor = 8
	countBits = 20
)

const sumsFormat = "stele-sums/1\n"

// errSums means that data are not valid sums.
var errSums = errors.New("malformed sums of a pack")

// gear maps each byte to the number from which cuts are computed. It is part of the format.
var gear = func() (table [256]uint64) {
	for i := range table { // SplitMix64
		z := uint64(i+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		table[i] = z ^ z>>31
	}
	return table
}()

// chunkLength returns the length of the first chunk of b, which contains the rest of the pack or at
// least the longest possible chunk.
func chunkLength(b []byte, fine uint8) int {
	mask := uint64(1<<fine-1) << (64 - fine)
	end := min(len(b), maxFactor<<fine)
	var h uint64
	for i := minChunk - 64; i < end; i++ {
		h = h<<1 + gear[b[i]]
		if i >= minChunk && h&mask == 0 {
			return i + 1
		}
	}
	return end
}

// ComputeSums returns the sums of a pack. If like is not nil, chunks have the same average size as
// in like. It leaves out the directory, which follows from the rest.
func ComputeSums(ctx context.Context, pack *os.File, like *Sums) (*Sums, error) {
	info, err := pack.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size()
	if start, err := store.FindDirectory(pack); err == nil {
		end = start
	}
	// About a million chunks at most, as far as possible.
	s := &Sums{fine: uint8(min(max(finest, bits.Len64(uint64(end))-countBits), coarsest))}
	if like != nil {
		s.fine = like.fine
	}
	s.size = info.Size()
	if err := s.addChunks(ctx, io.NewSectionReader(pack, 0, end), end); err != nil {
		return nil, err
	}
	s.inside = len(s.chunks)
	list, err := largeFiles(pack)
	for _, p := range list {
		in := p.open(pack)
		if err = errors.Join(s.addChunks(ctx, in, p.size), in.Close()); err != nil {
			return nil, err
		}
	}
	return s, err
}

// addChunks adds the chunks of in, which must have size bytes.
func (s *Sums) addChunks(ctx context.Context, in io.Reader, size int64) error {
	buffer := make([]byte, 1<<20+maxFactor<<s.fine)
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
		for len(rest) >= maxFactor<<s.fine || ended && len(rest) > 0 {
			n := chunkLength(rest, s.fine)
			digest := sha256.Sum256(rest[:n])
			s.chunks = append(s.chunks, chunk{uint32(n), sum(digest[:])})
			rest = rest[n:]
		}
		have = copy(buffer, rest)
	}
	if size != 0 {
		return errors.New("a file of the pack does not have the size in its directory")
	}
	return nil
}

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

// Decode returns the sums in b, which Encode returned.
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
		if n <= 0 || length == 0 || length > maxFactor<<s.fine || len(b) < n+len(sum{}) {
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
