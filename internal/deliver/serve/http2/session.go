// Package http2 is HTTP/2 without connections: bytes come in, frames go out. A request is answered
// when its head is whole. Nobody reads a body that a client sends, and most answers fit into the
// windows at once, so a stream is hardly ever more than its answer. Only large bodies wait for
// their turn and for room. Who has the connection moves the bytes.
package http2

import (
	"time"

	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

const (
	MaxWaiting   = 250      // answers that wait for room
	maxContinued = 8        // frames that a head may have after the first
	FlushSize    = 64 << 10 // of what is sent with one write

	// What answers may hold that wait because the client has no room for them: one body in any
	// case, and others as far as they fit. Of those that do not fit, the request waits.
	MaxWaits    = 256 << 10 // by a connection
	MaxKept     = 192 << 10 // by a connection, of requests
	MaxWaitsAll = 64 << 20  // by all connections
	streamSize  = 512       // counts for each that waits
)

// Session is what a connection of HTTP/2 says and is told.
type Session struct {
	port   exchange.Port
	of     exchange.Client
	begun  bool      // whether the client has said that it speaks HTTP/2
	Moved  bool      // whether something gives the connection more time
	met    bool      // whether it has said what it begins with
	warned time.Time // when the client was told that the end is near
	ended  bool      // whether the client was told that this is the end

	in         []byte
	have       int        // of what was read
	room       int64      // for bodies that the client sends
	last       uint32     // its last stream
	lastStream uint32     // the one that it was told was the last to be answered
	open       []incoming // streams that it did not end, with a body that nobody reads

	decoder *hpack.Decoder
	fields  fields
	head    frame  // the first frame of a head that is not whole
	block   []byte // what there is of it
	parts   int    // frames

	Out      []byte // what is to be sent
	writer   fieldWriter
	window   int64     // for bodies on this connection
	initial  int64     // for the body of a new stream
	waiting  []*stream // in turn
	held     int64     // bytes of their bodies that nobody else has
	kept     int64     // of what was asked for
	looked   time.Time // when somebody last looked which of them stand still
	counted  int64     // sent since there was more time
	request  library.Request
	answer   library.Answer
	replying stream // the one whose answer is being written
	scratch  *library.Scratch
}

// UsualFrames is the room that a connection has for what it reads. Frames that are larger get more,
// for as long as it lasts.
const UsualFrames = 4 << 10

// Begin begins a connection: it says what it allows the client.
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

// Forget lets go of all but room that the next connection can use.
func (c *Session) Forget() {
	for _, st := range c.waiting {
		c.finish(st)
	}
	clear(c.waiting[:cap(c.waiting)])
	c.fields.reset()
	if len(c.in) > UsualFrames {
		c.in = make([]byte, UsualFrames)
	}
	*c = Session{in: c.in, open: c.open[:0], waiting: c.waiting[:0], fields: fields{list: c.fields.list}}
}

// TakePreface looks at what a client begins with, as far as it has come.
func (c *Session) TakePreface() error {
	if n := min(c.have, len(preface)); string(c.in[:n]) != preface[:n] {
		return protocolError
	}
	if c.have >= len(preface) {
		c.drop(len(preface))
		c.begun = true
	}
	return nil
}

// Free is where what comes next is read to.
func (c *Session) Free() []byte {
	if c.have == len(c.in) {
		c.in = append(make([]byte, 0, frameHead+maxFrame), c.in...)[:frameHead+maxFrame]
	}
	return c.in[c.have:]
}

// Came notes how many bytes were read to there.
func (c *Session) Came(n int) { c.have += n }

// HasBegun reports whether the client has said that it speaks HTTP/2.
func (c *Session) HasBegun() bool { return c.begun }

// HasEnded reports whether the client was told that this is the end, and IsOver, whether all that
// it was promised is sent.
func (c *Session) HasEnded() bool { return c.ended }
func (c *Session) IsOver() bool   { return c.ended && len(c.waiting) == 0 }

// Drop lets go of an answer that something panicked over.
func (c *Session) Drop() {
	c.answer.Release() // there is nobody to tell
	c.replying.Answer.Release()
	c.Out = c.Out[:0]
}

func (c *Session) drop(n int) { c.have = copy(c.in[:], c.in[n:c.have]) }

// IsHalf reports whether the client has begun to say something, and has not ended.
func (c *Session) IsHalf() bool { return c.have > 0 || c.parts > 0 || !c.begun }

// TakeLeave tells the client that the server stops (RFC 9113, section 6.8): first that the end is
// near, so that it asks for nothing more, and when that has had the time to arrive, which streams
// are answered. A ping comes back when it has arrived. over is when it has had that time.
func (c *Session) TakeLeave(now time.Time) (over time.Time) {
	if c.warned.IsZero() {
		c.warned = now
		c.Out = appendFrame(c.Out, frameGoAway, 0, 0, maxWindow, uint32(noError))
		c.Out = append(appendFrameHead(c.Out, len(farewellPing), framePing, 0, 0), farewellPing...)
	}
	over = c.warned.Add(exchange.Linger)
	if !now.Before(over) {
		c.GoAway(noError)
	}
	return over
}

const farewellPing = "farewell"

// GoAway tells the client that this is the end, and which streams are answered.
func (c *Session) GoAway(code ErrorCode) {
	if !c.ended {
		c.ended, c.lastStream = true, c.last
	}
	c.Out = appendFrame(c.Out, frameGoAway, 0, 0, c.lastStream, uint32(code))
}
