package answers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Why a meter gives up.
var (
	ErrStalled = errors.New("the service stopped sending, or sends too slowly")
	ErrTime    = errors.New("the service took longer than")
)

// progress is how many bytes must come while nothing else does. An answer that begins, or a file
// that ends, is progress too.
const progress = 32 << 10

// Meter measures how long a service is waited for. What its reader does meanwhile does not count,
// and waiting for several files at once counts once.
type Meter struct {
	most, patience time.Duration // in all, and without progress

	mu      sync.Mutex
	waiting map[*wait]bool
	since   time.Time     // when it was last counted
	total   time.Duration // that somebody waited
	quiet   time.Duration // that somebody waited since there was progress
	came    int           // bytes since then
	timer   *time.Timer   // while somebody waits
}

// wait is something for which a service is waited for.
type wait struct{ giveUp func(error) }

// NewMeter makes a meter that gives up after so long in all, and after so long without progress.
func NewMeter(most, patience time.Duration) *Meter {
	return &Meter{most: most, patience: patience, waiting: map[*wait]bool{}}
}

// Renew gives all of the time again.
func (m *Meter) Renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	m.total = 0
	m.arm()
}

// Wait does something for which the service has to be waited for, and calls giveUp when that has
// taken too long.
func (m *Meter) Wait(giveUp func(error), do func() (n int, progressed bool)) {
	w := &wait{giveUp}
	m.mu.Lock()
	m.count()
	m.waiting[w] = true
	m.arm()
	m.mu.Unlock()
	n, progressed := do()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	delete(m.waiting, w)
	if m.came += n; progressed || m.came >= progress {
		m.quiet, m.came = 0, 0
	}
	m.arm()
}

// count adds the time that somebody waited.
func (m *Meter) count() {
	now := time.Now()
	if len(m.waiting) > 0 {
		m.total += now.Sub(m.since)
		m.quiet += now.Sub(m.since)
	}
	m.since = now
}

// arm sets the timer to when somebody will have waited too long.
func (m *Meter) arm() {
	left := min(m.most-m.total, m.patience-m.quiet)
	switch {
	case len(m.waiting) == 0:
		if m.timer != nil {
			m.timer.Stop()
		}
	case m.timer == nil:
		m.timer = time.AfterFunc(left, m.ring)
	default:
		m.timer.Reset(left)
	}
}

// ring gives up on all that is waited for. Who asks again has all of the patience, but not of the
// time.
func (m *Meter) ring() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	switch {
	case m.total >= m.most:
		m.giveUp(fmt.Errorf("%w %s in all", ErrTime, m.most))
		return
	case m.quiet >= m.patience:
		m.giveUp(ErrStalled)
		m.quiet, m.came = 0, 0
	}
	m.arm()
}

func (m *Meter) giveUp(err error) {
	for w := range m.waiting {
		w.giveUp(err)
	}
}

// Exchange is a request and its answer, whose body comes while it is read.
type Exchange struct {
	*http.Response
	ctx    context.Context
	cancel context.CancelCauseFunc
	meter  *Meter
}

// Send sends a request, and waits for its answer as long as a meter lets it. Why it failed is the
// cause of the request's context, if that has ended; the address is not repeated.
func Send(client *http.Client, request *http.Request, m *Meter) (x *Exchange, err error) {
	x = &Exchange{meter: m}
	x.ctx, x.cancel = context.WithCancelCause(request.Context())
	m.Wait(x.cancel, func() (int, bool) {
		x.Response, err = client.Do(request.WithContext(x.ctx))
		return 0, err == nil
	})
	if inner := new(url.Error); errors.As(err, &inner) {
		err = inner.Err
	}
	if err = x.because(err); err != nil {
		x.cancel(nil)
	}
	return x, err
}

// because is why a request failed.
func (x *Exchange) because(err error) error {
	if err != nil && err != io.EOF && x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	return err
}

// Read reads the body.
func (x *Exchange) Read(p []byte) (n int, err error) {
	x.meter.Wait(x.cancel, func() (int, bool) {
		n, err = x.Body.Read(p)
		return n, err == io.EOF
	})
	return n, x.because(err)
}

// Close ends what is being read.
func (x *Exchange) Close() error {
	err := x.Body.Close()
	x.cancel(nil)
	return err
}
