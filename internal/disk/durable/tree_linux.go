package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Tree is a folder that many files are written into, to be brought to disk together. It is open
// while they are written, so that no error of the disk is missed.
type Tree struct{ dir *os.File }

// OpenTree opens a folder.
func OpenTree(path string) (*Tree, error) {
	dir, err := os.Open(path)
	return &Tree{dir}, err
}

// Sync waits until all that was written is on disk. A release can have a million files; one call
// for the whole file system is the only way that does not take as many.
func (t *Tree) Sync() error {
	saw("sync tree", t.dir.Name())
	return unix.Syncfs(int(t.dir.Fd()))
}

// SyncEarly waits for what was written so far, where that shortens the wait at the end.
func (t *Tree) SyncEarly() error { return t.Sync() }

// Close closes the folder. Nothing was written to it by that name.
func (t *Tree) Close() error { return t.dir.Close() }
