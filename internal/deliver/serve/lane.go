package serve

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
	"stele/internal/deliver/serve/http1"
)

// The fast lane with a goroutine for each connection: for TLS, and on other systems than Linux. On
// Linux, plain connections share a loop (loop_linux.go).

type lane struct {
	http1.Session
	shared   *sharedState
	conn     net.Conn
	of       *limitedConn
	progress http1.Progress
	half     bool      // whether the head of a request is awaited
	until    time.Time // deadline of the connection
	share    share
	in       []byte
}

var lanes = sync.Pool{New: func() any {
	return &lane{Session: http1.Session{Out: make([]byte, 0, http1.AnswerRoom)}, in: make([]byte, http1.UsualRoom)}
}}

// serveLane answers requests until the connection ends.
func serveLane(h *sharedState, conn net.Conn, of *limitedConn) {
	l := lanes.Get().(*lane)
	l.Port, l.shared, l.conn, l.of = h.responder, h, conn, of
	l.run()
	l.Forget()
	*l = lane{Session: http1.Session{Out: l.Out}, in: l.in}
	if len(l.in) == http1.UsualRoom {
		lanes.Put(l)
	}
}

func (l *lane) run() {
	defer func() { l.Answer.Release() }() // Answer is empty unless something panics
	for have := 0; l.extendDeadline(have > 0 || l.progress.IsFirst()); {
		if have == len(l.in) { // a large head
			l.in = append(l.in, make([]byte, http1.Room(l.Limits())-have)...)
		}
		n, err := l.conn.Read(l.in[have:])
		if n == 0 && err != nil {
			l.giveUp(l.in[:have], err)
			return
		}
		l.share.add(n)
		have += n
		at, v := 0, http1.Whole
		for v != http1.Partial {
			var size int
			size, v = l.Take(l.in[at:have], &l.progress)
			at += size
			if v != http1.Partial && !l.answer(v) {
				return
			}
		}
		have = copy(l.in, l.in[at:have])
		l.Forget()
		if have == 0 && len(l.in) > http1.UsualRoom { // idle connections keep no large buffer
			l.in = make([]byte, http1.UsualRoom)
		}
	}
}

// answer answers the parsed request, and reports whether the connection continues.
func (l *lane) answer(v http1.Verdict) bool {
	if v == http1.Whole {
		l.Ask() // waits for the answer
		l.Compose(l.of)
	}
	if l.send() != nil {
		return false
	}
	if l.Last {
		l.closeAfterAnswer()
		return false
	}
	l.of.noteActivity(0)
	return true
}

func (l *lane) closeAfterAnswer() {
	pause := briefly
	if l.Unread {
		pause = exchange.Linger
	}
	discardUntilSilent(l.conn, pause)
}

// giveUp stops waiting for a head. If a part of the head has arrived, it sends an error answer.
func (l *lane) giveUp(begun []byte, err error) {
	late := l.half && errors.Is(err, os.ErrDeadlineExceeded) && !l.shared.stopping.Load()
	switch {
	case late && len(begun) == 0:
		l.shared.metrics.countRefusal(refusedSlow)
		return
	case late:
		l.renewDeadline()
		l.Refuse(begun, http1.TooSlow)
	case err == io.EOF && l.progress.HasBegun(len(begun)):
		l.Refuse(begun, http1.CutShort)
	default:
		return
	}
	if l.send() == nil {
		discardUntilSilent(l.conn, briefly)
	}
}

// extendDeadline moves the deadline of the connection, but only after part of the time has passed,
// because moving it costs as much as finding an answer. If half is true, part of a head has
// arrived, and the client has less time for the rest, as for the head of the first request.
// extendDeadline reports whether the server is still running.
func (l *lane) extendDeadline(half bool) bool {
	switch opt := &l.shared.options; {
	case half && !l.half:
		l.renewDeadline()
		l.conn.SetReadDeadline(time.Now().Add(min(opt.HeaderTime, opt.IdleTime)))
	case !half && (l.half || l.shared.isRenewalDue(l.until)):
		l.renewDeadline()
	}
	l.half = half
	return !l.shared.stopping.Load()
}

// send sends an answer. Its first write contains the head and as much of a large body as fits into
// a TLS record.
func (l *lane) send() (err error) {
	if l.Answer.Size > 0 {
		l.Out, err = l.AppendBody(l.Out, min(l.Answer.Size, library.SmallBody))
	}
	if err == nil {
		_, err = l.conn.Write(l.Out)
	}
	if err == nil {
		err = copyTo(&l.Reply, l.conn, l.renewDeadline)
	}
	l.End(&l.Reply)
	return err
}

func (l *lane) renewDeadline() {
	l.until = time.Now().Add(l.shared.options.IdleTime)
	l.conn.SetDeadline(l.until) // a closed connection returns an error when it is used
}
