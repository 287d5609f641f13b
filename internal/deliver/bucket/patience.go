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

var errStalled = errors.New("nothing came or went for too long")

type patience struct {
	timer   *time.Timer
	most    time.Duration
	sending atomic.Int64 // how many bodies are on their way
}

// patienceKey is the key by which a context holds the patience of its request.
type patienceKey struct{}

// progress says that something came or went. While something is sent the silence may last twice as
// long: the system holds what it took and the line did not yet, and a slow line is shared by many
// connections.
func (p *patience) progress() {
	most := p.most
	if p.sending.Load() > 0 {
		most *= 2
	}
	p.timer.Reset(most)
}

type counted struct {
	in    io.Reader
	count *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.count.Add(int64(n))
	return n, err
}

type final struct{ error }

func (e final) Unwrap() error { return e.error }

// repeats is how often a request is repeated that failed for a reason which may pass.
const repeats = 3

// repeat does something, and again where that may help, after pauses.
func repeat(ctx context.Context, pause time.Duration, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		if err == nil || n == repeats || !isPassing(err) {
			return err
		}
		select {
		case <-time.After(pause << n):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// try does something, and again where that may help. What fails is explained.
func (b *Bucket) try(ctx context.Context, op, key string, do func(context.Context) error) error {
	err := repeat(ctx, b.options.Pause, func() error { return b.once(ctx, op, key, do) })
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return b.explain(op, key, err)
}

func (b *Bucket) once(ctx context.Context, op, key string, do func(context.Context) error) error {
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
	err := do(context.WithValue(ctx, patienceKey{}, p))
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
