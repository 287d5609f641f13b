package durable

import (
	"os"

	"golang.org/x/sys/unix"
)

// Tree is a folder whose many new files are synced together. It stays open while they are written,
// so that Sync returns every disk error.
type Tree struct{ dir *os.File }

// OpenTree opens the folder at path.
func OpenTree(path string) (*Tree, error) {
	dir, err := os.Open(path)
	return &Tree{dir}, err
}

// Sync waits until everything that was written is on disk. It syncs the whole file system, because
// a release can have a million files.
func (t *Tree) Sync() error {
	reportStep("sync tree", t.dir.Name())
	return unix.Syncfs(int(t.dir.Fd()))
}

// SyncEarly syncs the data written so far, if that shortens the final Sync.
func (t *Tree) SyncEarly() error { return t.Sync() }

func (t *Tree) Close() error { return t.dir.Close() }
