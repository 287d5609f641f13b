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

// Options configure a library. Zero values are the defaults.
type Options struct {
	layout.Freshness       // cache lifetimes of answers; default five minutes, negative for none
	Memory           int64 // maximum size of a release held in memory, in bytes; default 512 MiB

	// Refresh is called when a file cannot be read. It reports whether the server has switched to
	// another library.
	Refresh func(*Library) bool
	// Behind returns why the served release may not be the latest, in a word, or "". Answers for
	// the manifest include it. It may be nil.
	Behind func(serving string) string
	Log    *slog.Logger
}

func (o Options) withDefaults() Options {
	o.MaxAge = cmp.Or(o.MaxAge, 5*time.Minute)
	o.Memory = cmp.Or(o.Memory, 512<<20)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// A Lease permits sending the files of a release. It ends some time after the release is replaced,
// so that slow clients do not keep old releases open forever.
type Lease struct{ ended atomic.Bool }

// ErrLeaseEnded means that the rest of an answer is not sent, because its release was replaced.
var ErrLeaseEnded = errors.New("the release was replaced too long ago")

// EndAfter ends the lease after d.
func (l *Lease) EndAfter(d time.Duration) { time.AfterFunc(d, l.End) }

func (l *Lease) End() { l.ended.Store(true) }

// Ended reports whether the lease has ended.
func (l *Lease) Ended() bool { return l.ended.Load() }

// LeaseEnded reports whether the rest of the answer must not be sent.
func (a *Answer) LeaseEnded() bool { return a.lease != nil && a.lease.Ended() }

// PanicError is a panic returned as an error.
type PanicError struct {
	value any
	stack []byte
}

// Error returns the panic's value and its stack.
func (e PanicError) Error() string {
	return fmt.Sprintf("bug in the program, please report it: %v\n%s", e.value, e.stack)
}

// CatchPanic calls do and returns its error. If do panics, the error is a PanicError.
func CatchPanic(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = PanicError{p, debug.Stack()}
		}
	}()
	return do()
}
