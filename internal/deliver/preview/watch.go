package preview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quietTime is the time without changes after which the folder is read, because editors save in
// several steps.
const quietTime = 60 * time.Millisecond

// watcher detects changes to the files that affect a release. A nil watcher detects nothing.
type watcher struct {
	*fsnotify.Watcher
	dir   string
	find  func() []string // returns the files that affect a release, not those of built releases
	names []string        // the result of find, when it was last called
}

// newWatcher returns a watcher that detects changes from now on.
func newWatcher(dir string, find func() []string) (*watcher, error) {
	inner, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", dir, err)
	}
	w := &watcher{Watcher: inner, find: find}
	if w.dir, err = filepath.Abs(dir); err == nil {
		err = w.addAll()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watch %s: %w", dir, err), w.Close())
	}
	return w, nil
}

// addAll watches the folder, the files that affect a release, and the parent folder, because
// another folder may be renamed to the folder's name. It ignores a parent folder that cannot be
// watched.
func (w *watcher) addAll() error {
	for _, path := range w.WatchList() { // paths of a folder that was moved away
		if err := w.Remove(path); err != nil && !errors.Is(err, fsnotify.ErrNonExistentWatch) {
			return err
		}
	}
	if err := w.Add(filepath.Dir(w.dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	if err := w.Add(w.dir); err != nil {
		return err
	}
	return w.addNames()
}

// addNames calls find, and watches the files that it returns and their folders. Files that do not
// exist yet are added when they are created.
func (w *watcher) addNames() error {
	w.names = w.find()
	for _, name := range w.names {
		at := filepath.Join(w.dir, filepath.FromSlash(name))
		if err := w.Add(filepath.Dir(at)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := w.addFolders(at); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) Close() error {
	if w == nil {
		return nil
	}
	return w.Watcher.Close()
}

// run calls changed after each change, until ctx ends.
func (w *watcher) run(ctx context.Context, changed func()) error {
	if w == nil {
		<-ctx.Done()
		return nil
	}
	defer w.Close()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) { // too many changes at once, so something did change
				return err
			}
			quiet.Reset(quietTime)
		case e := <-w.Events:
			if e.Name == w.dir && e.Has(fsnotify.Create) { // another folder took its place
				if err := w.addAll(); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				quiet.Reset(quietTime)
				continue
			}
			if !w.isRelevant(e.Name) || e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				if err := w.addFolders(e.Name); err != nil {
					return err
				}
			}
			quiet.Reset(quietTime)
		case <-quiet.C:
			if err := w.addNames(); err != nil {
				return err
			}
			changed()
		}
	}
}

// isRelevant reports whether a change to the file at path can change the release.
func (w *watcher) isRelevant(path string) bool {
	within, err := filepath.Rel(w.dir, path)
	if err != nil || isHidden(path) {
		return false
	}
	within = filepath.ToSlash(within)
	return slices.ContainsFunc(w.names, func(name string) bool {
		return within == name || strings.HasPrefix(within, name+"/")
	})
}

// addFolders watches a folder and its subfolders. It ignores folders that were deleted meanwhile,
// and files.
func (w *watcher) addFolders(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != dir && isHidden(path):
			return filepath.SkipDir
		}
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// isHidden reports whether path is a hidden file or a temporary file of an editor, and so cannot be
// a record.
func isHidden(path string) bool {
	name := filepath.Base(path)
	// vim creates this file to test whether it may write
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == "4913"
}
