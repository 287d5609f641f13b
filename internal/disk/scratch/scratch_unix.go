//go:build !windows

package scratch

import (
	"errors"
	"os"
)

// New makes a file in a folder, in that of temporary files if dir is empty. The pattern is that of
// [os.CreateTemp]: the file bears such a name only until New returns.
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
