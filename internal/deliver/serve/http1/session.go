// Package http1 is HTTP/1.1 without connections: bytes come in, answers go out. Common requests are
// recognised and answered from prepared bytes, without allocation; all others are read in full. Who
// has the connection moves the bytes.
package http1

import (
	"bytes"
	"strconv"
	"strings"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

const (
	UsualRoom  = 4 << 10  // for the head of a request
	AnswerRoom = 20 << 10 // for a head and a small body, sent at once
)

// Room is how much of a head may be there before it is too large.
func Room(l *exchange.Limits) int { return max(UsualRoom, l.HeaderBytes+1) }

// Session answers requests, one at a time.
type Session struct {
	exchange.Port
	exchange.Reply        // the request that was taken last, and its answer: of that, what is not in Out
	Out            []byte // what is sent first: the head, and a small body
	Last           bool   // whether the connection ends then
	Unread         bool   // whether something may come after it that nobody reads
	Scratch        library.Scratch
	framing        framing
}

type framing struct {
	size int  // of the head
	old  bool // whether the client speaks HTTP/1.0
	ends bool // whether it asks for nothing more
	body bool // whether a body follows, which nobody reads
}

// Progress is how far the next request of a connection has come.
type Progress struct {
	later  bool // whether it is not the first
	empty  int  // bytes of empty lines before it
	judged int  // bytes of lines that are well formed, of one that is read in full
	first  int  // of these, bytes of the first line
	looked int  // bytes of a head that is not whole, of which no line is strange
}

// leastOfNext is how many bytes of a request must have come before anybody looks at it, if it is
// not the first.
const leastOfNext = 4

// HasBegun reports whether so many bytes, and those before them, are the begin of a request.
func (p *Progress) HasBegun(bytes int) bool {
	if p.later {
		return bytes+p.empty >= leastOfNext
	}
	return bytes > 0
}

// IsFirst reports whether nothing has been asked yet.
func (p *Progress) IsFirst() bool { return !p.later }

// HasEmpty reports whether empty lines came before the request.
func (p *Progress) HasEmpty() bool { return p.empty > 0 }

// Verdict is what becomes of the bytes of a connection.
type Verdict int

const (
	Partial Verdict = iota // more bytes may make them a request
	Whole                  // a request, which is answered
	Refused                // what is none, which is answered too
	strange                // a request that is not recognised
)

// Take takes the next request from what has come. size is how many bytes are done with. One that
// is not whole with as many bytes as there is room for is refused.
func (s *Session) Take(data []byte, p *Progress) (size int, v Verdict) {
	if !p.HasBegun(len(data)) {
		return 0, Partial
	}
	s.framing, s.InFull = framing{}, false
	most := s.Limits().HeaderBytes
	if p.looked > 0 && len(data) <= most && bytes.IndexByte(data[min(p.looked, len(data)):], '\n') < 0 {
		return 0, Partial // nothing that comes byte by byte is looked at again and again
	}
	if p.judged == 0 {
		if size, v = recognise(data, &s.Request); v == Partial && len(data) > most || size > most {
			v = strange
		}
	}
	if p.judged > 0 || v == strange {
		var why *exchange.Refusal
		s.InFull = true
		if size, why = s.read(data, p, most); why != nil {
			s.Refuse(data, why)
			return len(data), Refused
		}
		if v = Whole; s.framing.size == 0 {
			p.looked = 0
			return size, Partial
		}
	}
	switch v {
	case Partial:
		p.looked = len(data)
	case Whole:
		*p = Progress{later: true}
		s.Reply.Started = s.Port.Started()
	}
	return size, v
}

// Ask gets the answer to the request that was taken, and reports whether it is there: where nobody
// waits, it may have to be waited for.
func (s *Session) Ask() bool {
	s.Port.Ask(&s.Request, &s.Answer, &s.Scratch)
	return !s.Answer.WouldBlock
}

// Asked is a request that was taken, while its answer is waited for.
type Asked struct {
	exchange.Reply
	framing framing
}

// Leave takes the request away with all its texts, so that others can be answered meanwhile.
func (s *Session) Leave() *Asked {
	a := &Asked{s.Reply, s.framing}
	a.Answer = library.Answer{}
	r := &a.Request // the method lies nowhere else
	for _, text := range [...]*string{
		&r.Path, &r.Accept, &r.AcceptEncoding, &r.Range, &r.IfRange,
		&r.IfMatch, &r.IfNoneMatch, &r.IfModifiedSince, &r.IfUnmodifiedSince,
	} {
		*text = strings.Clone(*text)
	}
	return a
}

// Return brings it back, with its answer.
func (s *Session) Return(a *Asked) { s.Reply, s.framing = a.Reply, a.framing }

// Compose writes the head of the answer, and a small body.
func (s *Session) Compose(of exchange.Client) {
	s.Last = of.IsLast() || s.framing.body
	s.Unread = s.framing.body
	s.compose()
	s.Last = s.Last || s.framing.ends
}

// Refuse answers a request that is refused. Nobody knows where the next one would begin.
func (s *Session) Refuse(data []byte, why *exchange.Refusal) {
	s.Request = library.Request{Method: "GET"}
	if bytes.HasPrefix(bytes.TrimLeft(data, "\r\n"), []byte("HEAD ")) {
		s.Request.Method = "HEAD" // whose answer has no body
	}
	s.framing, s.Reply.Started, s.Last, s.Unread = framing{}, s.Port.Started(), true, true
	s.Port.Refuse(&s.Answer, why)
	s.compose()
}

func (s *Session) compose() {
	s.Sent, s.Due = 0, 0
	s.appendHead()
	switch {
	case !s.HasBody():
		s.Answer.Body = library.Body{}
	case s.Answer.Size <= library.SmallBody && s.Answer.Data != nil:
		s.Out = append(s.Out, s.Answer.Data...)
		s.Took(s.Answer.Size)
	}
}

// Forget lets go of what an answer was made from, so that nobody who is idle keeps a release.
func (s *Session) Forget() {
	s.Answer = library.Answer{}
	s.Scratch.Clear()
}

func (s *Session) appendHead() {
	a, out := &s.Answer, s.Out[:0]
	out = append(append(out, statusLines[a.Status]...), s.Date()...)
	if s.framing.old {
		out[len("HTTP/1.")] = '0'
	}
	out = append(append(append(out, a.Shared...), a.Own...), a.Extra...)
	if a.HasLength() {
		out = append(strconv.AppendInt(append(out, "Content-Length: "...), a.Size, 10), "\r\n"...)
	}
	switch {
	case s.Last, s.framing.ends && !s.framing.old:
		out = append(out, "Connection: close\r\n"...)
	case s.framing.old && !s.framing.ends:
		out = append(out, "Connection: keep-alive\r\n"...)
	}
	s.Out = append(out, "\r\n"...)
}

// statusLines are prepared for every status.
var statusLines = func() (lines [600]string) {
	for status := range lines {
		lines[status] = "HTTP/1.1 " + strconv.Itoa(status) + " " + library.StatusText(status) + "\r\n"
	}
	return lines
}()
