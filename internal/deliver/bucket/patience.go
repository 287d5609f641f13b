package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"
	"time"
)

// errStalled says that nothing came or went for too long.
var errStalled = errors.New("nothing came or went for too long")

// patience ends a request in which nothing comes or goes.
type patience struct {
	timer *time.Timer
	most  time.Duration
}

// progress says that something did.
func (p *patience) progress() { p.timer.Reset(p.most) }

// counted counts what is read through it.
type counted struct {
	in       io.Reader
	patience *patience
	count    *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	if n > 0 {
		c.patience.progress()
		c.count.Add(int64(n))
	}
	return n, err
}

// final is an error that no repetition helps against.
type final struct{ error }

func (e final) Unwrap() error { return e.error }

// repeats is how often a request is repeated that failed for a reason which may pass. The clouds'
// own libraries repeat it before that.
const repeats = 1

// try does something, and again where that may help.
func (b *Bucket) try(ctx context.Context, op, key string, do func(context.Context, *patience) error) error {
	for n := 0; ; n++ {
		err := b.once(ctx, op, key, do)
		if err == nil {
			return nil
		}
		if n == repeats || !isPassing(err) || ctx.Err() != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return b.explain(op, key, err)
		}
		select {
		case <-time.After(b.options.Pause << n):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (b *Bucket) once(ctx context.Context, op, key string, do func(context.Context, *patience) error) error {
	if b.options.Before != nil {
		if err := b.options.Before(op, key); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &patience{most: b.options.Patience}
	p.timer = time.AfterFunc(p.most, func() { cancel(errStalled) })
	defer p.timer.Stop()
	err := do(ctx, p)
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		return final{fmt.Errorf("the store was waited for %s: %w", p.most, errStalled)}
	}
	return err
}

// isPassing reports whether an error may be gone the next time.
func isPassing(err error) bool {
	if errors.As(err, new(final)) || errors.Is(err, ErrConflict) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return false
	}
	var known statusError
	if errors.As(err, &known) {
		return known.status == 408 || known.status == 429 || known.status >= 500 && known.status != 501
	}
	return true
}
