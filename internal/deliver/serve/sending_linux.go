package serve

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"

	"stele/internal/deliver/library"
	"stele/internal/deliver/serve/exchange"
)

// sending is an answer that is being sent without blocking.
type sending struct {
	exchange.Reply
	head  []byte    // the unsent part
	room  []byte    // buffer for a head that must wait
	parts [2][]byte // of a write; here to avoid allocations
	warm  bool      // whether the next part is in the page cache
}

// turn is the number of bytes of a large body that are sent to a client before the next client is
// served.
const turn = 4 * piece

// send sends as much as the connection accepts, and at most turn bytes. done is true if everything
// was sent. It returns ErrWouldBlock if it would have to wait for a disk.
func (f *sending) send(fd int) (done bool, err error) {
	if f.Answer.LeaseEnded() {
		return false, library.ErrLeaseEnded
	}
	b := &f.Answer.Body
	most := min(b.Size, turn)
	if b.File != nil && b.Data == nil && !f.warm && library.IsUncached(b.File, b.At, most) {
		return false, library.ErrWouldBlock
	}
	f.warm = false
	if b.File == nil {
		n, err := f.write(fd, b.Data[:most])
		f.advance(n)
		return len(f.head) == 0 && b.Size == 0, ignoreWouldBlock(err)
	}
	for len(f.head) > 0 {
		n, err := unix.SendmsgN(fd, f.head, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_MORE)
		if err != nil {
			return false, ignoreWouldBlock(err)
		}
		f.advance(n)
	}
	at := b.At
	// the system sends files faster than the program could
	n, err := unix.Sendfile(fd, int(b.File.Fd()), &at, int(most))
	if err == nil && n == 0 {
		err = io.ErrUnexpectedEOF // the file was truncated
	}
	f.advance(n)
	return b.Size == 0, ignoreWouldBlock(err)
}

// write writes the rest of the head, and data, with one system call.
func (f *sending) write(fd int, data []byte) (int, error) {
	switch {
	case len(data) == 0:
		return write(fd, f.head)
	case len(f.head) == 0:
		return write(fd, data)
	}
	f.parts = [2][]byte{f.head, data}
	return unix.Writev(fd, f.parts[:])
}

// advance records that n bytes were sent, first of the head, then of the body.
func (f *sending) advance(n int) {
	n = max(n, 0) // negative if nothing could be sent
	ofHead := min(n, len(f.head))
	f.head = f.head[ofHead:]
	if ofBody := int64(n - ofHead); ofBody > 0 {
		f.AddSent(ofBody)
	}
}

// read reads from a non-blocking connection, without telling the scheduler of the system call, as
// package unix would.
func read(fd int, into []byte) (int, error) { return systemCall(unix.SYS_RECVFROM, fd, into, 0) }

func write(fd int, from []byte) (int, error) {
	return systemCall(unix.SYS_SENDTO, fd, from, unix.MSG_NOSIGNAL)
}

func systemCall(number uintptr, fd int, bytes []byte, flags uintptr) (int, error) {
	n, _, errno := unix.RawSyscall6(
		number, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(bytes))), uintptr(len(bytes)), flags, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// isTemporary reports whether to repeat the system call later.
func isTemporary(err error) bool { return err == unix.EAGAIN || err == unix.EINTR }

func ignoreWouldBlock(err error) error {
	if isTemporary(err) {
		return nil
	}
	return err
}

// acknowledgedBytes returns the number of bytes that a client has acknowledged. ok is false if the
// system does not provide it.
func acknowledgedBytes(fd int) (n uint64, ok bool) {
	info, err := unix.GetsockoptTCPInfo(fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return 0, false // a unix socket
	}
	return info.Bytes_acked, true
}
