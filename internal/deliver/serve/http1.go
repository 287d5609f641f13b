package serve

import (
	"net/http"
	"strconv"

	"stele/internal/deliver/library"
)

// HTTP/1.1 in the fast lane, without connections: bytes come in, answers go out. Common requests
// are answered from prepared bytes, without allocation. The first that is not recognised goes to
// net/http, together with its connection. Who has the connection moves the bytes: a goroutine that
// waits for them (lane.go), or a loop that does not (loop_linux.go).

const (
	requestRoom = 4 << 10  // for the head of a request; a larger one is for net/http
	answerRoom  = 20 << 10 // for a head and a small body, sent at once
)

// leastOfNext is how many bytes of a request must have come before anybody looks at it, if it is
// not the first: net/http looks at nothing before.
const leastOfNext = 4

// http1 answers requests, one at a time.
type http1 struct {
	server  *Server
	reply          // the request that was taken last, and its answer: of that, what is not in out
	out     []byte // what is sent first: the head, and a small body
	last    bool   // whether the connection ends then
	scratch library.Scratch
}

// take takes the next request from what has come, and answers it. size is how many bytes it had.
// One that is still not whole, although there is no more room for it, is strange. If the answer has
// to be waited for where nobody waits, the request is cold: it is taken again, with what was
// fetched.
func (h *http1) take(data []byte, full bool, of *counted, fetched *reply) (size int, v verdict) {
	size, v = recognise(data, &h.request)
	switch {
	case v == partial && full:
		return 0, strange
	case v != whole:
		return size, v
	}
	h.sent, h.due = 0, 0
	if fetched != nil {
		h.answer, h.started = fetched.answer, fetched.started
	} else {
		h.started = h.server.started()
		h.server.ask(&h.request, &h.answer, &h.scratch)
		if h.answer.WouldBlock {
			return size, cold
		}
	}
	h.last = h.server.isLast(of)
	h.out = h.server.appendHead(h.out[:0], &h.answer, h.last)
	switch {
	case !h.hasBody():
		h.answer.Body = library.Body{}
	case h.answer.Size <= library.SmallBody && h.answer.Data != nil:
		h.out = append(h.out, h.answer.Data...)
		h.took(h.answer.Size)
	}
	return size, whole
}

// forget lets go of what an answer was made from, so that nobody who is idle keeps a release.
func (h *http1) forget() {
	h.answer = library.Answer{}
	h.scratch.Clear()
}

// tooSlow writes and counts the answer to a head that did not come in time.
func (s *Server) tooSlow(out []byte) []byte {
	var a library.Answer
	s.library.Load().Problem(&a, tooSlow.status, tooSlow.detail)
	s.count(&library.Request{}, &a, a.Size, s.clock.now(), laneFast)
	return append(s.appendHead(out, &a, true), a.Data...)
}

// appendHead writes the head of an answer. After the last one the connection is closed.
func (s *Server) appendHead(out []byte, a *library.Answer, last bool) []byte {
	out = append(append(out, statusLine(a.Status)...), s.clock.date()...)
	out = append(append(append(out, a.Shared...), a.Own...), a.Extra...)
	if a.HasLength() {
		out = appendLength(out, a.Size)
	}
	if last {
		out = append(out, "Connection: close\r\n"...)
	}
	return append(out, "\r\n"...)
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
