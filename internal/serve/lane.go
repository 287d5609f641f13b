package serve

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/library"
)

// The fast lane: common requests of HTTP/1.1, answered from prepared bytes with one write and
// without allocation. The first request on a connection that it does not recognise goes to
// net/http, together with the connection. This is the lane with a goroutine for each connection:
// for TLS, and for other systems than Linux. There, plain connections share a loop (loop_linux.go).

const (
	requestRoom = 4 << 10   // for the head of a request; a larger one is for net/http
	answerRoom  = 20 << 10  // for a head and a small body, sent at once
	piece       = 256 << 10 // of a large body, for which there is time of its own
)

// lane serves a connection.
type lane struct {
	server  *Server
	conn    net.Conn
	of      *counted
	half    bool      // whether the head of a request has to come
	until   time.Time // the connection's deadline
	share   share
	in      [requestRoom]byte
	out     []byte
	scratch library.Scratch
}

var lanes = sync.Pool{New: func() any { return &lane{out: make([]byte, 0, answerRoom)} }}

// serveLane answers requests until the connection ends or goes to net/http. It reports whether the
// connection has to be closed.
func (s *Server) serveLane(conn net.Conn, counted *counted) (done bool) {
	l := lanes.Get().(*lane)
	l.server, l.conn, l.of, l.half, l.until = s, conn, counted, false, time.Time{}
	rest, done := l.run()
	if !done {
		conn.SetDeadline(time.Time{}) // net/http has its own
		s.toHTTP.put(&begunConn{Conn: conn, begun: bytes.Clone(rest), counted: counted, least: 1})
	}
	l.server, l.conn, l.of = nil, nil, nil
	lanes.Put(l)
	return done
}

// run answers requests. If it stops at one that it does not recognise, it gives back what it has
// read and not answered.
func (l *lane) run() (rest []byte, done bool) {
	have, least := 0, 1
	var r library.Request
	var a library.Answer
	defer func() { a.LetGo() }() // there is nothing to let go unless something panics
	for {
		if !l.extend(have > 0 || least == 1) {
			return nil, true
		}
		if least == 1 {
			l.of.isSilent()
		} else {
			l.server.isIdle(l.of, true)
		}
		n, err := l.conn.Read(l.in[have:])
		l.server.isIdle(l.of, false)
		if n == 0 && err != nil {
			if l.half && errors.Is(err, os.ErrDeadlineExceeded) && !l.server.stopping.Load() {
				l.giveUp(have > 0)
			}
			return l.in[:have], have < least || err != io.EOF // a request that ends early is for net/http
		}
		l.share.took(n)
		have += n
		at := 0
		for have-at >= least {
			size, v := next(l.in[at:have], at == 0, &r)
			if v == strange {
				return l.in[at:have], false
			}
			if v == partial {
				break
			}
			last := l.server.isLast(l.of)
			if err := l.reply(&r, &a, last); err != nil {
				return nil, true
			}
			if last {
				farewell(l.conn)
				return nil, true
			}
			at, least = at+size, leastOfNext
		}
		have = copy(l.in[:], l.in[at:have])
		a = library.Answer{} // so that an idle connection does not keep a release
		l.scratch.Clear()
	}
}

// giveUp ends waiting for a head. Who has begun to ask is told so.
func (l *lane) giveUp(begun bool) {
	if !begun {
		l.server.metrics.refuse(refusedSlow)
		return
	}
	l.renew()
	l.conn.Write(l.server.tooSlow(l.out[:0])) // there is nobody to tell if it fails
}

// tooSlow writes and counts the answer to a head that did not come in time.
func (s *Server) tooSlow(out []byte) []byte {
	var a library.Answer
	s.library.Load().Problem(&a, tooSlow.status, tooSlow.detail)
	s.count(&library.Request{}, &a, a.Size, s.clock.now(), laneFast)
	return append(s.appendHead(out, &a, true), a.Data...)
}

// leastOfNext is how many bytes of a request must have come before anybody looks at it, if it is
// not the first: net/http looks at nothing before.
const leastOfNext = 4

// next recognises the next request. One that is still not whole after more has come of it is not
// for the lane.
func next(data []byte, grown bool, r *library.Request) (size int, v verdict) {
	size, v = recognise(data, r)
	if v == partial && grown {
		v = strange
	}
	return size, v
}

// extend moves the connection's deadline when a part of the time is used up, and not for each
// request: that costs as much as finding an answer. For the head of a request that is the first, or
// has begun, there is less time.
func (l *lane) extend(half bool) bool {
	switch opt := &l.server.options; {
	case half && !l.half:
		l.renew()
		l.conn.SetReadDeadline(time.Now().Add(min(opt.HeaderTime, opt.IdleTime)))
	case !half && (l.half || l.server.isNear(l.until)):
		l.renew()
	}
	l.half = half
	return !l.server.stopping.Load()
}

// isNear reports whether a part of the idle time before a deadline is used up.
func (s *Server) isNear(until time.Time) bool {
	idle := s.options.IdleTime
	return until.Sub(s.clock.now()) < idle-idle/12+behind
}

// reply sends an answer.
func (l *lane) reply(r *library.Request, a *library.Answer, last bool) error {
	s := l.server
	started := s.started()
	s.ask(r, a, &l.scratch)
	out := s.appendHead(l.out[:0], a, last)
	sent, err := int64(0), error(nil)
	switch {
	case r.Method == http.MethodHead || a.Size == 0:
		_, err = l.conn.Write(out)
	case a.Size <= library.SmallBody && a.Data != nil:
		out = append(out, a.Data...)
		_, err = l.conn.Write(out)
		sent = a.Size
	default:
		sent, err = l.large(out, a)
	}
	l.out = out[:0]
	s.count(r, a, sent, started, laneFast)
	return errors.Join(err, a.LetGo())
}

// appendHead writes the head of an answer. After the last one the connection is closed.
func (s *Server) appendHead(out []byte, a *library.Answer, last bool) []byte {
	out = append(append(out, statusLine(a.Status)...), s.clock.date()...)
	out = append(append(append(out, a.Shared...), a.Own...), a.Extra...)
	if a.Status != http.StatusNotModified && a.Status != http.StatusNoContent {
		out = appendLength(out, a.Size)
	}
	if last {
		out = append(out, "Connection: close\r\n"...)
	}
	return append(out, "\r\n"...)
}

// large sends a body in pieces. Each gets time of its own, so that a slow client is served and a
// stuck one is not waited for.
func (l *lane) large(head []byte, a *library.Answer) (sent int64, err error) {
	tcp, isTCP := l.conn.(*net.TCPConn)
	switch {
	case a.Data == nil:
		if _, err := l.conn.Write(head); err != nil {
			return 0, err
		}
		return copyPieces(l.conn, a, a.Body, l.renew)
	case isTCP:
		first := min(len(a.Data), piece)
		parts := net.Buffers{head, a.Data[:first]}
		if _, err := parts.WriteTo(tcp); err != nil {
			return 0, err
		}
		sent, err = copyPieces(tcp, a, library.InMemory(a.Data[first:]), l.renew)
		return sent + int64(first), err
	}
	first := min(len(a.Data), library.SmallBody)
	if _, err := l.conn.Write(append(head, a.Data[:first]...)); err != nil { // in one record of TLS
		return 0, err
	}
	sent, err = copyPieces(l.conn, a, library.InMemory(a.Data[first:]), l.renew)
	return sent + int64(first), err
}

// renew lets the idle time begin anew.
func (l *lane) renew() {
	l.until = time.Now().Add(l.server.options.IdleTime)
	l.conn.SetDeadline(l.until) // a connection that is closed says so when it is used
}

// Room for what is read from files on its way to a client. Who does not read keeps it for as long
// as its time lasts, so there are large pieces for some only, and small ones for all others.
const (
	smallPiece = 16 << 10
	maxPieces  = 128 // of the large ones
)

var (
	pieces      = sync.Pool{New: func() any { return new([piece]byte) }}
	smallPieces = sync.Pool{New: func() any { return new([smallPiece]byte) }}
	lentPieces  atomic.Int64
)

func lendPiece() []byte {
	if lentPieces.Add(1) <= maxPieces {
		return pieces.Get().(*[piece]byte)[:]
	}
	lentPieces.Add(-1)
	return smallPieces.Get().(*[smallPiece]byte)[:]
}

func returnPiece(room []byte) {
	if len(room) == smallPiece {
		smallPieces.Put((*[smallPiece]byte)(room))
		return
	}
	pieces.Put((*[piece]byte)(room))
	lentPieces.Add(-1)
}

// copyPieces sends what is left of an answer's body piece by piece, and calls renew before each.
func copyPieces(w io.Writer, a *library.Answer, b library.Body, renew func()) (sent int64, err error) {
	var room []byte
	atOnce := int64(piece)
	if b.Data == nil {
		room = lendPiece()
		defer returnPiece(room)
		atOnce = int64(len(room))
	}
	for due := int64(0); sent < b.Size; {
		if a.Over() {
			return sent, library.ErrLeaseEnded
		}
		if sent >= due {
			renew()
			due = sent + piece
		}
		part := b.Slice(sent, min(atOnce, b.Size-sent))
		data := part.Data
		if b.Data == nil {
			data = room[:part.Size]
			if err := part.ReadAt(data, 0); err != nil {
				return sent, err
			}
		}
		n, err := w.Write(data)
		sent += int64(n)
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// statusLines are prepared for every status that there is here.
var statusLines = func() (lines [600]string) {
	for code := range lines {
		if text := http.StatusText(code); text != "" {
			lines[code] = "HTTP/1.1 " + strconv.Itoa(code) + " " + text + "\r\n"
		}
	}
	return lines
}()

func statusLine(status int) string { return statusLines[status] }

// appendLength writes a Content-Length header line.
func appendLength(b []byte, n int64) []byte {
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, n, 10)
	return append(b, "\r\n"...)
}
