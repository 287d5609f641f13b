//go:build !linux

package store

import (
	"errors"
	"os"
)

func exchange(a, b string) error { return errors.ErrUnsupported }

func syncDisk(dir *os.File) error { return nil }

func startSync(f *os.File, offset, length int64) {}
