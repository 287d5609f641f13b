package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens the records folder that is dir or contains dir. It reads no files outside, even
// through links.
func Open(dir string) (files fs.FS, root string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("folder %s does not exist", dir)
	}
	root, err = FindRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", NoFolderError{dir}
	}
	if err != nil {
		return nil, "", err
	}
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, "", err
	}
	return r.FS(), root, nil
}

// NoFolderError means that a folder is not a records folder. It is fs.ErrNotExist.
type NoFolderError struct{ dir string }

func (e NoFolderError) Error() string {
	if e.dir == "." {
		return "not a records folder: no " + SettingsFile + " in the current folder or its parents. Change to your records folder, or name it. `stele init` creates one; `stele serve` shows a sample"
	}
	return fmt.Sprintf("%s is not a records folder: no %s in it or its parents. Run `stele init %s` to create one", e.dir, SettingsFile, e.dir)
}

// Unwrap returns fs.ErrNotExist.
func (NoFolderError) Unwrap() error { return fs.ErrNotExist }

// CurrentRoot returns the records folder that contains the current folder. If there is none, the
// error suggests a folder among args.
func CurrentRoot(args ...string) (string, error) {
	dir, err := FindRoot(".")
	if errors.Is(err, fs.ErrNotExist) {
		for _, dir := range args {
			if _, err := os.Stat(filepath.Join(dir, SettingsFile)); err == nil {
				return "", fmt.Errorf("this command changes records in the current folder: run `cd %s` first, and omit the folder", dir)
			}
		}
		return "", fmt.Errorf("not a records folder: no %s in the current folder or its parents. Run `stele init` to create one", SettingsFile)
	}
	return dir, err
}

// freshFS opens its folder again for each file.
type freshFS string

// NewReopeningFS returns a file system that opens dir again for each file, so that it notices when
// the folder is replaced. Like os.Root, it reads no files outside.
func NewReopeningFS(dir string) (fs.FS, error) {
	dir, err := filepath.Abs(dir)
	return freshFS(dir), err
}

func (dir freshFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenInRoot(string(dir), filepath.FromSlash(name))
}

// RelativePath returns the path arg, relative to the current folder, as a path relative to the
// records folder root.
func RelativePath(root, arg string) string {
	if _, err := os.Stat(arg); err != nil || strings.ContainsAny(arg, "*?[") {
		return arg
	}
	absolute, err1 := filepath.Abs(arg)
	from, err2 := filepath.Abs(root)
	below, err3 := filepath.Rel(from, absolute)
	if errors.Join(err1, err2, err3) != nil {
		return arg
	}
	return filepath.ToSlash(below)
}
