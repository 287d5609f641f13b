package increment

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
)

const format = "stele-increment/1\n"

// What an increment says of a stretch of the new pack.
const (
	isNew       = iota // its bytes follow
	isOld              // where it lies in the older pack
	isVariant          // which bytes of the new pack it is compressed from, and how
	isDirectory        // it follows from what stands before
	isSame             // where else in the new pack it lies
	kinds
)

// The older pack must have some part of one that is not small, so that there is an increment.
const (
	leastShared = 20
	quick       = 16 << 20
)

// ErrTooMany says that two packs differ in too many places for an increment.
var ErrTooMany = errors.New("the packs differ in too many places")

// op is a stretch of the new pack.
type op struct {
	kind       int
	at, length int64
	from       int64 // where the old bytes, or those that are compressed, begin
	plain      int64 // how many are compressed
	coding     int   // in which way
}

func (o *op) end() int64 { return o.at + o.length }

// Write writes an increment: how a pack, whose sums are given too, is made from another one, of
// which only the sums are known. It reports whether whoever makes it has to compress as this
// program does.
func Write(ctx context.Context, w io.Writer, old, sums *Sums, pack *os.File) (compresses bool, err error) {
	d, err := newDraft(pack)
	if err != nil {
		return false, err
	}
	defer d.close()
	ops := shared(old, sums)
	var same int64
	for _, o := range ops {
		same += o.length
	}
	if d.size > quick && same < d.size/leastShared { // to find out what follows from what would take long
		return false, ErrTooMany
	}
	if d.start < d.size {
		if err := d.derive(ctx, ops); err != nil {
			return false, err
		}
		compresses = slices.ContainsFunc(d.derived, func(o op) bool { return o.kind == isVariant })
		if follows(pack, d.start, d.size) {
			d.derived = append(d.derived, op{kind: isDirectory, at: d.start, length: d.size - d.start})
		}
		slices.SortFunc(d.derived, func(a, b op) int { return cmp.Compare(a.at, b.at) })
		ops = override(ops, d.derived)
	}
	ops = fill(ops, d.end)
	written := &counting{Writer: w}
	if _, err := io.WriteString(written, format); err != nil {
		return false, err
	}
	err = compress.Far.Stream(written, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 64<<10)
		if err := d.encode(ctx, out, ops); err != nil {
			return err
		}
		return out.Flush()
	})
	if room := newLimits(old.size, 0, written.n); err == nil && (len(ops) > room.pieces || d.end > room.bytes) {
		err = ErrTooMany
	}
	return compresses, err
}

type counting struct {
	io.Writer
	n int64
}

func (c *counting) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	return n, err
}

// draft is a pack with the files that stand unpacked behind it: first the large ones, then small
// ones from which variants are made.
type draft struct {
	pack        *os.File
	start, size int64 // where its directory begins, and its end
	kept        int64 // where the large ones end
	end         int64
	behind      []packed
	begins      []int64         // where they stand
	stands      map[int64]int64 // the same, by where the pack has them
	derived     []op            // what need not be sent

	unpacked int // which of them is unpacked
	scratch  *os.File
}

func newDraft(pack *os.File) (*draft, error) {
	info, err := pack.Stat()
	if err != nil {
		return nil, err
	}
	d := &draft{
		pack: pack, start: info.Size(), size: info.Size(), end: info.Size(), unpacked: -1, stands: map[int64]int64{},
	}
	if start, err := store.Directory(pack); err == nil { // it is not of some other program
		d.start = start
	}
	list, err := large(pack)
	for _, p := range list {
		d.put(p)
	}
	d.kept = d.end
	return d, err
}

// put puts a file behind the others, and returns where it stands.
func (d *draft) put(p packed) int64 {
	at := d.end
	d.behind, d.begins = append(d.behind, p), append(d.begins, at)
	d.stands[p.at] = at
	d.end += p.size
	return at
}

func (d *draft) close() {
	if d.scratch != nil {
		d.scratch.Close() // it has no name any more, and goes with this
	}
}

// shared are the stretches that the older pack has, too.
func shared(old, sums *Sums) (ops []op) {
	where := make(map[chunk]int, len(old.chunks))
	for i, c := range old.chunks {
		where[c] = i
	}
	begins, ats := old.begins(), sums.begins()
	next := 0 // the chunk that follows the last one that was found
	for k, c := range sums.chunks {
		i, ok := next, next < len(old.chunks) && old.chunks[next] == c
		if !ok {
			i, ok = where[c]
		}
		if !ok {
			continue
		}
		next = i + 1
		n := len(ops) - 1
		if n >= 0 && ops[n].end() == ats[k] && ops[n].from+ops[n].length == begins[i] {
			ops[n].length += int64(c.length)
		} else {
			ops = append(ops, op{kind: isOld, at: ats[k], length: int64(c.length), from: begins[i]})
		}
	}
	return ops
}

// follows reports whether the directory of a zip, from somewhere to its end, is the one that
// follows from the rest.
func follows(pack *os.File, start, size int64) bool {
	same := &comparing{in: bufio.NewReader(io.NewSectionReader(pack, start, size-start))}
	return store.WriteDirectory(same, pack, start) == nil && same.n == size-start
}

// comparing takes the bytes that a reader has, and no others.
type comparing struct {
	in  *bufio.Reader
	n   int64
	has []byte
}

var errOther = errors.New("the bytes are others")

func (c *comparing) Write(b []byte) (int, error) {
	c.has = append(c.has[:0], make([]byte, len(b))...)
	if _, err := io.ReadFull(c.in, c.has); err != nil || !bytes.Equal(b, c.has) {
		return 0, errOther
	}
	c.n += int64(len(b))
	return len(b), nil
}

// derive finds what of a pack need not be sent, because it follows from other bytes of it: of what
// the older pack does not have, the compressed variants that come out when their file is compressed
// here, and deflated files, which are what their variant has between its head and its end.
func (d *draft) derive(ctx context.Context, ops []op) error {
	variants := map[string][]op{} // by the name of the file
	bodies := map[string]op{}     // by the name of the variant
	for p, err := range store.Parts(d.pack) {
		if err != nil {
			return err
		}
		at, err := p.Content(d.pack)
		if err != nil {
			return err
		}
		if p.Packed == 0 || covered(ops, at, p.Packed) {
			continue
		}
		name := string(p.Name)
		isIts := func(e compress.Encoding) bool { return strings.HasSuffix(name, e.Suffix) }
		if p.Deflate {
			bodies[name+".gz"] = op{kind: isSame, at: at, length: p.Packed}
		} else if i := slices.IndexFunc(compress.Encodings, isIts); i >= 0 {
			plain := strings.TrimSuffix(name, compress.Encodings[i].Suffix)
			variants[plain] = append(variants[plain], op{kind: isVariant, at: at, length: p.Packed, coding: i})
		}
	}
	for p, err := range store.Parts(d.pack) {
		if err != nil {
			return err
		}
		name := string(p.Name)
		at, err := p.Content(d.pack)
		if err != nil {
			return err
		}
		if body, ok := bodies[name]; ok && d.same(&body, at, p.Packed) {
			d.derived = append(d.derived, body)
		}
		if len(variants[name]) == 0 {
			continue
		}
		if err := d.make(ctx, variants[name], &packed{name, at, p.Packed, p.Size}, p.Deflate); err != nil {
			return err
		}
	}
	return nil
}

// same finds out whether a deflated file is what a variant has between its head and its end.
func (d *draft) same(body *op, at, length int64) bool {
	const head, end = 10, 8
	body.from = at + head
	if length != body.length+head+end {
		return false
	}
	same := &comparing{in: bufio.NewReader(io.NewSectionReader(d.pack, body.at, body.length))}
	_, err := io.Copy(same, io.NewSectionReader(d.pack, body.from, body.length))
	return err == nil
}

// make adds the variants of a file that come out here.
func (d *draft) make(ctx context.Context, variants []op, of *packed, deflated bool) error {
	from := int64(-1) // where the file stands
	if at, ok := d.stands[of.at]; deflated && ok {
		from = at
	} else if !deflated {
		from = of.at
	}
	for _, o := range variants {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		open := func() io.ReadCloser { return io.NopCloser(io.NewSectionReader(d.pack, of.at, of.length)) }
		if deflated {
			open = func() io.ReadCloser { return of.open(d.pack) }
		}
		if o.plain = of.size; !comesOut(d.pack, &o, of.name, open) {
			continue
		}
		if from < 0 {
			from = d.put(*of)
		}
		o.from = from
		d.derived = append(d.derived, o)
	}
	return nil
}

// covered reports whether one of some stretches, which are in order, has all of another.
func covered(ops []op, at, length int64) bool {
	i, _ := slices.BinarySearchFunc(ops, at, func(o op, at int64) int {
		if o.end() <= at {
			return -1
		}
		return 1
	})
	return i < len(ops) && ops[i].at <= at && at+length <= ops[i].end()
}

// comesOut finds the way in which a file has to be compressed so that the variant comes out.
func comesOut(pack *os.File, o *op, name string, open func() io.ReadCloser) bool {
	suffix := compress.Encodings[o.coding].Suffix
	first := compress.For(name, o.plain)[o.coding]
	try := func(e compress.Encoding) bool {
		same := &comparing{in: bufio.NewReaderSize(io.NewSectionReader(pack, o.at, o.length), 64<<10)}
		in := open()
		defer in.Close() // it was only read
		err := e.Encode(same, filling{in}, o.plain)
		return err == nil && same.n == o.length
	}
	for _, usual := range []bool{true, false} {
		for i, e := range compress.All {
			if e.Suffix == suffix && e.Is(first) == usual && try(e) {
				o.coding = i
				return true
			}
		}
	}
	return false
}

// override puts some stretches over others. Both are in order.
func override(ops, over []op) (all []op) {
	var done int64
	for _, o := range ops {
		for {
			if skip := min(done-o.at, o.length); skip > 0 {
				o.at, o.from, o.length = o.at+skip, o.from+skip, o.length-skip
			}
			if len(over) == 0 || over[0].at >= o.end() {
				break
			}
			if before := over[0].at - o.at; before > 0 {
				all = append(all, op{kind: isOld, at: o.at, length: before, from: o.from})
			}
			done = over[0].end()
			all, over = append(all, over[0]), over[1:]
		}
		if o.length > 0 {
			all = append(all, o)
		}
	}
	return append(all, over...)
}

// fill puts what is new between stretches.
func fill(ops []op, size int64) (all []op) {
	var at int64
	for _, o := range append(ops, op{at: size}) {
		if o.at > at {
			all = append(all, op{kind: isNew, at: at, length: o.at - at})
		}
		if o.length > 0 {
			all = append(all, o)
		}
		at = o.end()
	}
	return all
}

func (d *draft) encode(ctx context.Context, w *bufio.Writer, ops []op) error {
	b := binary.AppendUvarint(nil, uint64(d.size))
	b = binary.AppendUvarint(b, uint64(d.kept-d.size))
	b = binary.AppendUvarint(b, uint64(d.end-d.kept))
	var last int64 // where the old bytes ended
	for _, o := range ops {
		b = binary.AppendUvarint(b, uint64(o.length)*kinds+uint64(o.kind))
		switch o.kind {
		case isOld:
			b = binary.AppendVarint(b, o.from-last)
			last = o.from + o.length
		case isVariant:
			b = append(b, byte(o.coding))
			b = binary.AppendUvarint(b, uint64(o.from))
			b = binary.AppendUvarint(b, uint64(o.plain))
		case isSame:
			b = binary.AppendUvarint(b, uint64(o.from))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
		if o.kind == isNew {
			if err := errors.Join(context.Cause(ctx), d.copy(w, o.at, o.length)); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(b)
	return err
}

// copy writes a stretch of the pack, or of what stands behind it.
func (d *draft) copy(w io.Writer, at, length int64) error {
	if inside := min(length, d.size-at); inside > 0 {
		if _, err := io.Copy(w, io.NewSectionReader(d.pack, at, inside)); err != nil {
			return err
		}
		at, length = at+inside, length-inside
	}
	for length > 0 {
		i, _ := slices.BinarySearch(d.begins, at+1)
		i-- // the last that begins there, as empty ones begin where the next one does
		if err := d.unpack(i); err != nil {
			return err
		}
		skip := at - d.begins[i]
		n := min(length, d.behind[i].size-skip)
		if _, err := io.Copy(w, io.NewSectionReader(d.scratch, skip, n)); err != nil {
			return err
		}
		at, length = at+n, length-n
	}
	return nil
}

// unpack unpacks one of the files behind the pack.
func (d *draft) unpack(i int) (err error) {
	if d.unpacked == i {
		return nil
	}
	if d.scratch == nil {
		if d.scratch, err = scratch.New("", "stele-increment-*"); err != nil {
			return err
		}
	}
	in := d.behind[i].open(d.pack)
	_, err = io.CopyN(io.NewOffsetWriter(d.scratch, 0), in, d.behind[i].size)
	d.unpacked = i
	return errors.Join(err, in.Close())
}
