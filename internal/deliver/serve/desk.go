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

// responder answers requests and counts them. It is the only part of the server that the protocols
// use (an exchange.Port). It does not handle connections.
type responder struct {
	options  Options
	limits   exchange.Limits
	library  atomic.Pointer[library.Library]
	metrics  metrics
	clock    clock
	held     atomic.Int64 // bytes retained by waiting HTTP/2 answers
	stopping atomic.Bool
}

func newResponder(l *library.Library, opt Options) *responder {
	d := &responder{options: opt}
	d.limits = exchange.Limits{
		HeaderBytes: opt.HeaderBytes, IdleTime: opt.IdleTime, KeepsPaths: opt.AccessLog,
		Held: &d.held, Stalled: &d.metrics.stalled,
		Fault: func(err error) { opt.Log.Error("cannot read a file of the release", "error", err) },
	}
	d.library.Store(l)
	d.clock.set(time.Now())
	return d
}

func (d *responder) Limits() *exchange.Limits { return &d.limits }
func (d *responder) Date() string             { return d.clock.date() }
func (d *responder) Now() time.Time           { return d.clock.now() }

// Ask sets a to the answer of the current library to r.
func (d *responder) Ask(r *library.Request, a *library.Answer, on *library.Scratch) {
	defer d.answerPanic(a)
	for {
		l := d.library.Load()
		l.Answer(r, a, on)
		if a.Status != 0 {
			return
		}
		a.Release() // an error of closing the old library does not concern the new answer
		if a.WouldBlock {
			return
		}
		if l == d.library.Load() {
			l.Problem(a, http.StatusServiceUnavailable, "The server is shutting down.")
			return
		}
	}
}

// Refuse sets a to an error answer that does not depend on the request.
func (d *responder) Refuse(a *library.Answer, why *exchange.Refusal) {
	*a = library.Answer{}
	d.library.Load().Problem(a, why.Status, why.Detail)
}

// Started returns the current time if the request is timed or logged, otherwise zero.
func (d *responder) Started() time.Time {
	if d.metrics.asked.Add(1)%timedOf == 1 || d.options.AccessLog {
		return time.Now()
	}
	return time.Time{}
}

// End counts an answer that was sent or abandoned, and releases it.
func (d *responder) End(r *exchange.Reply) {
	d.countAnswer(r)
	if err := r.Answer.Release(); err != nil {
		d.options.Log.Warn("cannot close a release", "error", err)
	}
}

// countAnswer counts an answer. If requests are logged, it logs the answer without the query, which
// may be private.
func (d *responder) countAnswer(r *exchange.Reply) {
	lane := laneFast
	if r.InFull {
		lane = laneReference
	}
	d.metrics.requests[r.Answer.Status].Add(1)
	d.metrics.lanes[lane].Add(1)
	d.metrics.sent.Add(r.Sent)
	if !r.Started.IsZero() {
		d.metrics.addDuration(time.Since(r.Started))
	}
	if d.options.AccessLog {
		d.options.Log.LogAttrs(context.Background(), slog.LevelInfo, "request",
			slog.String("method", r.Request.Method), slog.String("path", strings.Clone(r.Request.Path)),
			slog.Int("status", r.Answer.Status), slog.Int64("bytes", r.Sent),
			slog.Duration("took", time.Since(r.Started)), slog.String("lane", laneNames[lane]))
	}
}

// isRenewalDue reports whether the deadline until is so near that it must be renewed: part of the
// idle time has passed.
func (d *responder) isRenewalDue(until time.Time) bool {
	idle := d.options.IdleTime
	return until.Sub(d.clock.now()) < idle-idle/12+exchange.ClockLag
}

// A panic is a bug that a release or a client has triggered. The process must go on serving other
// clients. Only the answer, or the connection, is lost.

// Panicked counts and logs a panic. It logs at most one per second, so that a client cannot fill
// the log.
func (d *responder) Panicked(p any) {
	d.metrics.panics.Add(1)
	now := time.Now().Unix()
	if last := d.metrics.panicLogged.Load(); last != now && d.metrics.panicLogged.CompareAndSwap(last, now) {
		d.options.Log.Error("bug in the program, please report it", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// recoverPanic recovers from a panic while a connection is served, and then calls then. It must be
// deferred.
func (d *responder) recoverPanic(then func()) {
	if p := recover(); p != nil {
		d.Panicked(p)
		then()
	}
}

// answerPanic recovers from a panic while an answer is computed, and sets a to an error answer. It
// must be deferred.
func (d *responder) answerPanic(a *library.Answer) {
	if p := recover(); p != nil {
		d.Panicked(p)
		d.library.Load().Problem(a, http.StatusInternalServerError, "Cannot read this file at the moment.")
	}
}
