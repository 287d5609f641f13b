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
)

// Amend writes files beside those of a release that the manifest does not list, and removes some,
// in a folder or a zip. Files of a folder are written one after the other, each of them whole, so
// the order decides what somebody sees who reads at that moment. A zip is written anew and
// replaced in one step.
func Amend(target string, remove []string, files iter.Seq2[string, []byte]) error {
	path, err := filepath.EvalSymlinks(target)
	if err != nil {
		return err
	}
	unlock, err := lock(beside(path, "lock"))
	if err != nil {
		return fmt.Errorf("%s: %w", target, err)
	}
	if IsZip(path) {
		return amendZip(path, unlock, remove, files)
	}
	defer unlock()
	return amendDir(path, remove, files)
}

func amendDir(dir string, remove []string, files iter.Seq2[string, []byte]) error {
	for path, data := range files {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := replaceFile(at, data); err != nil {
			return err
		}
	}
	for _, path := range remove {
		at := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.Remove(at); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		os.Remove(filepath.Dir(at)) // if that was its last file
	}
	return syncDir(dir)
}

// replaceFile writes a file beside its place and renames it. Its old self may be linked into
// another release, so it is never written to.
func replaceFile(at string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(at), ".stele-new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), at)
}

func amendZip(target string, unlock func(), remove []string, files iter.Seq2[string, []byte]) (err error) {
	old, err := openZip(target)
	if err != nil {
		unlock()
		return err
	}
	defer old.file.Close() // where something fails
	if old.other != nil {
		unlock()
		return fmt.Errorf("%s was packed by another program: build it again with stele build", target)
	}
	z, err := newZipWriter(target, unlock)
	if err != nil {
		unlock()
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
	if err := z.takeOver(old, gone); err != nil {
		return err
	}
	for path, data := range files {
		if err := z.Put(path, data); err != nil {
			return err
		}
	}
	if err := old.file.Close(); err != nil { // on Windows a file that is open cannot be replaced
		return err
	}
	return z.Commit()
}

// takeOver begins a zip with all entries of another but some. What is left out loses its entry in
// the directory; its bytes stay, which are few.
func (z *zipWriter) takeOver(old *zipFS, but []string) error {
	if _, err := io.Copy(z.file, io.NewSectionReader(old.file, 0, old.start)); err != nil {
		return err
	}
	z.offset = old.start
	for e, err := range old.directory() {
		if err != nil {
			return err
		}
		if slices.Contains(but, string(e.name)) {
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
		z.listed += int64(len(raw))
	}
	return nil
}

// Files opens the files of a release in a folder or a zip, those that its manifest does not list
// too. close lets them go.
func Files(path string) (files fs.FS, closeFiles func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	return openFiles(path, info.IsDir())
}

// Lock takes a lock on a file, which ends with the process, however that ends. It answers with
// ErrBusy where another process has it.
func Lock(path string) (unlock func(), err error) { return lock(path) }
