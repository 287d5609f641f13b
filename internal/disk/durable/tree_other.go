//go:build !linux

package durable

import (
	"io/fs"
	"path/filepath"
)

// Tree is a folder that many files are written into, to be brought to disk together.
type Tree struct{ path string }

// OpenTree opens a folder.
func OpenTree(path string) (*Tree, error) { return &Tree{path}, nil }

// Sync waits until all that was written is on disk: file by file, then folder by folder.
func (t *Tree) Sync() error {
	saw("sync tree", t.path)
	var folders []string
	err := filepath.WalkDir(t.path, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			folders = append(folders, path)
		case d.Type().IsRegular():
			return syncPath(path)
		}
		return nil
	})
	for i := len(folders) - 1; i >= 0 && err == nil; i-- {
		err = SyncDir(folders[i])
	}
	return err
}

// SyncEarly does nothing: the files would be visited twice.
func (t *Tree) SyncEarly() error { return nil }

// Close does nothing.
func (t *Tree) Close() error { return nil }
