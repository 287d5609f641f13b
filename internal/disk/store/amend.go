package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/disk/durable"
)

// Amend changes files of a release that the manifest does not list, in a folder or a zip. It locks
// the target while edit reads the release and returns which paths to remove and which files to put;
// if put is nil, nothing changes. In a folder, complete files are written one after the other, so
// their order matters to concurrent readers. A zip is rewritten and replaced atomically.
func Amend(target string, edit func(files fs.FS) (remove []string, put iter.Seq2[string, []byte], err error)) error {
	path, err := filepath.EvalSymlinks(target)
	if err != nil {
		return err
	}
	unlock, err := durable.Lock(hiddenPath(path, "lock"))
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	defer unlock()
	if err := removeTemporary(path); err != nil {
		return err
	}
	files, closeFiles, err := Files(path)
	if err != nil {
		return err
	}
	remove, put, err := edit(files)
	// Windows cannot replace an open file.
	if err = errors.Join(err, closeFiles()); err != nil || put == nil {
		return err
	}
	if IsZip(path) {
		return amendZip(path, remove, put)
	}
	return amendDir(path, remove, put)
}

// removeTemporary removes the files that an interrupted Amend left in a folder.
func removeTemporary(dir string) error {
	if IsZip(dir) {
		return nil
	}
	log := filepath.Join(dir, layout.LogFolder)
	err := filepath.WalkDir(log, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.IsDir() {
			return err
		}
		return durable.RemoveTemporary(path)
	})
	return errors.Join(err, durable.RemoveTemporary(dir))
}

func amendDir(dir string, remove []string, files iter.Seq2[string, []byte]) error {
	for path, data := range files {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := durable.MkdirAll(filepath.Dir(at)); err != nil {
			return err
		}
		if err := durable.WriteFile(at, data, 0o644); err != nil {
			return err
		}
	}
	for _, path := range remove {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		os.Remove(filepath.Dir(at)) // if it is empty now
	}
	return durable.SyncDir(dir)
}

func amendZip(target string, remove []string, files iter.Seq2[string, []byte]) (err error) {
	old, err := openZip(target)
	if err != nil {
		return err
	}
	defer old.file.Close() // in case of an error
	if old.foreign != nil {
		return fmt.Errorf("%s: the zip was written by another program: build it again with stele build", target)
	}
	z, err := newZipWriter(target, func() {})
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, z.Abort())
		}
	}()
	gone := slices.Clone(remove)
	for path := range files {
		gone = append(gone, path)
	}
	if err := z.copyEntries(old, gone); err != nil {
		return err
	}
	for path, data := range files {
		if err := z.Put(path, data); err != nil {
			return err
		}
	}
	if err := old.file.Close(); err != nil { // Windows cannot replace an open file
		return err
	}
	return z.Commit()
}

// copyEntries copies all entries of the zip old. It leaves the entries with the paths in except out
// of the directory, but copies their few bytes.
func (z *zipWriter) copyEntries(old *zipFS, except []string) error {
	if _, err := io.Copy(z.file, io.NewSectionReader(old.file, 0, old.start)); err != nil {
		return err
	}
	z.offset = old.start
	for e, err := range old.directoryEntries() {
		if err != nil {
			return err
		}
		if slices.Contains(except, string(e.name)) {
			continue
		}
		raw := make([]byte, e.next-e.at)
		if _, err := old.file.ReadAt(raw, old.start+e.at); err != nil {
			return err
		}
		if _, err := z.listing.Write(raw); err != nil {
			return err
		}
		z.count++
		z.directorySize += int64(len(raw))
	}
	return nil
}

// Files opens the files of the release at path, a folder or a zip, including those that its
// manifest does not list.
func Files(path string) (files fs.FS, closeFiles func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	return openFiles(path, info.IsDir())
}
