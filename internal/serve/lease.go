package serve

import (
	"errors"
	"sync/atomic"
	"time"
)

// lease says whether a release may still be sent from. It ends some time after another has taken
// its place, so that clients that are slow or stuck do not keep old releases for ever.
type lease struct{ ended atomic.Bool }

// maxLeases is how many releases may be sent from beside the one that is served. An older one has
// the idle time left.
const maxLeases = 3

var errLeaseEnded = errors.New("the release was replaced too long ago")

// retire lets a release that was replaced be sent from for a while.
func (s *Server) retire(l *lease) {
	if s.leases = append(s.leases, l); len(s.leases) > maxLeases {
		s.leases[0].endAfter(s.options.IdleTime)
		s.leases = append(s.leases[:0], s.leases[1:]...)
	}
	l.endAfter(s.options.OldTime)
}

func (l *lease) endAfter(d time.Duration) {
	time.AfterFunc(d, func() { l.ended.Store(true) })
}

// over reports whether an answer must not be sent on.
func (a *answer) over() bool { return a.lease != nil && a.lease.ended.Load() }
