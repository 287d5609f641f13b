package preview

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long nothing must happen before the folder is read: editors save in several steps.
const settle = 60 * time.Millisecond

// watch calls changed after something in a folder has changed, until the context ends.
func watch(ctx context.Context, dir string, changed func()) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	if err := addFolders(w, dir); err != nil {
		return err
	}
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // too many changes at once: something did change
				return err
			}
			quiet.Reset(settle)
		case e := <-w.Events:
			if hidden(e.Name) || e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				if err := addFolders(w, e.Name); err != nil {
					return err
				}
			}
			quiet.Reset(settle)
		case <-quiet.C:
			changed()
		}
	}
}

// addFolders watches a folder and those in it. What is gone by now, or is no folder, is left out.
func addFolders(w *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != dir && hidden(path):
			return filepath.SkipDir
		}
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// hidden reports whether a name is none of a record: hidden files, and what editors leave while they save.
func hidden(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == "4913" // which vim makes to see whether it may
}
