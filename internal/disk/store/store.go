// Package store reads and writes releases in folders and zips. A release is written next to its
// target and renamed as the last step, so that readers never see an incomplete one. A failure
// before that step leaves the target unchanged.
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

// Writer writes a release. Paths are relative and use slashes.
type Writer interface {
	// Put writes data as the file at path. Only the writer of a folder allows concurrent calls.
	Put(path string, data []byte) error
	// Create returns a writer for a large file. No other file may be written until it is closed.
	Create(path string) (File, error)
	// Files returns the files that Create wrote and, except for a zip, all others. They can be read
	// even while more are written.
	Files() fs.FS
	// Scratch creates a temporary file.
	Scratch() (*os.File, error)
	// Commit moves the release to its target.
	Commit() error
	// Abort removes everything that was written. After Commit it does nothing.
	Abort() error
}

// File is a file that is being written. After Discard, its path may be used again.
type File interface {
	io.WriteCloser
	Discard() error
}

// checkPath returns an error if readers would refuse path.
func checkPath(path string) error {
	if !layout.ValidPath(path) {
		return fmt.Errorf("invalid path of a release: %.80q", path)
	}
	return nil
}

// NewWriter returns a writer of a release to target: a zip if the name ends in .zip, otherwise a
// folder. An existing target must be a release or an empty folder. NewWriter locks it.
func NewWriter(target string) (Writer, error) {
	target = filepath.Clean(target)
	// A symbolic link stays; its destination is replaced.
	if path, err := filepath.EvalSymlinks(target); err == nil {
		target = path
	}
	if err := durable.MkdirAll(filepath.Dir(target)); err != nil {
		return nil, err
	}
	unlock, err := durable.Lock(hiddenPath(target, "lock"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", target, err)
	}
	w, err := newWriter(target, unlock)
	if err != nil {
		unlock()
	}
	return w, err
}

func newWriter(target string, unlock func()) (Writer, error) {
	if err := checkReplaceable(target); err != nil {
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

// IsZip reports whether target has the name of a zip.
func IsZip(target string) bool { return strings.EqualFold(filepath.Ext(target), ".zip") }

// hiddenPath returns the path of a hidden file or folder next to target.
func hiddenPath(target, suffix string) string {
	return filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".stele-"+suffix)
}

// oldSuffix marks the previous release while a system that cannot exchange folders replaces it.
const oldSuffix = ".old"

// removeLeftovers removes the files that killed builds left behind. The caller must have the lock.
// If a build moved the target away without replacing it, removeLeftovers moves it back.
func removeLeftovers(target string) error {
	left, err := filepath.Glob(escapeGlob(hiddenPath(target, "new-")) + "*")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		if i := slices.IndexFunc(left, func(path string) bool { return strings.HasSuffix(path, oldSuffix) }); i >= 0 {
			if err := durable.Replace(left[i], target); err != nil {
				return fmt.Errorf("cannot restore the release that an interrupted build moved away: %w", err)
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, path := range left {
		if err := removeAll(path); err != nil {
			return fmt.Errorf("cannot remove the files of an interrupted build: %w", err)
		}
	}
	return nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// notCommitted wraps an error that left the target unchanged.
func notCommitted(target string, err error) error {
	return fmt.Errorf("%s is unchanged: %w", target, err)
}

// committedError wraps an error that occurred after the release was in place. It returns nil for
// nil.
func committedError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the release is complete, but cleaning up failed: %w", err)
}

// checkReplaceable returns an error if target contains something other than a release.
func checkReplaceable(target string) error {
	_, closeRelease, err := OpenTarget(target)
	if err != nil {
		return err
	}
	return closeRelease()
}

// OpenTarget opens the release that a Writer for target would replace. It returns nil if target is
// missing or an empty folder, and an error if target contains something else.
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
		return nil, nil, fmt.Errorf("%s exists and is not a release: move it away, or choose another name (%w)", target, err)
	}
	return r, closeRelease, nil
}
