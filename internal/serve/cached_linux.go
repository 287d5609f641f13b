package serve

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readCached reads from a file what the system has of it in memory (RWF_NOWAIT), so that it never waits for a disk. If that is not all, or if the file system cannot tell, it says errLater.
// As it does not wait, the scheduler need not be told of the call.
func readCached(f *os.File, p []byte, at int64) (int, error) {
	vector := unix.Iovec{Base: unsafe.SliceData(p)}
	vector.SetLen(len(p))
	// The place is given in two halves; the higher one is for systems of 32 bits.
	n, _, errno := unix.RawSyscall6(unix.SYS_PREADV2, f.Fd(), uintptr(unsafe.Pointer(&vector)), 1, uintptr(at), uintptr(uint64(at)>>(unix.SizeofPtr*8-1)>>1), unix.RWF_NOWAIT)
	if errno != 0 {
		return 0, errLater
	}
	if int(n) < len(p) {
		return int(n), errLater
	}
	return int(n), nil
}
