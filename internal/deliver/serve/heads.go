package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// net/http answers what it cannot read by itself: without a date, without a count, and not always
// as RFC 9112 wants it. So it gets only heads that are right. Each is read here first, line by
// line; in the place of one that is wrong it gets a request for refusedTarget, which ServeHTTP
// answers with what is wrong, after the answers to the requests before it.

const (
	refusedTarget = "/.refused"
	maxTarget     = 8 << 10 // bytes of a request's target; RFC 9112, section 3, asks for 8,000
)

// refusal is why a request is not answered.
type refusal struct {
	status int
	detail string
}

// Refusals.
var (
	badLine     = &refusal{http.StatusBadRequest, "The request does not begin with a method, an address and a version of HTTP."}
	badField    = &refusal{http.StatusBadRequest, "A header line is not a name, a colon and a value."}
	badTarget   = &refusal{http.StatusBadRequest, "The address in the request is not well formed."}
	userinfo    = &refusal{http.StatusBadRequest, "The address in the request has a user in it."}
	badHost     = &refusal{http.StatusBadRequest, "A request has one Host line, with a host and perhaps a port."}
	badFraming  = &refusal{http.StatusBadRequest, "Where the request ends cannot be told."}
	cutShort    = &refusal{http.StatusBadRequest, "The request ended before its head did."}
	tooSlow     = &refusal{http.StatusRequestTimeout, "The head of the request did not come in time."}
	longTarget  = &refusal{http.StatusRequestURITooLong, "The address in the request is too long."}
	largeHead   = &refusal{http.StatusRequestHeaderFieldsTooLarge, "The head of the request is too large."}
	badEncoding = &refusal{http.StatusNotImplemented, "The only transfer encoding that is known is chunked."}
	badVersion  = &refusal{http.StatusHTTPVersionNotSupported, "Here, only HTTP/1.0 and HTTP/1.1 are spoken."}
)

// begunConn is a connection that net/http reads from, of which something has been read already.
type begunConn struct {
	net.Conn
	begun   []byte // what has come and is not judged
	counted *counted

	judged  int    // how much of it is whole lines that are right
	first   int    // and how much of that the first line is
	empty   int    // how much of empty lines came before it
	least   int    // how much of a request there is before anybody looks at it
	ready   []byte // for net/http
	passing bool   // whether a body follows, after which nothing is answered
	refused atomic.Pointer[refusal]
	until   time.Time // when the head has to be there; zero before it begins

	mu    sync.Mutex // for the deadline
	woken bool       // whether the deadline is only there to end a read
}

// connKey is where net/http keeps a connection for ServeHTTP.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// refusalOf is why a request is refused that stands for another; nil for others.
func refusalOf(q *http.Request) *refusal {
	if c, ok := q.Context().Value(connKey{}).(*begunConn); ok && q.RequestURI == refusedTarget {
		return c.refused.Load()
	}
	return nil
}

// Read gives net/http the next head that is right, or what follows it.
func (c *begunConn) Read(p []byte) (int, error) {
	for {
		switch {
		case len(c.ready) > 0:
			n := copy(p, c.ready)
			c.ready = c.ready[n:]
			return n, nil
		case c.refused.Load() != nil:
			return 0, errors.New("the request before was refused")
		case c.passing && len(c.begun) > 0:
			c.ready, c.begun = c.begun, nil
			continue
		case c.passing:
			return c.Conn.Read(p)
		}
		if size, why := c.judge(); why != nil {
			c.refuse(why)
		} else if size > 0 {
			c.ready, c.begun = c.begun[:size], c.begun[size:]
			c.judged, c.empty, c.until, c.least = 0, 0, time.Time{}, leastOfNext
		} else if err := c.more(); err != nil {
			return 0, err
		}
	}
}

// refuse lets net/http read a request that stands for one that is wrong.
func (c *begunConn) refuse(why *refusal) {
	method := http.MethodGet
	if bytes.HasPrefix(c.begun, []byte("HEAD ")) {
		method = http.MethodHead // whose answer has no body
	}
	c.refused.Store(why)
	c.ready = []byte(method + " " + refusedTarget + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
}

// more reads more of a head. The time for it begins with its first byte.
func (c *begunConn) more() error {
	begun := len(c.begun)+c.empty > 0
	if begun && c.until.IsZero() {
		c.until = time.Now().Add(c.counted.server.options.HeaderTime)
	}
	if begun {
		c.shorten()
	}
	var room [4 << 10]byte
	n, err := c.Conn.Read(room[:])
	c.begun = append(c.begun, room[:n]...)
	switch {
	case n > 0:
		return nil
	case err == nil || len(c.begun) == 0 || !c.hasBegun():
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		if c.isWoken() {
			return err
		}
		c.refuse(tooSlow)
	default:
		c.refuse(cutShort)
	}
	return nil
}

// SetReadDeadline sets when reading ends. net/http and Shutdown set one in the far past to wake who
// reads.
func (c *begunConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.woken = !t.IsZero() && t.Unix() <= 1
	return c.Conn.SetReadDeadline(t)
}

// shorten sets the deadline of a head, where it is not there to wake.
func (c *begunConn) shorten() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.woken {
		c.Conn.SetReadDeadline(c.until) // a connection that is closed says so when it is read
	}
}

func (c *begunConn) isWoken() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.woken
}

// hasBegun reports whether enough has come of a request to be looked at.
func (c *begunConn) hasBegun() bool { return len(c.begun)+c.empty >= c.least }

// judge looks at what has come. It answers with the size of the head if it is whole and right, with
// 0 if there is more to come, and with a refusal.
func (c *begunConn) judge() (size int, why *refusal) {
	if !c.hasBegun() {
		return 0, nil
	}
	most := c.counted.server.options.HeaderBytes
	for c.judged == 0 && len(c.begun) > 0 { // RFC 9112, section 2.2
		n := emptyLine(c.begun)
		if n == 0 {
			break
		}
		c.begun, c.empty = c.begun[n:], c.empty+n
		if c.empty > most {
			return 0, largeHead
		}
	}
	for {
		rest := c.begun[c.judged:]
		end := bytes.IndexByte(rest, '\n') + 1
		switch {
		case end == 0 && c.judged == 0 && len(rest) > maxTarget+64: // the longest method has far fewer
			return 0, longest(rest)
		case end == 0 && len(c.begun) > most, c.judged+end > most:
			return 0, largeHead
		case end == 0:
			return 0, nil
		case emptyLine(rest) > 0:
			size := c.judged + end
			return size, c.judgeHead(c.begun[:size])
		}
		line := bytes.TrimSuffix(rest[:end-1], []byte{'\r'})
		switch {
		case c.judged == 0:
			why = judgeRequestLine(string(line))
		case !isFieldLine(string(line), c.judged == c.first):
			why = badField
		}
		if why != nil {
			return 0, why
		}
		if c.judged == 0 {
			c.first = end
		}
		c.judged += end
	}
}

// emptyLine is how long the empty line is that data begins with; 0 if it begins with none.
func emptyLine(data []byte) int {
	switch {
	case bytes.HasPrefix(data, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(data, []byte("\n")):
		return 1
	}
	return 0
}

// longest says what is wrong with a first line that does not end.
func longest(line []byte) *refusal {
	method, _, _ := strings.Cut(string(line), " ")
	if !isToken(method) {
		return badLine
	}
	return longTarget
}

func judgeRequestLine(line string) *refusal {
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	major, minor, readable := http.ParseHTTPVersion(version)
	switch {
	case !isToken(method) || !ok || !readable:
		return badLine
	case len(target) > maxTarget:
		return longTarget
	case major != 1 || minor > 9:
		return badVersion
	}
	return nil
}

// isFieldLine reports whether a header line is well formed. A line that begins with white space
// continues the one before it, but for the first.
func isFieldLine(line string, first bool) bool {
	if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
		return !first && validValue(line)
	}
	name, value, ok := strings.Cut(line, ":")
	return ok && isToken(name) && validValue(value)
}

// isToken reports whether a word is what RFC 9110, section 5.6.2, calls a token.
func isToken(word string) bool { return word != "" && consists(word, &inToken) }

// judgeHead looks at a head whose lines are well formed as a whole.
func (c *begunConn) judgeHead(head []byte) *refusal {
	lines := strings.Split(string(head), "\n")
	hosts, encodings := valuesOf("Host", lines[1:]), valuesOf("Transfer-Encoding", lines[1:])
	old := strings.HasSuffix(strings.TrimSuffix(lines[0], "\r"), "HTTP/1.0")
	switch {
	case len(hosts) > 1, len(hosts) == 0 && !old, len(hosts) == 1 && hosts[0] != "" && !isAuthority(hosts[0]):
		return badHost
	case len(encodings) > 0 && old: // RFC 9112, section 6.1
		return badFraming
	case len(encodings) > 1, len(encodings) == 1 && !sameName(encodings[0], "chunked"):
		return badEncoding
	}
	if why := judgeTarget(strings.Split(lines[0], " ")[:2]); why != nil {
		return why
	}
	q, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
	if err != nil {
		return badFraming // all else was looked at
	}
	c.passing = q.ContentLength != 0
	return nil
}

// valuesOf are the values of a header, one for each line that begins with its name.
func valuesOf(header string, lines []string) (values []string) {
	ours := false
	for _, line := range lines {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			if ours { // it is continued
				values[len(values)-1] = strings.Trim(values[len(values)-1]+" "+strings.Trim(line, " \t\r"), " ")
			}
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		if ours = sameName(name, header); ours {
			values = append(values, strings.Trim(value, " \t\r"))
		}
	}
	return values
}

// judgeTarget looks at the method and the target of a request.
func judgeTarget(words []string) *refusal {
	method, target := words[0], words[1]
	if method == http.MethodConnect && !strings.HasPrefix(target, "/") {
		if !isAuthority(target) {
			return badTarget
		}
		return nil
	}
	u, err := url.ParseRequestURI(target)
	switch {
	case err != nil:
		return badTarget
	case u.User != nil: // RFC 9110, section 4.2.4
		return userinfo
	case u.Scheme == "http" || u.Scheme == "https":
		if !isAuthority(u.Host) { // RFC 9110, section 4.2.1
			return badTarget
		}
	}
	return nil
}

// Close lets a client that goes on sending read why it is not answered.
func (c *begunConn) Close() error {
	if c.refused.Load() != nil {
		farewell(c.Conn)
	}
	c.counted.leave()
	return c.Conn.Close()
}

// CloseWrite is that of the connection.
func (c *begunConn) CloseWrite() error { return closeWrite(c.Conn) }
