package serve

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// desk is where requests get their answers, and where these are counted. It is all that the
// protocols know of the server, as their exchange.Port, and it knows no connections.
type desk struct {
	options  Options
	limits   exchange.Limits
	library  atomic.Pointer[library.Library]
	metrics  metrics
	clock    clock
	held     atomic.Int64 // bytes that answers of HTTP/2 hold while they wait
	stopping atomic.Bool
}

func newDesk(l *library.Library, opt Options) *desk {
	d := &desk{options: opt}
	d.limits = exchange.Limits{
		HeaderBytes: opt.HeaderBytes, IdleTime: opt.IdleTime, KeepsPaths: opt.AccessLog,
		Held: &d.held, Stalled: &d.metrics.stalled,
		Fault: func(err error) { opt.Log.Error("a file of the release cannot be read", "error", err) },
	}
	d.library.Store(l)
	d.clock.set(time.Now())
	return d
}

func (d *desk) Limits() *exchange.Limits { return &d.limits }
func (d *desk) Date() string             { return d.clock.date() }
func (d *desk) Now() time.Time           { return d.clock.now() }

// Ask gets the answer of the library that is served at the moment.
func (d *desk) Ask(r *library.Request, a *library.Answer, on *library.Scratch) {
	defer d.answerPanic(a)
	for {
		l := d.library.Load()
		l.Answer(r, a, on)
		if a.Status != 0 {
			return
		}
		a.Release() // closing the files of an old library must not spoil the answer of a new one
		if a.WouldBlock {
			return
		}
		if l == d.library.Load() {
			l.Problem(a, http.StatusServiceUnavailable, "The server is stopping.") // nothing comes after it
			return
		}
	}
}

// Refuse makes an answer that does not depend on what is asked for.
func (d *desk) Refuse(a *library.Answer, why *exchange.Refusal) {
	*a = library.Answer{}
	d.library.Load().Problem(a, why.Status, why.Detail)
}

// Started is when a request began, where somebody wants to know.
func (d *desk) Started() time.Time {
	if d.metrics.asked.Add(1)%timedOf == 1 || d.options.AccessLog {
		return time.Now()
	}
	return time.Time{}
}

// End counts an answer that is sent, or that nobody takes any more, and lets go of what it needed.
func (d *desk) End(r *exchange.Reply) {
	d.count(r)
	if err := r.Answer.Release(); err != nil {
		d.options.Log.Warn("a release could not be closed", "error", err)
	}
}

// count counts an answer, and logs it where that is asked for: without the query string, which is
// nobody's business.
func (d *desk) count(r *exchange.Reply) {
	lane := laneFast
	if r.InFull {
		lane = laneReference
	}
	d.metrics.requests[r.Answer.Status].Add(1)
	d.metrics.lanes[lane].Add(1)
	d.metrics.sent.Add(r.Sent)
	if !r.Started.IsZero() {
		d.metrics.time(time.Since(r.Started))
	}
	if d.options.AccessLog {
		d.options.Log.LogAttrs(context.Background(), slog.LevelInfo, "request",
			slog.String("method", r.Request.Method), slog.String("path", strings.Clone(r.Request.Path)),
			slog.Int("status", r.Answer.Status), slog.Int64("bytes", r.Sent),
			slog.Duration("took", time.Since(r.Started)), slog.String("lane", laneNames[lane]))
	}
}

// isNear reports whether a part of the idle time before a deadline is used up.
func (d *desk) isNear(until time.Time) bool {
	idle := d.options.IdleTime
	return until.Sub(d.clock.now()) < idle-idle/12+exchange.ClockLag
}

// A panic is a mistake in the program, which a release or a client has found. It must not end the
// process: others are being served. So it costs an answer where that can be told, and else the
// connection.

// Panicked counts a panic and logs it: not more than one in a second, so that a client that has
// found one cannot fill the log.
func (d *desk) Panicked(p any) {
	d.metrics.panics.Add(1)
	now := time.Now().Unix()
	if last := d.metrics.panicLogged.Load(); last != now && d.metrics.panicLogged.CompareAndSwap(last, now) {
		d.options.Log.Error("a mistake in the program: please report it", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// survive is deferred where somebody serves a connection. After a panic it does what is left to do.
func (d *desk) survive(then func()) {
	if p := recover(); p != nil {
		d.Panicked(p)
		then()
	}
}

// answerPanic is deferred where an answer is made, and makes one of a panic.
func (d *desk) answerPanic(a *library.Answer) {
	if p := recover(); p != nil {
		d.Panicked(p)
		d.library.Load().Problem(a, http.StatusInternalServerError, "This file cannot be read at the moment.")
	}
}
