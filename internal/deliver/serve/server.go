// Package serve answers HTTP requests from a release. What an answer is, package library decides;
// here it comes to the client.
//
// The protocols are rooms of their own, http1 and http2, without connections; what they know of the
// server is an exchange.Port. Here are who drives them: a loop for plain connections on Linux
// (loop_linux.go), a goroutine for each of all others (lane.go, http2_lane.go). net/http serves
// those for whom a handler stands around the server's own, as in a preview.
//
// A server has one library at a time. Swap exchanges it in one step; each response comes from one
// library as a whole.
package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/http2"
)

// Server serves a library.
type Server struct {
	*house
	swapping   sync.Mutex
	loops      *loops // for plain connections, where there are loops
	goroutines *goroutines
	netHTTP    *netHTTP
	leases     []*library.Lease // of the releases before, as long as they may be sent from
	closing    chan struct{}    // closed when Shutdown begins
	stopped    chan struct{}    // and when it has ended
	reporting  sync.WaitGroup
	listeners  map[net.Listener]bool
}

// http2Ciphers are the ciphers of TLS 1.2 that HTTP/2 may be spoken with (RFC 9113, section 9.2.2):
// those whose keys are forgotten with the connection and that notice when something was changed.
// Those of TLS 1.3 are all so, and are not chosen.
var http2Ciphers = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// New makes a server of a library.
func New(l *library.Library, opt Options) *Server {
	opt = opt.withDefaults()
	if most, ok := maxFiles(); ok && uint64(opt.Connections) > placesOf(most) {
		opt.Log.Warn("there are fewer places for connections, because of the limit of open files", "places", placesOf(most))
		opt.Connections = int(placesOf(most))
	}
	if opt.TLS != nil {
		opt.TLS = opt.TLS.Clone()
		opt.TLS.CipherSuites = http2Ciphers
		opt.TLS.GetConfigForClient = greeted
	}
	s := &Server{
		house:   &house{desk: newDesk(l, opt), room: make(chan struct{}, opt.Connections)},
		closing: make(chan struct{}), stopped: make(chan struct{}), listeners: map[net.Listener]bool{},
		netHTTP: &netHTTP{conns: map[net.Conn]bool{}},
	}
	opt.Status.server.Store(s)
	s.netHTTP.handed = &handedOver{conns: make(chan net.Conn), closed: make(chan struct{})}
	s.goroutines = &goroutines{house: s.house, conns: map[net.Conn]bool{}}
	plain := http.Handler(s)
	if opt.Wrap != nil {
		plain = opt.Wrap(s)
	}
	if opt.Unsecured != nil {
		plain = unsecured(opt.Unsecured(plain), plain)
	}
	s.netHTTP.Server = &http.Server{
		Handler: plain, MaxHeaderBytes: opt.HeaderBytes,
		ReadHeaderTimeout: opt.HeaderTime, ReadTimeout: opt.IdleTime, IdleTimeout: opt.IdleTime,
		DisableGeneralOptionsHandler: true, ErrorLog: log.New(quiet{opt.Log}, "", 0),
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: http2.MaxWaiting},
		ConnState: s.netHTTP.note, ConnContext: withConn,
	}
	go s.clock.run(s.stopped)
	s.reporting.Go(func() { s.reportRefusals(s.stopped) })
	go s.netHTTP.Serve(s.netHTTP.handed) // ends with Shutdown
	return s
}

// quiet logs what net/http says of bad clients, where that is asked for.
type quiet struct{ log *slog.Logger }

func (q quiet) Write(line []byte) (int, error) {
	q.log.Debug("http", "says", string(line))
	return len(line), nil
}

// Library returns the one that is served at the moment.
func (s *Server) Library() *library.Library { return s.library.Load() }

// Swap serves another library from now on. The old one is let go when its last answer is sent, or
// its time is over.
func (s *Server) Swap(l *library.Library) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	s.metrics.swaps.Add(1)
	s.clock.set(time.Now()) // no file was changed later than an answer says that it was sent
	old := s.library.Swap(l)
	s.retire(old.Lease())
	return old.Close()
}

// Serve takes connections from a listener until Shutdown.
func (s *Server) Serve(listener net.Listener) error { return s.accept(listener, false) }

// ServeUnsecured does the same for those that speak plain HTTP beside HTTPS, and whom
// Options.Unsecured answers.
func (s *Server) ServeUnsecured(listener net.Listener) error { return s.accept(listener, true) }

func (s *Server) accept(listener net.Listener, plain bool) error {
	if !s.track(listener) {
		return errors.Join(http.ErrServerClosed, listener.Close())
	}
	pause := 5 * time.Millisecond
	for {
		conn, err := listener.Accept()
		if err != nil {
			if s.stopping.Load() {
				return http.ErrServerClosed
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			// too many open files, usually
			s.options.Log.Warn("a connection could not be accepted", "error", err)
			s.makeRoom()
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		// not before there is a connection: a listener that nobody comes to must not keep a place
		// from the others
		if c := s.admit(conn); c != nil && (plain || !s.loops.take(c)) {
			c.plain = plain
			go s.welcome(c)
		}
	}
}

func (s *Server) track(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = true
	if s.stopping.Load() {
		return false
	}
	if s.loops == nil && s.options.TLS == nil && s.options.Wrap == nil {
		var err error
		if s.loops, err = newLoops(s.house); err != nil {
			s.options.Log.Warn("every connection gets a goroutine of its own, because epoll cannot be used", "error", err)
		}
	}
	return true
}

func (s *Server) welcome(c *counted) {
	if !s.enter() {
		c.Close() // it came too late
		return
	}
	s.goroutines.add(c)
	defer s.survive(func() {
		s.goroutines.remove(c)
		c.Close() // there is nobody to tell
	})
	s.limitUnsent(c.Conn)
	conn, err := s.secure(c)
	switch {
	case err != nil:
		s.options.Log.Debug("a TLS handshake failed", "error", err)
		s.metrics.refuse(refusedHandshake)
		s.sayHTTPS(c, err)
		s.goroutines.remove(c)
		c.Close() // there is nobody to tell
	case s.options.Wrap != nil, c.plain:
		s.goroutines.remove(c)
		s.netHTTP.handed.put(conn)
	case speaks(conn, "acme-tls/1"): // an authority has seen the certificate that it looked for
		s.goroutines.remove(c)
		conn.Close() // there is nobody to tell
	case speaks(conn, "h2"):
		serveHTTP2(s.house, conn, c)
		s.goroutines.remove(c)
	default:
		serveLane(s.house, conn, c)
		if s.stopping.Load() {
			farewell(conn, briefly)
		}
		s.goroutines.remove(c)
		if !c.parts.Load() {
			conn.Close() // nothing is left to be sent
		}
		c.Close()
	}
}

func (s *Server) secure(c *counted) (net.Conn, error) {
	if s.options.TLS == nil || c.plain {
		return c, nil
	}
	secure := tls.Server(c, s.options.TLS)
	c.SetDeadline(time.Now().Add(s.options.HeaderTime))
	if s.stopping.Load() { // Shutdown may have set another deadline before
		return nil, http.ErrServerClosed
	}
	c.earn(patience)
	err := secure.Handshake()
	c.earn(0)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Time{})
	return secure, nil
}

// sayHTTPS tells a client that speaks plain HTTP what it has to do.
func (s *Server) sayHTTPS(c net.Conn, err error) {
	var other tls.RecordHeaderError
	if errors.As(err, &other) && slices.Contains([]string{"GET /", "HEAD ", "OPTIO", "POST "}, string(other.RecordHeader[:])) {
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n"+s.clock.date()+"Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nThis address needs https.\n")
	}
}

// greeted notes that a client has said what a handshake begins with.
func greeted(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	countedOf(hello.Conn).earn(patience)
	return nil, nil
}

// speaks reports whether a protocol was agreed on in the handshake of TLS.
func speaks(conn net.Conn, protocol string) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == protocol
}

// unsecured lets a handler answer those that speak no TLS, and another one all others.
func unsecured(theirs, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if conn, ok := q.Context().Value(connKey{}).(net.Conn); ok && countedOf(conn).plain {
			theirs.ServeHTTP(w, q)
			countedOf(conn).earn(0)
			return
		}
		others.ServeHTTP(w, q)
	})
}

func (s *Server) fronts() []front {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loops == nil {
		return []front{s.goroutines, s.netHTTP}
	}
	return []front{s.loops, s.goroutines, s.netHTTP}
}

// hangs is how long Shutdown waits for what was cut. Who has not ended by then waits for a disk.
const hangs = time.Second

// Shutdown stops accepting and finishes what is in flight. When the context ends, it cuts what is
// left, and says so. A read that does not come back is not waited for; then the release stays open.
func (s *Server) Shutdown(ctx context.Context) (cut error) {
	s.mu.Lock()
	if s.stopping.Swap(true) {
		s.mu.Unlock()
		return nil
	}
	close(s.closing)
	for l := range s.listeners {
		l.Close() // Serve says what there is to say
	}
	s.mu.Unlock()
	fronts := s.fronts()
	for _, f := range fronts {
		f.drain()
	}
	for _, f := range fronts {
		cut = errors.Join(cut, f.wait(ctx))
	}
	if cut != nil {
		cut = fmt.Errorf("%d connections did not finish and were cut: %w", s.metrics.connections.Load(), ctx.Err())
		for _, f := range fronts {
			f.cut()
		}
		soon, done := context.WithTimeout(context.Background(), hangs)
		defer done()
		if err := s.house.wait(soon); err != nil {
			close(s.stopped)
			return fmt.Errorf("%w; a file that is being read does not come", cut)
		}
	}
	close(s.stopped)
	s.reporting.Wait()
	return errors.Join(cut, s.loops.stop(), s.library.Load().Close())
}

// maxLeases is how many releases may be sent from beside the one that is served. An older one has
// the idle time left.
const maxLeases = 3

// retire lets a release that was replaced be sent from for a while.
func (s *Server) retire(l *library.Lease) {
	if s.leases = append(s.leases, l); len(s.leases) > maxLeases {
		s.leases[0].EndAfter(s.options.IdleTime)
		s.leases = append(s.leases[:0], s.leases[1:]...)
	}
	l.EndAfter(s.options.OldTime)
}

// admit gives a connection a place; nil if its client has too many. If there is no place, the
// connections make room that have done nothing for theirs for the longest time.
func (s *Server) admit(conn net.Conn) *counted {
	key, limited := ClientOf(conn.RemoteAddr())
	if limited = limited && s.options.PerAddress > 0; limited && !s.clients.Add(key, s.options.PerAddress) {
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
