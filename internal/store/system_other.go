//go:build !linux

package store

import "errors"

func exchange(a, b string) error { return errors.ErrUnsupported }

func syncTree(dir string) error { return nil }
