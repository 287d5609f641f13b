package serve

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// front has the connections of one sort: those of the loops, those with a goroutine each, those of
// net/http. A connection goes from one only to those after it.
type front interface {
	drain()                         // lets nobody ask for more; what was asked before is answered
	wait(ctx context.Context) error // until no connections are left, or the context ends
	cut()                           // closes those that are left, whatever they are doing
}

// past is a deadline that wakes whoever reads.
var past = time.Unix(1, 0)

// goroutines are the connections that have one each, of the lane or of HTTP/2.
type goroutines struct {
	*house
	mu    sync.Mutex
	conns map[net.Conn]bool
}

func (g *goroutines) add(c *counted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = true
}

// remove takes a connection out, if it is there: Shutdown does not wait for it any more.
func (g *goroutines) remove(c *counted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conns[c] {
		delete(g.conns, c)
		g.ours.Done()
	}
}

func (g *goroutines) drain() { g.each(func(c net.Conn) { c.SetReadDeadline(past) }) }
func (g *goroutines) cut()   { g.each(func(c net.Conn) { c.Close() }) }

func (g *goroutines) each(do func(net.Conn)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for conn := range g.conns {
		do(conn)
	}
}

type netHTTP struct {
	*http.Server
	handed *handedOver
	mu     sync.Mutex
	conns  map[net.Conn]bool // whether each has not asked for anything yet
}

func (n *netHTTP) note(conn net.Conn, state http.ConnState) {
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

// wait first ends waiting for what somebody began to ask, for which net/http would wait some
// seconds.
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

// connKey is where net/http keeps a connection for ServeHTTP.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}
