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

// The operations of an increment, each for a range of the new pack.
const (
	isNew       = iota // the bytes follow
	isOld              // the offset in the older pack follows
	isVariant          // the encoding and the range of the new pack to compress follow
	isDirectory        // it follows from the files before it
	isSame             // another offset in the new pack follows
	kinds
)

// A large pack gets an increment only if at least 1/minShared of it is in the older pack.
const (
	minShared = 20
	quickSize = 16 << 20
)

// ErrTooMany means that two packs differ in too many places for an increment.
var ErrTooMany = errors.New("the packs differ in too many places")

// op is an operation of an increment.
type op struct {
	kind       int
	at, length int64
	from       int64 // offset of the bytes to copy or compress
	plain      int64 // number of bytes to compress
	coding     int   // index in compress.All
}

func (o *op) end() int64 { return o.at + o.length }

// Write writes an increment that builds pack, which has the given sums, from a pack with the sums
// old. It reports whether applying it depends on this program's compressors.
func Write(ctx context.Context, w io.Writer, old, sums *Sums, pack *os.File) (compresses bool, err error) {
	d, err := expandPack(pack)
	if err != nil {
		return false, err
	}
	defer d.close()
	ops := sharedRanges(old, sums)
	var same int64
	for _, o := range ops {
		same += o.length
	}
	if d.size > quickSize && same < d.size/minShared { // finding variants would take long
		return false, ErrTooMany
	}
	if d.start < d.size {
		if err := d.derive(ctx, ops); err != nil {
			return false, err
		}
		compresses = slices.ContainsFunc(d.derived, func(o op) bool { return o.kind == isVariant })
		if directoryFollows(pack, d.start, d.size) {
			d.derived = append(d.derived, op{kind: isDirectory, at: d.start, length: d.size - d.start})
		}
		slices.SortFunc(d.derived, func(a, b op) int { return cmp.Compare(a.at, b.at) })
		ops = overlay(ops, d.derived)
	}
	ops = addNew(ops, d.end)
	written := &countingWriter{Writer: w}
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

type countingWriter struct {
	io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	return n, err
}

// expandedPack is a pack followed by inflated files: first the large ones, then small ones that
// variants are compressed from.
type expandedPack struct {
	pack        *os.File
	start, size int64 // offsets of its directory and end
	largeEnd    int64 // end of the large files
	end         int64 // end of the last file
	expanded    []packed
	offsets     []int64         // offsets of the inflated files
	offsetOf    map[int64]int64 // the same, by offset in the pack
	derived     []op            // operations for ranges that need not be sent

	unpacked int // index of the file in scratch
	scratch  *os.File
}

func expandPack(pack *os.File) (*expandedPack, error) {
	info, err := pack.Stat()
	if err != nil {
		return nil, err
	}
	d := &expandedPack{
		pack: pack, start: info.Size(), size: info.Size(), end: info.Size(), unpacked: -1, offsetOf: map[int64]int64{},
	}
	if start, err := store.FindDirectory(pack); err == nil { // another program's pack has no known directory
		d.start = start
	}
	list, err := largeFiles(pack)
	for _, p := range list {
		d.addExpanded(p)
	}
	d.largeEnd = d.end
	return d, err
}

// addExpanded adds p after the other inflated files, and returns its offset.
func (d *expandedPack) addExpanded(p packed) int64 {
	at := d.end
	d.expanded, d.offsets = append(d.expanded, p), append(d.offsets, at)
	d.offsetOf[p.at] = at
	d.end += p.size
	return at
}

func (d *expandedPack) close() {
	if d.scratch != nil {
		d.scratch.Close() // deletes the file
	}
}

// sharedRanges returns the ranges that both packs contain.
func sharedRanges(old, sums *Sums) (ops []op) {
	where := make(map[chunk]int, len(old.chunks))
	for i, c := range old.chunks {
		where[c] = i
	}
	begins, ats := old.chunkOffsets(), sums.chunkOffsets()
	next := 0 // the chunk after the last one found
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

// directoryFollows reports whether the directory of a zip, which begins at start, equals the
// directory that follows from the zip's files.
func directoryFollows(pack *os.File, start, size int64) bool {
	same := &comparer{in: bufio.NewReader(io.NewSectionReader(pack, start, size-start))}
	return store.WriteDirectory(same, pack, start) == nil && same.n == size-start
}

// comparer fails unless the bytes written to it equal those of in.
type comparer struct {
	in  *bufio.Reader
	n   int64
	has []byte
}

var errDiffers = errors.New("the bytes differ")

func (c *comparer) Write(b []byte) (int, error) {
	c.has = append(c.has[:0], make([]byte, len(b))...)
	if _, err := io.ReadFull(c.in, c.has); err != nil || !bytes.Equal(b, c.has) {
		return 0, errDiffers
	}
	c.n += int64(len(b))
	return len(b), nil
}

// derive finds the ranges that are not in ops and need not be sent because other bytes of the pack
// determine them: variants that this program's compressors reproduce, and deflated files that are
// the body of their gzip variant.
func (d *expandedPack) derive(ctx context.Context, ops []op) error {
	variants := map[string][]op{} // by name of the file
	bodies := map[string]op{}     // by name of the gzip variant
	for p, err := range store.Parts(d.pack) {
		if err != nil {
			return err
		}
		at, err := p.Content(d.pack)
		if err != nil {
			return err
		}
		if p.Packed == 0 || isCovered(ops, at, p.Packed) {
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
		if body, ok := bodies[name]; ok && d.findBody(&body, at, p.Packed) {
			d.derived = append(d.derived, body)
		}
		if len(variants[name]) == 0 {
			continue
		}
		if err := d.addVariants(ctx, variants[name], &packed{name, at, p.Packed, p.Size}, p.Deflate); err != nil {
			return err
		}
	}
	return nil
}

// findBody reports whether a deflated file is the body of the gzip variant at offset at. If so, it
// sets body.from.
func (d *expandedPack) findBody(body *op, at, length int64) bool {
	const head, end = 10, 8
	body.from = at + head
	if length != body.length+head+end {
		return false
	}
	same := &comparer{in: bufio.NewReader(io.NewSectionReader(d.pack, body.at, body.length))}
	_, err := io.Copy(same, io.NewSectionReader(d.pack, body.from, body.length))
	return err == nil
}

// addVariants adds those variants of a file that this program's compressors reproduce.
func (d *expandedPack) addVariants(ctx context.Context, variants []op, file *packed, deflated bool) error {
	from := int64(-1) // offset of the file
	if at, ok := d.offsetOf[file.at]; deflated && ok {
		from = at
	} else if !deflated {
		from = file.at
	}
	for _, o := range variants {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		open := func() io.ReadCloser { return io.NopCloser(io.NewSectionReader(d.pack, file.at, file.length)) }
		if deflated {
			open = func() io.ReadCloser { return file.open(d.pack) }
		}
		if o.plain = file.size; !findEncoding(d.pack, &o, file.name, open) {
			continue
		}
		if from < 0 {
			from = d.addExpanded(*file)
		}
		o.from = from
		d.derived = append(d.derived, o)
	}
	return nil
}

// isCovered reports whether one of the sorted ops contains the length bytes from offset at.
func isCovered(ops []op, at, length int64) bool {
	i, _ := slices.BinarySearchFunc(ops, at, func(o op, at int64) int {
		if o.end() <= at {
			return -1
		}
		return 1
	})
	return i < len(ops) && ops[i].at <= at && at+length <= ops[i].end()
}

// findEncoding reports whether an encoding compresses the file into the variant o, and sets
// o.coding to that encoding.
func findEncoding(pack *os.File, o *op, name string, open func() io.ReadCloser) bool {
	suffix := compress.Encodings[o.coding].Suffix
	first := compress.For(name, o.plain)[o.coding]
	try := func(e compress.Encoding) bool {
		same := &comparer{in: bufio.NewReaderSize(io.NewSectionReader(pack, o.at, o.length), 64<<10)}
		in := open()
		defer in.Close() // it was only read
		err := e.Encode(same, fullReader{in}, o.plain)
		return err == nil && same.n == o.length
	}
	for _, usual := range []bool{true, false} {
		for i, e := range compress.All {
			if e.Suffix == suffix && e.Equal(first) == usual && try(e) {
				o.coding = i
				return true
			}
		}
	}
	return false
}

// overlay returns ops with the ranges of over replaced by over. Both are sorted.
func overlay(ops, over []op) (all []op) {
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

// addNew adds operations for the new bytes between ops.
func addNew(ops []op, size int64) (all []op) {
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

func (d *expandedPack) encode(ctx context.Context, w *bufio.Writer, ops []op) error {
	b := binary.AppendUvarint(nil, uint64(d.size))
	b = binary.AppendUvarint(b, uint64(d.largeEnd-d.size))
	b = binary.AppendUvarint(b, uint64(d.end-d.largeEnd))
	var last int64 // end of the last range of the older pack
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
			if err := errors.Join(context.Cause(ctx), d.copyRange(w, o.at, o.length)); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(b)
	return err
}

// copyRange writes a range of the pack or of the inflated files after it.
func (d *expandedPack) copyRange(w io.Writer, at, length int64) error {
	if inside := min(length, d.size-at); inside > 0 {
		if _, err := io.Copy(w, io.NewSectionReader(d.pack, at, inside)); err != nil {
			return err
		}
		at, length = at+inside, length-inside
	}
	for length > 0 {
		i, _ := slices.BinarySearch(d.offsets, at+1)
		i-- // the last with that offset; empty files share theirs with the next
		if err := d.unpack(i); err != nil {
			return err
		}
		skip := at - d.offsets[i]
		n := min(length, d.expanded[i].size-skip)
		if _, err := io.Copy(w, io.NewSectionReader(d.scratch, skip, n)); err != nil {
			return err
		}
		at, length = at+n, length-n
	}
	return nil
}

// unpack inflates file i to the scratch file.
func (d *expandedPack) unpack(i int) (err error) {
	if d.unpacked == i {
		return nil
	}
	if d.scratch == nil {
		if d.scratch, err = scratch.New("", "stele-increment-*"); err != nil {
			return err
		}
	}
	in := d.expanded[i].open(d.pack)
	_, err = io.CopyN(io.NewOffsetWriter(d.scratch, 0), in, d.expanded[i].size)
	d.unpacked = i
	return errors.Join(err, in.Close())
}
