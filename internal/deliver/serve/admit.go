package serve

import (
	"cmp"
	"net"
	"slices"
	"time"
)

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
	c := newCounted(s.house, conn)
	c.address, c.limited = key, limited
	return c
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
