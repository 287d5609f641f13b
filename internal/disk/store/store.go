// Package store writes releases to where they are kept: a folder or a zip. Nothing of a release is
// seen before it is whole: it is written beside its target and takes the target's place by
// renaming, as the last step. Whatever happens before that leaves the target as it was.
package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/disk/durable"
	"stele/release"
)

// Writer writes a release. Paths are relative and have slashes.
type Writer interface {
	// Put writes a whole file. It may be called from one goroutine at a time, unless the writer is
	// a folder.
	Put(path string, data []byte) error
	// Create begins a file that is too large to hold; closing it ends it. Nothing else may be
	// written in between. What it returns is a Discarder too.
	Create(path string) (io.WriteCloser, error)
	// Open reads back a file that Create made, while others are written.
	Open(path string) (io.ReadCloser, error)
	// Scratch makes a file for what is needed only while building.
	Scratch() (*os.File, error)
	// Commit puts the release in its place.
	Commit() error
	// Abort removes what was written. After Commit it does nothing.
	Abort() error
}

// Shower is a Writer that shows what was written before it is in its place.
type Shower interface{ Files() fs.FS }

// Discarder is a file that was begun and can be given up in place of being closed. Another one can
// be begun at its path then.
type Discarder interface{ Discard() error }

// checkPath refuses what no reader would take.
func checkPath(path string) error {
	if !layout.ValidPath(path) {
		return fmt.Errorf("%.80q is not a path within a release", path)
	}
	return nil
}

// NewWriter begins a release at a target: a zip if its name ends so, else a folder. A target that
// is there already must be a release or an empty folder.
func NewWriter(target string) (Writer, error) {
	target = filepath.Clean(target)
	// what a link leads to is replaced, not the link
	if path, err := filepath.EvalSymlinks(target); err == nil {
		target = path
	}
	if err := durable.MkdirAll(filepath.Dir(target)); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(beside(target, "lock"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	w, err := begin(target, unlock)
	if err != nil {
		unlock()
	}
	return w, err
}

func begin(target string, unlock func()) (Writer, error) {
	if err := replaceable(target); err != nil {
		return nil, err
	}
	if err := removeLeftovers(target); err != nil {
		return nil, err
	}
	if IsZip(target) {
		return newZipWriter(target, unlock)
	}
	return newDirWriter(target, unlock)
}

// IsZip reports whether a target is a zip, by its name.
func IsZip(target string) bool { return strings.EqualFold(filepath.Ext(target), ".zip") }

// beside names a hidden file or folder next to a target.
func beside(target, what string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".stele-"+what)
}

// oldSuffix marks the release that was there, for the moment between two steps where a system
// cannot put a folder in place in one.
const oldSuffix = ".old"

// removeLeftovers removes what builds left behind that were killed. The lock is held, so nobody is
// writing it. A release that was moved away and has no successor is no leftover: it goes back.
func removeLeftovers(target string) error {
	left, err := filepath.Glob(escapeGlob(beside(target, "new-")) + "*")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if i := slices.IndexFunc(left, func(path string) bool { return strings.HasSuffix(path, oldSuffix) }); i >= 0 {
			if err := durable.Replace(left[i], target); err != nil {
				return fmt.Errorf("put back what an interrupted build moved away: %w", err)
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, path := range left {
		if err := removeAll(path); err != nil {
			return fmt.Errorf("remove what an interrupted build left: %w", err)
		}
	}
	return nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// notInPlace is an error that left the target as it was.
func notInPlace(target string, err error) error {
	return fmt.Errorf("%s is as it was: %w", target, err)
}

// inPlace is an error that came when the release was in its place already; nil if there was none.
func inPlace(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the release is in place, but something is left to do: %w", err)
}

// replaceable makes sure that nothing but a release is replaced.
func replaceable(target string) error {
	_, closeRelease, err := OpenTarget(target)
	if err != nil {
		return err
	}
	return closeRelease()
}

// OpenTarget opens the release that a Writer for the target would replace. It is nil if there is
// none; that something else is there is an error.
func OpenTarget(target string) (r *release.Release, closeRelease func() error, err error) {
	nothing := func() error { return nil }
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nothing, nil
	case err != nil:
		return nil, nil, err
	case IsZip(target) && info.IsDir():
		return nil, nil, fmt.Errorf("%s is a folder, not a zip: move it away", target)
	case !IsZip(target) && !info.IsDir():
		return nil, nil, fmt.Errorf("%s is a file, not a folder: move it away, or write to a name that ends in .zip", target)
	}
	if info.IsDir() {
		if entries, err := os.ReadDir(target); err != nil || len(entries) == 0 {
			return nil, nothing, err
		}
	}
	if r, closeRelease, err = Open(target); err != nil {
		return nil, nil, fmt.Errorf("%s is there already and is not a release, so it is left as it is: move it away, or choose another name (%w)", target, err)
	}
	return r, closeRelease, nil
}
