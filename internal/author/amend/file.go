package amend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"stele/internal/disk/durable"
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
	// hidden while it is written, so that it is not read as records if something goes wrong
	return durable.WriteFile(target, f.New, info.Mode().Perm())
}
