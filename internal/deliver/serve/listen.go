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
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Doors are the addresses of a server.
type Doors struct {
	Listen []string    // addresses for Listen
	Chosen bool        // whether the user set them; otherwise sockets from systemd replace them
	Mode   fs.FileMode // mode of unix sockets
	// Plain is the address for plain HTTP next to HTTPS; "" for none. An error is ignored unless
	// the user set it (PlainChosen).
	Plain       string
	PlainChosen bool

	// Ready is called with the open listeners.
	Ready func(listeners, plain []net.Listener)
}

// Run listens and serves until the context ends, and runs background meanwhile.
func (s *Server) Run(ctx context.Context, d Doors, background func(ctx context.Context, plain bool) error) error {
	listeners, plain, err := s.openListeners(&d)
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
	case <-time.After(time.Second): // do not wait for a disk that hangs; nothing is lost
		s.options.Log.Info("not waiting for a release that is being read")
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return errors.Join(cause, err)
	}
	return err
}

// stopTime is the time that running requests may take during a shutdown.
const stopTime = 30 * time.Second

// stop shuts the server down. Connections that had to be cut are not an error of the program.
func (s *Server) stop() error {
	patience, done := context.WithTimeout(context.Background(), stopTime)
	defer done()
	patience, done = signal.NotifyContext(patience, os.Interrupt, syscall.SIGTERM)
	defer done()
	s.options.Log.Info("shutting down after the running requests")
	err := s.Shutdown(patience)
	if err != nil && patience.Err() != nil {
		s.options.Log.Warn("shut down before all requests ended", "error", err)
		return nil
	}
	return err
}

// openListeners opens the listeners. plain are the unencrypted listeners of a server with TLS.
func (s *Server) openListeners(d *Doors) (list, plain []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range append(list, plain...) {
				err = errors.Join(err, l.Close())
			}
		}
	}()
	inherited, err := inheritedListeners()
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
		s.options.Log.Warn("cannot redirect plain HTTP to HTTPS", "error", err)
	}
	return list, plain, nil
}

// Listen opens an address: "127.0.0.1:8080", ":8080", or "unix:/run/stele.sock".
func Listen(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, listenError(address, err)
	}
	return l, nil
}

func listenError(address string, err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("cannot listen on %s: another program uses that address (%w); choose another one", address, syscall.EADDRINUSE)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("cannot listen on %s: permission denied (%w). Ports below 1024 are for root, for systemd sockets and for processes with CAP_NET_BIND_SERVICE; choose a higher port, or use deploy/stele.service", address, syscall.EACCES)
	case errors.As(err, &op):
		err = op.Err // the rest repeats the address
	}
	return fmt.Errorf("cannot listen on %s: %w. Write host:port, such as 127.0.0.1:8080, or unix:/path", address, err)
}

// listenUnix opens a socket. It removes a socket that a killed server left behind, but not one that
// a running server uses.
func listenUnix(path string) (net.Listener, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(listenError("unix:"+path, syscall.EADDRINUSE), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, listenError("unix:"+path, err)
	}
	return l, nil
}

// firstInherited is the first file descriptor that systemd passes on.
const firstInherited = 3

// inheritedListeners returns the listeners that systemd opened for this process, if any
// (sd_listen_fds(3)).
func inheritedListeners() ([]net.Listener, error) {
	if pid, err := strconv.Atoi(os.Getenv("LISTEN_PID")); err != nil || pid != os.Getpid() {
		return nil, nil
	}
	count, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if err != nil || count < 0 || count > 64 {
		return nil, fmt.Errorf("LISTEN_FDS is %q: not a number of sockets", os.Getenv("LISTEN_FDS"))
	}
	var list []net.Listener
	for fd := firstInherited; fd < firstInherited+count; fd++ {
		f := os.NewFile(uintptr(fd), "inherited "+strconv.Itoa(fd))
		l, err := net.FileListener(f) // duplicates f
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("socket %d of LISTEN_FDS: %w", fd, err)
		}
		list = append(list, l)
	}
	return list, nil
}

// Shutdown stops s after its running requests, within a time limit.
func Shutdown(s interface{ Shutdown(context.Context) error }) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Shutdown(ctx)
}

// URL returns the URL of a listener for browsers, or "" for a unix socket.
func URL(l net.Listener, secure bool) string {
	address, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return ""
	}
	host := address.IP.String()
	if address.IP.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(address.Port))
}
