package library

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readCached reads the part of a file that the system has in memory, without waiting for a disk. If
// a part is not in memory, or the file system cannot tell, readCached returns ErrWouldBlock.
func readCached(f *os.File, p []byte, at int64) (int, error) {
	n, errno := readNow(f, p, at)
	if errno != 0 || n < len(p) {
		return n, ErrWouldBlock
	}
	return n, nil
}

// IsUncached reports whether part of a file is not in memory. It tests only the first and the last
// byte. If the file system cannot tell, IsUncached returns false.
func IsUncached(f *os.File, at, size int64) bool {
	var one [1]byte
	_, first := readNow(f, one[:], at)
	_, last := readNow(f, one[:], at+size-1)
	return first == unix.EAGAIN || last == unix.EAGAIN
}

// readNow reads the data that is available without waiting (RWF_NOWAIT). The call does not block,
// so the scheduler need not be told.
func readNow(f *os.File, p []byte, at int64) (int, unix.Errno) {
	vector := unix.Iovec{Base: unsafe.SliceData(p)}
	vector.SetLen(len(p))
	// The offset is passed in two halves; the upper half is for 32-bit systems.
	low, high := uintptr(at), uintptr(uint64(at)>>(unix.SizeofPtr*8-1)>>1)
	n, _, errno := unix.RawSyscall6(
		unix.SYS_PREADV2, f.Fd(), uintptr(unsafe.Pointer(&vector)), 1, low, high, unix.RWF_NOWAIT)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
