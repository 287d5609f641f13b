package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

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
