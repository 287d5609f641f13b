// Package http1 implements HTTP/1.1 without connections: it parses requests and writes answers.
// Common requests are recognised and answered with prepared bytes, without allocations; all others
// are parsed in full. The caller transfers the bytes.
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

// Room returns the buffer size for the largest allowed head.
func Room(l *exchange.Limits) int { return max(UsualRoom, l.HeaderBytes+1) }

// Session answers the requests of a connection, one at a time.
type Session struct {
	exchange.Port
	exchange.Reply        // the last request and its answer, except what is in Out
	Out            []byte // what to send first: the head, and a small body
	Last           bool   // whether the connection ends afterwards
	Unread         bool   // whether unread data may follow
	Scratch        library.Scratch
	framing        framing
}

type framing struct {
	size int  // of the head
	old  bool // whether the client speaks HTTP/1.0
	ends bool // whether the client sends no more requests
	body bool // whether an unread body follows
}

// Progress is the state of parsing the next request of a connection.
type Progress struct {
	later  bool // whether it is not the first
	empty  int  // bytes of empty lines before it
	judged int  // bytes of well-formed lines, if it is parsed in full
	first  int  // of these, bytes of the first line
	looked int  // bytes of an incomplete head without a strange line
}

// leastOfNext is the number of bytes that must arrive before a request other than the first is
// parsed.
const leastOfNext = 4

// HasBegun reports whether a request has begun, given the number of bytes that have arrived.
func (p *Progress) HasBegun(bytes int) bool {
	if p.later {
		return bytes+p.empty >= leastOfNext
	}
	return bytes > 0
}

// IsFirst reports whether the connection has had no request yet.
func (p *Progress) IsFirst() bool { return !p.later }

// HasEmpty reports whether empty lines came before the request.
func (p *Progress) HasEmpty() bool { return p.empty > 0 }

// Verdict is the result of parsing.
type Verdict int

const (
	Partial Verdict = iota // an incomplete request
	Whole                  // a request to answer
	Refused                // a malformed request, to be refused
	strange                // a request that recognise does not accept
)

// Take parses the next request in data. size is the number of bytes consumed. A request that is
// incomplete when the buffer is full is refused.
func (s *Session) Take(data []byte, p *Progress) (size int, v Verdict) {
	if !p.HasBegun(len(data)) {
		return 0, Partial
	}
	s.framing, s.InFull = framing{}, false
	most := s.Limits().HeaderBytes
	if p.looked > 0 && len(data) <= most && bytes.IndexByte(data[min(p.looked, len(data)):], '\n') < 0 {
		return 0, Partial // do not parse again after every byte
	}
	if p.judged == 0 {
		if size, v = recognise(data, &s.Request); v == Partial && len(data) > most || size > most {
			v = strange
		}
	}
	if p.judged > 0 || v == strange {
		var why *exchange.Refusal
		s.InFull = true
		if size, why = s.parseFully(data, p, most); why != nil {
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

// Ask gets the answer to the parsed request. It returns false if the answer is not ready, because
// reading it would wait.
func (s *Session) Ask() bool {
	s.Port.Ask(&s.Request, &s.Answer, &s.Scratch)
	return !s.Answer.WouldBlock
}

// Asked is a detached request whose answer is not ready.
type Asked struct {
	exchange.Reply
	framing framing
}

// Detach detaches the request, with copies of its texts, so that other requests can be answered
// meanwhile.
func (s *Session) Detach() *Asked {
	a := &Asked{s.Reply, s.framing}
	a.Answer = library.Answer{}
	r := &a.Request // the method is a constant text
	for _, text := range [...]*string{
		&r.Path, &r.Accept, &r.AcceptEncoding, &r.Range, &r.IfRange,
		&r.IfMatch, &r.IfNoneMatch, &r.IfModifiedSince, &r.IfUnmodifiedSince,
	} {
		*text = strings.Clone(*text)
	}
	return a
}

// Attach attaches a detached request again, with its answer.
func (s *Session) Attach(a *Asked) { s.Reply, s.framing = a.Reply, a.framing }

// Compose writes the head of the answer, and a small body.
func (s *Session) Compose(of exchange.Client) {
	s.Last = of.CountRequest() || s.framing.body
	s.Unread = s.framing.body
	s.composeAnswer()
	s.Last = s.Last || s.framing.ends
}

// Refuse answers a malformed request. The connection ends, because the start of the next request is
// unknown.
func (s *Session) Refuse(data []byte, why *exchange.Refusal) {
	s.Request = library.Request{Method: "GET"}
	if bytes.HasPrefix(bytes.TrimLeft(data, "\r\n"), []byte("HEAD ")) {
		s.Request.Method = "HEAD" // its answer has no body
	}
	s.framing, s.Reply.Started, s.Last, s.Unread = framing{}, s.Port.Started(), true, true
	s.Port.Refuse(&s.Answer, why)
	s.composeAnswer()
}

func (s *Session) composeAnswer() {
	s.Sent, s.Due = 0, 0
	s.appendHead()
	switch {
	case !s.HasBody():
		s.Answer.Body = library.Body{}
	case s.Answer.Size <= library.SmallBody && s.Answer.Data != nil:
		s.Out = append(s.Out, s.Answer.Data...)
		s.AddSent(s.Answer.Size)
	}
}

// Forget drops references to the answer, so that an idle connection does not retain a release.
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

// statusLines has a line for each status.
var statusLines = func() (lines [600]string) {
	for status := range lines {
		lines[status] = "HTTP/1.1 " + strconv.Itoa(status) + " " + library.StatusText(status) + "\r\n"
	}
	return lines
}()
