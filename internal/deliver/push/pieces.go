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

// Limits that decide when a whole pack is sent.
const (
	part     = 4       // increments on a pack take at most this fraction of its size
	maxSteps = 64      // maximum number of increments
	maxSums  = 1 << 28 // bytes
)

// small is the size up to which a pack is always sent whole. Tests change it.
var small int64 = 1 << 20

type piece struct {
	bucket.Piece
	body io.ReaderAt
	head string // media type
}

// pieceList lists the pieces that a push must send.
type pieceList struct {
	pieces  []piece
	bytes   int64
	resumed bool              // whether the pack, or a piece of it, was in the bucket
	step    *bucket.Increment // on the pack in the bucket, or nil
	sums    *bucket.Piece     // of the new pack
	scratch []*os.File
}

func (p *pieceList) close() {
	for _, f := range p.scratch {
		f.Close() // closing deletes it, because it has no name
	}
}

func (p *pieceList) pieceSizes() (list []bucket.Piece) {
	for _, one := range p.pieces {
		list = append(list, one.Piece)
	}
	return list
}

// choosePieces chooses the pieces to send: an increment on the release in the bucket or the whole
// pack, and the sums for the next push.
func (j *job) choosePieces(ctx context.Context) (p *pieceList, err error) {
	whole, _, there := j.before.Pointer.Has(j.pack.SHA256)
	j.pack.Path = whole
	p = &pieceList{resumed: there}
	if j.opt.Whole || j.purge { // redacted content must no longer be needed
		there = whole != ""
	}
	var old, sums *increment.Sums
	if j.pack.Size > small {
		if old, err = j.readSums(ctx); err != nil {
			return p, err
		}
		if sums, err = increment.ComputeSums(ctx, j.file, old); err != nil {
			return p, err
		}
	}
	if !there {
		enough := false
		if old != nil && !j.opt.Whole {
			if enough, err = j.addIncrement(ctx, p, old, sums); err != nil {
				return p, err
			}
		}
		if !enough {
			w := piece{bucket.Piece{Size: j.pack.Size, SHA256: j.pack.SHA256}, j.file, "application/zip"}
			if err := j.addPiece(ctx, p, &w, bucket.PackSuffix); err != nil {
				return p, err
			}
			j.pack.Path = w.Path
		}
	}
	if err := j.addRecords(ctx, p); err != nil {
		return p, err
	}
	return p, j.addSums(ctx, p, sums)
}

// addRecords adds the object with the files that every copy has, unless the pack is small or the
// release has public files.
func (j *job) addRecords(ctx context.Context, p *pieceList) error {
	if j.pack.Size <= small || j.wantsSite() || j.pack.Records != nil {
		return nil
	}
	on, err := scratch.New("", "stele-push-*")
	if err != nil {
		return err
	}
	p.scratch = append(p.scratch, on)
	sum := sha256.New()
	head, err := bucket.WriteRecords(ctx, io.MultiWriter(on, sum), j.r)
	if err != nil {
		return err
	}
	size, err := on.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	r := piece{bucket.Piece{Size: size, SHA256: release.Digest(sum.Sum(nil))}, on, "application/octet-stream"}
	if err := j.addPiece(ctx, p, &r, bucket.RecordsSuffix); err != nil {
		return err
	}
	j.pack.Records = &bucket.Records{Piece: r.Piece, Head: head}
	return nil
}

// readSums returns the sums of the pack in the bucket. It returns nil if they are missing or
// invalid, or if the pack contains redacted content that nothing may build on.
func (j *job) readSums(ctx context.Context) (*increment.Sums, error) {
	if j.before.Pointer == nil || j.before.Sums == nil || j.purge || j.before.Sums.Size > maxSums {
		return nil, nil
	}
	s := j.before.Sums
	if s.Size > 64<<10+j.pack.Size/16 { // more than a pack of this size needs
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
		return nil, nil // the whole pack is sent instead
	}
	return sums, nil
}

// addIncrement adds an increment on the pack in the bucket. enough is false if new readers would
// have to download too much; then a whole pack is sent too.
func (j *job) addIncrement(ctx context.Context, p *pieceList, old, sums *increment.Sums) (enough bool, err error) {
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
	if err := j.addPiece(ctx, p, &i, bucket.IncrementSuffix); err != nil {
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

// addSums adds the sums of the pack, unless the bucket has them. A small pack has no sums, because
// it is sent whole.
func (j *job) addSums(ctx context.Context, p *pieceList, sums *increment.Sums) error {
	if sums == nil {
		return nil
	}
	if j.before.Pointer != nil && j.before.Sums != nil && j.before.Current.SHA256 == j.pack.SHA256 {
		p.sums = j.before.Sums
		return nil
	}
	data := sums.Encode()
	s := piece{bucket.Piece{Size: int64(len(data)), SHA256: sha256.Sum256(data)}, bytes.NewReader(data), "application/octet-stream"}
	if err := j.addPiece(ctx, p, &s, bucket.SumsSuffix); err != nil {
		return err
	}
	p.sums = &s.Piece
	return nil
}

// addPiece chooses a path for the piece one, and adds it to the list unless an earlier push sent
// it. A piece that is old, or older than the pointer, is sent again to a new path, because another
// machine may delete the old one at any time.
func (j *job) addPiece(ctx context.Context, p *pieceList, one *piece, suffix string) error {
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

// sendPieces sends the pieces. Their names contain their digests, so a piece of the same name from
// another push has the same content.
func (j *job) sendPieces(ctx context.Context, parts *pieceList, total int64) error {
	var done int64
	for _, p := range parts.pieces {
		tell := func(at int64) { j.opt.Progress("sending", min(done+min(at, p.Size), total), total) }
		err := j.bucket.Put(ctx, p.Path, progressReader{p.body, tell}, p.Size,
			bucket.Head{Type: p.head, Caching: "public, max-age=31536000, immutable"})
		if err != nil {
			return err
		}
		done += p.Size
	}
	return nil
}

// progressReader reports how many bytes were read.
type progressReader struct {
	io.ReaderAt
	tell func(at int64)
}

func (t progressReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(b, at)
	t.tell(at + int64(n))
	return n, err
}
