package serve

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/net/http2/hpack"

	"stele/internal/library"
)

// HTTP/2 in the fast lane. Each connection has one goroutine, which reads frames, answers a request
// when its head is whole, and sends all that it has with one write. Nobody reads a body that a
// client sends, and most answers fit into the windows at once, so a stream is hardly ever more than
// its answer. Only large bodies wait for their turn and for room; while there is something to send,
// a second goroutine waits for what the client says. net/http's own HTTP/2, in which every stream
// has goroutines, stays the reference.

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

// h2 is a connection of HTTP/2.
type h2 struct {
	server *Server
	conn   net.Conn
	of     *counted
	begun  bool      // whether the client has said that it speaks HTTP/2
	until  time.Time // the connection's deadline
	moved  bool      // whether something gives it more time
	half   bool      // whether it is sooner, because a frame or a head is not whole
	met    bool      // whether it has said what it begins with
	warned time.Time // when the client was told that the end is near
	ended  bool      // whether the client was told that this is the end
	share  share

	in    []byte
	have  int             // of what was read
	ahead chan readResult // where the second goroutine says what it has read; nil if there is none
	room  int64           // for bodies that the client sends
	last  uint32          // its last stream
	told  uint32          // the one that it was told was the last to be answered
	open  []incoming      // streams that it did not end, with a body that nobody reads

	decoder *hpack.Decoder
	fields  fields
	head    frame  // the first frame of a head that is not whole
	block   []byte // what there is of it
	parts   int    // frames

	out     []byte
	lent    *[]byte // what that is in
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

type readResult struct {
	data []byte
	err  error
}

// errEnded ends a connection when the server stops.
var errEnded = errors.New("the server stops")

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

var h2s = sync.Pool{New: func() any { return &h2{in: make([]byte, usualFrames)} }}

// outs is room for what is written. A connection that waits for its client has none.
var outs = sync.Pool{New: func() any { return new(make([]byte, 0, flushSize)) }}

// serveHTTP2 serves a connection to its end.
func (s *Server) serveHTTP2(conn net.Conn) {
	c := h2s.Get().(*h2)
	c.begin(s, conn)
	c.end(c.survive())
	h2s.Put(c)
}

// survive runs the connection, and makes an error of a panic.
func (c *h2) survive() (err error) {
	defer c.server.survive(func() {
		c.answer.LetGo() // there is nobody to tell
		if c.lent == nil {
			c.borrow()
		}
		c.out, err = c.out[:0], internalError
	})
	return c.run()
}

func (c *h2) begin(s *Server, conn net.Conn) {
	c.server, c.conn, c.moved, c.scratch, c.fields.most = s, conn, true, new(library.Scratch), s.options.HeaderBytes
	c.of = countedOf(conn)
	c.room, c.window, c.initial = firstWindow, firstWindow, firstWindow
	c.borrow()
	c.decoder = hpack.NewDecoder(firstTable, c.fields.add)
	c.out = appendSettings(c.out, settingStreams, maxWaiting, settingHeaderList, uint32(s.options.HeaderBytes))
}

// end says farewell, and lets go of all.
func (c *h2) end(err error) {
	code, wrong := errors.AsType[errorCode](err)
	if wrong {
		c.server.metrics.refuse(refusedHTTP2)
		c.server.options.Log.Debug("a connection ends", "error", err)
	}
	if c.half && errors.Is(err, os.ErrDeadlineExceeded) {
		c.server.metrics.refuse(refusedSlow)
	}
	if wrong || errors.Is(err, os.ErrDeadlineExceeded) {
		c.conn.SetDeadline(time.Now().Add(linger))
		c.goAway(code)
		err = c.write()
	}
	if err == nil || errors.Is(err, errEnded) {
		farewell(c.conn)
	}
	c.conn.Close() // nothing is left to be sent
	if c.ahead != nil {
		<-c.ahead
	}
	for _, st := range c.waiting {
		c.finish(st)
	}
	c.giveBack()
	clear(c.waiting[:cap(c.waiting)])
	c.fields.reset()
	if len(c.in) > usualFrames {
		c.in = make([]byte, usualFrames)
	}
	*c = h2{in: c.in, open: c.open[:0], waiting: c.waiting[:0], fields: fields{list: c.fields.list}}
}

// run reads and answers until the connection ends.
func (c *h2) run() error {
	if err := c.greet(); err != nil {
		return err
	}
	for {
		if err := c.takeAll(); err != nil {
			return err
		}
		c.dropStalled()
		more := c.sendBodies()
		if err := c.flush(); err != nil {
			return err
		}
		if err := c.read(!more); err != nil {
			return err
		}
	}
}

// greet exchanges what a connection begins with.
func (c *h2) greet() error {
	if err := c.flush(); err != nil {
		return err
	}
	for c.have < len(preface) {
		if err := c.read(true); err != nil {
			return err
		}
		if n := min(c.have, len(preface)); string(c.in[:n]) != preface[:n] {
			return protocolError
		}
	}
	c.drop(len(preface))
	c.begun = true
	return nil
}

// drop forgets the beginning of what was read.
func (c *h2) drop(n int) { c.have = copy(c.in[:], c.in[n:c.have]) }

// read reads more. It waits for it, or only looks whether it has come.
func (c *h2) read(wait bool) error {
	if c.have == len(c.in) {
		c.in = append(make([]byte, 0, frameHead+maxFrame), c.in...)[:frameHead+maxFrame]
	}
	c.extend()
	// both before looking whether the server stops, which sets a deadline of its own after it has
	// said so
	c.hurry()
	if c.server.stopping.Load() && !c.ended {
		if err := c.takeLeave(); err != nil {
			return err
		}
	}
	if c.ended && len(c.waiting) == 0 {
		return errEnded
	}
	came, err := c.receive(wait)
	c.share.took(came)
	c.have += came
	// it was woken: to say farewell, or to make room, although it has just asked for something
	woken := c.server.stopping.Load() || len(c.waiting) > 0 && !c.half
	if errors.Is(err, os.ErrDeadlineExceeded) && woken && time.Now().Before(c.until) {
		c.conn.SetDeadline(c.until)
		err = nil
	}
	return err
}

// takeLeave tells the client that the server stops (RFC 9113, section 6.8): first that the end is
// near, so that it asks for nothing more, and when that has had the time to arrive, which streams
// are answered. A ping comes back when it has arrived.
func (c *h2) takeLeave() error {
	if c.warned.IsZero() {
		c.warned = time.Now()
		c.out = appendFrame(c.out, frameGoAway, 0, 0, maxWindow, uint32(noError))
		c.out = append(appendFrameHead(c.out, len(farewellPing), framePing, 0, 0), farewellPing...)
	}
	over := c.warned.Add(linger)
	if !time.Now().Before(over) {
		c.goAway(noError)
	}
	if err := c.flush(); err != nil {
		return err
	}
	if !c.ended {
		return c.conn.SetReadDeadline(over)
	}
	return nil
}

// farewellPing is what the last ping carries.
const farewellPing = "farewell"

// receive gets what has come. If nobody waits for it here, a second goroutine does.
func (c *h2) receive(wait bool) (n int, err error) {
	if wait {
		c.giveBack()
		defer c.borrow()
	}
	if wait && c.ahead == nil {
		if len(c.waiting) == 0 {
			c.server.isIdle(c.of, true)
			defer c.server.isIdle(c.of, false)
		}
		return c.conn.Read(c.in[c.have:])
	}
	if c.ahead == nil {
		c.ahead = make(chan readResult, 1)
		go func(conn net.Conn, came chan<- readResult, room int) {
			data := make([]byte, room)
			var n int
			err := library.Safely(func() (err error) {
				n, err = conn.Read(data)
				return err
			})
			came <- readResult{data[:n], err}
		}(c.conn, c.ahead, min(len(c.in)-c.have, usualFrames))
	}
	var r readResult
	if wait {
		r = <-c.ahead
	} else {
		select {
		case r = <-c.ahead:
		default:
			return 0, nil
		}
	}
	c.ahead = nil
	return copy(c.in[c.have:], r.data), r.err
}

// extend moves the deadline, if there was an answer, or a good piece of one, since it was last
// moved.
func (c *h2) extend() {
	if c.moved && c.server.isNear(c.until) {
		c.until = time.Now().Add(c.server.options.IdleTime)
		c.conn.SetDeadline(c.until) // a connection that is closed says so when it is used
	}
	c.moved = false
}

// hurry gives the client less time for the rest of what it has begun to say.
func (c *h2) hurry() {
	half := c.have > 0 || c.parts > 0 || !c.begun
	if half == c.half {
		return
	}
	until := c.until
	if soon := time.Now().Add(c.server.options.HeaderTime); half && soon.Before(until) {
		until = soon
	}
	c.conn.SetReadDeadline(until)
	c.half = half
}

// flush sends what was written.
func (c *h2) flush() error {
	if len(c.out) == 0 {
		return nil
	}
	c.extend()
	return c.write()
}

func (c *h2) write() error {
	_, err := c.conn.Write(c.out)
	c.out = c.out[:0]
	return err
}

// borrow gets room to write.
func (c *h2) borrow() {
	c.lent = outs.Get().(*[]byte)
	c.out = *c.lent
}

// giveBack gives it to others.
func (c *h2) giveBack() {
	if cap(c.out) <= 2*flushSize {
		*c.lent = c.out[:0]
		outs.Put(c.lent)
	}
	c.out, c.lent = nil, nil
}

// goAway tells the client that this is the end, and which streams are answered.
func (c *h2) goAway(code errorCode) {
	if !c.ended {
		c.ended, c.told = true, c.last
	}
	c.out = appendFrame(c.out, frameGoAway, 0, 0, c.told, uint32(code))
}
