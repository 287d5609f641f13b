package serve

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// What keeps some clients from shutting the others out: places for connections, which those that do
// nothing have to make for new ones, and limits for each address and each connection.

// addressOf is what connections of one client have in common. Those of this machine are not
// limited: a proxy has many clients.
func addressOf(conn net.Conn) (key [16]byte, limited bool) {
	tcp, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || tcp.IP.IsLoopback() {
		return key, false
	}
	copy(key[:], tcp.IP.To16())
	if tcp.IP.To4() == nil {
		clear(key[8:]) // all of such a network belongs to one client
	}
	return key, true
}

// addresses counts connections by where they come from.
type addresses struct {
	mu    sync.Mutex
	count map[[16]byte]int
}

// add counts a connection, unless there are as many as may be.
func (a *addresses) add(key [16]byte, most int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count[key] >= most {
		return false
	}
	if a.count == nil {
		a.count = map[[16]byte]int{}
	}
	a.count[key]++
	return true
}

func (a *addresses) drop(key [16]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count[key]--; a.count[key] <= 0 {
		delete(a.count, key)
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
