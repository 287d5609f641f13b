package serve

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
	"stele/internal/deliver/serve/http2"
)

// An HTTP/2 connection has one goroutine, which reads frames, answers, and sends everything with
// one write. While data waits to be sent, a second goroutine reads from the client.

// h2Lane serves an HTTP/2 connection.
type h2Lane struct {
	http2.Session
	shared    *sharedState
	of        *limitedConn
	conn      net.Conn
	until     time.Time // deadline of the connection
	shortened bool      // whether the deadline is earlier, because a frame or a head is incomplete
	share     share
	ahead     chan readResult // receives what the second goroutine has read; nil without it
	lent      *[]byte         // the buffer of Out
}

type readResult struct {
	data []byte
	err  error
}

var errEnded = errors.New("server shutting down")

var h2Lanes = sync.Pool{New: func() any { return new(h2Lane) }}

// outs are buffers for writing. Idle connections have none.
var outs = sync.Pool{New: func() any { return new(make([]byte, 0, http2.FlushSize)) }}

// serveHTTP2 serves a connection until it ends.
func serveHTTP2(h *sharedState, conn net.Conn, of *limitedConn) {
	l := h2Lanes.Get().(*h2Lane)
	l.shared, l.conn, l.of = h, conn, of
	l.takeBuffer()
	l.Begin(h.responder, of)
	l.endConnection(l.runProtected())
	h2Lanes.Put(l)
}

// runProtected runs the connection, and turns a panic into an error.
func (l *h2Lane) runProtected() (err error) {
	defer l.shared.recoverPanic(func() {
		if l.lent == nil {
			l.takeBuffer()
		}
		l.Drop()
		err = http2.InternalError
	})
	return l.run()
}

func (l *h2Lane) endConnection(err error) {
	code, wrong := errors.AsType[http2.ErrorCode](err)
	if wrong {
		l.shared.metrics.countRefusal(refusedHTTP2)
		l.shared.options.Log.Debug("connection ended", "error", err)
	}
	if l.shortened && errors.Is(err, os.ErrDeadlineExceeded) {
		l.shared.metrics.countRefusal(refusedSlow)
	}
	if wrong || errors.Is(err, os.ErrDeadlineExceeded) {
		l.conn.SetDeadline(time.Now().Add(exchange.Linger))
		l.GoAway(code)
		err = l.write()
	}
	if err == nil || errors.Is(err, errEnded) {
		discardUntilSilent(l.conn, briefly)
	}
	l.conn.Close() // everything is sent
	if l.ahead != nil {
		<-l.ahead
	}
	l.returnBuffer()
	l.Forget()
	*l = h2Lane{Session: l.Session}
}

// run reads and answers until the connection ends.
func (l *h2Lane) run() error {
	if err := l.sendSettings(); err != nil {
		return err
	}
	for {
		for more := true; more; {
			var err error
			if more, err = l.TakeAll(); err == nil && more {
				err = l.flush()
			}
			if err != nil {
				return err
			}
		}
		l.DropStalled()
		more := l.SendBodies()
		if err := l.flush(); err != nil {
			return err
		}
		if err := l.read(!more); err != nil {
			return err
		}
	}
}

func (l *h2Lane) sendSettings() error {
	if err := l.flush(); err != nil {
		return err
	}
	for !l.HasBegun() {
		if err := l.read(true); err != nil {
			return err
		}
		if err := l.TakePreface(); err != nil {
			return err
		}
	}
	return nil
}

// read reads more data. If wait is false, it only checks whether data has arrived.
func (l *h2Lane) read(wait bool) error {
	room := l.Free()
	l.extendDeadline()
	// both before checking whether the server is shutting down, which sets its own deadline
	// afterwards
	l.shortenDeadline()
	if l.shared.stopping.Load() && !l.HasEnded() {
		if err := l.sendGoAway(); err != nil {
			return err
		}
	}
	if l.IsOver() {
		return errEnded
	}
	came, err := l.receive(room, wait)
	l.share.add(came)
	l.AddRead(came)
	// woken for the shutdown
	if errors.Is(err, os.ErrDeadlineExceeded) && l.shared.stopping.Load() && time.Now().Before(l.until) {
		l.conn.SetDeadline(l.until)
		err = nil
	}
	return err
}

// sendGoAway tells the client that the server is shutting down. It does not wait longer than
// sending that message takes.
func (l *h2Lane) sendGoAway() error {
	over := l.Shutdown(time.Now())
	if err := l.flush(); err != nil {
		return err
	}
	if !l.HasEnded() {
		return l.conn.SetReadDeadline(over)
	}
	return nil
}

// receive reads the data that has arrived. If wait is false, a second goroutine continues to wait
// for more.
func (l *h2Lane) receive(room []byte, wait bool) (n int, err error) {
	if wait {
		l.returnBuffer()
		defer l.takeBuffer()
	}
	if wait && l.ahead == nil {
		return l.conn.Read(room)
	}
	if l.ahead == nil {
		l.ahead = make(chan readResult, 1)
		go func(conn net.Conn, came chan<- readResult, room int) {
			data := make([]byte, room)
			var n int
			err := library.CatchPanic(func() (err error) {
				n, err = conn.Read(data)
				return err
			})
			came <- readResult{data[:n], err}
		}(l.conn, l.ahead, min(len(room), http2.UsualFrames))
	}
	var r readResult
	if wait {
		r = <-l.ahead
	} else {
		select {
		case r = <-l.ahead:
		default:
			return 0, nil
		}
	}
	l.ahead = nil
	return copy(room, r.data), r.err
}

// extendDeadline moves the deadline if an answer, or a large part of one, was sent since the last
// call.
func (l *h2Lane) extendDeadline() {
	if l.Moved {
		l.of.noteActivity(0)
	}
	if l.Moved && l.shared.isRenewalDue(l.until) {
		l.until = time.Now().Add(l.shared.options.IdleTime)
		l.conn.SetDeadline(l.until) // a closed connection returns an error when it is used
	}
	l.Moved = false
}

// shortenDeadline gives the client less time to complete a frame or a head that it has started to
// send.
func (l *h2Lane) shortenDeadline() {
	half := l.IsHalf()
	if half == l.shortened {
		return
	}
	until := l.until
	if soon := time.Now().Add(l.shared.options.HeaderTime); half && soon.Before(until) {
		until = soon
	}
	l.conn.SetReadDeadline(until)
	l.shortened = half
}

func (l *h2Lane) flush() error {
	if len(l.Out) == 0 {
		return nil
	}
	l.extendDeadline()
	return l.write()
}

func (l *h2Lane) write() error {
	_, err := l.conn.Write(l.Out)
	l.Out = l.Out[:0]
	return err
}

func (l *h2Lane) takeBuffer() {
	l.lent = outs.Get().(*[]byte)
	l.Out = *l.lent
}

func (l *h2Lane) returnBuffer() {
	if cap(l.Out) <= 2*http2.FlushSize {
		*l.lent = l.Out[:0]
		outs.Put(l.lent)
	}
	l.Out, l.lent = nil, nil
}
