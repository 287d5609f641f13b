package push

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
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

	partOfRecords = 8 // what copies read beside it has at most this part
)

// small is up to which size a pack is always sent whole. Tests change it.
var small int64 = 1 << 20

// piece is an object that a push sends.
type piece struct {
	bucket.Piece
	body io.ReaderAt
	head string // its type
}

// choose finds out what has to be sent, so that the bucket has the release: what changed since the
// one that is there, or all of it; and the sums by which the next push finds what changed.
func (j *job) choose() error {
	whole, _, there := j.state.Pointer.Has(j.pack.SHA256)
	j.pack.Path = whole
	j.result.Resumed = there
	if j.opt.Whole || j.purge { // what was redacted must not be needed any more
		there = whole != ""
	}
	var old, sums *increment.Sums
	var err error
	if j.pack.Size > small {
		if old, err = j.sumsThere(); err != nil {
			return err
		}
		if sums, err = increment.Survey(j.ctx, j.file, old); err != nil {
			return err
		}
	}
	if !there {
		enough := false
		if old != nil && !j.opt.Whole {
			if enough, err = j.increase(old, sums); err != nil {
				return err
			}
		}
		if !enough {
			w := piece{bucket.Piece{Size: j.pack.Size, SHA256: j.pack.SHA256}, j.file, "application/zip"}
			if err := j.add(&w, bucket.PackSuffix); err != nil {
				return err
			}
			j.pack.Path = w.Path
		}
	}
	j.result.Pack = j.pack
	if err := j.addRecords(); err != nil {
		return err
	}
	return j.addSums(sums)
}

// sumsThere are the sums of the pack that is there; nil if there are none that are any good, or if
// nothing may build on it because it has what was redacted since.
func (j *job) sumsThere() (*increment.Sums, error) {
	if j.state.Pointer == nil || j.state.Sums == nil || j.purge || j.state.Sums.Size > maxSums {
		return nil, nil
	}
	s := j.state.Sums
	data, _, err := j.bucket.Read(j.ctx, s.Path, s.Size)
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
func (j *job) increase(old, sums *increment.Sums) (enough bool, err error) {
	on, err := scratch.New("", "stele-push-*")
	if err != nil {
		return false, err
	}
	j.scratch = append(j.scratch, on)
	sum := sha256.New()
	compresses, err := increment.Write(j.ctx, io.MultiWriter(on, sum), old, sums, j.file)
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
	s := &bucket.Increment{From: j.state.Current.SHA256, To: j.pack.SHA256}
	if compresses {
		s.Compressors = compress.Number
	}
	i := piece{bucket.Piece{Size: size, SHA256: release.Digest(sum.Sum(nil))}, on, "application/octet-stream"}
	if err := j.add(&i, bucket.IncrementSuffix); err != nil {
		return false, err
	}
	s.Piece = i.Piece
	j.step = s
	_, steps, ok := j.state.Pointer.Has(s.From)
	for _, step := range steps {
		size += step.Size
		ok = ok && (step.Compressors == 0 || step.Compressors == compress.Number)
	}
	if r := j.state.Records; r != nil && r.Size > j.pack.Size/partOfRecords {
		ok = false
	}
	return ok && len(steps) < maxSteps && size <= j.pack.Size/part, nil
}

// addSums adds the sums of the pack, unless they are there. A small pack has none: it is sent
// whole.
func (j *job) addSums(sums *increment.Sums) error {
	if sums == nil {
		return nil
	}
	if j.state.Pointer != nil && j.state.Sums != nil && j.state.Current.SHA256 == j.pack.SHA256 {
		j.sums = j.state.Sums
		return nil
	}
	data := sums.Encode()
	s := piece{bucket.Piece{Size: int64(len(data)), SHA256: sha256.Sum256(data)}, bytes.NewReader(data), "application/octet-stream"}
	if err := j.add(&s, bucket.SumsSuffix); err != nil {
		return err
	}
	j.sums = &s.Piece
	return nil
}

// add finds a place for a piece, and lets it be sent unless an earlier push brought it there. What
// lay there for long, or since before the pointer was written, may be collected by somebody else at
// any moment, so it is sent again, to a place of its own.
func (j *job) add(p *piece, suffix string) error {
	p.Path = bucket.PiecePath(j.pack.Release, p.SHA256, suffix)
	o, err := j.bucket.Stat(j.ctx, p.Path)
	switch {
	case err == nil && o.Size == p.Size && time.Since(o.Modified) < j.opt.Young/2 && o.Modified.After(j.state.Modified):
		j.result.Resumed = true
		return nil
	case err == nil:
		p.Path = bucket.NewPiecePath(j.pack.Release, p.SHA256, suffix)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	j.pieces = append(j.pieces, *p)
	j.result.Pieces = append(j.result.Pieces, p.Piece)
	j.result.Bytes += p.Size
	return nil
}

// sendPieces sends what has to be sent. Their names have their digests, so whoever sent them too
// sent the same.
func (j *job) sendPieces() error {
	var done int64
	for _, p := range j.pieces {
		tell := func(at, _ int64) { j.opt.progress("sending", min(done+at, j.result.Bytes), j.result.Bytes) }
		err := j.bucket.Put(j.ctx, p.Path, &telling{ReaderAt: p.body, total: p.Size, tell: tell}, p.Size,
			bucket.Head{Type: p.head, Caching: "public, max-age=31536000, immutable"})
		if err != nil {
			return err
		}
		done += p.Size
	}
	return nil
}

// telling tells how far reading has come.
type telling struct {
	io.ReaderAt
	total int64
	tell  func(done, total int64)
}

func (t *telling) ReadAt(b []byte, at int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(b, at)
	t.tell(min(at+int64(n), t.total), t.total)
	return n, err
}

// closeScratch lets go of what was made to be sent.
func (j *job) closeScratch() {
	for _, f := range j.scratch {
		f.Close() // it has no name any more, and goes with this
	}
}
