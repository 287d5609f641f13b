// Package http2 implements HTTP/2 without connections: it parses frames and writes frames. A
// request is answered when its head is complete. Bodies that clients send are not read, and most
// answers fit into the windows at once, so most streams need no state. Only large bodies wait for
// their turn and for space in the windows. The caller transfers the bytes.
package http2

import (
	"time"

	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

const (
	MaxWaiting   = 250      // number of answers that wait for space in the windows
	maxContinued = 8        // maximum number of continuation frames of a head
	FlushSize    = 64 << 10 // bytes that are sent with one write

	// Limits on the memory that waiting answers retain. One body is always retained, and others as
	// far as they fit. For the rest, only the request is retained.
	MaxWaits    = 256 << 10 // for a connection
	MaxKept     = 192 << 10 // for a connection's requests
	MaxWaitsAll = 64 << 20  // for all connections
	streamSize  = 512       // added for each waiting answer
)

// Session is the state of an HTTP/2 connection.
type Session struct {
	port   exchange.Port
	of     exchange.Client
	begun  bool      // whether the client's preface has arrived
	Moved  bool      // whether something was sent that gives the connection more time
	met    bool      // whether its first settings have arrived
	warned time.Time // when the client was told that the server is shutting down
	ended  bool      // whether the client was told that the connection ends

	in         []byte
	have       int        // number of bytes in in
	room       int64      // receive window for bodies from the client
	last       uint32     // ID of the client's latest stream
	lastStream uint32     // ID of the last stream that will be answered
	open       []incoming // streams with a body that the client has not ended

	decoder *hpack.Decoder
	fields  fields
	head    frame  // the first frame of an incomplete head
	block   []byte // the block of that head so far
	parts   int    // number of its frames

	Out      []byte // data to send
	writer   fieldWriter
	window   int64     // send window of the connection
	initial  int64     // initial send window of a stream
	waiting  []*stream // in turn
	held     int64     // bytes of bodies that waiting answers alone retain
	kept     int64     // bytes of their requests
	looked   time.Time // when stalled streams were last looked for
	counted  int64     // bytes sent since the deadline was extended
	request  library.Request
	answer   library.Answer
	replying stream // the answer being written
	scratch  *library.Scratch
}

// UsualFrames is the size of a connection's read buffer. Larger frames get a temporary one.
const UsualFrames = 4 << 10

// Begin starts a connection by sending settings.
func (c *Session) Begin(p exchange.Port, of exchange.Client) {
	most := p.Limits().HeaderBytes
	c.port, c.of, c.Moved, c.scratch, c.fields.most = p, of, true, new(library.Scratch), most
	if c.in == nil {
		c.in = make([]byte, UsualFrames)
	}
	c.room, c.window, c.initial = firstWindow, firstWindow, firstWindow
	c.decoder = hpack.NewDecoder(firstTable, c.fields.add)
	c.Out = appendSettings(c.Out, settingStreams, MaxWaiting, settingHeaderList, uint32(most))
}

// Forget clears the session, but keeps buffers that the next connection can use.
func (c *Session) Forget() {
	for _, st := range c.waiting {
		c.endReply(st)
	}
	clear(c.waiting[:cap(c.waiting)])
	c.fields.reset()
	if len(c.in) > UsualFrames {
		c.in = make([]byte, UsualFrames)
	}
	*c = Session{in: c.in, open: c.open[:0], waiting: c.waiting[:0], fields: fields{list: c.fields.list}}
}

// TakePreface checks the client's preface, as far as it has arrived.
func (c *Session) TakePreface() error {
	if n := min(c.have, len(preface)); string(c.in[:n]) != preface[:n] {
		return protocolError
	}
	if c.have >= len(preface) {
		c.discard(len(preface))
		c.begun = true
	}
	return nil
}

// Free returns the free part of the read buffer.
func (c *Session) Free() []byte {
	if c.have == len(c.in) {
		c.in = append(make([]byte, 0, frameHead+maxFrame), c.in...)[:frameHead+maxFrame]
	}
	return c.in[c.have:]
}

// AddRead records that n bytes were read into Free.
func (c *Session) AddRead(n int) { c.have += n }

// HasBegun reports whether the client's preface has arrived.
func (c *Session) HasBegun() bool { return c.begun }

// HasEnded reports whether the client was told that the connection ends. IsOver reports whether all
// promised answers are sent too.
func (c *Session) HasEnded() bool { return c.ended }
func (c *Session) IsOver() bool   { return c.ended && len(c.waiting) == 0 }

// Drop releases an answer after a panic.
func (c *Session) Drop() {
	c.answer.Release() // no one receives the error
	c.replying.Answer.Release()
	c.Out = c.Out[:0]
}

func (c *Session) discard(n int) { c.have = copy(c.in[:], c.in[n:c.have]) }

// IsHalf reports whether the client has sent part of a frame, a head or the preface.
func (c *Session) IsHalf() bool { return c.have > 0 || c.parts > 0 || !c.begun }

// Shutdown tells the client that the server is shutting down (RFC 9113, section 6.8). The first
// call announces it, so that the client sends no more requests. Once the announcement has arrived,
// which the answer to a ping shows, it tells the client which streams are answered. until is the
// time limit for the arrival.
func (c *Session) Shutdown(now time.Time) (until time.Time) {
	if c.warned.IsZero() {
		c.warned = now
		c.Out = appendFrame(c.Out, frameGoAway, 0, 0, maxWindow, uint32(noError))
		c.Out = append(appendFrameHead(c.Out, len(farewellPing), framePing, 0, 0), farewellPing...)
	}
	until = c.warned.Add(exchange.Linger)
	if !now.Before(until) {
		c.GoAway(noError)
	}
	return until
}

const farewellPing = "farewell"

// GoAway tells the client that the connection ends, and which streams are answered.
func (c *Session) GoAway(code ErrorCode) {
	if !c.ended {
		c.ended, c.lastStream = true, c.last
	}
	c.Out = appendFrame(c.Out, frameGoAway, 0, 0, c.lastStream, uint32(code))
}
