package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens the folder of records that a folder is, or lies in. Nothing outside of it is read,
// whatever links say.
func Open(dir string) (files fs.FS, root string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("there is no folder %s", dir)
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

// NoFolderError says that a folder is none of records. It is fs.ErrNotExist.
type NoFolderError struct{ dir string }

func (e NoFolderError) Error() string {
	if e.dir == "." {
		return "there is no " + SettingsFile + " here or in the folders around: go to your folder of records, or name it. `stele init` makes one; `stele serve` shows a sample"
	}
	return fmt.Sprintf("%s is not a folder of records: there is no %s in it or around it. `stele init %s` makes one", e.dir, SettingsFile, e.dir)
}

// Unwrap returns fs.ErrNotExist.
func (NoFolderError) Unwrap() error { return fs.ErrNotExist }

// Here is the folder of records where the user stands. If there is none, one of the arguments of a
// command may be meant for it.
func Here(args ...string) (string, error) {
	dir, err := FindRoot(".")
	if errors.Is(err, fs.ErrNotExist) {
		for _, dir := range args {
			if _, err := os.Stat(filepath.Join(dir, SettingsFile)); err == nil {
				return "", fmt.Errorf("this command changes the records of the folder that it is run in: cd %s first, and leave it out", dir)
			}
		}
		return "", fmt.Errorf("this is not a folder of records: there is no %s here or around it. `stele init` makes one", SettingsFile)
	}
	return dir, err
}

// freshFS is a folder that is looked up anew with each file.
type freshFS string

// Fresh is a folder that is looked up anew with each file, so that one that was put in the place of
// another is seen. Like a root, it reads nothing outside of it.
func Fresh(dir string) (fs.FS, error) {
	dir, err := filepath.Abs(dir)
	return freshFS(dir), err
}

func (dir freshFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenInRoot(string(dir), filepath.FromSlash(name))
}

// Below is a path as seen from the folder of records, if the argument is one as seen from here.
func Below(root, arg string) string {
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
