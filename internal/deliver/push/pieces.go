package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"stele/internal/base/compress"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/increment"
	"stele/internal/disk/scratch"
	"stele/release"
)

// When a whole pack is sent.
const (
	part     = 4       // increments on a pack have at most this part of it
	maxSteps = 64      // and there are at most so many
	maxSums  = 1 << 28 // bytes
)

// small is up to which size a pack is always sent whole. Tests change it.
var small int64 = 1 << 20

type piece struct {
	bucket.Piece
	body io.ReaderAt
	head string // its type
}

// parts is what a push sends so that the bucket has the release.
type parts struct {
	pieces  []piece
	bytes   int64
	resumed bool              // whether the pack, or a piece of it, was there already
	step    *bucket.Increment // on the pack that is there; nil if there is none
	sums    *bucket.Piece     // of the pack
	scratch []*os.File
}

func (p *parts) close() {
	for _, f := range p.scratch {
		f.Close() // it has no name any more, and goes with this
	}
}

func (p *parts) sizes() (list []bucket.Piece) {
	for _, one := range p.pieces {
		list = append(list, one.Piece)
	}
	return list
}

// choose finds out what has to be sent, so that the bucket has the release: what changed since the
// one that is there, or all of it; and the sums by which the next push finds what changed.
func (j *job) choose(ctx context.Context) (p *parts, err error) {
	whole, _, there := j.before.Pointer.Has(j.pack.SHA256)
	j.pack.Path = whole
	p = &parts{resumed: there}
	if j.opt.Whole || j.purge { // what was redacted must not be needed any more
		there = whole != ""
	}
	var old, sums *increment.Sums
	if j.pack.Size > small {
		if old, err = j.sumsThere(ctx); err != nil {
			return p, err
		}
		if sums, err = increment.ComputeSums(ctx, j.file, old); err != nil {
			return p, err
		}
	}
	if !there {
		enough := false
		if old != nil && !j.opt.Whole {
			if enough, err = j.increase(ctx, p, old, sums); err != nil {
				return p, err
			}
		}
		if !enough {
			w := piece{bucket.Piece{Size: j.pack.Size, SHA256: j.pack.SHA256}, j.file, "application/zip"}
			if err := j.add(ctx, p, &w, bucket.PackSuffix); err != nil {
				return p, err
			}
			j.pack.Path = w.Path
		}
	}
	return p, j.addSums(ctx, p, sums)
}

// sumsThere are the sums of the pack that is there; nil if there are none that are any good, or if
// nothing may build on it because it has what was redacted since.
func (j *job) sumsThere(ctx context.Context) (*increment.Sums, error) {
	if j.before.Pointer == nil || j.before.Sums == nil || j.purge || j.before.Sums.Size > maxSums {
		return nil, nil
	}
	s := j.before.Sums
	if s.Size > 64<<10+j.pack.Size/16 { // more than chunks of a pack like this one take
		return nil, nil
	}
	data, _, err := j.bucket.Read(ctx, s.Path, s.Size)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sums, err := increment.Decode(data)
	if err != nil || sha256.Sum256(data) != s.SHA256 {
		return nil, nil // the whole pack will do
	}
	return sums, nil
}

// increase makes an increment on the pack that is there. It reports whether that is enough: when
// too much would have to be fetched by who has nothing yet, there is a new whole pack besides.
func (j *job) increase(ctx context.Context, p *parts, old, sums *increment.Sums) (enough bool, err error) {
	on, err := scratch.New("", "stele-push-*")
	if err != nil {
		return false, err
	}
	p.scratch = append(p.scratch, on)
	sum := sha256.New()
	compresses, err := increment.Write(ctx, io.MultiWriter(on, sum), old, sums, j.file)
	if errors.Is(err, increment.ErrTooMany) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	size, err := on.Seek(0, io.SeekCurrent)
	if err != nil || size > j.pack.Size/part {
		return false, err
	}
	s := &bucket.Increment{From: j.before.Current.SHA256, To: j.pack.SHA256}
	if compresses {
		s.Compressors = compress.Number
	}
	i := piece{bucket.Piece{Size: size, SHA256: release.Digest(sum.Sum(nil))}, on, "application/octet-stream"}
	if err := j.add(ctx, p, &i, bucket.IncrementSuffix); err != nil {
		return false, err
	}
	s.Piece = i.Piece
	p.step = s
	_, steps, ok := j.before.Pointer.Has(s.From)
	for _, step := range steps {
		size += step.Size
		ok = ok && (step.Compressors == 0 || step.Compressors == compress.Number)
	}
	return ok && len(steps) < maxSteps && size <= j.pack.Size/part, nil
}

// addSums adds the sums of the pack, unless they are there. A small pack has none: it is sent
// whole.
func (j *job) addSums(ctx context.Context, p *parts, sums *increment.Sums) error {
	if sums == nil {
		return nil
	}
	if j.before.Pointer != nil && j.before.Sums != nil && j.before.Current.SHA256 == j.pack.SHA256 {
		p.sums = j.before.Sums
		return nil
	}
	data := sums.Encode()
	s := piece{bucket.Piece{Size: int64(len(data)), SHA256: sha256.Sum256(data)}, bytes.NewReader(data), "application/octet-stream"}
	if err := j.add(ctx, p, &s, bucket.SumsSuffix); err != nil {
		return err
	}
	p.sums = &s.Piece
	return nil
}

// add finds a place for a piece, and lets it be sent unless an earlier push brought it there. What
// lay there for long, or since before the pointer was written, may be collected by somebody else at
// any moment, so it is sent again, to a place of its own.
func (j *job) add(ctx context.Context, p *parts, one *piece, suffix string) error {
	one.Path = bucket.PiecePath(j.pack.Release, one.SHA256, suffix)
	o, err := j.bucket.Stat(ctx, one.Path)
	young := time.Since(o.Modified) < j.opt.Young/2 && o.Modified.After(j.before.Modified)
	switch {
	case err == nil && o.Size == one.Size && young:
		p.resumed = true
		return nil
	case err == nil:
		one.Path = bucket.NewPiecePath(j.pack.Release, one.SHA256, suffix)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	p.pieces = append(p.pieces, *one)
	p.bytes += one.Size
	return nil
}

// send sends what has to be sent. Their names have their digests, so whoever sent them too
// sent the same.
func (j *job) send(ctx context.Context, parts *parts, total int64) error {
	var done int64
	for _, p := range parts.pieces {
		tell := func(at int64) { j.opt.Progress("sending", min(done+min(at, p.Size), total), total) }
		err := j.bucket.Put(ctx, p.Path, telling{p.body, tell}, p.Size,
			bucket.Head{Type: p.head, Caching: "public, max-age=31536000, immutable"})
		if err != nil {
			return err
		}
		done += p.Size
	}
	return nil
}

// telling tells up to where it was read.
type telling struct {
	io.ReaderAt
	tell func(at int64)
}

func (t telling) ReadAt(b []byte, at int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(b, at)
	t.tell(at + int64(n))
	return n, err
}
