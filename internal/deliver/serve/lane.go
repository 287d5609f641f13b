package serve

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"stele/internal/deliver/library"
)

// The lane with a goroutine for each connection: for TLS, and for other systems than Linux. There,
// plain connections share a loop (loop_linux.go).

// lane serves a connection.
type lane struct {
	http1
	conn  net.Conn
	of    *counted
	half  bool      // whether the head of a request has to come
	until time.Time // the connection's deadline
	share share
	in    [requestRoom]byte
}

var lanes = sync.Pool{New: func() any { return &lane{http1: http1{out: make([]byte, 0, answerRoom)}} }}

// serveLane answers requests until the connection ends or goes to net/http. It reports whether the
// connection has to be closed.
func (s *Server) serveLane(conn net.Conn, counted *counted) (done bool) {
	l := lanes.Get().(*lane)
	l.server, l.conn, l.of, l.half, l.until = s, conn, counted, false, time.Time{}
	rest, done := l.run()
	if !done {
		conn.SetDeadline(time.Time{}) // net/http has its own
		s.netHTTP.take(&begunConn{Conn: conn, begun: bytes.Clone(rest), counted: counted, least: 1})
	}
	l.forget()
	l.server, l.conn, l.of, l.request = nil, nil, nil, library.Request{}
	lanes.Put(l)
	return done
}

// run answers requests. If it stops at one that it does not recognise, it gives back what it has
// read and not answered.
func (l *lane) run() (rest []byte, done bool) {
	have, least := 0, 1
	defer func() { l.answer.LetGo() }() // there is nothing to let go unless something panics
	for {
		if !l.extend(have > 0 || least == 1) {
			return nil, true
		}
		n, err := l.conn.Read(l.in[have:])
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
			size, v := l.take(l.in[at:have], have-at == len(l.in), l.of, nil)
			if v == strange {
				return l.in[at:have], false
			}
			if v == partial {
				break
			}
			if err := l.send(); err != nil {
				return nil, true
			}
			if l.last {
				farewell(l.conn)
				return nil, true
			}
			at, least = at+size, leastOfNext
			l.of.earn(0)
		}
		have = copy(l.in[:], l.in[at:have])
		l.forget()
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
	return until.Sub(s.clock.now()) < idle-idle/12+clockLag
}

// send sends an answer. With its head goes as much of a large body as makes one record of TLS.
func (l *lane) send() (err error) {
	if l.answer.Size > 0 {
		l.out, err = l.appendBody(l.out, min(l.answer.Size, library.SmallBody))
	}
	if err == nil {
		_, err = l.conn.Write(l.out)
	}
	if err == nil {
		err = l.copyTo(l.conn, l.renew)
	}
	return errors.Join(err, l.server.end(&l.reply, laneFast))
}

// renew lets the idle time begin anew.
func (l *lane) renew() {
	l.until = time.Now().Add(l.server.options.IdleTime)
	l.conn.SetDeadline(l.until) // a connection that is closed says so when it is used
}
