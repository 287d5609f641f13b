package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"stele/internal/author/reading/input"
)

// openFolder opens the folder of records that the arguments name, or the one where the user stands,
// and says how paths in it begin for the reader.
func openFolder(args []string) (files fs.FS, prefix string, err error) {
	return openRecords(append(args, ".")[0])
}

// openRecords opens the folder of records that a folder is, or lies in.
func openRecords(dir string) (files fs.FS, root string, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("there is no folder %s", dir)
	}
	root, err = input.FindRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", noFolder{dir}
	}
	if err != nil {
		return nil, "", err
	}
	r, err := os.OpenRoot(root) // nothing outside of it is read, whatever links say
	if err != nil {
		return nil, "", err
	}
	return r.FS(), root, nil
}

type noFolder struct{ dir string }

func (e noFolder) Error() string {
	if e.dir == "." {
		return "there is no " + input.SettingsFile + " here or in the folders around: go to your folder of records, or name it. `stele init` makes one; `stele serve` shows a sample"
	}
	return fmt.Sprintf("%s is not a folder of records: there is no %s in it or around it. `stele init %s` makes one", e.dir, input.SettingsFile, e.dir)
}

func (noFolder) Is(target error) bool { return target == fs.ErrNotExist }

// freshFS is a folder that is looked up anew with each file, so that one that was put in the place
// of another is seen. Like a root, it reads nothing outside of it.
type freshFS string

func newFreshFS(dir string) (freshFS, error) {
	dir, err := filepath.Abs(dir)
	return freshFS(dir), err
}

func (dir freshFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenInRoot(string(dir), filepath.FromSlash(name))
}
