package amend

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff shows what changes in the file, as a unified diff.
func (f *File) Diff() []byte {
	return diff.Diff("a/"+f.Path, f.Old, "b/"+f.Path, f.New)
}

// Write puts the new content in the place of the old, whole or not at all. It refuses if someone
// else has changed the file since it was read.
func (f *File) Write(root string) error {
	target := filepath.Join(root, filepath.FromSlash(f.Path))
	info, err := os.Lstat(target)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is a link; change the file that it leads to", target)
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, f.Old) {
		return fmt.Errorf("%s was changed by someone else just now; run the command again", target)
	}
	// hidden, so that it is not read as records if something goes wrong
	temp, err := os.CreateTemp(filepath.Dir(target), ".stele-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(f.New)
	err = errors.Join(err, temp.Chmod(info.Mode().Perm()), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}
