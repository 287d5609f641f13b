package store

import (
	"os"
	"path/filepath"

	"stele/internal/disk/scratch"
)

// scratchBeside creates a temporary file on the same disk as target.
func scratchBeside(target string) (*os.File, error) {
	return scratch.New(filepath.Dir(target), filepath.Base(hiddenPath(target, "new-*")))
}

// Scratch creates a temporary file.
func (w *dirWriter) Scratch() (*os.File, error) { return scratchBeside(w.target) }

// Scratch creates a temporary file.
func (z *zipWriter) Scratch() (*os.File, error) { return scratchBeside(z.target) }
