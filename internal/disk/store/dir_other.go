//go:build !linux

package store

import (
	"os"
	"path/filepath"
	"time"
)

func (d *dir) open() {}

func (d *dir) close() {}

func (d *dir) mkdir(name string) error { return os.MkdirAll(filepath.Join(d.path, name), 0o755) }

func (d *dir) put(name string, data []byte) error {
	return writeNewFile(filepath.Join(d.path, name), data)
}

func (d *dir) link(name string, from dir, fromName string, size int64, until time.Time) bool {
	return linkFile(filepath.Join(d.path, name), filepath.Join(from.path, fromName), size, until)
}
