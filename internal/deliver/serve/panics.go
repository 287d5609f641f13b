package serve

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"stele/internal/deliver/library"
)

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
