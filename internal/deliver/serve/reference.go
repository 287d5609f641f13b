package serve

import (
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stele/internal/deliver/library"
)

// linger is how long a client may go on sending a body that nobody reads, so that it comes to read
// the answer.
const linger = 500 * time.Millisecond

// ServeHTTP answers a request the plain way, through net/http. It takes every request that there
// can be; the fast lane must agree with it.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	defer s.survive(func() { panic(http.ErrAbortHandler) }) // net/http closes the connection
	r := reply{request: requestOf(q), started: s.started()}
	a := &r.answer
	if why := s.refuses(q); why != nil {
		r.request = library.Request{Method: q.Method}
		s.library.Load().Problem(a, why.status, why.detail)
	} else {
		s.ask(&r.request, a, new(library.Scratch))
	}
	defer a.LetGo() // if something panics
	control := http.NewResponseController(w)
	// where that cannot be set there is none
	renew := func() { control.SetWriteDeadline(time.Now().Add(s.options.IdleTime)) }
	// a head alone can get stuck, too
	renew()
	setHeader(w.Header(), a.Shared, a.Own, a.Extra)
	conn, _ := q.Context().Value(connKey{}).(net.Conn)
	if s.isLast(countedOf(conn)) {
		w.Header().Set("Connection", "close")
	}
	if a.HasLength() {
		w.Header().Set("Content-Length", strconv.FormatInt(a.Size, 10))
	}
	// nobody reads a body, so nobody knows where the next request begins
	if q.ContentLength != 0 && q.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
		// where that cannot be set, the client has the idle time
		control.SetReadDeadline(time.Now().Add(linger))
	}
	w.WriteHeader(a.Status)
	if r.hasBody() {
		r.copyTo(w, renew) // the client is gone if it fails
	}
	countedOf(conn).earn(0)
	s.end(&r, laneReference) // there is nobody to tell
}

// refuses is why a request is not answered from the release; nil if it is.
func (s *Server) refuses(q *http.Request) *refusal {
	if q.ProtoMajor == 1 {
		return refusalOf(q)
	}
	for _, values := range q.Header {
		for _, value := range values {
			if trimSpace(value) != value {
				return badSpace
			}
		}
	}
	path := q.RequestURI
	if q.Method == http.MethodConnect {
		path = ""
	}
	line := pseudo{method: q.Method, authority: q.Host, path: path}
	if why := line.judge(q.Header["Host"]); why != nil {
		return why
	}
	_, why := judgeLength(q.Header["Content-Length"], q.Body == http.NoBody)
	return why
}

// requestOf takes from a request what matters.
func requestOf(q *http.Request) library.Request {
	return library.Request{
		Method: q.Method, Path: pathOf(q), Accept: all(q, "Accept"), AcceptEncoding: all(q, "Accept-Encoding"),
		Conditions: library.Conditions{
			IfMatch: all(q, "If-Match"), IfUnmodifiedSince: all(q, "If-Unmodified-Since"),
			IfNoneMatch: all(q, "If-None-Match"), IfModifiedSince: all(q, "If-Modified-Since"),
		},
		Range: all(q, "Range"), IfRange: all(q, "If-Range"),
	}
}

// pathOf is the decoded path. One in which decoding hides a slash, a backslash or a control
// character leads nowhere.
func pathOf(q *http.Request) string {
	raw := q.URL.RawPath
	if strings.Contains(raw, "%2f") || strings.Contains(raw, "%2F") ||
		strings.ContainsFunc(q.URL.Path, func(r rune) bool { return r < ' ' || r == '\\' || r == 0x7f }) {
		return ""
	}
	if q.URL.Path == "" && q.URL.Host != "" { // http://example.org, as a proxy asks
		return "/"
	}
	return q.URL.Path
}

// all are the values of a header, as one.
func all(q *http.Request, name string) string { return strings.Join(q.Header[name], ", ") }

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
