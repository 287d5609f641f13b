package increment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/disk/store"
)

const format = "stele-increment/1\n"

// What an increment says of a stretch of the new pack.
const (
	isNew       = iota // its bytes follow
	isOld              // where it lies in the older pack
	isVariant          // which bytes of the new pack it is compressed from, and how
	isDirectory        // it follows from what stands before
	kinds
)

// maxOps is how many stretches an increment may have.
const maxOps = 1 << 22

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
	info, err := pack.Stat()
	if err != nil {
		return false, err
	}
	ops := shared(old, sums)
	start, err := store.Directory(pack)
	if err != nil { // it is of some other program
		start = info.Size()
	}
	if err == nil {
		made, err := variants(ctx, pack, ops)
		if err != nil {
			return false, err
		}
		compresses = len(made) > 0
		ops = override(ops, made)
		if follows(pack, start, info.Size()) {
			ops = append(ops, op{kind: isDirectory, at: start, length: info.Size() - start})
		}
	}
	if ops = fill(ops, info.Size()); len(ops) > maxOps {
		return false, ErrTooMany
	}
	if _, err := io.WriteString(w, format); err != nil {
		return false, err
	}
	return compresses, compress.Far.Stream(w, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 64<<10)
		if err := encode(ctx, out, ops, pack, info.Size()); err != nil {
			return err
		}
		return out.Flush()
	})
}

// shared are the stretches that the older pack has, too.
func shared(old, sums *Sums) (ops []op) {
	where := make(map[chunk]int, len(old.chunks))
	begins := make([]int64, len(old.chunks)+1)
	for i, c := range old.chunks {
		where[c] = i
		begins[i+1] = begins[i] + int64(c.length)
	}
	var at int64
	next := 0 // the chunk that follows the last one that was found
	for _, c := range sums.chunks {
		i, ok := next, next < len(old.chunks) && old.chunks[next] == c
		if !ok {
			i, ok = where[c]
		}
		length := int64(c.length)
		if n := len(ops); ok && i == next && n > 0 && ops[n-1].end() == at {
			ops[n-1].length += length
		} else if ok {
			ops = append(ops, op{kind: isOld, at: at, length: length, from: begins[i]})
		}
		if ok {
			next = i + 1
		}
		at += length
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

// variants are the compressed variants of a pack that the older one does not have and that come out
// when their file is compressed here.
func variants(ctx context.Context, pack *os.File, ops []op) (made []op, err error) {
	want := map[string][]op{} // by the name of the file
	for p, err := range store.Parts(pack) {
		if err != nil {
			return nil, err
		}
		name := string(p.Name)
		isIts := func(e compress.Encoding) bool { return strings.HasSuffix(name, e.Suffix) }
		i := slices.IndexFunc(compress.Encodings, isIts)
		if i < 0 {
			continue
		}
		at, err := p.Content(pack)
		if err != nil {
			return nil, err
		}
		if p.Size > 0 && !covered(ops, at, p.Size) {
			plain := strings.TrimSuffix(name, compress.Encodings[i].Suffix)
			want[plain] = append(want[plain], op{kind: isVariant, at: at, length: p.Size, coding: i})
		}
	}
	for p, err := range store.Parts(pack) {
		if err != nil {
			return nil, err
		}
		name := string(p.Name)
		for _, o := range want[name] {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			if o.from, err = p.Content(pack); err != nil {
				return nil, err
			}
			if o.plain = p.Size; comesOut(pack, &o, name) {
				made = append(made, o)
			}
		}
	}
	slices.SortFunc(made, func(a, b op) int { return int(min(1, max(-1, a.at-b.at))) })
	return made, nil
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
func comesOut(pack *os.File, o *op, name string) bool {
	suffix := compress.Encodings[o.coding].Suffix
	first := compress.For(name, o.plain)[o.coding]
	try := func(e compress.Encoding) bool {
		same := &comparing{in: bufio.NewReaderSize(io.NewSectionReader(pack, o.at, o.length), 64<<10)}
		err := e.Encode(same, io.NewSectionReader(pack, o.from, o.plain), o.plain)
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

func encode(ctx context.Context, w *bufio.Writer, ops []op, pack *os.File, size int64) error {
	b := binary.AppendUvarint(nil, uint64(size))
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
		}
		if _, err := w.Write(b); err != nil { // errors stay until Flush
			return err
		}
		b = b[:0]
		if o.kind == isNew {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if _, err := io.Copy(w, io.NewSectionReader(pack, o.at, o.length)); err != nil {
				return err
			}
		}
	}
	_, err := w.Write(b)
	return err
}
