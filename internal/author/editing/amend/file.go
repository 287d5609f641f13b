package amend

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"stele/internal/disk/durable"
)

// ErrChanged is in errors for files that changed after a plan was made.
var ErrChanged = errors.New("was changed by someone else at the same time; run the command again")

// Write replaces the contents of files in the folder root. It refuses if one of them changed since
// it was read. It syncs all new contents to disk before it replaces the first file. If replacing
// one fails, the error names those that were replaced already. Files are deleted last.
func Write(root string, files []File) error {
	var names, remove []string
	list := make([]durable.File, 0, len(files))
	for _, f := range files {
		if bytes.Equal(f.Old, f.New) && !f.Removed {
			continue
		}
		target := filepath.Join(root, filepath.FromSlash(f.Path))
		info, err := os.Lstat(target)
		// the first corrections file of a table, or the first redaction
		if errors.Is(err, fs.ErrNotExist) && f.Old == nil {
			names = append(names, f.Path)
			list = append(list, durable.File{Path: target, Data: f.New, Mode: 0o644})
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s %w", target, ErrChanged)
		}
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a symbolic link; change its target", target)
		}
		now, err := os.ReadFile(target)
		if err != nil {
			return err
		}
		if !bytes.Equal(now, f.Old) {
			return fmt.Errorf("%s %w", target, ErrChanged)
		}
		if f.Removed {
			remove = append(remove, target)
			continue
		}
		names = append(names, f.Path)
		list = append(list, durable.File{Path: target, Data: f.New, Mode: info.Mode().Perm()})
	}
	placed, err := writeAll(list)
	for _, path := range remove {
		if err == nil {
			err = errors.Join(os.Remove(path), durable.SyncDir(filepath.Dir(path)))
		}
	}
	if err == nil || placed == 0 {
		return err
	}
	return fmt.Errorf("%w\n%d of %d files were changed: %s",
		err, placed, len(list), strings.Join(names[:placed], ", "))
}

// writeAll writes the files in list, and deletes temporary files of killed processes.
func writeAll(list []durable.File) (placed int, err error) {
	placed, err = durable.WriteAll(list)
	for _, f := range list[:placed] {
		err = errors.Join(err, durable.RemoveOld(f.Path))
	}
	return placed, err
}
