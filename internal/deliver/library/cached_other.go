//go:build !linux

package library

import "os"

// readCached always returns ErrWouldBlock, because this system cannot tell whether a read would
// wait.
func readCached(*os.File, []byte, int64) (int, error) { return 0, ErrWouldBlock }
