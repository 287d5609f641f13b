package serve

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// ServeHTTP answers a request through net/http. The fast lane must give the same answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	defer s.recoverPanic(func() { panic(http.ErrAbortHandler) }) // net/http closes the connection
	r := exchange.Reply{Request: newRequest(q), Started: s.Started(), InFull: true}
	a := &r.Answer
	s.Ask(&r.Request, a, new(library.Scratch))
	defer a.Release() // for panics
	control := http.NewResponseController(w)
	// an error means that the connection has no deadlines
	renew := func() { control.SetWriteDeadline(time.Now().Add(s.options.IdleTime)) }
	// a head alone can get stuck too
	renew()
	setHeader(w.Header(), a.Shared, a.Own, a.Extra)
	conn, _ := q.Context().Value(connKey{}).(net.Conn)
	if limitedConnOf(conn).CountRequest() {
		w.Header().Set("Connection", "close")
	}
	if a.HasLength() {
		w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
	}
	// the body is not read, so the start of the next request is unknown
	if q.ContentLength != 0 && q.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		// if this fails, the client has the idle time
		control.SetReadDeadline(time.Now().Add(exchange.Linger))
	}
	w.WriteHeader(a.Status)
	if r.HasBody() {
		copyTo(&r, w, renew) // an error means that the client is gone
	}
	limitedConnOf(conn).noteActivity(0)
	s.End(&r)
}

// newRequest returns the parts of a request that affect the answer. It joins several values of a
// header.
func newRequest(q *http.Request) library.Request {
	r := library.Request{Method: q.Method, Path: exchange.Path(q.URL), Query: q.URL.RawQuery}
	for name, values := range q.Header {
		if to := exchange.FieldOf(&r, name); to != nil {
			*to = strings.Join(values, ", ")
		}
	}
	return r
}

// setHeader copies header lines to h. net/http requires a list of values for each name; the lists
// share one array.
func setHeader(h http.Header, blocks ...[]byte) {
	const usual = 16 // number of lines
	values := make([]string, 0, usual)
	for _, block := range blocks {
		for line := range strings.SplitSeq(strings.TrimSuffix(string(block), "\r\n"), "\r\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				values = append(values, value)
				// written as in the line: "ETag", not "Etag"
				h[name] = values[len(values)-1 : len(values) : len(values)]
			}
		}
	}
}
