package store

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// dir is a folder that files are put into, or linked from.
type dir struct {
	path string
	// by which the system knows it, or the folder around it, while that is open; -1 if neither is
	fd     int
	prefix string // what names in it begin with, where fd is that of the folder around it
	files  int    // how many were put into it
}

// isOpen reports whether the folder itself is.
func (d *dir) isOpen() bool { return d.fd >= 0 && d.prefix == "" }

// putAt writes a whole file.
func putAt(at string, data []byte) error {
	file, err := create(at)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// attempts is how often to make a file that is there again after it was removed: where names differ
// in case only and the file system does not care, somebody else may have made it.
const attempts = 10

// create makes a new file. One that is there may be a link to a file of another release, which must
// not be written to.
func create(at string) (file *os.File, err error) {
	for range attempts {
		if file, err = os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}

// between is what the name of a file ends in that is about to take the place of another.
const between = ".link"

// linkAt gives a file a second name, in place of one that is there, if it has a size and was not
// written to after a time, and reports whether it did.
func linkAt(at, from string, size int64, until time.Time) bool {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size || info.ModTime().After(until) {
		return false
	}
	err = os.Link(from, at)
	if errors.Is(err, fs.ErrExist) && os.Link(from, at+between) == nil {
		err = os.Rename(at+between, at)
		os.Remove(at + between) // if that failed, or did nothing because both are one file already
	}
	return err == nil
}
