package serve

import (
	"context"
	"errors"
	"net"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

type loops struct {
	shared *sharedState
	all    []*loop
	next   atomic.Uint64
	ended  sync.WaitGroup
}

// newLoops starts a loop for every second processor of the runtime. A busy loop never yields its
// processor, so other work (such as TLS and reading files) would have to wait until the runtime
// preempts it. To get a loop for each core, set GOMAXPROCS to twice the number of cores.
func newLoops(h *sharedState) (*loops, error) {
	ls := &loops{shared: h}
	for range max(runtime.GOMAXPROCS(0)/2, 1) {
		l, err := newLoop(h)
		if err != nil {
			return nil, errors.Join(err, ls.stop())
		}
		ls.all = append(ls.all, l)
		ls.ended.Go(l.run)
	}
	return ls, nil
}

// addConn passes a connection to a loop, and reports whether that succeeded.
func (ls *loops) addConn(c *limitedConn) bool {
	if ls == nil || !ls.shared.addConn() {
		return false
	}
	fd, err := detach(c.Conn)
	if err != nil {
		ls.shared.ours.Done()
		return false
	}
	c.Conn = nil
	if len(ls.shared.room) > crowd {
		setUnsent(fd, unsentInCrowd)
	}
	l := ls.all[ls.next.Add(1)%uint64(len(ls.all))]
	l.wakeWith(func() { l.newClients = append(l.newClients, &client{fd: fd, counted: c}) })
	return true
}

// detach removes a connection from the runtime's poller, which would otherwise wake for all its
// data.
func detach(conn net.Conn) (fd int, err error) {
	var raw interface {
		Control(f func(fd uintptr)) error
	}
	switch c := conn.(type) {
	case *net.TCPConn:
		raw, err = c.SyscallConn()
	case *net.UnixConn:
		raw, err = c.SyscallConn()
	default:
		err = errors.ErrUnsupported
	}
	if err != nil {
		return 0, err
	}
	var failed error
	if err := raw.Control(func(of uintptr) { fd, failed = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0) }); err != nil ||
		failed != nil {
		return 0, errors.Join(err, failed)
	}
	if err := conn.Close(); err != nil {
		return 0, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// Limits on unsent data in the system's buffers. Without a limit, the system buffers some megabytes
// of an answer. For large bodies that is cheapest, and a few clients may use it. With ten thousand
// slow clients it would use up the system's memory for connections.
const (
	unsent        = 2 * piece // with a goroutine: there is room again when half is sent, piece by piece
	unsentInCrowd = 64 << 10
	crowd         = 256 // connections
)

// limitUnsent limits unsent data on a connection with its own goroutine. Otherwise a slow client
// would have to read some megabytes in the time for one piece.
func (h *sharedState) limitUnsent(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return // a unix socket's buffer is smaller than a piece
	}
	most := unsent
	if len(h.room) > crowd {
		most = unsentInCrowd
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { setUnsent(int(fd), most) })
	}
}

// acknowledgedBy returns the number of bytes that a client has acknowledged. ok is false if the
// system does not provide it.
func acknowledgedBy(conn net.Conn) (n uint64, ok bool) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) { n, ok = acknowledgedBytes(int(fd)) })
	return n, ok && err == nil
}

// setUnsent sets the maximum number of unsent bytes. It has no effect on sockets other than TCP.
func setUnsent(fd, most int) {
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, most)
}

// forEach calls change for each loop. ls may be nil.
func (ls *loops) forEach(change func(*loop)) {
	if ls != nil {
		for _, l := range ls.all {
			l.wakeWith(func() { change(l) })
		}
	}
}

func (ls *loops) drain()    { ls.forEach(func(*loop) {}) } // wakes them, and they see that the server is stopping
func (ls *loops) makeRoom() { ls.forEach(func(l *loop) { l.full = true }) }
func (ls *loops) cut()      { ls.forEach(func(l *loop) { l.cut = true }) }

func (ls *loops) wait(ctx context.Context) error { return ls.shared.wait(ctx) }

// stop ends the loops, which must have no connections left.
func (ls *loops) stop() (err error) {
	if ls == nil {
		return nil
	}
	ls.forEach(func(l *loop) { l.end = true })
	ls.ended.Wait()
	for _, l := range ls.all {
		err = errors.Join(err, l.close())
	}
	return err
}
