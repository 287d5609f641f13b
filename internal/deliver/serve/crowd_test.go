//go:build linux

package serve

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"stele/internal/deliver/serve/exchange"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

// askOn asks for something on a connection, and answers with what comes.
func askOn(t *testing.T, conn net.Conn, path string, lines ...string) *http.Response {
	t.Helper()
	conn.SetDeadline(time.Now().Add(time.Minute))
	must.Get(io.WriteString(conn, get(path, lines...)))(t)
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	must.Get(io.Copy(io.Discard, answer.Body))(t)
	return answer
}

// dialTo is a connection that is closed with the test.
func dialTo(t *testing.T, address string) net.Conn {
	t.Helper()
	conn := must.Get(net.Dial("tcp", address))(t)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// TestSilentClientsMakeRoom: when all places are taken by clients that say nothing, or have had
// their answer, others get one all the same, however long those may stay.
func TestSilentClientsMakeRoom(t *testing.T) {
	t.Parallel() // it waits
	const places = 4
	for name, opt := range map[string]Options{"loops": {}, "goroutines": {}, "net/http": {Wrap: plainly}} {
		for _, speaks := range []bool{false, true} {
			opt.Connections, opt.HeaderTime, opt.IdleTime = places, time.Hour, time.Hour
			s, listener := New(openSpecimen(t, opt), opt), net.Listener(nil)
			var err error
			if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
				t.Fatal(err)
			}
			address := listener.Addr().String()
			if name == "goroutines" {
				listener = from{listener, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
			}
			go s.Serve(listener)
			for range places {
				if conn := dialTo(t, address); speaks {
					askOn(t, conn, specimen.Plain)
				}
			}
			for range places { // more than one is in the way
				if answer := askOn(t, dialTo(t, address), specimen.Plain); answer.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", name, answer.Status)
				}
			}
			if n := s.metrics.refusals[refusedIdle].Load(); n == 0 {
				t.Errorf("%s: nobody made room", name)
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}
}

// from is a listener whose clients seem to come from an address. Its connections are none that a
// loop takes.
type from struct {
	net.Listener
	address net.Addr
}

type fromConn struct {
	net.Conn
	address net.Addr
}

func (c fromConn) RemoteAddr() net.Addr { return c.address }

func (l from) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return fromConn{conn, l.address}, err
}

// TestConnectionsOfAnAddress: one client cannot take all places. Those of this machine can.
func TestConnectionsOfAnAddress(t *testing.T) {
	for ip, limited := range map[string]bool{"192.0.2.7": true, "2001:db8::1": true, "127.0.0.1": false, "::1": false} {
		opt := Options{PerAddress: 2}
		s := New(openSpecimen(t, opt), opt)
		listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		go s.Serve(from{listener, &net.TCPAddr{IP: net.ParseIP(ip)}})
		var conns []net.Conn
		for range 2 {
			conns = append(conns, dialTo(t, listener.Addr().String()))
			askOn(t, conns[len(conns)-1], specimen.Plain)
		}
		third := dialTo(t, listener.Addr().String())
		third.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(third, get(specimen.Plain)) // which may fail
		if _, err := http.ReadResponse(bufio.NewReader(third), nil); (err != nil) != limited {
			t.Errorf("%s: the third connection: %v", ip, err)
		}
		if n := s.metrics.refusals[refusedAddress].Load(); (n == 1) != limited {
			t.Errorf("%s: %d were refused", ip, n)
		}
		conns[0].Close()
		for s.metrics.connections.Load() > 2 || limited && s.metrics.connections.Load() > 1 {
			time.Sleep(time.Millisecond)
		}
		askOn(t, dialTo(t, listener.Addr().String()), specimen.Plain)
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		for addressesOf(s) > 0 { // the last connections may only now be let go
			time.Sleep(time.Millisecond)
		}
	}
	one, _ := ClientOf(&net.TCPAddr{IP: net.ParseIP("2001:db8::1")})
	other, _ := ClientOf(&net.TCPAddr{IP: net.ParseIP("2001:db8::ffff:2")})
	if one != other {
		t.Error("two addresses of one network count as two")
	}
}

func addressesOf(s *Server) int {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	return len(s.clients.count)
}

// TestLastRequest: a connection may ask so often, or for so long, and is told when it was the last.
func TestLastRequest(t *testing.T) {
	t.Parallel() // it waits
	for name, opt := range map[string]Options{
		"often": {ConnectionRequests: 3}, "long": {ConnectionTime: 1},
		"net/http": {ConnectionRequests: 3, Wrap: plainly},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, address := onLoopback(t, openSpecimen(t, opt), opt)
			for _, path := range []string{specimen.Plain, specimen.Large} {
				conn := dialTo(t, address)
				most := max(opt.ConnectionRequests, 2)
				for i := range most {
					time.Sleep(exchange.ClockLag / time.Duration(most)) // so that the clock goes on
					if answer := askOn(t, conn, path); answer.Close {
						if i == most-1 || opt.ConnectionTime > 0 {
							break
						}
						t.Fatalf("%s: request %d is the last", name, i+1)
					} else if i == most-1 && opt.ConnectionTime == 0 {
						t.Errorf("%s: request %d is not the last", name, i+1)
					}
				}
				if opt.ConnectionTime > 0 {
					continue
				}
				if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
					t.Errorf("%s: after the last comes %v", name, err)
				}
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHTTP2LastRequest: HTTP/2 says so with GOAWAY, and answers what was asked before.
func TestHTTP2LastRequest(t *testing.T) {
	withHTTP2(t, Options{ConnectionRequests: 3}, func(t *testing.T, s *Server) {
		p := greet(t, s, true, wide)
		defer p.Close()
		p.framer.WriteWindowUpdate(0, 1<<30)
		for range 5 {
			p.get(specimen.Large)
		}
		p.send()
		h := p.listen(t)
		if h.away == nil || h.away.LastStreamID != 5 || h.away.ErrCode != http2.ErrCodeNo || !h.over {
			t.Errorf("%v, over %t", h.away, h.over)
		}
		for id := uint32(1); id <= 5; id += 2 {
			if st := h.streams[id]; st == nil || !st.ended {
				t.Errorf("stream %d is not answered", id)
			}
		}
		if h.streams[7] != nil {
			t.Error("one more is answered")
		}
	})
}

// TestSilentHTTP2: a client that does not even say that it speaks HTTP/2 has the time for a head.
func TestSilentHTTP2(t *testing.T) {
	withHTTP2(t, Options{HeaderTime: 5 * time.Second}, func(t *testing.T, s *Server) {
		p := greet(t, s, true)
		defer p.Close()
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if n := s.metrics.refusals[refusedSlow].Load(); n != 1 {
			t.Errorf("%d were too slow", n)
		}
	})
}

// TestRefusalsAreReported: what is refused is counted, and the log says so in one line.
func TestRefusalsAreReported(t *testing.T) {
	var logged []slog.Record
	opt := Options{Log: slog.New(memo{&logged}), TLS: &tls.Config{}, HeaderTime: time.Minute}
	s, address := onLoopback(t, openSpecimen(t, opt), opt)
	for range 3 {
		conn := dialTo(t, address)
		conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(conn, "this is no handshake")
		io.Copy(io.Discard, conn) // until it is closed
	}
	for s.metrics.refusals[refusedHandshake].Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	must.Do(t, s.Shutdown(t.Context()))
	logged = nil
	s.metrics.requests[http.StatusBadRequest].Add(2)
	before := s.logRefusals(refusalCounts{})
	s.logRefusals(before)
	if len(logged) != 1 || logged[0].Message != "requests refused" {
		t.Fatalf("the log has %v", logged)
	}
	var attributes []string
	logged[0].Attrs(func(a slog.Attr) bool {
		attributes = append(attributes, a.String())
		return true
	})
	if got := strings.Join(attributes, ", "); got != "handshake=3, Bad Request=2" {
		t.Errorf("the log says %s", got)
	}
}
