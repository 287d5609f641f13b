//go:build linux || darwin

package bucket

import "golang.org/x/sys/unix"

// freeBytes returns the free space of a folder's file system.
func freeBytes(folder string) (float64, bool) {
	var stat unix.Statfs_t
	if err := unix.Statfs(folder, &stat); err != nil {
		return 0, false
	}
	return float64(stat.Bavail) * float64(stat.Bsize), true
}
