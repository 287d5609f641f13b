// Package durable writes what must still be there after the power was lost: a file has its old or
// its new contents, and once a function has returned, the new ones. Each file is brought to disk
// before it gets its name, and each folder after a name in it changed.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/base/layout"
)

// WriteFile writes a file in place of the one that is there, if any. The old one is not written to:
// it may be linked into another folder.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, os.Rename)
}

// WriteNew writes a file that must not be there yet: the error is [fs.ErrExist] if it is.
func WriteNew(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, func(from, to string) error {
		if err := os.Link(from, to); !errors.Is(err, errors.ErrUnsupported) {
			return err // the temporary name goes later
		}
		if _, err := os.Lstat(to); err == nil {
			return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
		}
		return os.Rename(from, to)
	})
}

// File is a file that is to be written.
type File struct {
	Path string
	Data []byte
	Mode fs.FileMode
}

// WriteAll writes files in place of those that are there. All of them are brought to disk before
// the first gets its name, so that a full disk changes nothing. It returns how many, from the first
// on, have their name: fewer than all only where giving one failed.
func WriteAll(files []File) (placed int, err error) {
	names := make([]string, len(files))
	defer func() {
		for _, name := range names[placed:] {
			if name != "" {
				os.Remove(name) // nobody knows it
			}
		}
	}()
	for i, f := range files {
		if names[i], err = prepare(f.Path, f.Data, f.Mode); err != nil {
			return 0, err
		}
	}
	for i, f := range files {
		if err := place(names[i], f.Path, os.Rename); err != nil {
			return placed, err
		}
		placed++
	}
	return placed, nil
}

func write(path string, data []byte, mode fs.FileMode, rename func(from, to string) error) error {
	name, err := prepare(path, data, mode)
	defer os.Remove(name) // gone already where it was renamed
	if err != nil {
		return err
	}
	return place(name, path, rename)
}

// prepare brings data to disk under a temporary name beside a path.
func prepare(path string, data []byte, mode fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), layout.TemporaryPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Chmod(mode), SyncFile(f), f.Close())
}

// place gives a file its name.
func place(from, to string, rename func(from, to string) error) error {
	if err := rename(from, to); err != nil {
		return err
	}
	saw("rename", to)
	return SyncDir(filepath.Dir(to))
}

// Replace gives a file or a folder with all that is in it another name, in place of what has that
// name. What is replaced must be a file, or not be there.
func Replace(from, to string) error {
	if err := syncPath(from); err != nil {
		return err
	}
	return place(from, to, os.Rename)
}

// MkdirAll makes a folder and those around it that are not there yet.
func MkdirAll(path string) error {
	path = filepath.Clean(path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	around := filepath.Dir(path)
	if around != path {
		if err := MkdirAll(around); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncDir(around)
}

// SyncDir waits until the names in a folder are on disk, where the system can tell: Windows cannot,
// and keeps names in a journal.
func SyncDir(path string) error {
	saw("sync folder", path)
	return syncDir(path)
}

// RemoveOld removes the files that a killed process left beside one that was just written: those
// that are older than what any other process may be writing.
func RemoveOld(written string) error {
	const age = time.Minute
	info, err := os.Stat(written)
	if err != nil {
		return err
	}
	return removeTemporary(filepath.Dir(written), info.ModTime().Add(-age))
}

// RemoveTemporary removes the files from a folder that a killed process left there. Nobody else may
// be writing to it.
func RemoveTemporary(dir string) error { return removeTemporary(dir, time.Time{}) }

// removeTemporary removes those that were written before a time, or all for the zero time.
func removeTemporary(dir string, before time.Time) error {
	left, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range left {
		if !strings.HasPrefix(e.Name(), layout.TemporaryPrefix) || !e.Type().IsRegular() {
			continue
		}
		if info, failed := e.Info(); before.IsZero() || failed == nil && info.ModTime().Before(before) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// SyncFile waits until the contents of a file that was written to are on disk: fsync, on macOS
// F_FULLFSYNC, on Windows FlushFileBuffers.
func SyncFile(f *os.File) error {
	saw("sync file", f.Name())
	return f.Sync()
}

// syncPath waits for a file, or for a folder with all that is in it.
func syncPath(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		t, err := OpenTree(path)
		if err != nil {
			return err
		}
		return errors.Join(t.Sync(), t.Close())
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows brings to disk only what may be written
	if err != nil {
		return err
	}
	return errors.Join(SyncFile(f), f.Close())
}

// watcher is called with each step.
var watcher atomic.Pointer[func(step, path string)]

// Watch lets a test see the steps in their order: "sync file", "sync folder", "sync tree" and
// "rename", each with a path.
func Watch(see func(step, path string)) (stop func()) {
	watcher.Store(&see)
	return func() { watcher.Store(nil) }
}

func saw(step, path string) {
	if see := watcher.Load(); see != nil {
		(*see)(step, path)
	}
}
