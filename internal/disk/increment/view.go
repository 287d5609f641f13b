package increment

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"stele/internal/disk/store"
)

// View reads a pack that increments make from an older one. Of the older pack it needs only what
// the parts that are read are made from. It is for one goroutine at a time.
type View struct {
	work   *work
	begins []int64
}

// Open returns a view of a pack of which the size is known. The file old has the directory of the
// older pack and the headers of its files already, and need brings other parts of it there.
func Open(
	ctx context.Context, old *os.File, steps []*io.SectionReader, size int64, need func(at, length int64) error,
) (*View, error) {
	w, err := plan(ctx, old, steps, size)
	if err != nil {
		return nil, err
	}
	w.need, w.ctx = need, context.WithoutCancel(ctx)
	v := &View{w, begins(w.pieces)}
	for i := range w.pieces {
		p := &w.pieces[i]
		if p.from != fromNowhere {
			continue
		}
		out := &limited{io.NewOffsetWriter(w.extra, w.extraEnd), p.length}
		if err := store.WriteDirectory(out, v, v.begins[i]); err != nil || out.left != 0 {
			return nil, errors.Join(errBad, err, v.Close())
		}
		*p = piece{fromExtra, w.extraEnd, p.length}
		w.extraEnd += p.length
	}
	return v, nil
}

// Close removes what was made for the view.
func (v *View) Close() error { return v.work.extra.Close() }

// ReadAt reads a part of the pack.
func (v *View) ReadAt(b []byte, at int64) (n int, err error) {
	err = v.visit(at, int64(len(b)), func(in *os.File, begin, length int64) error {
		read, err := in.ReadAt(b[n:n+int(length)], begin)
		n += read
		return err
	})
	return n, err
}

// Bring makes sure that reading a part of the pack needs nothing more.
func (v *View) Bring(at, length int64) error {
	return v.visit(at, length, func(*os.File, int64, int64) error { return nil })
}

// visit visits the pieces of a part of the pack.
func (v *View) visit(at, length int64, do func(in *os.File, begin, length int64) error) error {
	if at < 0 || length < 0 {
		return errBad
	}
	i, ok := slices.BinarySearch(v.begins, at)
	if !ok {
		i--
	}
	for ; length > 0; i++ {
		if at >= v.work.size || i >= len(v.work.pieces) {
			return io.EOF
		}
		p := v.work.pieces[i]
		skip := at - v.begins[i]
		p.at, p.length = p.at+skip, min(p.length-skip, length, v.work.size-at)
		in, begin, err := v.work.find(p)
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
