//go:build !linux

package durable

import (
	"io/fs"
	"path/filepath"
)

// Tree is a folder whose many new files are synced together.
type Tree struct{ path string }

// OpenTree opens the folder at path.
func OpenTree(path string) (*Tree, error) { return &Tree{path}, nil }

// Sync waits until everything that was written is on disk: each file, then each folder.
func (t *Tree) Sync() error {
	reportStep("sync tree", t.path)
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

// SyncEarly does nothing, because Sync would visit the files again.
func (t *Tree) SyncEarly() error { return nil }

// Close does nothing.
func (t *Tree) Close() error { return nil }
