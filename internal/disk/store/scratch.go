package store

import (
	"os"
	"path/filepath"

	"stele/internal/disk/scratch"
)

// createTempNextTo creates a temporary file on the same disk as target.
func createTempNextTo(target string) (*os.File, error) {
	return scratch.New(filepath.Dir(target), filepath.Base(hiddenPath(target, "new-*")))
}

// Scratch creates a temporary file.
func (w *dirWriter) Scratch() (*os.File, error) { return createTempNextTo(w.target) }

// Scratch creates a temporary file.
func (z *zipWriter) Scratch() (*os.File, error) { return createTempNextTo(z.target) }
