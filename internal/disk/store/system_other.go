//go:build !linux

package store

import (
	"errors"
	"os"
)

func exchange(a, b string) error { return errors.ErrUnsupported }

func startSync(f *os.File, offset, length int64) {}
