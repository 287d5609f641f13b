package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Doors are where a server is reached.
type Doors struct {
	Listen []string    // addresses, as of Listen
	Chosen bool        // whether somebody chose them; else sockets that systemd passes on take their place
	Mode   fs.FileMode // of unix sockets
	// Plain is the address for plain HTTP beside HTTPS; "" for none. Unless somebody chose it, it
	// can be done without.
	Plain       string
	PlainChosen bool
	Admin       string // the address for Server.Admin; "" for none

	// Ready is told what is listened on.
	Ready func(listeners, plain []net.Listener)
}

// Run listens and serves until the context ends, and background with it.
func (s *Server) Run(ctx context.Context, d Doors, background func(ctx context.Context, plain bool) error) error {
	closeAdmin, err := s.serveAdmin(d.Admin)
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	defer closeAdmin() // after the rest, so that health can be asked to the end
	listeners, plain, err := s.open(&d)
	if err != nil {
		return errors.Join(err, s.Shutdown(ctx))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := func(list []net.Listener, serve func(net.Listener) error) {
		for _, l := range list {
			go func() {
				if err := serve(l); !errors.Is(err, http.ErrServerClosed) {
					cancel(fmt.Errorf("serve on %s: %w", l.Addr(), err))
				}
			}()
		}
	}
	start(listeners, s.Serve)
	start(plain, s.ServeUnsecured)
	d.Ready(listeners, plain)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := background(ctx, len(plain) > 0); err != nil {
			cancel(err)
		}
	}()
	<-ctx.Done()
	err = s.stop()
	select {
	case <-finished:
	case <-time.After(time.Second): // a disk that hangs is not waited for, and nothing is lost by it
		s.options.Log.Info("a release was being read, which is not waited for")
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return errors.Join(cause, err)
	}
	return err
}

// stopTime is how long what is in flight may take when the server stops.
const stopTime = 30 * time.Second

// stop lets the server finish, as long as it may. That something had to be cut is not a failure of
// the program.
func (s *Server) stop() error {
	patience, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	patience, done = signal.NotifyContext(patience, os.Interrupt, syscall.SIGTERM)
	defer done()
	s.options.Log.Info("stopping; what is in flight is finished")
	err := s.Shutdown(patience)
	if err != nil && patience.Err() != nil {
		s.options.Log.Warn("stopped early", "error", err)
		return nil
	}
	return err
}

// serveAdmin answers whoever runs the server, at an address of its own, until it is closed.
func (s *Server) serveAdmin(address string) (closeAdmin func() error, err error) {
	if address == "" {
		return func() error { return nil }, nil
	}
	l, err := Listen(address)
	if err != nil {
		return nil, err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		s.options.Log.Warn("others than this machine can reach health, metrics and profiles", "admin", a.String())
	}
	admin := &http.Server{Handler: s.Admin(), ReadHeaderTimeout: s.options.HeaderTime}
	go admin.Serve(l) // ends with Close
	return admin.Close, nil
}

// open opens the listeners. plain are those that speak no TLS beside others that do.
func (s *Server) open(d *Doors) (list, plain []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range append(list, plain...) {
				err = errors.Join(err, l.Close())
			}
		}
	}()
	inherited, err := inherited()
	if err != nil {
		return nil, nil, err
	}
	for _, l := range inherited {
		if at, ok := l.Addr().(*net.TCPAddr); ok && s.options.Unsecured != nil && at.Port == 80 {
			plain = append(plain, l)
		} else {
			list = append(list, l)
		}
	}
	if len(inherited) > 0 && !d.Chosen {
		return list, plain, nil
	}
	for _, address := range d.Listen {
		l, err := Listen(address)
		if err != nil {
			return list, plain, err
		}
		list = append(list, l)
		if socket, ok := l.Addr().(*net.UnixAddr); ok {
			if err := os.Chmod(socket.Name, d.Mode); err != nil {
				return list, plain, err
			}
		}
	}
	if d.Plain == "" {
		return list, plain, nil
	}
	l, err := Listen(d.Plain)
	switch {
	case err == nil:
		plain = append(plain, l)
	case d.PlainChosen:
		return list, plain, err
	default:
		s.options.Log.Warn("plain HTTP is not sent on to HTTPS", "error", err)
	}
	return list, plain, nil
}
