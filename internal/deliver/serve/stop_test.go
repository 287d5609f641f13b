//go:build unix

package serve_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// download is the body of a large file of which some has been read.
type download struct {
	name string
	io.Reader
	close func()
}

// begin begins downloads in all ways that there are.
func begin(t *testing.T, plain, secure string) (all []download) {
	t.Helper()
	head := "GET /" + large + " HTTP/1.1\r\nHost: a\r\n"
	overTLS := func() net.Conn {
		return tls.Client(dial(t, secure), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	}
	for _, c := range []struct {
		name, head string
		conn       net.Conn
	}{
		{"lane", head, dial(t, plain)},
		{"net/http", head + unknown, dial(t, plain)},
		{"lane, TLS", head, overTLS()},
		{"net/http, TLS", head + unknown, overTLS()},
	} {
		must.Get(io.WriteString(c.conn, c.head+"\r\n"))(t)
		answer := must.Get(http.ReadResponse(bufio.NewReader(c.conn), nil))(t)
		all = append(all, download{c.name, answer.Body, func() { c.conn.Close() }})
	}
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
	}
	answer, err := (&http.Client{Transport: transport}).Get("https://" + secure + "/" + large)
	if err != nil || answer.ProtoMajor != 2 {
		t.Fatalf("%v, %v", answer, err)
	}
	all = append(all, download{"HTTP/2", answer.Body, func() {
		answer.Body.Close()
		transport.CloseIdleConnections()
	}})
	for _, d := range all {
		if _, err := io.CopyN(io.Discard, d, 1000); err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
	}
	return all
}

// stoppable are two servers, for plain HTTP and TLS.
func stoppable(t *testing.T) (servers []*serve.Server, plain, secure string) {
	t.Helper()
	opt := serve.Options{IdleTime: time.Hour} // so that nothing is given up for another reason
	a := serve.New(openedLarge(t, opt), opt)
	opt.TLS = secureOptions(t)
	b := serve.New(openedLarge(t, opt), opt)
	return []*serve.Server{a, b}, listening(t, a), listening(t, b)
}

// TestStopFinishes: what is being sent when the server stops is sent to the end, and nothing new is
// taken.
func TestStopFinishes(t *testing.T) {
	leavesNothing(t)
	servers, plain, secure := stoppable(t)
	idle := []net.Conn{dial(t, plain), dial(t, plain), dial(t, secure)}
	if _, err := io.WriteString(idle[1], plainHead+unknown+"\r\n"); err != nil { // which is idle in net/http
		t.Fatal(err)
	}
	inNetHTTP := bufio.NewReader(idle[1])
	if _, _, err := answerTo(inNetHTTP, http.MethodGet); err != nil {
		t.Fatal(err)
	}
	downloads := begin(t, plain, secure)
	stopped := make(chan error, len(servers))
	for _, s := range servers {
		go func() { stopped <- s.Shutdown(t.Context()) }()
	}
	for i, c := range []io.Reader{idle[0], inNetHTTP, idle[2]} {
		if err := closed(c); err != nil {
			t.Errorf("idle connection %d: %v", i, err)
		}
	}
	for _, address := range []string{plain, secure} {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Errorf("%s still takes connections", address)
		}
	}
	for _, d := range downloads {
		n, err := io.Copy(io.Discard, d)
		if n != largeSize-1000 || err != nil {
			t.Errorf("%s: %d more bytes, %v", d.name, n, err)
		}
		d.close()
	}
	for range servers {
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}
}

// TestStopFinishesBeforeMore: an answer is finished although its client has asked for more
// meanwhile, which nobody reads any more. The system would throw away what it has of the answer if
// the connection were closed with that unread.
func TestStopFinishesBeforeMore(t *testing.T) {
	for _, secure := range []*tls.Config{nil, secureOptions(t)} {
		leavesNothing(t)
		finishesBeforeMore(t, serve.Options{IdleTime: time.Hour, TLS: secure})
	}
}

func finishesBeforeMore(t *testing.T, opt serve.Options) {
	s := serve.New(openedLarge(t, opt), opt)
	address := listening(t, s)
	idle, conn := dial(t, address), dial(t, address)
	// so that most of the answer is not with the client when the connection is closed
	must.Do(t, conn.(*net.TCPConn).SetReadBuffer(64<<10))
	if opt.TLS != nil {
		conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
	}
	request := "GET /" + large + " HTTP/1.1\r\nHost: a\r\n\r\n"
	must.Get(io.WriteString(conn, request))(t)
	answer := must.Get(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	must.Get(io.WriteString(conn, strings.Repeat(request, 100)))(t)
	stopped := make(chan error, 1)
	go func() { stopped <- s.Shutdown(t.Context()) }()
	if err := closed(idle); err != nil { // the server has begun to stop
		t.Error(err)
	}
	if n, err := io.Copy(io.Discard, answer.Body); n != largeSize || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestStopCuts: when patience is over, what is left is cut.
func TestStopCuts(t *testing.T) {
	leavesNothing(t)
	servers, plain, secure := stoppable(t)
	downloads := begin(t, plain, secure)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan error, len(servers))
	for _, s := range servers {
		go func() { stopped <- s.Shutdown(ctx) }()
	}
	cancel()
	for range servers {
		if err := <-stopped; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "were closed") {
			t.Errorf("stopping says %v", err)
		}
	}
	for _, d := range downloads {
		if n, err := io.Copy(io.Discard, d); err == nil && n == largeSize-1000 {
			t.Errorf("%s came to its end", d.name)
		}
		d.close()
	}
}

// TestNoServerAfterStop: a server that was stopped takes no more listeners, and stopping twice does
// no harm.
func TestNoServerAfterStop(t *testing.T) {
	leavesNothing(t)
	s := serve.New(opened(t, serve.Options{}), serve.Options{})
	for range 2 {
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("the listener is still open")
	}
}
