package store

import (
	"archive/zip"
	"io/fs"
	"os"
)

// zipFiles reads a zip through the standard library.
type zipFiles struct {
	*zip.Reader
	file *os.File
}

func openZip(path string) (*zipFiles, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r, err := zip.NewReader(f, info.Size())
	if err != nil {
		f.Close()
		return nil, err
	}
	return &zipFiles{r, f}, nil
}

var _ fs.FS = (*zipFiles)(nil)
