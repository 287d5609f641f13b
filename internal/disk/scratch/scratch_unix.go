//go:build !windows

package scratch

import (
	"errors"
	"os"
)

// New creates a file in dir, or in the system's folder for temporary files if dir is empty. It has
// a name of the pattern, as for [os.CreateTemp], only until New returns.
func New(dir, pattern string) (*os.File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
