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
	house *house
	all   []*loop
	next  atomic.Uint64
	ended sync.WaitGroup
}

// newLoops makes a loop for every second processor that the runtime has. A loop that is busy never
// lets go of its own, so that all else (TLS, files to be read) would have to wait for what the
// runtime takes away by force. Whoever wants a loop for each core gives the runtime twice as many,
// and the system divides its time among them.
func newLoops(h *house) (*loops, error) {
	ls := &loops{house: h}
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

// take gives a connection to a loop, and reports whether it could.
func (ls *loops) take(c *counted) bool {
	if ls == nil || !ls.house.enter() {
		return false
	}
	fd, err := detach(c.Conn)
	if err != nil {
		ls.house.ours.Done()
		return false
	}
	c.Conn = nil
	if len(ls.house.room) > crowd {
		setUnsent(fd, unsentInCrowd)
	}
	l := ls.all[ls.next.Add(1)%uint64(len(ls.all))]
	l.tell(func() { l.fresh = append(l.fresh, &client{fd: fd, counted: c}) })
	return true
}

// detach takes a connection away from the runtime, which would otherwise hear of everything that
// comes on it.
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

// What the system takes of an answer before the client has taken as much. Without a limit it takes
// some megabytes. For a large body that is the cheapest way, and a few clients may have it. Of ten
// thousand slow ones it would use up all the memory that the system has for connections, and
// everybody would wait.
const (
	unsent        = 2 * piece // with a goroutine: room is made again at half of it, piece by piece
	unsentInCrowd = 64 << 10
	crowd         = 256 // connections
)

// limitUnsent limits what the system takes of answers on a connection with a goroutine of its own.
// Without it a slow client would have to take some megabytes in the time that it has for a piece.
func (h *house) limitUnsent(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return // a unix socket has less room than a piece
	}
	most := unsent
	if len(h.room) > crowd {
		most = unsentInCrowd
	}
	if raw, err := tcp.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { setUnsent(int(fd), most) })
	}
}

// taken is how many bytes a client has taken, if the system says so.
func taken(conn net.Conn) (n uint64, ok bool) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = raw.Control(func(fd uintptr) { n, ok = takenFrom(int(fd)) })
	return n, ok && err == nil
}

// setUnsent does nothing to a socket that is none of TCP.
func setUnsent(fd, most int) {
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, most)
}

// tell tells all loops something, if there are any.
func (ls *loops) tell(change func(*loop)) {
	if ls != nil {
		for _, l := range ls.all {
			l.tell(func() { change(l) })
		}
	}
}

func (ls *loops) drain()    { ls.tell(func(*loop) {}) } // they look at whether the server is stopping
func (ls *loops) makeRoom() { ls.tell(func(l *loop) { l.full = true }) }
func (ls *loops) cut()      { ls.tell(func(l *loop) { l.cut = true }) }

func (ls *loops) wait(ctx context.Context) error { return ls.house.wait(ctx) }

// stop ends the loops. They must have no more connections.
func (ls *loops) stop() (err error) {
	if ls == nil {
		return nil
	}
	ls.tell(func(l *loop) { l.end = true })
	ls.ended.Wait()
	for _, l := range ls.all {
		err = errors.Join(err, l.close())
	}
	return err
}
