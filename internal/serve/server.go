// Package serve answers HTTP requests from a release. It knows files, digests and headers, and nothing of what the records say.
//
// A release is opened into a Library, which has everything prepared: a request is a look-up and a write. What an answer is, answer.go decides, from the library and the
// request alone. There are two ways for a request to get there. net/http is the reference: it takes everything, TLS and HTTP/2 among it. Before it stands a
// fast lane (lane.go) for the common requests of HTTP/1.1, with a recogniser of its own; what it does not recognise goes to net/http, with the connection.
//
// A server has one library at a time. Swap exchanges it in one step; each response comes from one library as a whole.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server serves a library.
type Server struct {
	options  Options
	library  atomic.Pointer[Library]
	swapping sync.Mutex
	metrics  metrics
	clock    clock
	http     *http.Server
	toHTTP   *handedOver
	stopping atomic.Bool
	stopped  chan struct{}

	mu        sync.Mutex
	listeners map[net.Listener]bool
	conns     map[net.Conn]bool // in the fast lane
	laneDone  sync.WaitGroup
	room      chan struct{} // one for each connection that may be open
}

// New makes a server of a library.
func New(l *Library, opt Options) *Server {
	opt = opt.withDefaults()
	s := &Server{
		options: opt, toHTTP: newHandedOver(), stopped: make(chan struct{}),
		listeners: map[net.Listener]bool{}, conns: map[net.Conn]bool{}, room: make(chan struct{}, opt.Connections),
	}
	s.library.Store(l)
	s.clock.set(time.Now())
	s.http = &http.Server{
		Handler: s, MaxHeaderBytes: max(opt.HeaderBytes-4096, 1), // net/http adds these
		ReadHeaderTimeout: opt.HeaderTime, ReadTimeout: opt.IdleTime, IdleTimeout: opt.IdleTime,
		DisableGeneralOptionsHandler: true, ErrorLog: log.New(quiet{opt.Log}, "", 0),
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 250},
	}
	go s.clock.run(s.stopped)
	go s.http.Serve(s.toHTTP) // ends with Shutdown
	return s
}

// quiet logs what net/http says of bad clients, where that is asked for.
type quiet struct{ log *slog.Logger }

func (q quiet) Write(line []byte) (int, error) {
	q.log.Debug("http", "says", string(line))
	return len(line), nil
}

// Library is the one that is served at the moment.
func (s *Server) Library() *Library { return s.library.Load() }

// Swap serves another library from now on. The old one is let go when its last answer is sent.
func (s *Server) Swap(l *Library) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	s.metrics.swaps.Add(1)
	return s.library.Swap(l).Close()
}

// ask gets the answer of the library that is served at the moment.
func (s *Server) ask(r *request, a *answer) {
	for a.status = 0; a.status == 0; {
		l := s.library.Load()
		l.answer(r, a)
		if a.status == 0 {
			a.letGo() // closing the files of an old library must not spoil the answer of a new one
			if s.stopping.Load() && l == s.library.Load() {
				l.problem(a, http.StatusServiceUnavailable, "The server is stopping.") // and there is no newer one
			}
		}
	}
}

// Serve takes connections from a listener until Shutdown.
func (s *Server) Serve(listener net.Listener) error {
	if !s.track(listener) {
		return errors.Join(http.ErrServerClosed, listener.Close())
	}
	pause := 5 * time.Millisecond
	for {
		s.room <- struct{}{}
		conn, err := listener.Accept()
		if err != nil {
			<-s.room
			if s.stopping.Load() {
				return http.ErrServerClosed
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			s.options.Log.Warn("a connection could not be accepted", "error", err) // too many open files, usually: others will be closed
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = 5 * time.Millisecond
		go s.welcome(&counted{Conn: conn, server: s})
	}
}

func (s *Server) track(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = true
	return !s.stopping.Load()
}

// welcome brings a new connection into the fast lane, or to net/http.
func (s *Server) welcome(counted *counted) {
	s.metrics.connections.Add(1)
	conn := counted.Conn
	if s.options.TLS != nil {
		secure := tls.Server(counted, s.options.TLS)
		secure.SetDeadline(time.Now().Add(s.options.HeaderTime))
		if err := secure.Handshake(); err != nil {
			s.options.Log.Debug("a TLS handshake failed", "error", err)
			secure.Close()
			return
		}
		secure.SetDeadline(time.Time{})
		if secure.ConnectionState().NegotiatedProtocol == "h2" || s.options.NoLane {
			s.toHTTP.put(secure)
			return
		}
		conn = secure
	} else if s.options.NoLane {
		s.toHTTP.put(counted)
		return
	}
	s.inLane(conn, counted)
}

// inLane serves a connection in the fast lane. It is known there, so that Shutdown can wake it.
func (s *Server) inLane(conn net.Conn, counted *counted) {
	s.mu.Lock()
	if s.stopping.Load() {
		s.mu.Unlock()
		conn.Close()
		counted.leave()
		return
	}
	s.conns[conn] = true
	s.laneDone.Add(1)
	s.mu.Unlock()
	defer s.laneDone.Done()
	done := s.serveLane(conn, counted)
	s.mu.Lock()
	delete(s.conns, conn)
	s.mu.Unlock()
	if done {
		conn.Close() // nothing is left to be sent
		counted.leave()
	}
}

// Shutdown stops accepting, finishes what is in flight, and closes the rest when the context ends.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if s.stopping.Swap(true) {
		s.mu.Unlock()
		return nil
	}
	for l := range s.listeners {
		l.Close() // Serve says what there is to say
	}
	for conn := range s.conns {
		conn.SetReadDeadline(time.Unix(1, 0)) // wakes those that wait for a request
	}
	s.mu.Unlock()
	lanes := make(chan struct{})
	go func() {
		s.laneDone.Wait()
		close(lanes)
	}()
	err := errors.Join(s.toHTTP.Close(), s.http.Shutdown(ctx))
	select {
	case <-lanes:
	case <-ctx.Done():
		err = errors.Join(err, s.cut())
		<-lanes
	}
	close(s.stopped)
	return errors.Join(err, s.http.Close(), s.library.Load().Close()) // the first cuts off what net/http could not finish
}

// cut closes the connections of the fast lane, whatever they are doing.
func (s *Server) cut() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.conns {
		conn.Close()
	}
	return nil
}
