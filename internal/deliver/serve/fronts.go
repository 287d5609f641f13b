package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// front manages one group of connections: those of the loops, those with a goroutine each, and
// those of net/http. A connection moves only to a later group.
type front interface {
	drain()                         // accepts no more requests; earlier ones are answered
	wait(ctx context.Context) error // waits until no connections are left, or the context ends
	cut()                           // closes all remaining connections at once
}

// past is a deadline in the past, which wakes blocked readers.
var past = time.Unix(1, 0)

// goroutines are the connections with a goroutine each, of HTTP/1.1 or HTTP/2.
type goroutines struct {
	*sharedState
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (g *goroutines) add(c *limitedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = true
}

// remove removes a connection, so that Shutdown no longer waits for it.
func (g *goroutines) remove(c *limitedConn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns[c] {
		delete(g.conns, c)
		g.ours.Done()
	}
}

func (g *goroutines) drain() { g.forEach(func(c net.Conn) { c.SetReadDeadline(past) }) }
func (g *goroutines) cut()   { g.forEach(func(c net.Conn) { c.Close() }) }

func (g *goroutines) forEach(do func(net.Conn)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for conn := range g.conns {
		do(conn)
	}
}

type netHTTP struct {
	*http.Server
	handed *chanListener
	mu     sync.Mutex
	conns  map[net.Conn]bool // true until the connection has sent a request
}

func (n *netHTTP) setState(conn net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(n.conns, conn)
	default:
		n.conns[conn] = state == http.StateNew
	}
}

func (n *netHTTP) drain() { n.SetKeepAlivesEnabled(false) }
func (n *netHTTP) cut()   { n.Close() }

// wait waits until net/http has no connections. It first interrupts connections that have not sent
// a whole request, for which net/http would wait some seconds.
func (n *netHTTP) wait(ctx context.Context) error {
	n.mu.Lock()
	for conn, isNew := range n.conns {
		if isNew {
			conn.SetReadDeadline(past)
		}
	}
	n.mu.Unlock()
	return errors.Join(n.handed.Close(), n.Shutdown(ctx))
}

// connKey is the context key for the connection of a request.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}
