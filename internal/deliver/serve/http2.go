package serve

import (
	"crypto/tls"
	"time"

	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
)

// HTTP/2 in the fast lane, without connections: bytes come in, frames go out. A request is answered
// when its head is whole. Nobody reads a body that a client sends, and most answers fit into the
// windows at once, so a stream is hardly ever more than its answer. Only large bodies wait for
// their turn and for room. Who has the connection moves the bytes (http2_lane.go). net/http's own
// HTTP/2, in which every stream has goroutines, stays the reference.

const (
	maxWaiting   = 250      // answers that wait for room
	maxContinued = 8        // frames that a head may have after the first
	flushSize    = 64 << 10 // of what is sent with one write

	// What answers may hold that wait because the client has no room for them: one body in any
	// case, and others as far as they fit. Of those that do not fit, the request waits.
	maxWaits    = 256 << 10 // by a connection
	maxKept     = 192 << 10 // by a connection, of requests
	maxWaitsAll = 64 << 20  // by all connections
	streamSize  = 512       // counts for each that waits
)

// h2 is what a connection of HTTP/2 says and is told.
type h2 struct {
	server *Server
	of     *counted
	begun  bool      // whether the client has said that it speaks HTTP/2
	moved  bool      // whether something gives the connection more time
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

	out     []byte // what is to be sent
	writer  fieldWriter
	window  int64     // for bodies on this connection
	initial int64     // for the body of a new stream
	waiting []*stream // in turn
	held    int64     // bytes of their bodies that nobody else has
	kept    int64     // of what was asked for
	looked  time.Time // when somebody last looked which of them stand still
	counted int64     // sent since there was more time
	request library.Request
	answer  library.Answer
	scratch *library.Scratch
}

// http2Ciphers are the ciphers of TLS 1.2 that HTTP/2 may be spoken with (RFC 9113, section 9.2.2):
// those whose keys are forgotten with the connection and that notice when something was changed.
// Those of TLS 1.3 are all so, and are not chosen.
var http2Ciphers = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// usualFrames is the room that a connection has for what it reads. Frames that are larger get more,
// for as long as it lasts.
const usualFrames = 4 << 10

// begin begins a connection: it says what it allows the client.
func (c *h2) begin(s *Server, of *counted) {
	c.server, c.of, c.moved, c.scratch, c.fields.most = s, of, true, new(library.Scratch), s.options.HeaderBytes
	c.room, c.window, c.initial = firstWindow, firstWindow, firstWindow
	c.decoder = hpack.NewDecoder(firstTable, c.fields.add)
	c.out = appendSettings(c.out, settingStreams, maxWaiting, settingHeaderList, uint32(s.options.HeaderBytes))
}

// forget lets go of all but room that the next connection can use.
func (c *h2) forget() {
	for _, st := range c.waiting {
		c.finish(st)
	}
	clear(c.waiting[:cap(c.waiting)])
	c.fields.reset()
	if len(c.in) > usualFrames {
		c.in = make([]byte, usualFrames)
	}
	*c = h2{in: c.in, open: c.open[:0], waiting: c.waiting[:0], fields: fields{list: c.fields.list}}
}

// takePreface looks at what a client begins with, as far as it has come.
func (c *h2) takePreface() error {
	if n := min(c.have, len(preface)); string(c.in[:n]) != preface[:n] {
		return protocolError
	}
	if c.have >= len(preface) {
		c.drop(len(preface))
		c.begun = true
	}
	return nil
}

// free is where what comes next is read to.
func (c *h2) free() []byte {
	if c.have == len(c.in) {
		c.in = append(make([]byte, 0, frameHead+maxFrame), c.in...)[:frameHead+maxFrame]
	}
	return c.in[c.have:]
}

// drop forgets the beginning of what was read.
func (c *h2) drop(n int) { c.have = copy(c.in[:], c.in[n:c.have]) }

// half reports whether the client has begun to say something, and has not ended.
func (c *h2) half() bool { return c.have > 0 || c.parts > 0 || !c.begun }

// takeLeave tells the client that the server stops (RFC 9113, section 6.8): first that the end is
// near, so that it asks for nothing more, and when that has had the time to arrive, which streams
// are answered. A ping comes back when it has arrived. over is when it has had that time.
func (c *h2) takeLeave(now time.Time) (over time.Time) {
	if c.warned.IsZero() {
		c.warned = now
		c.out = appendFrame(c.out, frameGoAway, 0, 0, maxWindow, uint32(noError))
		c.out = append(appendFrameHead(c.out, len(farewellPing), framePing, 0, 0), farewellPing...)
	}
	over = c.warned.Add(linger)
	if !now.Before(over) {
		c.goAway(noError)
	}
	return over
}

// farewellPing is what the last ping carries.
const farewellPing = "farewell"

// goAway tells the client that this is the end, and which streams are answered.
func (c *h2) goAway(code errorCode) {
	if !c.ended {
		c.ended, c.lastStream = true, c.last
	}
	c.out = appendFrame(c.out, frameGoAway, 0, 0, c.lastStream, uint32(code))
}
