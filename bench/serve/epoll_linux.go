package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

// serveLoop sends the same bytes for anything that it reads, on one thread, with as little as an
// epoll loop can do: one read and one write for a request. It does not look at requests, and calls
// the system past Go's scheduler.
func serveLoop(address, prepared string) error {
	answer, err := os.ReadFile(prepared)
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	debug.SetGCPercent(-1) // nothing is allocated for a request
	l, err := listenLoop(address)
	if err != nil {
		return err
	}
	loop := &epollLoop{listener: l, answer: answer, unsent: map[int32][]byte{}}
	if loop.epoll, err = unix.EpollCreate1(0); err != nil {
		return err
	}
	if err := loop.watch(unix.EPOLL_CTL_ADD, int32(l), unix.EPOLLIN); err != nil {
		return err
	}
	return loop.run()
}

func listenLoop(address string) (int, error) {
	var port int
	if _, err := fmt.Sscanf(address, "127.0.0.1:%d", &port); err != nil {
		return 0, fmt.Errorf("%s: %w", address, err)
	}
	l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	if err := unix.SetsockoptInt(l, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(l, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	return l, unix.Listen(l, 1024)
}

type epollLoop struct {
	epoll, listener int
	answer          []byte
	unsent          map[int32][]byte // by connection, what it has not taken yet of its answer
	in              [16 << 10]byte
}

func (l *epollLoop) watch(op int, fd int32, events uint32) error {
	return unix.EpollCtl(l.epoll, op, int(fd), &unix.EpollEvent{Events: events, Fd: fd})
}

func (l *epollLoop) run() error {
	var events [128]unix.EpollEvent
	for {
		n, _, errno := unix.RawSyscall6(
			unix.SYS_EPOLL_PWAIT,
			uintptr(l.epoll),
			uintptr(unsafe.Pointer(&events[0])),
			uintptr(len(events)),
			^uintptr(0),
			0,
			0,
		)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		for _, e := range events[:n] {
			var err error
			switch {
			case int(e.Fd) == l.listener:
				err = l.accept()
			case e.Events&unix.EPOLLOUT != 0:
				err = l.send(e.Fd, l.unsent[e.Fd])
			default:
				err = l.answerOne(e.Fd)
			}
			if err != nil {
				return err
			}
		}
	}
}

func (l *epollLoop) accept() error {
	fd, _, err := unix.Accept4(l.listener, unix.SOCK_NONBLOCK)
	if err == unix.EAGAIN || err == unix.ECONNABORTED {
		return nil
	}
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	return l.watch(unix.EPOLL_CTL_ADD, int32(fd), unix.EPOLLIN)
}

// answerOne takes what was read for one request: the load generator waits for an answer before it
// sends the next.
func (l *epollLoop) answerOne(fd int32) error {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&l.in[0])), uintptr(len(l.in)))
	if errno == unix.EAGAIN {
		return nil
	}
	if errno != 0 || n == 0 {
		delete(l.unsent, fd)
		return unix.Close(int(fd))
	}
	return l.send(fd, l.answer)
}

// send sends what a connection takes, and leaves the rest for when it takes more.
func (l *epollLoop) send(fd int32, data []byte) error {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)))
	if errno != 0 && errno != unix.EAGAIN {
		delete(l.unsent, fd)
		return unix.Close(int(fd))
	}
	if errno == unix.EAGAIN {
		n = 0
	}
	rest, waited := data[n:], l.unsent[fd] != nil
	switch {
	case len(rest) > 0:
		l.unsent[fd] = rest
		if !waited {
			return l.watch(unix.EPOLL_CTL_MOD, fd, unix.EPOLLOUT)
		}
	case waited:
		delete(l.unsent, fd)
		return l.watch(unix.EPOLL_CTL_MOD, fd, unix.EPOLLIN)
	}
	return nil
}
