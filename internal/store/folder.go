package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Folder writes a release as a folder. Its files may be written from several goroutines.
type Folder struct {
	target, dir string
	made        sync.Map // folders that are there
	unlock      func()
	done        bool
}

func newFolder(target string, unlock func()) (*Folder, error) {
	dir, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Folder{target: target, dir: dir, unlock: unlock}, nil
}

// place is where a file of the release lies, in a folder that is there.
func (f *Folder) place(path string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", fmt.Errorf("%q is not a path within a release", path)
	}
	at := filepath.Join(f.dir, filepath.FromSlash(path))
	dir := filepath.Dir(at)
	if _, made := f.made.Load(dir); !made {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		f.made.Store(dir, true)
	}
	return at, nil
}

// Put writes a whole file.
func (f *Folder) Put(path string, data []byte) error {
	at, err := f.place(path)
	if err != nil {
		return err
	}
	file, err := create(at)
	if err != nil {
		return err
	}
	if _, err := file.Write(data); err != nil {
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// create makes a new file. One that is there may be a link to a file of another release, which must not be written to.
func create(at string) (file *os.File, err error) {
	for range 10 { // where names differ in case only and the file system does not care, somebody else may have made it again
		if file, err = os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); !errors.Is(err, fs.ErrExist) {
			return file, err
		}
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}

// Link takes a file over from another folder without copying it, and reports whether it could.
func (f *Folder) Link(path, from string) bool {
	at, err := f.place(path)
	return err == nil && os.Link(from, at) == nil
}

// Create begins a large file.
func (f *Folder) Create(path string) (io.WriteCloser, error) {
	at, err := f.place(path)
	if err != nil {
		return nil, err
	}
	file, err := create(at)
	if err != nil {
		return nil, err
	}
	return &writeBack{File: file}, nil
}

// Open reads a file back.
func (f *Folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.dir, filepath.FromSlash(path)))
}

// Commit puts the folder in its place. On Linux the old and the new one change places in one step; elsewhere there is
// a moment between two steps.
func (f *Folder) Commit() error {
	if err := syncTree(f.dir); err != nil {
		return notInPlace(f.target, err)
	}
	old, err := swap(f.dir, f.target)
	if err != nil {
		return notInPlace(f.target, err)
	}
	f.done = true
	defer f.unlock()
	if old != "" {
		if err := removeAll(old); err != nil {
			return inPlace(fmt.Errorf("remove the old one: %w", err))
		}
	}
	return inPlace(syncTree(filepath.Dir(f.target)))
}

// Abort removes what was written.
func (f *Folder) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	defer f.unlock()
	return removeAll(f.dir)
}

// removeAll removes a folder, also one that was made read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error { // if this fails, so does what follows, which says why
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	return os.RemoveAll(dir)
}

// swap puts the folder at from into the place of the one at to, and answers with where that one is now, if there was one.
func swap(from, to string) (old string, err error) {
	if _, err := os.Lstat(to); err != nil {
		return "", os.Rename(from, to)
	}
	if exchange(from, to) == nil {
		return from, nil
	}
	old = from + oldSuffix
	if err := os.Rename(to, old); err != nil {
		return "", err
	}
	if err := os.Rename(from, to); err != nil {
		return "", errors.Join(err, os.Rename(old, to))
	}
	return old, nil
}
