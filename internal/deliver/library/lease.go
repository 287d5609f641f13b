package library

import (
	"errors"
	"sync/atomic"
	"time"
)

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
