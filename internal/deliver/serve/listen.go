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

// Doors are where a server is reached.
type Doors struct {
	Listen []string    // addresses, as of Listen
	Chosen bool        // whether somebody chose them; else sockets that systemd passes on take their place
	Mode   fs.FileMode // of unix sockets
	// Plain is the address for plain HTTP beside HTTPS; "" for none. Unless somebody chose it, it
	// can be done without.
	Plain       string
	PlainChosen bool

	// Ready is told what is listened on.
	Ready func(listeners, plain []net.Listener)
}

// Run listens and serves until the context ends, and background with it.
func (s *Server) Run(ctx context.Context, d Doors, background func(ctx context.Context, plain bool) error) error {
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

// Listen opens an address: "127.0.0.1:8080", ":8080", or "unix:/run/stele.sock".
func Listen(address string) (net.Listener, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenUnix(path)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	return l, nil
}

func cannotListen(address string, err error) error {
	var op *net.OpError
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("cannot listen on %s: another program does (%w); choose another address", address, syscall.EADDRINUSE)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("cannot listen on %s: this user may not (%w). Ports below 1024 are for root, for sockets of systemd and for whoever has CAP_NET_BIND_SERVICE; choose a higher one, or deploy/stele.service", address, syscall.EACCES)
	case errors.As(err, &op):
		err = op.Err // the rest of it says the address again
	}
	return fmt.Errorf("cannot listen on %s: %w. Write host:port, such as 127.0.0.1:8080, or unix:/path", address, err)
}

// listenUnix opens a socket. One that a server left behind that was killed is taken away; one that
// a server answers on is not.
func listenUnix(path string) (net.Listener, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		if c, err := net.Dial("unix", path); err == nil {
			return nil, errors.Join(cannotListen("unix:"+path, syscall.EADDRINUSE), c.Close())
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, cannotListen("unix:"+path, err)
	}
	return l, nil
}

// firstInherited is the file descriptor at which those begin that systemd passes on.
const firstInherited = 3

// inherited returns the listeners that systemd opened for this process, if it did
// (sd_listen_fds(3)).
func inherited() ([]net.Listener, error) {
	if pid, err := strconv.Atoi(os.Getenv("LISTEN_PID")); err != nil || pid != os.Getpid() {
		return nil, nil
	}
	count, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if err != nil || count < 0 || count > 64 {
		return nil, fmt.Errorf("LISTEN_FDS is %q, which is not a number of sockets", os.Getenv("LISTEN_FDS"))
	}
	var list []net.Listener
	for fd := firstInherited; fd < firstInherited+count; fd++ {
		f := os.NewFile(uintptr(fd), "inherited "+strconv.Itoa(fd))
		l, err := net.FileListener(f) // which has a copy
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("socket %d of LISTEN_FDS: %w", fd, err)
		}
		list = append(list, l)
	}
	return list, nil
}

// Shutdown lets a server end the answers that it has begun.
func Shutdown(s interface{ Shutdown(context.Context) error }) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	return s.Shutdown(ctx)
}

// URL returns the address of a listener as a browser needs it; "" for a unix socket.
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
