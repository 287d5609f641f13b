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

// Why a connection ends before it has its answer.
const (
	refusedAddress   = iota // too many connections from its address
	refusedHandshake        // of TLS
	refusedSlow             // the head of a request did not come in time
	refusedHTTP2            // it does not keep to HTTP/2
	refusedIdle             // it was idle, and others needed the room
)

var refusedNames = [...]string{"address", "handshake", "slow", "http2", "idle"}

func (m *metrics) refuse(why int) { m.refusals[why].Add(1) }
