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

// deleteOnClose is FILE_FLAG_DELETE_ON_CLOSE, which [os.OpenFile] accepts as a flag. Windows cannot
// remove an open file, so the system does it on closing.
const deleteOnClose = 0x04000000

// New creates a file in dir, or in the system's folder for temporary files if dir is empty. The
// pattern of its name is that of [os.CreateTemp].
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
