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

// The reasons why a meter stops waiting.
var (
	ErrStalled = errors.New("the service stalled or sends too slowly")
	ErrTime    = errors.New("the service took longer than")
)

// progressBytes is the number of bytes that count as progress, as does the beginning of an answer
// or the end of a file.
const progressBytes = 32 << 10

// Meter limits the time spent waiting for a service. It does not count the time between reads, and
// counts parallel waiting once.
type Meter struct {
	limit, patience time.Duration // in total, and without progress

	mu       sync.Mutex
	waiting  map[*wait]bool
	since    time.Time     // when countTime was last called
	total    time.Duration // time spent waiting
	idle     time.Duration // time spent waiting since the last progress
	received int           // bytes since the last progress
	timer    *time.Timer   // set while something waits
}

// wait is one operation that waits for the service.
type wait struct{ giveUp func(error) }

// NewMeter returns a meter that stops waiting after limit in total, or after patience without
// progress.
func NewMeter(limit, patience time.Duration) *Meter {
	return &Meter{limit: limit, patience: patience, waiting: map[*wait]bool{}}
}

// Renew resets the total time.
func (m *Meter) Renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.countTime()
	m.total = 0
	m.setTimer()
}

// Wait calls do, which waits for the service. If a limit is reached meanwhile, Wait calls giveUp.
func (m *Meter) Wait(giveUp func(error), do func() (n int, progressed bool)) {
	w := &wait{giveUp}
	m.mu.Lock()
	m.countTime()
	m.waiting[w] = true
	m.setTimer()
	m.mu.Unlock()
	n, progressed := do()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.countTime()
	delete(m.waiting, w)
	if m.received += n; progressed || m.received >= progressBytes {
		m.idle, m.received = 0, 0
	}
	m.setTimer()
}

// countTime adds the time since its last call, if something waited during that time.
func (m *Meter) countTime() {
	now := time.Now()
	if len(m.waiting) > 0 {
		m.total += now.Sub(m.since)
		m.idle += now.Sub(m.since)
	}
	m.since = now
}

// setTimer sets the timer for the time at which a limit will be reached.
func (m *Meter) setTimer() {
	left := min(m.limit-m.total, m.patience-m.idle)
	switch {
	case len(m.waiting) == 0:
		if m.timer != nil {
			m.timer.Stop()
		}
	case m.timer == nil:
		m.timer = time.AfterFunc(left, m.expire)
	default:
		m.timer.Reset(left)
	}
}

// expire stops all operations that have waited too long. Later requests get the full patience
// again, but not the total time.
func (m *Meter) expire() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.countTime()
	switch {
	case m.total >= m.limit:
		m.giveUpAll(fmt.Errorf("%w %s in all", ErrTime, m.limit))
		return
	case m.idle >= m.patience:
		m.giveUpAll(ErrStalled)
		m.idle, m.received = 0, 0
	}
	m.setTimer()
}

func (m *Meter) giveUpAll(err error) {
	for w := range m.waiting {
		w.giveUp(err)
	}
}

// Exchange is a request with its answer. Its body is read while it arrives.
type Exchange struct {
	*http.Response
	ctx    context.Context
	cancel context.CancelCauseFunc
	meter  *Meter
}

// Send sends a request and waits for the answer within the limits of m. If the request's context
// has ended, the error is its cause. Errors do not contain the URL.
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
	if err = x.causeOf(err); err != nil {
		x.cancel(nil)
	}
	return x, err
}

// causeOf returns the reason why a request failed.
func (x *Exchange) causeOf(err error) error {
	if err != nil && err != io.EOF && x.ctx.Err() != nil {
		err = context.Cause(x.ctx)
	}
	return err
}

// Read reads the body within the limits of the meter.
func (x *Exchange) Read(p []byte) (n int, err error) {
	x.meter.Wait(x.cancel, func() (int, bool) {
		n, err = x.Body.Read(p)
		return n, err == io.EOF
	})
	return n, x.causeOf(err)
}

func (x *Exchange) Close() error {
	err := x.Body.Close()
	x.cancel(nil)
	return err
}
