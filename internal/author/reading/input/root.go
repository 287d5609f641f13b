package input

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FindRoot returns the publisher's folder that a folder is, or lies in: the nearest one with a
// stele.yaml. Where there is none, the error is fs.ErrNotExist.
func FindRoot(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is a file, not a folder", dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for root := dir; ; root = filepath.Join(root, "..") {
		if _, err := os.Stat(filepath.Join(root, SettingsFile)); err == nil {
			return filepath.Clean(root), nil
		}
		if parent := filepath.Dir(abs); parent == abs {
			return "", fmt.Errorf("no %s in %s or the folders around it: %w", SettingsFile, dir, fs.ErrNotExist)
		}
		abs = filepath.Dir(abs)
	}
}
