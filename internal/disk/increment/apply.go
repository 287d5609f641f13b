package increment

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"stele/internal/base/compress"
	"stele/internal/base/parallel"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
)

// errMalformed means that an increment is malformed or does not fit the pack.
var errMalformed = errors.New("malformed increment, or an increment for another pack")

// malformed returns err if this machine is the cause, such as a full disk, and otherwise adds
// errMalformed. err may be nil.
func malformed(err error) error {
	if errors.As(err, new(syscall.Errno)) {
		return err
	}
	return errors.Join(errMalformed, err)
}

// ErrCompressors means that this program's compressors give different bytes from those that made
// the pack.
var ErrCompressors = errors.New("this program's compressors differ from those that made the release")

// piece is a range of the pack to be built.
type piece struct {
	from       *source
	at, length int64
}

// source is the origin of a piece: one of the variables below, or a file or variant that is built
// when it is needed.
type source struct {
	coding  int // index in compress.All, or below zero for a file to inflate
	length  int64
	content []piece
	extraAt int64 // offset in the extra file, or below zero
	step    int   // the latest increment that uses it
}

var (
	fromOld       = &source{coding: -1} // the older pack
	fromExtra     = &source{coding: -1} // data of increments, and derived files
	fromDirectory = &source{coding: -1} // the directory, written after the rest
	fromSame      = &source{coding: -1} // another range of the same pack
)

// isDerived reports whether s has to be compressed or inflated.
func (s *source) isDerived() bool { return s.length > 0 }

// work is the state of building a pack.
type work struct {
	ctx      context.Context
	old      *os.File
	extra    *os.File
	extraEnd int64
	limits   limits
	pieces   []piece // of the pack, and of the inflated files after it
	size     int64   // of the pack
	steps    int
	fetch    func(at, length int64) error // makes a range of the older pack available; nil if all is
}

// limits limit the resources for building a pack. They follow from the sizes of the older pack and
// of the increments, not from what increments claim.
type limits struct {
	bytes  int64 // of the pack and of everything inflated for it
	pieces int
}

// newLimits returns the limits for an older pack of old bytes with large large files, and for
// increments of increments bytes in all. Writers of increments respect them too.
func newLimits(old int64, large int, increments int64) limits {
	const most = 1 << 40 // prevents overflow
	increments = min(increments, most)
	return limits{
		bytes:  8 * (64<<10 + min(old, most) + 64*increments),
		pieces: int(min(1<<12+2*int64(large)+8*increments, 1<<22)),
	}
}

// Apply builds a pack of size bytes from the older pack old by applying the increments steps in
// order, and writes it to to. It does not build the packs in between. Memory and disk use are
// limited by the sizes of the inputs. The caller checks the digest of the result.
func Apply(ctx context.Context, old *os.File, steps []*io.SectionReader, to *os.File, size int64) error {
	w, err := plan(ctx, old, steps, size)
	if err != nil {
		return err
	}
	defer w.extra.Close() // deletes the file
	return w.writePack(to)
}

// plan reads the increments and finds the sources of the pack, without building it.
func plan(ctx context.Context, old *os.File, steps []*io.SectionReader, size int64) (w *work, err error) {
	var bytes int64
	for _, step := range steps {
		bytes += step.Size()
	}
	if w, err = newWork(ctx, old, bytes); err != nil {
		return nil, err
	}
	for i, step := range steps {
		plain, err := readHeader(step)
		exactly := int64(-1)
		if i == len(steps)-1 {
			exactly = size
		}
		if err == nil {
			err = w.readIncrement(plain, exactly)
		}
		if err != nil {
			return nil, errors.Join(err, w.extra.Close())
		}
	}
	return w, nil
}

func newWork(ctx context.Context, old *os.File, increments int64) (*work, error) {
	info, err := old.Stat()
	if err != nil {
		return nil, err
	}
	w := &work{ctx: ctx, old: old, size: info.Size(), pieces: []piece{{fromOld, 0, info.Size()}}}
	list, err := largeFiles(old)
	if err != nil {
		return nil, err
	}
	w.limits = newLimits(info.Size(), len(list), increments)
	for _, p := range list {
		file := &source{coding: -1, length: p.size, content: []piece{{fromOld, p.at, p.length}}, extraAt: -1}
		w.pieces = append(w.pieces, piece{file, 0, p.size})
	}
	w.extra, err = scratch.New("", "stele-increment-*")
	return w, err
}

// readHeader reads the header of an increment and returns a reader of the rest.
func readHeader(in io.Reader) (*bufio.Reader, error) {
	head := make([]byte, len(format))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != format {
		return nil, fmt.Errorf("%w: unknown format", errMalformed)
	}
	plain, err := compress.Far.Reader(in)
	return bufio.NewReaderSize(plain, 64<<10), err
}

// readIncrement reads one increment. Its pack must have wantSize bytes, unless wantSize is
// negative.
func (w *work) readIncrement(in *bufio.Reader, wantSize int64) error {
	var sizes [3]int64 // of the pack, of the inflated files to keep, and of those needed only now
	var total int64
	for i := range sizes {
		n, err := binary.ReadUvarint(in)
		if err != nil || n > uint64(w.limits.bytes) {
			return fmt.Errorf("%w: impossible size %d", errMalformed, n)
		}
		sizes[i] = int64(n)
		total += sizes[i]
	}
	if wantSize >= 0 && sizes[0] != wantSize {
		return fmt.Errorf("%w: its pack has %d bytes, not %d", errMalformed, sizes[0], wantSize)
	}
	s := &stepper{work: w, in: in, before: w.pieces, offsets: pieceOffsets(w.pieces)}
	for s.at < total {
		if len(s.after) > w.limits.pieces {
			return ErrTooMany
		}
		if err := s.readOp(total); err != nil {
			return err
		}
	}
	err := s.resolveSources(total)
	if err != nil {
		return err
	}
	w.size = sizes[0]
	if w.pieces, err = truncate(s.after, sizes[0]+sizes[1]); err != nil {
		return err
	}
	return w.checkLimits()
}

// checkLimits checks that the pieces, including those of derived files, are within the limits.
func (w *work) checkLimits() error {
	w.steps++
	n := len(w.pieces)
	for _, p := range w.pieces {
		if p.from.isDerived() && p.from.step != w.steps {
			p.from.step = w.steps
			n += len(p.from.content)
		}
	}
	if n > 2*w.limits.pieces {
		return ErrTooMany
	}
	return context.Cause(w.ctx)
}

// resolveSources finds the sources of variants, which may come after the variants, and of repeated
// ranges.
func (s *stepper) resolveSources(total int64) error {
	at := pieceOffsets(s.after)
	var sum int64
	var before variantRef // consecutive variants have the same file
	count := 0
	for _, v := range s.variants {
		if before.of == nil || v.at != before.at || v.length != before.length {
			var err error
			if v.of.content, err = appendRange(nil, s.after, at, v.at, v.length); err != nil {
				return err
			}
			if count += len(v.of.content); count > s.limits.pieces {
				return ErrTooMany
			}
			isMade := func(p piece) bool { return p.from == fromSame || p.from.isDerived() && p.from.coding >= 0 }
			if slices.ContainsFunc(v.of.content, isMade) {
				return errMalformed
			}
			before = v
		}
		v.of.content = before.of.content
		if sum += v.length; sum > 8*total {
			return errMalformed
		}
	}
	var all []piece
	for _, p := range s.after {
		if p.from != fromSame {
			all = append(all, p)
			continue
		}
		n := len(all)
		var err error
		if all, err = appendRange(all, s.after, at, p.at, p.length); err != nil || len(all) > s.limits.pieces {
			return malformed(err)
		}
		if slices.ContainsFunc(all[max(0, n-1):], func(p piece) bool { return p.from == fromSame }) {
			return errMalformed
		}
	}
	s.after = all
	return nil
}

// truncate returns the pieces of the first size bytes.
func truncate(pieces []piece, size int64) ([]piece, error) {
	for i := range pieces {
		if size <= pieces[i].length {
			pieces[i].length = size
			return slices.Clip(pieces[:i+1]), nil
		}
		size -= pieces[i].length
	}
	if size > 0 {
		return nil, errMalformed
	}
	return pieces, nil
}

// stepper reads the operations of an increment.
type stepper struct {
	*work
	in      *bufio.Reader
	before  []piece
	offsets []int64 // offsets of the pieces of before
	after   []piece
	at      int64 // bytes in after
	last    int64 // end of the last range of the older pack

	variants []variantRef
}

// variantRef is a variant and the range of the new pack that it is compressed from.
type variantRef struct {
	of         *source
	at, length int64
}

func (s *stepper) readOp(size int64) error {
	n, err := binary.ReadUvarint(s.in)
	length := int64(n / kinds)
	if err != nil || length < 1 || length > size-s.at {
		return malformed(err)
	}
	switch n % kinds {
	case isNew:
		if s.extraEnd+length > s.limits.bytes {
			return errMalformed
		}
		if _, err := io.CopyN(io.NewOffsetWriter(s.extra, s.extraEnd), s.in, length); err != nil {
			return malformed(err)
		}
		s.after = append(s.after, piece{fromExtra, s.extraEnd, length})
		s.extraEnd += length
		err = context.Cause(s.ctx)
	case isOld:
		var skip int64
		if skip, err = binary.ReadVarint(s.in); err == nil {
			s.after, err = appendRange(s.after, s.before, s.offsets, s.last+skip, length)
		}
		s.last += skip + length
	case isVariant:
		err = s.readVariant(length, size)
	case isDirectory:
		s.after = append(s.after, piece{fromDirectory, s.at, length})
	case isSame:
		var from uint64
		from, err = binary.ReadUvarint(s.in)
		if from > uint64(size) {
			return errMalformed
		}
		s.after = append(s.after, piece{fromSame, int64(from), length})
	}
	if err != nil {
		return malformed(err)
	}
	s.at += length
	return nil
}

func (s *stepper) readVariant(length, size int64) error {
	coding, err := s.in.ReadByte()
	if err != nil {
		return err
	}
	at, err := binary.ReadUvarint(s.in)
	if err != nil {
		return err
	}
	plain, err := binary.ReadUvarint(s.in)
	if err != nil || int(coding) >= len(compress.All) || at > uint64(size) || plain > uint64(size)-at {
		return malformed(err)
	}
	v := &source{coding: int(coding), length: length, extraAt: -1}
	s.after = append(s.after, piece{v, 0, length})
	s.variants = append(s.variants, variantRef{v, int64(at), int64(plain)})
	return nil
}

// pieceOffsets returns the offset of each piece, and the end of the last piece.
func pieceOffsets(pieces []piece) []int64 {
	at := make([]int64, len(pieces)+1)
	for i, p := range pieces {
		at[i+1] = at[i] + p.length
	}
	return at
}

// appendRange appends length bytes of pieces from offset at to to. begins are the offsets of the
// pieces.
func appendRange(to, pieces []piece, begins []int64, at, length int64) ([]piece, error) {
	if at < 0 || length < 0 || at > begins[len(pieces)]-length {
		return to, errMalformed
	}
	i, ok := slices.BinarySearch(begins, at)
	if !ok {
		i--
	}
	for ; length > 0; i++ {
		p := pieces[i]
		skip := at - begins[i]
		p.at, p.length = p.at+skip, min(p.length-skip, length)
		if p.from == fromDirectory {
			return to, errMalformed // a directory is not copied
		}
		if n := len(to) - 1; n >= 0 && to[n].from == p.from && to[n].at+to[n].length == p.at {
			to[n].length += p.length
		} else {
			to = append(to, p)
		}
		at, length = at+p.length, length-p.length
	}
	return to, nil
}

// writePack writes the pack, and derives the files that it needs.
func (w *work) writePack(to *os.File) error {
	var at int64
	for _, p := range w.pieces {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		if p.length = min(p.length, w.size-at); p.length == 0 {
			break
		}
		if p.from == fromDirectory {
			out := &limitedWriter{io.NewOffsetWriter(to, at), p.length}
			if err := store.WriteDirectory(out, to, at); err != nil || out.left != 0 {
				return malformed(err)
			}
			at += p.length
			continue
		}
		from, begin, err := w.locate(p)
		if err != nil {
			return err
		}
		if _, err := to.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := from.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		// The system copies without passing data through the program.
		if _, err := io.CopyN(to, from, p.length); err != nil {
			return malformed(err)
		}
		at += p.length
	}
	return nil
}

// locate returns the file and offset of a piece. It derives files that do not exist yet.
func (w *work) locate(p piece) (in *os.File, at int64, err error) {
	switch {
	case p.from == fromOld:
		if w.fetch != nil {
			err = w.fetch(p.at, p.length)
		}
		return w.old, p.at, err
	case p.from.isDerived():
		made, err := w.derive(p.from)
		return w.extra, made + p.at, err
	}
	return w.extra, p.at, nil
}

// derive inflates or compresses v, and returns its offset in the extra file.
func (w *work) derive(v *source) (int64, error) {
	if v.extraAt >= 0 {
		return v.extraAt, nil
	}
	var plain []io.Reader
	var size int64
	for _, p := range v.content {
		from, at, err := w.locate(p)
		if err != nil {
			return 0, err
		}
		plain = append(plain, io.NewSectionReader(from, at, p.length))
		size += p.length
	}
	if w.extraEnd+v.length > w.limits.bytes {
		return 0, errMalformed
	}
	out := &limitedWriter{io.NewOffsetWriter(w.extra, w.extraEnd), v.length}
	in := parallel.Reader(w.ctx, fullReader{io.MultiReader(plain...)})
	var err error
	if v.coding < 0 {
		unpacked := compress.Inflate(in)
		_, err = io.Copy(out, unpacked)
		err = errors.Join(err, unpacked.Close())
	} else {
		err = compress.All[v.coding].Encode(out, in, size)
	}
	if err != nil && !errors.Is(err, errLonger) {
		return 0, err
	}
	if err != nil || out.left != 0 {
		return 0, ErrCompressors
	}
	v.extraAt = w.extraEnd
	w.extraEnd += v.length
	return v.extraAt, nil
}

// fullReader fills the buffer on each read, as a file does: the output of some compressors depends
// on the sizes of reads.
type fullReader struct{ io.Reader }

func (f fullReader) Read(b []byte) (int, error) {
	n, err := io.ReadFull(f.Reader, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// limitedWriter fails after a maximum number of bytes.
type limitedWriter struct {
	io.Writer
	left int64
}

var errLonger = errors.New("more bytes than expected")

func (l *limitedWriter) Write(b []byte) (int, error) {
	if int64(len(b)) > l.left {
		return 0, errLonger
	}
	l.left -= int64(len(b))
	return l.Writer.Write(b)
}
