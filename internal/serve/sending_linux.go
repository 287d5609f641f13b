package serve

import (
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// sending is an answer on its way into a connection that does not wait.
type sending struct {
	request request
	answer  answer // its body is what is left of it
	head    []byte // what is left of it
	room    []byte // for a head that has to wait
	sent    int64  // of the body
	due     int64  // how much must have been sent for more time
	started time.Time
}

// send sends as much as there is room for, and no more of a large body than one client may have before it is the turn of others. It reports whether that was all.
func (f *sending) send(fd int) (done bool, err error) {
	for len(f.head) > 0 {
		flags := unix.MSG_NOSIGNAL
		if f.answer.size > 0 {
			flags |= unix.MSG_MORE
		}
		n, err := unix.SendmsgN(fd, f.head, nil, nil, flags)
		if err != nil {
			return false, unlessLater(err)
		}
		f.head = f.head[n:]
	}
	if b := f.answer.body; b.size > 0 {
		n, err := sendBody(fd, b)
		if err != nil {
			return false, unlessLater(err)
		}
		f.sent += n
		f.answer.body = b.slice(n, b.size-n)
	}
	return f.answer.size == 0, nil
}

// sendBody sends the beginning of a body. The system sends files faster than the program could.
func sendBody(fd int, b body) (int64, error) {
	most := int(min(b.size, 4*piece))
	if b.file == nil {
		n, err := unix.Write(fd, b.data[:most])
		return int64(n), err
	}
	n, err := unix.Sendfile(fd, int(b.file.Fd()), &b.at, most)
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF // the file has become shorter
	}
	return int64(n), err
}

// again reports whether the system could not do something yet.
func again(err error) bool { return err == unix.EAGAIN || err == unix.EINTR }

func unlessLater(err error) error {
	if again(err) {
		return nil
	}
	return err
}
