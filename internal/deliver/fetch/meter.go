package fetch

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errStalled = errors.New("the service stopped sending, or sends too slowly")
	errTime    = errors.New("the service took longer than")
)

// progress is how many bytes must come while nothing else does. An answer that begins, or a file
// that ends, is progress too.
const progress = 32 << 10

// meter measures how long a service is waited for. What its reader does meanwhile does not count,
// and waiting for several files at once counts once.
type meter struct {
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

func newMeter(most, patience time.Duration) *meter {
	return &meter{most: most, patience: patience, waiting: map[*wait]bool{}}
}

func (m *meter) renew() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	m.total = 0
	m.arm()
}

// wait does something for which the service has to be waited for, and calls giveUp when that has
// taken too long.
func (m *meter) wait(giveUp func(error), do func() (n int, progressed bool)) {
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
func (m *meter) count() {
	now := time.Now()
	if len(m.waiting) > 0 {
		m.total += now.Sub(m.since)
		m.quiet += now.Sub(m.since)
	}
	m.since = now
}

// arm sets the timer to when somebody will have waited too long.
func (m *meter) arm() {
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
func (m *meter) ring() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count()
	switch {
	case m.total >= m.most:
		m.giveUp(fmt.Errorf("%w %s in all", errTime, m.most))
		return
	case m.quiet >= m.patience:
		m.giveUp(errStalled)
		m.quiet, m.came = 0, 0
	}
	m.arm()
}

func (m *meter) giveUp(err error) {
	for w := range m.waiting {
		w.giveUp(err)
	}
}
