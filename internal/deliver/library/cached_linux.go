package library

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readCached reads from a file what the system has of it in memory, so that it never waits for a
// disk. If that is not all, or if the file system cannot tell, it says ErrWouldBlock.
func readCached(f *os.File, p []byte, at int64) (int, error) {
	n, errno := readNow(f, p, at)
	if errno != 0 || n < len(p) {
		return n, ErrWouldBlock
	}
	return n, nil
}

// Cold reports whether a part of a file has to come from a disk. It looks at its ends alone. Where
// the file system cannot tell, it is not.
func Cold(f *os.File, at, size int64) bool {
	var one [1]byte
	_, first := readNow(f, one[:], at)
	_, last := readNow(f, one[:], at+size-1)
	return first == unix.EAGAIN || last == unix.EAGAIN
}

// readNow reads what can be had without waiting (RWF_NOWAIT). So the scheduler need not be told of
// the call.
func readNow(f *os.File, p []byte, at int64) (int, unix.Errno) {
	vector := unix.Iovec{Base: unsafe.SliceData(p)}
	vector.SetLen(len(p))
	// The place is given in two halves; the higher one is for systems of 32 bits.
	low, high := uintptr(at), uintptr(uint64(at)>>(unix.SizeofPtr*8-1)>>1)
	n, _, errno := unix.RawSyscall6(
		unix.SYS_PREADV2, f.Fd(), uintptr(unsafe.Pointer(&vector)), 1, low, high, unix.RWF_NOWAIT)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
