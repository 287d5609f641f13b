package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/deliver/serve/exchange"
)

// sharedState is the state that all connections share, such as the limits and the responder.
type sharedState struct {
	*responder
	mu      sync.Mutex
	room    chan struct{} // one element for each connection that may be open
	clients Clients
	ours    sync.WaitGroup // one for each connection that net/http does not serve
}

// addConn registers a connection, so that Shutdown waits until ours.Done is called for it.
func (h *sharedState) addConn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping.Load() {
		return false
	}
	h.ours.Add(1)
	return true
}

// wait waits until all remaining connections belong to net/http.
func (h *sharedState) wait(ctx context.Context) error {
	gone := make(chan struct{})
	go func() {
		h.ours.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// limitedConn is a connection that counts towards the limits until it is closed.
type limitedConn struct {
	net.Conn
	shared  *sharedState
	address [16]byte // client address that it counts for
	limited bool     // whether it counts for the address
	left    atomic.Bool
	asked   atomic.Uint32 // number of requests
	born    time.Time
	plain   bool // whether it is unencrypted on a server with TLS

	idleSince atomic.Int64 // since when its client has been idle, in nanoseconds since began
	acked     uint64       // bytes that the client had acknowledged when makeRoom last looked
	closing   atomic.Bool  // whether it was asked to close
}

func newLimitedConn(h *sharedState, conn net.Conn) *limitedConn {
	h.metrics.connections.Add(1)
	c := &limitedConn{Conn: conn, shared: h, born: h.clock.now()}
	c.noteActivity(0)
	return c
}

// Write writes p and records that the client reads its answer.
func (c *limitedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if n >= progress {
		c.noteActivity(patience)
	}
	return n, err
}

// Close closes the connection, which then no longer counts towards the limits.
func (c *limitedConn) Close() error {
	c.removeFromLimits()
	return c.Conn.Close()
}

func (c *limitedConn) removeFromLimits() {
	if !c.left.Swap(true) {
		c.shared.metrics.connections.Add(-1)
		<-c.shared.room
		if c.limited {
			c.shared.clients.Remove(c.address)
		}
	}
}

// CloseWrite closes the connection for writing. After a head that is too large, net/http calls it
// before it gives the client time to stop sending.
func (c *limitedConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// briefly is the time to wait for more data from a client that has its answer.
const briefly = exchange.Linger / 50

// discardUntilSilent prepares a connection for closing, so that all sent data arrives: if unread
// data remained, the system would discard sent data. It reads until the client is silent for the
// given pause.
func discardUntilSilent(c net.Conn, pause time.Duration) {
	closeWrite(c) // if that fails, so do the following reads
	var unread [4 << 10]byte
	for over := time.Now().Add(exchange.Linger); time.Now().Before(over); {
		c.SetReadDeadline(time.Now().Add(pause))
		if _, err := c.Read(unread[:]); err != nil {
			return
		}
	}
}

// chanListener is a listener that returns the connections that the fast lane passes to net/http.
type chanListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// put passes a connection to net/http, or closes it if the listener is closed.
func (h *chanListener) put(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.closed:
		c.Close()
	}
}

func (h *chanListener) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *chanListener) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

func (h *chanListener) Addr() net.Addr { return &net.UnixAddr{Name: "lane", Net: "unix"} }

// Limits on all connections, on those of an address, and on each connection, so that some clients
// cannot shut out others. Idle connections are closed to make room for new ones.

// ClientOf returns a key for the client of a connection. Local connections are not limited, because
// a proxy has many clients.
func ClientOf(remote net.Addr) (key [16]byte, limited bool) {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return key, false
	}
	copy(key[:], tcp.IP.To16())
	if tcp.IP.To4() == nil {
		clear(key[8:]) // an IPv6 /64 network counts as one client
	}
	return key, true
}

// Clients counts the current connections or requests of each client.
type Clients struct {
	mu    sync.Mutex
	count map[[16]byte]int
}

// Add counts one more for the client key and reports true. If the client already has limit, Add
// counts nothing and reports false.
func (c *Clients) Add(key [16]byte, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count[key] >= limit {
		return false
	}
	if c.count == nil {
		c.count = map[[16]byte]int{}
	}
	c.count[key]++
	return true
}

// Remove counts one less for the client key.
func (c *Clients) Remove(key [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count[key]--; c.count[key] <= 0 {
		delete(c.count, key)
	}
}

const (
	// grace is how long an idle client always keeps its connection, because its request follows
	// right after the connection is accepted.
	grace = 50 * time.Millisecond
	// patience is additional time for clients that wait for the network: during the TLS handshake,
	// and while they read a large answer.
	patience = 200 * time.Millisecond
	// progress is how many bytes of an answer a client must read to count as active.
	progress = 8 << 10
	// shareOfRoom is the fraction of the connections that are closed at a time: one in this many.
	shareOfRoom = 64
	// maxChecked is the number of connections whose state is checked at a time.
	maxChecked = 32
)

// maxConns returns the maximum number of connections if the process may open files files. Some
// files are reserved for the release.
func maxConns(files uint64) uint64 { return max(files/2, files-min(files, 64)) }

// noteActivity records that the client sent a request or read a part of an answer. When the server
// is full, the client keeps its connection for the time longer beyond that of idle clients.
func (c *limitedConn) noteActivity(longer time.Duration) {
	if c != nil {
		c.idleSince.Store(int64(time.Since(began) + longer))
	}
}

// CountRequest counts a request, and reports whether it is the connection's last one.
func (c *limitedConn) CountRequest() (isLast bool) {
	if c == nil {
		return false
	}
	opt := &c.shared.options
	return int(c.asked.Add(1)) >= opt.ConnectionRequests || c.shared.clock.now().Sub(c.born) >= opt.ConnectionTime
}

// limitedConnOf returns the limitedConn of a connection, or nil.
func limitedConnOf(conn net.Conn) *limitedConn {
	switch c := conn.(type) {
	case *limitedConn:
		return c
	case *tls.Conn:
		return limitedConnOf(c.NetConn())
	}
	return nil
}
