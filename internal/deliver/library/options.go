package library

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"stele/internal/base/layout"
)

// Options of a library. The zero value of each stands for its default.
type Options struct {
	layout.Freshness       // how long caches may use an answer; default five minutes, negative for none
	Memory           int64 // how many bytes a release may have to be held in memory; default 512 MiB

	// Refresh is called when a file of a library cannot be read, and reports whether another
	// library is served by now.
	Refresh func(*Library) bool
	// Behind returns why the latest release may not be the one that is served, in a word, or "".
	// Answers for the manifest say it. It may be nil.
	Behind func(serving string) string
	Log    *slog.Logger
}

func (o Options) withDefaults() Options {
	o.MaxAge = cmp.Or(o.MaxAge, 5*time.Minute)
	o.Memory = cmp.Or(o.Memory, 512<<20)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Lease says whether a release may still be sent from. It ends some time after another has taken
// its place, so that clients that are slow or stuck do not keep old releases for ever.
type Lease struct{ ended atomic.Bool }

// ErrLeaseEnded says that what is left of an answer is not sent.
var ErrLeaseEnded = errors.New("the release was replaced too long ago")

// EndAfter ends the lease in a while.
func (l *Lease) EndAfter(d time.Duration) { time.AfterFunc(d, l.End) }

// End ends it now.
func (l *Lease) End() { l.ended.Store(true) }

// Ended reports whether it has ended.
func (l *Lease) Ended() bool { return l.ended.Load() }

// Over reports whether an answer must not be sent on.
func (a *Answer) Over() bool { return a.lease != nil && a.lease.Ended() }

// PanicError is a panic where somebody waits for an error.
type PanicError struct {
	value any
	stack []byte
}

// Error has the stack, too.
func (e PanicError) Error() string {
	return fmt.Sprintf("a mistake in the program, please report it: %v\n%s", e.value, e.stack)
}

// Safely does something, and makes an error of a panic.
func Safely(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = PanicError{p, debug.Stack()}
		}
	}()
	return do()
}
