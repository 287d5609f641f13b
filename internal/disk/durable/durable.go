// Package durable writes files that survive a power failure. A file has either its old or its new
// contents, and after a function has returned, the new ones. Contents are synced before a file gets
// its name, and a folder is synced after a name in it changed.
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

// WriteFile writes data to the file at path and replaces an existing file. The existing file itself
// is not modified, because other folders may link to it.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, os.Rename)
}

// WriteNew writes data to a new file at path. If path exists, the error is [fs.ErrExist].
func WriteNew(path string, data []byte, mode fs.FileMode) error {
	return write(path, data, mode, func(from, to string) error {
		if err := os.Link(from, to); !errors.Is(err, errors.ErrUnsupported) {
			return err // the caller removes the temporary name
		}
		if _, err := os.Lstat(to); err == nil {
			return &fs.PathError{Op: "create", Path: to, Err: fs.ErrExist}
		}
		return os.Rename(from, to)
	})
}

// File is a file to be written.
type File struct {
	Path string
	Data []byte
	Mode fs.FileMode
}

// WriteAll writes files and replaces existing ones. It syncs all of them before it renames the
// first, so that a full disk changes nothing. placed is the number of files, counted from the
// first, that were renamed. It is less than len(files) only if renaming failed.
func WriteAll(files []File) (placed int, err error) {
	names := make([]string, len(files))
	defer func() {
		for _, name := range names[placed:] {
			if name != "" {
				os.Remove(name) // the error that matters is returned already
			}
		}
	}()
	for i, f := range files {
		if names[i], err = writeTemporary(f.Path, f.Data, f.Mode); err != nil {
			return 0, err
		}
	}
	for i, f := range files {
		if err := renameAndSync(names[i], f.Path, os.Rename); err != nil {
			return placed, err
		}
		placed++
	}
	return placed, nil
}

func write(path string, data []byte, mode fs.FileMode, rename func(from, to string) error) error {
	name, err := writeTemporary(path, data, mode)
	defer os.Remove(name) // fails if it was renamed
	if err != nil {
		return err
	}
	return renameAndSync(name, path, rename)
}

// writeTemporary writes and syncs data to a temporary file next to path, and returns its name.
func writeTemporary(path string, data []byte, mode fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), layout.TemporaryPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Chmod(mode), SyncFile(f), f.Close())
}

// renameAndSync renames a file and syncs the folder.
func renameAndSync(from, to string, rename func(from, to string) error) error {
	if err := rename(from, to); err != nil {
		return err
	}
	reportStep("rename", to)
	return SyncDir(filepath.Dir(to))
}

// Replace syncs the file or folder from, and renames it to to, which must be a file or not exist.
func Replace(from, to string) error {
	if err := syncPath(from); err != nil {
		return err
	}
	return renameAndSync(from, to, os.Rename)
}

// MkdirAll creates a folder and its missing parents, and syncs them.
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

// SyncDir waits until the names in a folder are on disk. It does nothing on Windows, which has no
// such call and keeps a journal of names.
func SyncDir(path string) error {
	reportStep("sync folder", path)
	return syncDir(path)
}

// RemoveOld removes temporary files that a killed process left next to a file that was just
// written: those old enough that no process can still be writing them.
func RemoveOld(written string) error {
	const age = time.Minute
	info, err := os.Stat(written)
	if err != nil {
		return err
	}
	return removeTemporary(filepath.Dir(written), info.ModTime().Add(-age))
}

// RemoveTemporary removes temporary files that a killed process left in dir. No other process may
// be writing there.
func RemoveTemporary(dir string) error { return removeTemporary(dir, time.Time{}) }

// removeTemporary removes temporary files that were last written before a time, or all of them for
// the zero time.
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

// SyncFile waits until the contents of f are on disk, with fsync, F_FULLFSYNC on macOS or
// FlushFileBuffers on Windows.
func SyncFile(f *os.File) error {
	reportStep("sync file", f.Name())
	return f.Sync()
}

// syncPath syncs a file, or a folder with everything in it.
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
	f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows syncs only files that are open for writing
	if err != nil {
		return err
	}
	return errors.Join(SyncFile(f), f.Close())
}

// watcher is called with each step.
var watcher atomic.Pointer[func(step, path string)]

// Watch calls observe with each step, for tests: "sync file", "sync folder", "sync tree" and
// "rename", each with a path.
func Watch(observe func(step, path string)) (stop func()) {
	watcher.Store(&observe)
	return func() { watcher.Store(nil) }
}

func reportStep(step, path string) {
	if see := watcher.Load(); see != nil {
		(*see)(step, path)
	}
}
