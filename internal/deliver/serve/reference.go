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

// ServeHTTP answers a request the plain way, through net/http. The other ways must agree with it.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	defer s.survive(func() { panic(http.ErrAbortHandler) }) // net/http closes the connection
	r := exchange.Reply{Request: requestOf(q), Started: s.Started(), InFull: true}
	a := &r.Answer
	s.Ask(&r.Request, a, new(library.Scratch))
	defer a.Release() // if something panics
	control := http.NewResponseController(w)
	// where that cannot be set there is none
	renew := func() { control.SetWriteDeadline(time.Now().Add(s.options.IdleTime)) }
	// a head alone can get stuck, too
	renew()
	setHeader(w.Header(), a.Shared, a.Own, a.Extra)
	conn, _ := q.Context().Value(connKey{}).(net.Conn)
	if countedOf(conn).IsLast() {
		w.Header().Set("Connection", "close")
	}
	if a.HasLength() {
		w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
	}
	// nobody reads a body, so nobody knows where the next request begins
	if q.ContentLength != 0 && q.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		// where that cannot be set, the client has the idle time
		control.SetReadDeadline(time.Now().Add(exchange.Linger))
	}
	w.WriteHeader(a.Status)
	if r.HasBody() {
		copyTo(&r, w, renew) // the client is gone if it fails
	}
	countedOf(conn).earn(0)
	s.End(&r)
}

// requestOf takes from a request what matters. The values of a header count as one.
func requestOf(q *http.Request) library.Request {
	r := library.Request{Method: q.Method, Path: exchange.Path(q.URL), Query: q.URL.RawQuery}
	for name, values := range q.Header {
		if to := exchange.FieldOf(&r, name); to != nil {
			*to = strings.Join(values, ", ")
		}
	}
	return r
}

// setHeader takes over header lines. net/http wants a list of values for each name; all of them
// share one.
func setHeader(h http.Header, blocks ...[]byte) {
	const usual = 16 // lines
	values := make([]string, 0, usual)
	for _, block := range blocks {
		for line := range strings.SplitSeq(strings.TrimSuffix(string(block), "\r\n"), "\r\n") {
			if name, value, ok := strings.Cut(line, ": "); ok {
				values = append(values, value)
				// as it is written here: "ETag", not "Etag"
				h[name] = values[len(values)-1 : len(values) : len(values)]
			}
		}
	}
}
