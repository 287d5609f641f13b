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

// fronts are those of the server, in their order.
func (s *Server) fronts() []front {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loops == nil {
		return []front{s.goroutines, s.netHTTP}
	}
	return []front{s.loops, s.goroutines, s.netHTTP}
}

// waitForOurs waits until net/http has all connections that are left.
func (s *Server) waitForOurs(ctx context.Context) error {
	gone := make(chan struct{})
	go func() {
		s.ours.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// past is a deadline that wakes whoever reads.
var past = time.Unix(1, 0)

// goroutines are the connections that have one each, of the lane or of HTTP/2.
type goroutines struct {
	server *Server
	mu     sync.Mutex
	conns  map[net.Conn]bool
}

func (g *goroutines) add(c *counted) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = true
}

// remove reports whether the connection was there.
func (g *goroutines) remove(c *counted) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	there := g.conns[c]
	delete(g.conns, c)
	return there
}

func (g *goroutines) drain() { g.each(func(c net.Conn) { c.SetReadDeadline(past) }) }
func (g *goroutines) cut()   { g.each(func(c net.Conn) { c.Close() }) }

func (g *goroutines) wait(ctx context.Context) error { return g.server.waitForOurs(ctx) }

func (g *goroutines) each(do func(net.Conn)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for conn := range g.conns {
		do(conn)
	}
}

// netHTTP are the connections that net/http has.
type netHTTP struct {
	*http.Server
	handed *handedOver
	mu     sync.Mutex
	conns  map[net.Conn]bool // whether each has not asked for anything yet
}

// take takes a connection. That it asked for something that is not for the fast lane counts.
func (n *netHTTP) take(c *begunConn) {
	c.counted.earn(0)
	n.handed.put(c)
}

// note keeps track of what the connections do.
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
