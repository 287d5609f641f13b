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

// The lane with a goroutine for each connection: for TLS, and for other systems than Linux. There,
// plain connections share a loop (loop_linux.go).

type lane struct {
	http1.Session
	house    *house
	conn     net.Conn
	of       *counted
	progress http1.Progress
	half     bool      // whether the head of a request has to come
	until    time.Time // the connection's deadline
	share    share
	in       []byte
}

var lanes = sync.Pool{New: func() any {
	return &lane{Session: http1.Session{Out: make([]byte, 0, http1.AnswerRoom)}, in: make([]byte, http1.UsualRoom)}
}}

// serveLane answers requests until the connection ends.
func serveLane(h *house, conn net.Conn, of *counted) {
	l := lanes.Get().(*lane)
	l.Port, l.house, l.conn, l.of = h.desk, h, conn, of
	l.run()
	l.Forget()
	*l = lane{Session: http1.Session{Out: l.Out}, in: l.in}
	if len(l.in) == http1.UsualRoom {
		lanes.Put(l)
	}
}

func (l *lane) run() {
	defer func() { l.Answer.Release() }() // there is nothing to let go unless something panics
	for have := 0; l.extend(have > 0 || l.progress.IsFirst()); {
		if have == len(l.in) { // a large head
			l.in = append(l.in, make([]byte, http1.Room(l.Limits())-have)...)
		}
		n, err := l.conn.Read(l.in[have:])
		if n == 0 && err != nil {
			l.giveUp(l.in[:have], err)
			return
		}
		l.share.took(n)
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
		if have == 0 && len(l.in) > http1.UsualRoom { // which nobody keeps who is idle
			l.in = make([]byte, http1.UsualRoom)
		}
	}
}

// answer answers what was taken, and reports whether the connection goes on.
func (l *lane) answer(v http1.Verdict) bool {
	if v == http1.Whole {
		l.Ask() // which waits
		l.Compose(l.of)
	}
	if l.send() != nil {
		return false
	}
	if l.Last {
		l.part()
		return false
	}
	l.of.earn(0)
	return true
}

func (l *lane) part() {
	pause := briefly
	if l.Unread {
		pause = exchange.Linger
	}
	farewell(l.conn, pause)
}

// giveUp ends waiting for a head. Who has begun to ask is told so.
func (l *lane) giveUp(begun []byte, err error) {
	late := l.half && errors.Is(err, os.ErrDeadlineExceeded) && !l.house.stopping.Load()
	switch {
	case late && len(begun) == 0:
		l.house.metrics.refuse(refusedSlow)
		return
	case late:
		l.renew()
		l.Refuse(begun, http1.TooSlow)
	case err == io.EOF && l.progress.HasBegun(len(begun)):
		l.Refuse(begun, http1.CutShort)
	default:
		return
	}
	if l.send() == nil {
		farewell(l.conn, briefly)
	}
}

// extend moves the connection's deadline when a part of the time is used up, and not for each
// request: that costs as much as finding an answer. For the head of a request that is the first, or
// has begun, there is less time. It reports whether the server goes on.
func (l *lane) extend(half bool) bool {
	switch opt := &l.house.options; {
	case half && !l.half:
		l.renew()
		l.conn.SetReadDeadline(time.Now().Add(min(opt.HeaderTime, opt.IdleTime)))
	case !half && (l.half || l.house.isNear(l.until)):
		l.renew()
	}
	l.half = half
	return !l.house.stopping.Load()
}

// send sends an answer. With its head goes as much of a large body as makes one record of TLS.
func (l *lane) send() (err error) {
	if l.Answer.Size > 0 {
		l.Out, err = l.AppendBody(l.Out, min(l.Answer.Size, library.SmallBody))
	}
	if err == nil {
		_, err = l.conn.Write(l.Out)
	}
	if err == nil {
		err = copyTo(&l.Reply, l.conn, l.renew)
	}
	l.End(&l.Reply)
	return err
}

func (l *lane) renew() {
	l.until = time.Now().Add(l.house.options.IdleTime)
	l.conn.SetDeadline(l.until) // a connection that is closed says so when it is used
}
