package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/deliver/library"
)

// The fast lane must answer as net/http does. So the same bytes are sent to a server with the lane
// and to one without, as a client would send them, and what comes back must be the same: status,
// headers but for the date, body, and whether the connection is kept. Both run in a bubble in which
// time stands still while anybody has something to do, so nothing here waits and nothing depends on
// how fast the machine is.

// wire is one end of a connection in memory. Each direction can be closed by itself, as with TCP.
type wire struct{ from, to net.Conn }

func newWire() (client, server wire) {
	serverFrom, clientTo := net.Pipe()
	clientFrom, serverTo := net.Pipe()
	return wire{clientFrom, clientTo}, wire{serverFrom, serverTo}
}

func (w wire) Read(p []byte) (int, error)         { return w.from.Read(p) }
func (w wire) Write(p []byte) (int, error)        { return w.to.Write(p) }
func (w wire) CloseWrite() error                  { return w.to.Close() }
func (w wire) Close() error                       { return errors.Join(w.from.Close(), w.to.Close()) }
func (w wire) LocalAddr() net.Addr                { return w.from.LocalAddr() }
func (w wire) RemoteAddr() net.Addr               { return w.from.RemoteAddr() }
func (w wire) SetReadDeadline(t time.Time) error  { return w.from.SetReadDeadline(t) }
func (w wire) SetWriteDeadline(t time.Time) error { return w.to.SetWriteDeadline(t) }
func (w wire) SetDeadline(t time.Time) error {
	return errors.Join(w.SetReadDeadline(t), w.SetWriteDeadline(t))
}

// patron is a client that takes whatever comes.
type patron struct {
	wire
	mu    sync.Mutex
	taken []byte
	ended bool
}

// got is what has come so far, and whether the server has ended the connection.
func (p *patron) got() (stream []byte, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken, p.ended
}

func (p *patron) take() {
	for part := make([]byte, 64<<10); !p.ended; {
		n, err := p.Read(part)
		p.mu.Lock()
		p.taken, p.ended = append(p.taken, part[:n]...), err != nil
		p.mu.Unlock()
	}
}

// connect connects to a server.
func connect(s *Server) wire {
	here, there := newWire()
	s.room <- struct{}{}
	go s.serveConn(newLimitedConn(s.sharedState, there))
	return here
}

func visit(s *Server) *patron {
	p := &patron{wire: connect(s)}
	go p.take()
	return p
}

// say sends bytes and waits until the server has done what it will. A server that has ended the
// connection hears nothing.
func (p *patron) say(data []byte) {
	p.Write(data)
	time.Sleep(time.Second) // of the bubble: net/http lingers for half of it after a bad request
	synctest.Wait()
}

// stop ends a server in a bubble.
func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	expectEmpty(t, s)
}

// expectEmpty makes sure that a server has let go of all connections.
func expectEmpty(t *testing.T, s *Server) {
	t.Helper()
	synctest.Wait()
	open, room, lanes := s.metrics.connections.Load(), len(s.room), len(s.goroutines.conns)
	if open != 0 || room != 0 ||
		lanes != 0 {
		t.Errorf("%d connections are counted, %d take up room, %d are in the lane", open, room, lanes)
	}
}

// talk is what a server makes of a connection.
type talk struct {
	replies []string // what came while the client was silent but there
	open    bool     // whether the connection was open then
	later   []string // what came when the client had ended its side
	over    bool     // whether the server ended its side then
	fast    int64    // how many requests took the fast lane
}

// converse says something to a new server, in pieces that arrive one by one. It must be called in a
// bubble.
func converse(t *testing.T, l *library.Library, opt Options, pieces ...[]byte) (k talk) {
	t.Helper()
	l.Retain() // for the next server
	s := New(l, opt)
	defer stop(t, s)
	p := visit(s)
	defer p.Close()
	for _, piece := range pieces {
		p.say(piece)
	}
	stream, over := p.got()
	k.replies, k.open = divide(stream), !over
	before := len(stream)
	p.CloseWrite()
	time.Sleep(time.Second)
	synctest.Wait()
	stream, k.over = p.got()
	k.later = divide(stream[before:])
	k.fast = s.metrics.lanes[laneFast].Load()
	return k
}

// divide takes a stream of responses apart. Header names are lower case and in order, without the
// date.
func divide(stream []byte) (replies []string) {
	for len(stream) > 0 {
		head, rest, _ := strings.Cut(string(stream), "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		length := len(rest)
		for i, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ":")
			name = strings.ToLower(name)
			switch name {
			case "date":
				value = ""
			case "content-length":
				length, _ = strconv.Atoi(strings.TrimSpace(value))
			}
			lines[i+1] = name + ":" + value
		}
		slices.Sort(lines[1:])
		if strings.HasPrefix(rest, "HTTP/1.") { // the next one: this is an answer to HEAD, or has no body
			length = 0
		}
		body := rest[:min(length, len(rest))]
		replies = append(replies, strings.Join(lines, "\n")+"\n\n"+body)
		stream = []byte(rest[len(body):])
	}
	return replies
}

// refused says that a reply of the lane refuses what is no request. net/http does so in words of
// its own, later, or by closing the connection.
var refused = regexp.MustCompile(`(?s)^HTTP/1\.1 (400|408|414|417|431|501|505) .*\nconnection: close\n.*\ncontent-type: application/problem\+json\n`)

// stricter are refusals of what net/http takes for a request: RFC 9110 and 9112 do not, or it is
// too large. Those of HEAD do not say why.
var stricter = regexp.MustCompile("must have one Host|contains a user|Malformed target|Ambiguous end|is too large|is too long|transfer encoding|\n\n$")

// difference says where two servers differ; "" if they agree. After a refusal nothing is compared.
func difference(lane, reference talk) string {
	all, http := slices.Concat(lane.replies, lane.later), slices.Concat(reference.replies, reference.later)
	if i := slices.IndexFunc(all, refused.MatchString); i >= 0 {
		if i < len(http) && http[i] < "HTTP/1.1 4" && !stricter.MatchString(all[i]) {
			return fmt.Sprintf("reply %d\n--- lane\n%s\n--- net/http\n%s", i, excerpt(all[i]), excerpt(http[i]))
		}
		if i != len(all)-1 || len(http) < i {
			return fmt.Sprintf("the lane has %d replies, the last of which refuses, net/http %d", len(all), len(http))
		}
		lane, reference = talk{replies: all[:i]}, talk{replies: http[:i]}
	}
	for _, c := range []struct {
		when       string
		lane, http []string
	}{{"", lane.replies, reference.replies}, {"after the end of the request ", lane.later, reference.later}} {
		for i := range max(len(c.lane), len(c.http)) {
			if i >= len(c.lane) || i >= len(c.http) {
				return fmt.Sprintf("%sthe lane has %d replies, net/http %d", c.when, len(c.lane), len(c.http))
			}
			if c.lane[i] != c.http[i] {
				return fmt.Sprintf("%sreply %d\n--- lane\n%s\n--- net/http\n%s", c.when, i, excerpt(c.lane[i]), excerpt(c.http[i]))
			}
		}
	}
	if lane.open != reference.open || lane.over != reference.over {
		return fmt.Sprintf("the lane keeps the connection: %v, then %v; net/http: %v, then %v", lane.open, !lane.over, reference.open, !reference.over)
	}
	return ""
}

// emptyLines are those before a request, which RFC 9112, section 2.2, wants to be ignored. net/http
// does not.
var emptyLines = regexp.MustCompile(`^\r?\n|\n\r?\n\r?\n`)

func hasEmptyLines(pieces [][]byte) bool { return emptyLines.Match(slices.Concat(pieces...)) }

func excerpt(s string) string { return s[:min(len(s), 1500)] }

// expectSame sends the same to both, and reports what they say.
func expectSame(t *testing.T, l *library.Library, pieces ...[]byte) (lane talk) {
	t.Helper()
	var reference talk
	synctest.Test(t, func(t *testing.T) {
		lane = converse(t, l, Options{}, pieces...)
		reference = converse(t, l, Options{Wrap: plainly}, pieces...)
	})
	if d := difference(lane, reference); d != "" && !hasEmptyLines(pieces) {
		t.Errorf("%.600q: %s", pieces, d)
	}
	if reference.fast != 0 {
		t.Error("the reference used the fast lane")
	}
	return lane
}
