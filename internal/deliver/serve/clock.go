package serve

import (
	"net/http"
	"sync/atomic"
	"time"

	"stele/internal/deliver/serve/exchange"
)

// clock tells the time to the second, without asking the system for each request.
type clock struct{ tick atomic.Pointer[tick] }

// began is when the program did, nearly. What is counted from it does not change when somebody sets
// the system's clock.
var began = time.Now()

type tick struct {
	now  time.Time
	date string // the header line
}

// set sets the clock, but not back.
func (c *clock) set(now time.Time) {
	if last := c.tick.Load(); last != nil && now.Before(last.now) {
		return
	}
	c.tick.Store(&tick{now, "Date: " + now.UTC().Format(http.TimeFormat) + "\r\n"})
}

func (c *clock) now() time.Time { return c.tick.Load().now }
func (c *clock) date() string   { return c.tick.Load().date }

// run keeps the clock going until stop is closed.
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
