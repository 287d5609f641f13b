//go:build !linux

package store

import (
	"os"
	"path/filepath"
	"time"
)

func (d *folder) open() {}

func (d *folder) close() {}

func (d *folder) mkdir(name string) error { return os.MkdirAll(filepath.Join(d.path, name), 0o755) }

func (d *folder) put(name string, data []byte) error { return putAt(filepath.Join(d.path, name), data) }

func (d *folder) link(name string, from folder, fromName string, size int64, until time.Time) bool {
	return linkAt(filepath.Join(d.path, name), filepath.Join(from.path, fromName), size, until)
}
