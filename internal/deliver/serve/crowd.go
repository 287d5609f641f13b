package serve

import (
	"cmp"
	"crypto/tls"
	"net"
	"slices"
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

// admit gives a connection a place; nil if its client has too many. If there is no place, the
// connections make room that have done nothing for theirs for the longest time.
func (s *Server) admit(conn net.Conn) *counted {
	key, limited := addressOf(conn)
	if limited = limited && s.options.PerAddress > 0; limited && !s.addresses.add(key, s.options.PerAddress) {
		s.metrics.refuse(refusedAddress)
		conn.Close() // there is nobody to tell
		return nil
	}
	for taken := false; !taken; {
		select {
		case s.room <- struct{}{}:
			taken = true
			continue
		default:
		}
		s.makeRoom()
		select {
		case s.room <- struct{}{}:
			taken = true
		case <-time.After(grace / 5): // by then, somebody may stand for long enough
		}
	}
	c := newCounted(s, conn)
	c.address, c.limited = key, limited
	return c
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

// makeRoom ends the connections that have stood still for the longest time: clients that say
// nothing, do not end what they ask, or do not take what they asked for.
func (s *Server) makeRoom() {
	s.loops.makeRoom()
	now := time.Since(began)
	var standing []standingConn
	s.eachConn(func(conn net.Conn, c *counted) {
		since := time.Duration(c.stands.Load())
		switch {
		case c.parts.Load(): // it had the time to say farewell
			c.Close() // there is nobody to tell
		case now-since >= grace:
			standing = append(standing, standingConn{conn, c, since})
		}
	})
	slices.SortFunc(standing, func(x, y standingConn) int { return cmp.Compare(x.since, y.since) })
	most := 1 + len(standing)/shareOfRoom
	for _, c := range standing[:min(len(standing), maxAskedFor)] {
		if taken, ok := taken(c.Conn); ok && taken >= c.acked+progress {
			c.acked = taken
			c.earn(patience)
			continue
		}
		s.metrics.refuse(refusedIdle)
		c.parts.Store(true)
		c.conn.SetDeadline(past)
		if most--; most == 0 {
			break
		}
	}
}

// standingConn is a connection whose client does nothing.
type standingConn struct {
	conn net.Conn
	*counted
	since time.Duration // since the program began
}

// eachConn calls do for the connections that have a goroutine.
func (s *Server) eachConn(do func(net.Conn, *counted)) {
	s.goroutines.each(func(conn net.Conn) { do(conn, countedOf(conn)) })
	s.netHTTP.mu.Lock()
	defer s.netHTTP.mu.Unlock()
	for conn := range s.netHTTP.conns {
		do(conn, countedOf(conn))
	}
}

// isLast counts a request, and reports whether it is the last that its connection may ask.
func (s *Server) isLast(c *counted) bool {
	if c == nil {
		return false
	}
	return int(c.asked.Add(1)) >= s.options.ConnectionRequests ||
		s.clock.now().Sub(c.born) >= s.options.ConnectionTime
}

// countedOf is what a connection counts as; nil if it does not.
func countedOf(conn net.Conn) *counted {
	switch c := conn.(type) {
	case *counted:
		return c
	case *begunConn:
		return c.counted
	case *tls.Conn:
		return countedOf(c.NetConn())
	}
	return nil
}
