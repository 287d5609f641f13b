package scratch

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE, which [os.OpenFile] takes among its flags. A file
// that is open cannot be removed here, so the system is asked to do it.
const deleteOnClose = 0x04000000

// New makes a file in a folder, in that of temporary files if dir is empty. The pattern is that of
// [os.CreateTemp].
func New(dir, pattern string) (*os.File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	prefix, suffix, _ := strings.Cut(pattern, "*")
	for {
		name := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36)+suffix)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|deleteOnClose, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
