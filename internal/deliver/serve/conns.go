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

// house is what connections live in: places for them, and the desk that they ask at.
type house struct {
	*desk
	mu      sync.Mutex
	room    chan struct{} // one for each connection that may be open
	clients Clients
	ours    sync.WaitGroup // one for each connection that net/http does not have
}

// enter makes a connection the house's, so that Shutdown waits for it until ours.Done.
func (h *house) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopping.Load() {
		return false
	}
	h.ours.Add(1)
	return true
}

// wait waits until net/http has all connections that are left.
func (h *house) wait(ctx context.Context) error {
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

// counted is a connection that takes up room until it is closed.
type counted struct {
	net.Conn
	house   *house
	address [16]byte // that it is counted for
	limited bool     // whether it is
	left    atomic.Bool
	asked   atomic.Uint32 // requests
	born    time.Time
	plain   bool // whether it speaks no TLS beside others that do

	stands atomic.Int64 // since when its client has done nothing for its place, in nanoseconds since began
	acked  uint64       // what the client had taken when somebody last looked; of makeRoom
	parts  atomic.Bool  // whether it was asked to make room
}

func newCounted(h *house, conn net.Conn) *counted {
	h.metrics.connections.Add(1)
	c := &counted{Conn: conn, house: h, born: h.clock.now()}
	c.earn(0)
	return c
}

// Write notes that the client takes what it asked for.
func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if n >= progress {
		c.earn(patience)
	}
	return n, err
}

// Close makes room for another connection.
func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}

func (c *counted) leave() {
	if !c.left.Swap(true) {
		c.house.metrics.connections.Add(-1)
		<-c.house.room
		if c.limited {
			c.house.clients.Drop(c.address)
		}
	}
}

// CloseWrite says that nothing more comes. net/http does so after a head that is too large, before
// it gives the client time to stop sending.
func (c *counted) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// briefly is how long a client that has its answer is waited for, in case that it says something.
const briefly = exchange.Linger / 50

// farewell prepares a connection for being closed, so that what was sent arrives: the system throws
// it away if something is unread then. Who says nothing more is not waited for longer than pause.
func farewell(c net.Conn, pause time.Duration) {
	closeWrite(c) // if that fails, so does what follows
	var unread [4 << 10]byte
	for over := time.Now().Add(exchange.Linger); time.Now().Before(over); {
		c.SetReadDeadline(time.Now().Add(pause))
		if _, err := c.Read(unread[:]); err != nil {
			return
		}
	}
}

// handedOver is a listener whose connections come from the fast lane.
type handedOver struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// put gives a connection to net/http, or closes it if there is nobody to take it.
func (h *handedOver) put(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.closed:
		c.Close()
	}
}

func (h *handedOver) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *handedOver) Close() error {
	h.once.Do(func() { close(h.closed) })
	return nil
}

func (h *handedOver) Addr() net.Addr { return &net.UnixAddr{Name: "lane", Net: "unix"} }

// What keeps some clients from shutting the others out: places for connections, which those that do
// nothing have to make for new ones, and limits for each address and each connection.

// ClientOf is what connections of one client have in common. Those of this machine are not limited:
// a proxy has many clients.
func ClientOf(remote net.Addr) (key [16]byte, limited bool) {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return key, false
	}
	copy(key[:], tcp.IP.To16())
	if tcp.IP.To4() == nil {
		clear(key[8:]) // all of such a network belongs to one client
	}
	return key, true
}

// Clients counts what each client has at a time: connections, or requests.
type Clients struct {
	mu    sync.Mutex
	count map[[16]byte]int
}

// Add counts one more, unless there are as many as may be.
func (c *Clients) Add(key [16]byte, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count[key] >= most {
		return false
	}
	if c.count == nil {
		c.count = map[[16]byte]int{}
	}
	c.count[key]++
	return true
}

// Drop counts one less.
func (c *Clients) Drop(key [16]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count[key]--; c.count[key] <= 0 {
		delete(c.count, key)
	}
}

const (
	// grace is how long a client that does nothing keeps its place in any case: what it asks
	// follows right after its greeting.
	grace = 50 * time.Millisecond
	// patience is how much longer a client does that has to wait for the network: in the handshake
	// of TLS, and while it takes a large answer.
	patience = 200 * time.Millisecond
	// progress is how many bytes of an answer a client takes to be worth its place again.
	progress = 8 << 10
	// shareOfRoom is the part of the connections that make room at a time: one in so many.
	shareOfRoom = 64
	// maxAskedFor is how many connections the system is asked about at a time.
	maxAskedFor = 32
)

// placesOf is how many connections may be open where so many files may: some are for the release.
func placesOf(files uint64) uint64 { return max(files/2, files-min(files, 64)) }

// earn notes that a client did something for its place: it asked, or took a part of an answer. It
// keeps it for some time longer than others.
func (c *counted) earn(longer time.Duration) {
	if c != nil {
		c.stands.Store(int64(time.Since(began) + longer))
	}
}

// IsLast counts a request, and reports whether it is the last that its connection may ask.
func (c *counted) IsLast() bool {
	if c == nil {
		return false
	}
	opt := &c.house.options
	return int(c.asked.Add(1)) >= opt.ConnectionRequests || c.house.clock.now().Sub(c.born) >= opt.ConnectionTime
}

// countedOf is what a connection counts as; nil if it does not.
func countedOf(conn net.Conn) *counted {
	switch c := conn.(type) {
	case *counted:
		return c
	case *tls.Conn:
		return countedOf(c.NetConn())
	}
	return nil
}
