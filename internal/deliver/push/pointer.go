package push

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/internal/deliver/bucket"
)

// pointer is the bucket's pointer as this push last wrote it. Its mark is renewed while files are
// written.
type pointer struct {
	bucket  *bucket.Bucket
	release bucket.Pack // that is pushed
	lease   time.Duration

	mu    sync.RWMutex
	state bucket.State
}

func (p *pointer) currentState() bucket.State {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.state
}

func (p *pointer) update(ctx context.Context, change func(*bucket.Pointer)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var next bucket.Pointer
	if p.state.Pointer != nil {
		next = *p.state.Pointer
	}
	change(&next)
	now, err := p.bucket.Swap(ctx, p.state, next)
	switch {
	case errors.Is(err, bucket.ErrConflict) && now.Pointer != nil:
		return &lostError{p.overtakenError(now)}
	case err == nil:
		p.state = now
	}
	return err
}

func (p *pointer) overtakenError(now bucket.State) error {
	switch {
	case now.Site != nil && now.Site.Writing != "":
		return &BusyError{now.Site.Writing, p.lease}
	case p.state.Pointer != nil && p.state.Current.SHA256 == now.Current.SHA256:
		return errors.New("the pointer changed meanwhile, for the same release; run this command again")
	}
	return &OtherError{*now.Current, p.release.Release, p.release.Date, true}
}

type lostError struct{ error }

func (e *lostError) Unwrap() error { return e.error }

// remove deletes a public file if the bucket still has the pointer that this push wrote.
func (p *pointer) remove(ctx context.Context, key string) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	now, err := p.bucket.Pointer(ctx)
	switch {
	case err != nil:
		return err
	case now.Pointer == nil:
		return errors.New("the pointer is missing, so nothing was deleted")
	case !now.Same(p.state):
		return &lostError{p.overtakenError(now)}
	}
	return p.bucket.Remove(ctx, key)
}

// renewLease renews the pointer's mark until letGo is called. The context is cancelled when another
// machine writes the pointer, or when the mark could not be renewed for so long that another
// machine may write it.
func (p *pointer) renewLease(ctx context.Context) (held context.Context, letGo func()) {
	held, cancel := context.WithCancelCause(ctx)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		fresh := time.Now()
		for {
			select {
			case <-stop:
				return
			case <-held.Done():
				return
			case <-time.After(p.lease / 4):
			}
			err := p.update(held, func(*bucket.Pointer) {})
			switch {
			case err == nil:
				fresh = time.Now()
			case errors.As(err, new(*lostError)), time.Since(fresh) > p.lease/2:
				cancel(err)
			}
		}
	}()
	return held, func() {
		close(stop)
		<-ended
		cancel(nil)
	}
}

// withMark calls do while the pointer is marked, and then writes the pointer with there. After
// an interruption the mark remains, and the next push repairs the files.
func (p *pointer) withMark(ctx context.Context, there *bucket.Site, do func(context.Context) error) error {
	held, letGo := p.renewLease(ctx)
	err := do(held)
	if cause := context.Cause(held); err != nil && cause != nil {
		err = cause
	}
	letGo()
	if err != nil { // so that other machines need not wait
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		p.update(ctx, func(p *bucket.Pointer) { // if this fails too, they wait
			mark := *p.Site
			mark.Stopped = true
			p.Site = &mark
		})
		return err
	}
	return p.update(ctx, func(p *bucket.Pointer) { p.Site = there })
}
