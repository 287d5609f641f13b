package serve

import "sync/atomic"

// metrics are counters without labels that could grow.
type metrics struct {
	requests    [600]atomic.Int64 // by status
	lanes       [2]atomic.Int64   // by the way that requests took
	sent        atomic.Int64      // bytes of bodies
	swaps       atomic.Int64
	refused     atomic.Int64 // releases that could not be served
	connections atomic.Int64 // open ones
	stalled     atomic.Int64 // streams of HTTP/2 that stood still
	refusals    [len(refusedNames)]atomic.Int64
	panics      atomic.Int64
	panicLogged atomic.Int64 // when one was logged last, in seconds
}

// The ways that a request can take: it is recognised, or has to be read in full.
const (
	laneFast = iota
	laneReference
)

var laneNames = [...]string{"fast", "reference"}
