package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"stele/internal/input"
	"stele/sample"
)

// openFolder opens the folder of records that the arguments name, and says how paths in it begin
// for the reader. Without an argument, and outside of any such folder, it is the sample.
func openFolder(c *cobra.Command, args []string, quiet bool) (files fs.FS, prefix string, err error) {
	if len(args) > 0 {
		return openRecords(args[0])
	}
	files, prefix, err = openRecords(".")
	if !errors.Is(err, fs.ErrNotExist) {
		return files, prefix, err
	}
	if !quiet {
		fmt.Fprintln(c.ErrOrStderr(), "No stele.yaml here, so this is the sample that comes with Stele. `stele init` makes a folder of your own.")
	}
	return sample.Files, "sample", nil
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

// noFolder says that a folder is no folder of records.
type noFolder struct{ dir string }

func (e noFolder) Error() string {
	return fmt.Sprintf("%s is no folder of records: there is no %s in it or around it. `stele init %s` makes one", e.dir, input.SettingsFile, e.dir)
}

func (noFolder) Is(target error) bool { return target == fs.ErrNotExist }
