package serve

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// What keeps some clients from shutting the others out: places for connections, which idle ones
// have to make for new ones, and limits for each address and each connection.

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
// connections that have been idle for the longest time make room.
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
		s.loops.makeRoom()
		s.makeRoom()
		select {
		case s.room <- struct{}{}:
			taken = true
		case <-time.After(grace / 5): // by then, somebody may be idle
		}
	}
	c := newCounted(s, conn)
	c.address, c.limited = key, limited
	return c
}

// grace is how long a client that has not asked for anything keeps its place in any case: what it
// asks follows right after its greeting.
const grace = 50 * time.Millisecond

// shareOfRoom is the part of the connections that make room at a time: one in so many.
const shareOfRoom = 64

// makeRoom ends the connections that have been idle for the longest time, of those that have a
// goroutine. Those that have said nothing yet are among them.
func (s *Server) makeRoom() {
	now := time.Now()
	oldest, count := now, 0
	s.eachIdle(func(_ net.Conn, since time.Time) {
		count++
		if since.Before(oldest) {
			oldest = since
		}
	})
	if now.Sub(oldest) < grace {
		return
	}
	most, until := 1+count/shareOfRoom, oldest.Add(now.Sub(oldest)/32)
	s.eachIdle(func(conn net.Conn, since time.Time) {
		if most > 0 && !since.After(until) {
			s.metrics.refuse(refusedIdle)
			conn.SetReadDeadline(past)
			most--
		}
	})
}

// eachIdle calls do for the connections with a goroutine that wait for what is asked next.
func (s *Server) eachIdle(do func(conn net.Conn, since time.Time)) {
	s.goroutines.each(func(conn net.Conn) {
		if since := countedOf(conn).idle.Load(); since != 0 {
			do(conn, time.Unix(0, since))
		}
	})
	s.netHTTP.mu.Lock()
	defer s.netHTTP.mu.Unlock()
	for conn, since := range s.netHTTP.idle {
		do(conn, since)
	}
}

// isSilent notes that a connection waits for the first that its client says. Its deadline must be
// set before.
func (c *counted) isSilent() {
	if c != nil {
		c.idle.Store(time.Now().UnixNano())
	}
}

// isIdle notes whether a connection waits for what its client asks next. Its deadline must be set
// before. The clock is behind, and nobody who has asked is to seem idle for longer than it is.
func (s *Server) isIdle(c *counted, idle bool) {
	switch {
	case c == nil:
	case idle:
		c.idle.Store(s.clock.now().Add(clockLag).UnixNano())
	default:
		c.idle.Store(0)
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
