package store

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// dir is a folder of a release that is being written, or that files are linked from.
type dir struct {
	path string
	// File descriptor of the folder, or of its parent, while that is open; otherwise -1.
	fd     int
	prefix string // path from fd to the folder, if fd is the parent's
	files  int    // number of files written to it
}

// isOpen reports whether the folder itself is open.
func (d *dir) isOpen() bool { return d.fd >= 0 && d.prefix == "" }

func writeNewFile(path string, data []byte) error {
	file, err := createFile(path)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// attempts is the maximum number of times that a file is created again after removing it. On a
// case-insensitive file system, another goroutine may have created it again under a similar name.
const attempts = 10

// createFile creates a new file. It removes an existing one, which may be a link to a file of
// another release, instead of writing to it.
func createFile(path string) (file *os.File, err error) {
	for range attempts {
		if file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}

// linkSuffix ends the temporary name of a link that is about to replace a file.
const linkSuffix = ".link"

// linkFile links the path at to from, replacing an existing file, and reports whether it did. It
// does so only if from is a file of size bytes that was not modified after until.
func linkFile(at, from string, size int64, until time.Time) bool {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size || info.ModTime().After(until) {
		return false
	}
	err = os.Link(from, at)
	if errors.Is(err, fs.ErrExist) && os.Link(from, at+linkSuffix) == nil {
		err = os.Rename(at+linkSuffix, at)
		os.Remove(at + linkSuffix) // after a failure, or if both were the same file already
	}
	return err == nil
}
