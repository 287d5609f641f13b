package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchange exchanges two folders atomically.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// startSync asks the system to start writing a part of a file to disk. It only shortens a later
// sync, so errors do not matter.
func startSync(f *os.File, offset, length int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, length, unix.SYNC_FILE_RANGE_WRITE)
}
