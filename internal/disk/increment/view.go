package increment

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"stele/internal/disk/store"
)

// View reads a pack that increments derive from an older one. It needs only those parts of the
// older pack that reads depend on. It is for one goroutine at a time.
type View struct {
	work    *work
	offsets []int64
}

// Open returns a view of a pack with size bytes. The file old already contains the directory of the
// older pack and the headers of its files. The view calls need to add another range of old before
// it reads that range.
func Open(
	ctx context.Context, old *os.File, steps []*io.SectionReader, size int64, need func(at, length int64) error,
) (*View, error) {
	w, err := plan(ctx, old, steps, size)
	if err != nil {
		return nil, err
	}
	w.fetch, w.ctx = need, context.WithoutCancel(ctx)
	v := &View{w, pieceOffsets(w.pieces)}
	for i := range w.pieces {
		p := &w.pieces[i]
		if p.from != fromDirectory {
			continue
		}
		out := &limitedWriter{io.NewOffsetWriter(w.extra, w.extraEnd), p.length}
		if err := store.WriteDirectory(out, v, v.offsets[i]); err != nil || out.left != 0 {
			return nil, errors.Join(malformed(err), v.Close())
		}
		*p = piece{fromExtra, w.extraEnd, p.length}
		w.extraEnd += p.length
	}
	return v, nil
}

// Close deletes the data derived for the view.
func (v *View) Close() error { return v.work.extra.Close() }

// ReadAt implements io.ReaderAt.
func (v *View) ReadAt(b []byte, at int64) (n int, err error) {
	err = v.visit(at, int64(len(b)), func(in *os.File, begin, length int64) error {
		read, err := in.ReadAt(b[n:n+int(length)], begin)
		n += read
		return err
	})
	return n, err
}

// Fetch makes a range of the pack available, so that reading it no longer calls need.
func (v *View) Fetch(at, length int64) error {
	return v.visit(at, length, func(*os.File, int64, int64) error { return nil })
}

// visit calls do for each piece of a range of the pack.
func (v *View) visit(at, length int64, do func(in *os.File, begin, length int64) error) error {
	if at < 0 || length < 0 {
		return errMalformed
	}
	i, ok := slices.BinarySearch(v.offsets, at)
	if !ok {
		i--
	}
	for ; length > 0; i++ {
		if at >= v.work.size || i >= len(v.work.pieces) {
			return io.EOF
		}
		p := v.work.pieces[i]
		skip := at - v.offsets[i]
		p.at, p.length = p.at+skip, min(p.length-skip, length, v.work.size-at)
		in, begin, err := v.work.locate(p)
		if err == nil {
			err = do(in, begin, p.length)
		}
		if err != nil {
			return err
		}
		at, length = at+p.length, length-p.length
	}
	return nil
}
