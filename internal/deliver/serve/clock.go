package serve

import (
	"net/http"
	"sync/atomic"
	"time"

	"stele/internal/deliver/serve/exchange"
)

// clock returns the time to the second, without a system call for each request.
type clock struct{ tick atomic.Pointer[tick] }

// began is the approximate start of the program. Times measured from it do not change when the
// system's clock is set.
var began = time.Now()

type tick struct {
	now  time.Time
	date string // the Date header line
}

// set sets the clock, but never back.
func (c *clock) set(now time.Time) {
	if last := c.tick.Load(); last != nil && now.Before(last.now) {
		return
	}
	c.tick.Store(&tick{now, "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"})
}

func (c *clock) now() time.Time { return c.tick.Load().now }
func (c *clock) date() string   { return c.tick.Load().date }

// run updates the clock until stop is closed.
func (c *clock) run(stop <-chan struct{}) {
	t := time.NewTicker(exchange.ClockLag)
	defer t.Stop()
	for {
		select {
		case now := <-t.C:
			c.set(now)
		case <-stop:
			return
		}
	}
}
