// Package serve answers HTTP requests with the files of a release. Package library computes the
// answers, and package serve sends them.
//
// The packages http1 and http2 implement the protocols without connections. They use the server
// only through an exchange.Port. Package serve drives them: with a loop for plain connections on
// Linux (loop_linux.go), and with a goroutine for each other connection (lane.go, http2_lane.go).
// If a handler wraps the server's own, as in a preview, net/http serves all requests.
//
// A server has one library at a time. Swap replaces it atomically; each response comes from one
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
	*sharedState
	swapping   sync.Mutex
	loops      *loops // for plain connections; nil on systems without them
	goroutines *goroutines
	netHTTP    *netHTTP
	leases     []*library.Lease // of previous releases, while they may still be sent
	closing    chan struct{}    // closed when Shutdown begins
	stopped    chan struct{}    // closed when Shutdown has ended
	reporting  sync.WaitGroup
	listeners  map[net.Listener]bool
}

// http2Ciphers are the TLS 1.2 ciphers that HTTP/2 allows (RFC 9113, section 9.2.2): those with
// forward secrecy and authenticated encryption. All TLS 1.3 ciphers qualify, and cannot be chosen.
var http2Ciphers = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

func New(l *library.Library, opt Options) *Server {
	opt = opt.withDefaults()
	if most, ok := maxFiles(); ok && uint64(opt.Connections) > maxConns(most) {
		opt.Log.Warn("fewer connections possible because of the limit on open files", "places", maxConns(most))
		opt.Connections = int(maxConns(most))
	}
	if opt.TLS != nil {
		opt.TLS = opt.TLS.Clone()
		opt.TLS.CipherSuites = http2Ciphers
		opt.TLS.GetConfigForClient = noteClientHello
	}
	s := &Server{
		sharedState: &sharedState{responder: newResponder(l, opt), room: make(chan struct{}, opt.Connections)},
		closing:     make(chan struct{}), stopped: make(chan struct{}), listeners: map[net.Listener]bool{},
		netHTTP: &netHTTP{conns: map[net.Conn]bool{}},
	}
	opt.Status.server.Store(s)
	s.netHTTP.handed = &chanListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	s.goroutines = &goroutines{sharedState: s.sharedState, conns: map[net.Conn]bool{}}
	plain := http.Handler(s)
	if opt.Wrap != nil {
		plain = opt.Wrap(s)
	}
	if opt.Unsecured != nil {
		plain = chooseByTLS(opt.Unsecured(plain), plain)
	}
	s.netHTTP.Server = &http.Server{
		Handler: plain, MaxHeaderBytes: opt.HeaderBytes,
		ReadHeaderTimeout: opt.HeaderTime, ReadTimeout: opt.IdleTime, IdleTimeout: opt.IdleTime,
		DisableGeneralOptionsHandler: true, ErrorLog: log.New(debugWriter{opt.Log}, "", 0),
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: http2.MaxWaiting},
		ConnState: s.netHTTP.setState, ConnContext: withConn,
	}
	go s.clock.run(s.stopped)
	s.reporting.Go(func() { s.reportRefusals(s.stopped) })
	go s.netHTTP.Serve(s.netHTTP.handed) // ends with Shutdown
	return s
}

// debugWriter logs net/http's messages about faulty clients at debug level.
type debugWriter struct{ log *slog.Logger }

func (q debugWriter) Write(line []byte) (int, error) {
	q.log.Debug("http", "says", string(line))
	return len(line), nil
}

// Library returns the current library.
func (s *Server) Library() *library.Library { return s.library.Load() }

// Swap switches to another library. The old library is closed after its last answer is sent, or
// when its lease ends.
func (s *Server) Swap(l *library.Library) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	s.metrics.swaps.Add(1)
	s.clock.set(time.Now()) // no answer's Date may be earlier than its Last-Modified
	old := s.library.Swap(l)
	s.expireRelease(old.Lease())
	return old.Close()
}

// Serve accepts connections from a listener until Shutdown.
func (s *Server) Serve(listener net.Listener) error { return s.accept(listener, false) }

// ServeUnsecured accepts plain HTTP connections on a server with HTTPS, until Shutdown.
// Options.Unsecured answers the requests.
func (s *Server) ServeUnsecured(listener net.Listener) error { return s.accept(listener, true) }

func (s *Server) accept(listener net.Listener, plain bool) error {
	if !s.addListener(listener) {
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
			// usually too many open files
			s.options.Log.Warn("cannot accept a connection", "error", err)
			s.makeRoom()
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		// only once there is a connection: an idle listener must not count
		if c := s.limitConn(conn); c != nil && (plain || !s.loops.addConn(c)) {
			c.plain = plain
			go s.serveConn(c)
		}
	}
}

func (s *Server) addListener(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = true
	if s.stopping.Load() {
		return false
	}
	if s.loops == nil && s.options.TLS == nil && s.options.Wrap == nil {
		var err error
		if s.loops, err = newLoops(s.sharedState); err != nil {
			s.options.Log.Warn("using a goroutine for each connection, because epoll is unavailable", "error", err)
		}
	}
	return true
}

func (s *Server) serveConn(c *limitedConn) {
	if !s.addConn() {
		c.Close() // the server is stopping
		return
	}
	s.goroutines.add(c)
	defer s.recoverPanic(func() {
		s.goroutines.remove(c)
		c.Close() // no one receives the error
	})
	s.limitUnsent(c.Conn)
	conn, err := s.handshake(c)
	switch {
	case err != nil:
		s.options.Log.Debug("TLS handshake failed", "error", err)
		s.metrics.countRefusal(refusedHandshake)
		s.answerPlainHTTP(c, err)
		s.goroutines.remove(c)
		c.Close() // no one receives the error
	case s.options.Wrap != nil, c.plain:
		s.goroutines.remove(c)
		s.netHTTP.handed.put(conn)
	case hasNegotiated(conn, "acme-tls/1"): // the certificate authority has seen the certificate that it requested
		s.goroutines.remove(c)
		conn.Close() // no one receives the error
	case hasNegotiated(conn, "h2"):
		serveHTTP2(s.sharedState, conn, c)
		s.goroutines.remove(c)
	default:
		serveLane(s.sharedState, conn, c)
		if s.stopping.Load() {
			discardUntilSilent(conn, briefly)
		}
		s.goroutines.remove(c)
		if !c.closing.Load() {
			conn.Close() // everything is sent
		}
		c.Close()
	}
}

func (s *Server) handshake(c *limitedConn) (net.Conn, error) {
	if s.options.TLS == nil || c.plain {
		return c, nil
	}
	secure := tls.Server(c, s.options.TLS)
	c.SetDeadline(time.Now().Add(s.options.HeaderTime))
	if s.stopping.Load() { // Shutdown may have set another deadline meanwhile
		return nil, http.ErrServerClosed
	}
	c.noteActivity(patience)
	err := secure.Handshake()
	c.noteActivity(0)
	if err != nil {
		return nil, err
	}
	c.SetDeadline(time.Time{})
	return secure, nil
}

// answerPlainHTTP tells a client that speaks plain HTTP to use https.
func (s *Server) answerPlainHTTP(c net.Conn, err error) {
	var other tls.RecordHeaderError
	if errors.As(err, &other) && slices.Contains([]string{"GET /", "HEAD ", "OPTIO", "POST "}, string(other.RecordHeader[:])) {
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n"+s.clock.date()+"Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nThis server requires https.\n")
	}
}

// noteClientHello records that the client has sent the first message of a handshake.
func noteClientHello(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	limitedConnOf(hello.Conn).noteActivity(patience)
	return nil, nil
}

// hasNegotiated reports whether the TLS handshake negotiated a protocol.
func hasNegotiated(conn net.Conn, protocol string) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == protocol
}

// chooseByTLS returns a handler that uses unencrypted for unencrypted connections, and others for
// the rest.
func chooseByTLS(unencrypted, others http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if conn, ok := q.Context().Value(connKey{}).(net.Conn); ok && limitedConnOf(conn).plain {
			unencrypted.ServeHTTP(w, q)
			limitedConnOf(conn).noteActivity(0)
			return
		}
		others.ServeHTTP(w, q)
	})
}

func (s *Server) tlsServers() []front {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loops == nil {
		return []front{s.goroutines, s.netHTTP}
	}
	return []front{s.loops, s.goroutines, s.netHTTP}
}

// hangTime is the time for which Shutdown waits for connections that it closed. Connections that
// remain open are waiting for a disk.
const hangTime = time.Second

// Shutdown stops accepting connections and completes running requests. When ctx ends, it closes the
// remaining connections and returns an error. It does not wait for a read that hangs: the release
// then stays open.
func (s *Server) Shutdown(ctx context.Context) (cut error) {
	s.mu.Lock()
	if s.stopping.Swap(true) {
		s.mu.Unlock()
		return nil
	}
	close(s.closing)
	for l := range s.listeners {
		l.Close() // Serve returns the error
	}
	s.mu.Unlock()
	fronts := s.tlsServers()
	for _, f := range fronts {
		f.drain()
	}
	for _, f := range fronts {
		cut = errors.Join(cut, f.wait(ctx))
	}
	if cut != nil {
		cut = fmt.Errorf("%d connections did not finish and were closed: %w", s.metrics.connections.Load(), ctx.Err())
		for _, f := range fronts {
			f.cut()
		}
		soon, done := context.WithTimeout(context.Background(), hangTime)
		defer done()
		if err := s.sharedState.wait(soon); err != nil {
			close(s.stopped)
			return fmt.Errorf("%w; a file is still being read", cut)
		}
	}
	close(s.stopped)
	s.reporting.Wait()
	return errors.Join(cut, s.loops.stop(), s.library.Load().Close())
}

// maxLeases is the maximum number of replaced releases that may still be sent. The lease of an
// older release ends after the idle time.
const maxLeases = 3

// expireRelease limits the time for which a replaced release may still be sent.
func (s *Server) expireRelease(l *library.Lease) {
	if s.leases = append(s.leases, l); len(s.leases) > maxLeases {
		s.leases[0].EndAfter(s.options.IdleTime)
		s.leases = append(s.leases[:0], s.leases[1:]...)
	}
	l.EndAfter(s.options.OldTime)
}

// limitConn returns the connection as a limitedConn, or nil if its client has too many. If the
// server is full, it closes the connections that have been idle for longest.
func (s *Server) limitConn(conn net.Conn) *limitedConn {
	key, limited := ClientOf(conn.RemoteAddr())
	if limited = limited && s.options.PerAddress > 0; limited && !s.clients.Add(key, s.options.PerAddress) {
		s.metrics.countRefusal(refusedAddress)
		conn.Close() // no one receives the error
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
		case <-time.After(grace / 5): // by then, a client may have been idle for long enough
		}
	}
	c := newLimitedConn(s.sharedState, conn)
	c.address, c.limited = key, limited
	return c
}

// makeRoom closes the connections that have been idle for longest: clients that send nothing, do
// not complete a request, or do not read their answer.
func (s *Server) makeRoom() {
	s.loops.makeRoom()
	now := time.Since(began)
	var standing []idleConn
	s.forEachConn(func(conn net.Conn, c *limitedConn) {
		since := time.Duration(c.idleSince.Load())
		switch {
		case c.closing.Load(): // it has had time to close properly
			c.Close() // no one receives the error
		case now-since >= grace:
			standing = append(standing, idleConn{conn, c, since})
		}
	})
	slices.SortFunc(standing, func(x, y idleConn) int { return cmp.Compare(x.since, y.since) })
	most := 1 + len(standing)/shareOfRoom
	for _, c := range standing[:min(len(standing), maxChecked)] {
		if taken, ok := acknowledgedBy(c.Conn); ok && taken >= c.acked+progress {
			c.acked = taken
			c.noteActivity(patience)
			continue
		}
		s.metrics.countRefusal(refusedIdle)
		c.closing.Store(true)
		c.conn.SetDeadline(past)
		if most--; most == 0 {
			break
		}
	}
}

type idleConn struct {
	conn net.Conn
	*limitedConn
	since time.Duration // since the program started
}

// forEachConn calls do for each connection that a goroutine serves.
func (s *Server) forEachConn(do func(net.Conn, *limitedConn)) {
	s.goroutines.forEach(func(conn net.Conn) { do(conn, limitedConnOf(conn)) })
	s.netHTTP.mu.Lock()
	defer s.netHTTP.mu.Unlock()
	for conn := range s.netHTTP.conns {
		do(conn, limitedConnOf(conn))
	}
}
