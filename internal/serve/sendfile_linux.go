package serve

import (
	"errors"
	"io"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

const canSendFile = true

// sendFile sends a head and a part of a file, which does not come into the program on its way. The
// standard library would send from where the file stands, which all connections share; this says
// where.
func (l *lane) sendFile(conn *net.TCPConn, head []byte, a *answer) (sent int64, err error) {
	b := a.body
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	for len(head) > 0 {
		n, err := once(
			raw,
			func(fd int) (int, error) { return unix.SendmsgN(fd, head, nil, nil, unix.MSG_MORE|unix.MSG_NOSIGNAL) },
		)
		if err != nil {
			return 0, err
		}
		head = head[n:]
	}
	from, at := int(b.file.Fd()), b.at
	for sent < b.size {
		if sent > 0 { // the request itself has given the first piece its time
			l.renew()
		}
		if a.over() {
			return sent, errLeaseEnded
		}
		n, err := once(
			raw,
			func(fd int) (int, error) { return unix.Sendfile(fd, from, &at, int(min(4*piece, b.size-sent))) },
		)
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF // the file has become shorter
		}
		if err != nil {
			return sent, err
		}
		sent += int64(n)
	}
	return sent, nil
}

// once does something with a connection as soon as it can be done.
func once(raw syscall.RawConn, do func(fd int) (int, error)) (n int, err error) {
	failed := raw.Write(func(fd uintptr) bool {
		for n, err = do(int(fd)); errors.Is(err, unix.EINTR); {
			n, err = do(int(fd))
		}
		return !errors.Is(err, unix.EAGAIN)
	})
	if failed != nil {
		return 0, failed
	}
	return n, err
}
