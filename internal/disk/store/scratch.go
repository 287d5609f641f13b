package store

import (
	"os"
	"path/filepath"

	"stele/internal/disk/scratch"
)

// scratchBeside makes a file that is gone when it is closed, on the same disk as the target.
func scratchBeside(target string) (*os.File, error) {
	return scratch.New(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
}

// Scratch makes a file for what is needed only while building.
func (w *dirWriter) Scratch() (*os.File, error) { return scratchBeside(w.target) }

// Scratch makes a file for what is needed only while building.
func (z *zipWriter) Scratch() (*os.File, error) { return scratchBeside(z.target) }
