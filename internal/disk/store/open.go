package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"stele/internal/base/layout"
	"stele/release"
)

// Open opens the release at path, a folder or a zip.
func Open(path string) (r *release.Release, closeRelease func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("no release found at %s: %w", path, fs.ErrNotExist)
		}
		return nil, nil, err
	}
	files, closeRelease, err := openFiles(path, info.IsDir())
	if err != nil {
		return nil, nil, err
	}
	if r, err = release.Open(context.Background(), files); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), closeRelease())
	}
	return r, closeRelease, nil
}

func openFiles(path string, folder bool) (fs.FS, func() error, error) {
	if folder {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, nil, err
		}
		return dirFS{root, root.FS()}, root.Close, nil
	}
	z, err := openZip(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return z, z.Close, nil
}

// dirFS is a folder that opens only regular files. Opening a pipe would block, and opening a device
// could have side effects.
type dirFS struct {
	root *os.Root
	fs.FS
}

// Open opens a regular file without blocking.
func (d dirFS) Open(name string) (fs.File, error) {
	if !layout.ValidPath(name) {
		if name == "." { // for fs.WalkDir
			return d.FS.Open(name)
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	f, err := d.root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := checkFileOrFolder(f); err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: err}, f.Close())
	}
	return f, nil
}

// ReadDir returns the entries of a folder.
func (d dirFS) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.FS, name) }

// Stat describes a file without opening it.
func (d dirFS) Stat(name string) (fs.FileInfo, error) { return d.root.Stat(name) }

var errNotRegular = errors.New("not a regular file")

// checkFileOrFolder returns an error unless f is a regular file or a folder.
func checkFileOrFolder(f *os.File) error {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errNotRegular
	}
	return err
}
