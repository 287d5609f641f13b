package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Folder writes a release as a folder.
type Folder struct {
	target, dir string
	made        map[string]bool // folders that are there
	unlock      func()
	done        bool
}

func newFolder(target string, unlock func()) (*Folder, error) {
	dir, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(beside(target, "new-")))
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Folder{target: target, dir: dir, made: map[string]bool{}, unlock: unlock}, nil
}

// place is where a file of the release lies, in a folder that is there.
func (f *Folder) place(path string) (string, error) {
	at := filepath.Join(f.dir, filepath.FromSlash(path))
	if dir := filepath.Dir(at); !f.made[dir] {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		f.made[dir] = true
	}
	return at, nil
}

// Put writes a whole file.
func (f *Folder) Put(path string, data []byte) error {
	at, err := f.place(path)
	if err != nil {
		return err
	}
	return os.WriteFile(at, data, 0o644)
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
	return os.Create(at)
}

// Open reads a file back.
func (f *Folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.dir, filepath.FromSlash(path)))
}

// Commit puts the folder in its place. On Linux the old and the new one change places in one step; elsewhere there is
// a moment between two steps.
func (f *Folder) Commit() error {
	if err := syncTree(f.dir); err != nil {
		return fmt.Errorf("write to disk: %w", err)
	}
	old, err := swap(f.dir, f.target)
	if err != nil {
		return err
	}
	f.done = true
	defer f.unlock()
	if old != "" {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("the release is in place, but the old one could not be removed: %w", err)
		}
	}
	return syncTree(filepath.Dir(f.target))
}

// Abort removes what was written.
func (f *Folder) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	defer f.unlock()
	return os.RemoveAll(f.dir)
}

// swap puts the folder at from into the place of the one at to, and answers with where that one is now, if there was one.
func swap(from, to string) (old string, err error) {
	if _, err := os.Lstat(to); err != nil {
		return "", os.Rename(from, to)
	}
	if exchange(from, to) == nil {
		return from, nil
	}
	old = from + ".old"
	if err := os.Rename(to, old); err != nil {
		return "", err
	}
	if err := os.Rename(from, to); err != nil {
		return "", errors.Join(err, os.Rename(old, to))
	}
	return old, nil
}
