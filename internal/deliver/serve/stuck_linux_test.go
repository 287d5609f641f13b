package serve

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stele/internal/deliver/library"
	"stele/internal/testkit/must"
)

// pairOver is a connection over TCP: the client's side, and the descriptor of the server's.
func pairOver(t *testing.T) (client *net.TCPConn, server int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must.Do(t, err)
	defer listener.Close()
	there, err := net.Dial("tcp", listener.Addr().String())
	must.Do(t, err)
	t.Cleanup(func() { there.Close() })
	here, err := listener.Accept()
	must.Do(t, err)
	if server, err = detach(here); err != nil {
		t.Fatal(err)
	}
	return there.(*net.TCPConn), server
}

// queued is how much the system has taken of a connection and the client has not.
func queued(t *testing.T, fd int) int {
	t.Helper()
	n := must.Get(unix.IoctlGetInt(fd, unix.SIOCOUTQ))(t)
	return n
}

// withLarge is a library with a file at /large that no connection has room for.
func withLarge() *library.Library {
	l := library.Blank(nil, library.Options{})
	library.ForTest(l).SetFile("large", nil, library.InMemory(make([]byte, 64<<20)))
	return l
}

// TestSlowClientIsLeftAlone: a client that takes a piece in the time that it has for it may go on,
// although the system makes room for the next only after several. One that takes nothing is given
// up.
func TestSlowClientIsLeftAlone(t *testing.T) {
	s := New(withLarge(), Options{})
	l := must.Get(newLoop(s.sharedState))(t)
	conn, fd := pairOver(t)
	conn.SetDeadline(time.Now().Add(time.Minute))
	s.addConn()
	s.room <- struct{}{}
	c := &client{fd: fd, counted: newLimitedConn(s.sharedState, nil)}
	l.now = time.Now()
	l.addClient(c)
	defer func() {
		if l.clients[fd] == c {
			l.closeClient(c)
		}
		if err := errors.Join(l.close(), s.Shutdown(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	fmt.Fprint(conn, get("/large"))
	for c.sending == nil {
		l.receive(c)
	}
	for before := int64(-1); c.sending.Sent > before; { // until there is no room
		before = c.sending.Sent
		l.continueSending(c)
	}
	l.closeIdle() // some of it has been taken at once
	for range 3 {
		for until := queued(t, fd) - piece; queued(t, fd) > until; {
			must.Get(io.CopyN(io.Discard, conn, 1<<10))(t)
		}
		l.now = l.now.Add(s.options.IdleTime + time.Second)
		if l.closeIdle(); l.clients[fd] != c {
			t.Fatal("a client that goes on was given up")
		}
	}
	l.now = l.now.Add(s.options.IdleTime + time.Second)
	if l.closeIdle(); l.clients[fd] != nil {
		t.Error("a client that takes nothing is waited for")
	}
}
