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

	"stele/internal/base/compress"
	"stele/internal/base/parallel"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
)

// errBad says that an increment does not fit what it is applied to.
var errBad = errors.New("this is not an increment on the pack before it")

// ErrCompressors says that files are compressed into other bytes here than where the pack was made.
var ErrCompressors = errors.New("this program compresses files otherwise than the one that made the release")

// piece is a stretch of a pack that is being made.
type piece struct {
	from       *source
	at, length int64
}

// source is where pieces lie: one of those below, or a file or a variant that is made only if it is
// needed.
type source struct {
	coding int // below zero if it is a file that lies deflated
	length int64
	plain  []piece
	made   int64 // where it lies in the extra file, or below zero
	step   int   // the last one after which it was needed
}

var (
	fromOld     = &source{coding: -1} // the older pack
	fromExtra   = &source{coding: -1} // what increments brought, and what was made
	fromNowhere = &source{coding: -1} // what is found when all else is there
	fromSame    = &source{coding: -1} // another place of the same pack
)

// isMade reports whether it takes more than reading to have what lies here.
func (s *source) isMade() bool { return s.length > 0 }

// work is the making of a pack.
type work struct {
	ctx      context.Context
	old      *os.File
	extra    *os.File
	extraEnd int64
	room     limits
	pieces   []piece // of the pack, and of what stands behind it
	size     int64   // of the pack
	steps    int
	need     func(at, length int64) error // brings a part of the older pack; nil if all of it is there
}

// limits are how much the making of a pack may take. They follow from what is at hand, the older
// pack and the increments, and not from what anybody says of the result.
type limits struct {
	bytes  int64 // of the pack, and of what is unpacked for it
	pieces int
}

// newLimits returns the limits for an older pack with so many large files, and increments with so
// many bytes. Those who write increments keep within them.
func newLimits(old int64, large int, increments int64) limits {
	const most = 1 << 40 // so that it can be multiplied
	increments = min(increments, most)
	return limits{
		bytes:  8 * (64<<10 + min(old, most) + 64*increments),
		pieces: int(min(1<<12+2*int64(large)+8*increments, 1<<22)),
	}
}

// Apply makes a pack, of which the size is known, from an older one by increments, one on the
// other. Those between are not made: what nobody needs of them is never compressed. What it takes
// in memory and on disk follows from the sizes of the older pack and of the increments, whatever
// these say. Whether what comes out is what was wanted, its digest says.
func Apply(ctx context.Context, old *os.File, steps []*io.SectionReader, to *os.File, size int64) error {
	w, err := plan(ctx, old, steps, size)
	if err != nil {
		return err
	}
	defer w.extra.Close() // it has no name any more, and goes with this
	return w.write(to)
}

// plan finds out what a pack is made from, and makes nothing yet.
func plan(ctx context.Context, old *os.File, steps []*io.SectionReader, size int64) (w *work, err error) {
	var bytes int64
	for _, step := range steps {
		bytes += step.Size()
	}
	if w, err = newWork(ctx, old, bytes); err != nil {
		return nil, err
	}
	for i, step := range steps {
		plain, err := open(step)
		exactly := int64(-1)
		if i == len(steps)-1 {
			exactly = size
		}
		if err == nil {
			err = w.step(plain, exactly)
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
	list, err := large(old)
	if err != nil {
		return nil, err
	}
	w.room = newLimits(info.Size(), len(list), increments)
	for _, p := range list {
		file := &source{coding: -1, length: p.size, plain: []piece{{fromOld, p.at, p.length}}, made: -1}
		w.pieces = append(w.pieces, piece{file, 0, p.size})
	}
	w.extra, err = scratch.New("", "stele-increment-*")
	return w, err
}

// open reads the head of an increment, and returns what follows.
func open(in io.Reader) (*bufio.Reader, error) {
	head := make([]byte, len(format))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != format {
		return nil, fmt.Errorf("%w: its format is not one that this program reads", errBad)
	}
	plain, err := compress.Far.Reader(in)
	return bufio.NewReaderSize(plain, 64<<10), err
}

// step reads an increment, which makes a pack of exactly so many bytes unless that is below zero.
func (w *work) step(in *bufio.Reader, exactly int64) error {
	var sizes [3]int64 // of the pack, of what stands behind it, and of what is needed only now
	var total int64
	for i := range sizes {
		n, err := binary.ReadUvarint(in)
		if err != nil || n > uint64(w.room.bytes) {
			return fmt.Errorf("%w: it makes a pack of %d bytes", errBad, n)
		}
		sizes[i] = int64(n)
		total += sizes[i]
	}
	if exactly >= 0 && sizes[0] != exactly {
		return fmt.Errorf("%w: it makes a pack of %d bytes, not of %d", errBad, sizes[0], exactly)
	}
	s := &stepper{work: w, in: in, before: w.pieces, begins: begins(w.pieces)}
	for s.at < total {
		if len(s.after) > w.room.pieces {
			return ErrTooMany
		}
		if err := s.next(total); err != nil {
			return err
		}
	}
	err := s.resolve(total)
	if err != nil {
		return err
	}
	w.size = sizes[0]
	if w.pieces, err = keep(s.after, sizes[0]+sizes[1]); err != nil {
		return err
	}
	return w.count()
}

// count makes sure that what the pieces are made from has not too many pieces either.
func (w *work) count() error {
	w.steps++
	n := len(w.pieces)
	for _, p := range w.pieces {
		if p.from.isMade() && p.from.step != w.steps {
			p.from.step = w.steps
			n += len(p.from.plain)
		}
	}
	if n > 2*w.room.pieces {
		return ErrTooMany
	}
	return context.Cause(w.ctx)
}

// resolve finds out what variants are made from, which may lie behind them, and what lies in two
// places.
func (s *stepper) resolve(total int64) error {
	at := begins(s.after)
	var sum int64
	var before wanted // the variants of a file follow each other
	count := 0
	for _, v := range s.variants {
		if before.of == nil || v.at != before.at || v.length != before.length {
			var err error
			if v.of.plain, err = slice(nil, s.after, at, v.at, v.length); err != nil {
				return err
			}
			if count += len(v.of.plain); count > s.room.pieces {
				return ErrTooMany
			}
			isMade := func(p piece) bool { return p.from == fromSame || p.from.isMade() && p.from.coding >= 0 }
			if slices.ContainsFunc(v.of.plain, isMade) {
				return errBad
			}
			before = v
		}
		v.of.plain = before.of.plain
		if sum += v.length; sum > 8*total {
			return errBad
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
		if all, err = slice(all, s.after, at, p.at, p.length); err != nil || len(all) > s.room.pieces {
			return errors.Join(errBad, err)
		}
		if slices.ContainsFunc(all[max(0, n-1):], func(p piece) bool { return p.from == fromSame }) {
			return errBad
		}
	}
	s.after = all
	return nil
}

// keep takes the first bytes of some pieces.
func keep(pieces []piece, size int64) ([]piece, error) {
	for i := range pieces {
		if size <= pieces[i].length {
			pieces[i].length = size
			return slices.Clip(pieces[:i+1]), nil
		}
		size -= pieces[i].length
	}
	if size > 0 {
		return nil, errBad
	}
	return pieces, nil
}

// stepper reads the stretches of an increment.
type stepper struct {
	*work
	in     *bufio.Reader
	before []piece
	begins []int64 // where the pieces begin
	after  []piece
	at     int64 // how much there is
	last   int64 // where the old bytes ended

	variants []wanted
}

// wanted is a variant, and the stretch of the new pack that it is made from.
type wanted struct {
	of         *source
	at, length int64
}

func (s *stepper) next(size int64) error {
	n, err := binary.ReadUvarint(s.in)
	length := int64(n / kinds)
	if err != nil || length < 1 || length > size-s.at {
		return errors.Join(errBad, err)
	}
	switch n % kinds {
	case isNew:
		if s.extraEnd+length > s.room.bytes {
			return errBad
		}
		if _, err := io.CopyN(io.NewOffsetWriter(s.extra, s.extraEnd), s.in, length); err != nil {
			return errors.Join(errBad, err)
		}
		s.after = append(s.after, piece{fromExtra, s.extraEnd, length})
		s.extraEnd += length
		err = context.Cause(s.ctx)
	case isOld:
		var skip int64
		if skip, err = binary.ReadVarint(s.in); err == nil {
			s.after, err = slice(s.after, s.before, s.begins, s.last+skip, length)
		}
		s.last += skip + length
	case isVariant:
		err = s.variant(length, size)
	case isDirectory:
		s.after = append(s.after, piece{fromNowhere, s.at, length})
	case isSame:
		var from uint64
		from, err = binary.ReadUvarint(s.in)
		if from > uint64(size) {
			return errBad
		}
		s.after = append(s.after, piece{fromSame, int64(from), length})
	}
	if err != nil {
		return errors.Join(errBad, err)
	}
	s.at += length
	return nil
}

func (s *stepper) variant(length, size int64) error {
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
		return errors.Join(errBad, err)
	}
	v := &source{coding: int(coding), length: length, made: -1}
	s.after = append(s.after, piece{v, 0, length})
	s.variants = append(s.variants, wanted{v, int64(at), int64(plain)})
	return nil
}

// begins are where pieces begin, and where the last one ends.
func begins(pieces []piece) []int64 {
	at := make([]int64, len(pieces)+1)
	for i, p := range pieces {
		at[i+1] = at[i] + p.length
	}
	return at
}

// slice adds a stretch of some pieces to others.
func slice(to, pieces []piece, begins []int64, at, length int64) ([]piece, error) {
	if at < 0 || length < 0 || at > begins[len(pieces)]-length {
		return to, errBad
	}
	i, ok := slices.BinarySearch(begins, at)
	if !ok {
		i--
	}
	for ; length > 0; i++ {
		p := pieces[i]
		skip := at - begins[i]
		p.at, p.length = p.at+skip, min(p.length-skip, length)
		if p.from == fromNowhere {
			return to, errBad // nothing is taken from a directory
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

// write makes what is needed, and puts all in its place.
func (w *work) write(to *os.File) error {
	var at int64
	for _, p := range w.pieces {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		if p.length = min(p.length, w.size-at); p.length == 0 {
			break
		}
		if p.from == fromNowhere {
			out := &limited{io.NewOffsetWriter(to, at), p.length}
			if err := store.WriteDirectory(out, to, at); err != nil || out.left != 0 {
				return errors.Join(errBad, err)
			}
			at += p.length
			continue
		}
		from, begin, err := w.find(p)
		if err != nil {
			return err
		}
		if _, err := to.Seek(at, io.SeekStart); err != nil {
			return err
		}
		if _, err := from.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(to, from, p.length); err != nil { // which the system does by itself
			return errors.Join(errBad, err)
		}
		at += p.length
	}
	return nil
}

// find tells where a piece lies. What has to be made is made.
func (w *work) find(p piece) (in *os.File, at int64, err error) {
	switch {
	case p.from == fromOld:
		if w.need != nil {
			err = w.need(p.at, p.length)
		}
		return w.old, p.at, err
	case p.from.isMade():
		made, err := w.make(p.from)
		return w.extra, made + p.at, err
	}
	return w.extra, p.at, nil
}

// make makes a variant, and returns where it lies in the extra file.
func (w *work) make(v *source) (int64, error) {
	if v.made >= 0 {
		return v.made, nil
	}
	var plain []io.Reader
	var size int64
	for _, p := range v.plain {
		from, at, err := w.find(p)
		if err != nil {
			return 0, err
		}
		plain = append(plain, io.NewSectionReader(from, at, p.length))
		size += p.length
	}
	if w.extraEnd+v.length > w.room.bytes {
		return 0, errBad
	}
	out := &limited{io.NewOffsetWriter(w.extra, w.extraEnd), v.length}
	in := parallel.Reader(w.ctx, filling{io.MultiReader(plain...)})
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
	v.made = w.extraEnd
	w.extraEnd += v.length
	return v.made, nil
}

// filling reads as much as is asked for, as from a file: some compressors make other bytes of the
// same content that comes in other portions.
type filling struct{ io.Reader }

func (f filling) Read(b []byte) (int, error) {
	n, err := io.ReadFull(f.Reader, b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// limited takes so many bytes, and no more.
type limited struct {
	io.Writer
	left int64
}

var errLonger = errors.New("there are more bytes than there should be")

func (l *limited) Write(b []byte) (int, error) {
	if int64(len(b)) > l.left {
		return 0, errLonger
	}
	l.left -= int64(len(b))
	return l.Writer.Write(b)
}
