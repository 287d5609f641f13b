package store

import (
	"errors"
	"os"
	"path/filepath"
)

// scratch makes a file that is gone when it is closed, or when the program ends.
func scratch(target string) (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Scratch makes a file for what is needed only while building.
func (f *dirWriter) Scratch() (*os.File, error) { return scratch(f.target) }

// Scratch makes a file for what is needed only while building.
func (z *zipWriter) Scratch() (*os.File, error) { return scratch(z.target) }
