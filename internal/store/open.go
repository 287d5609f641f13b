package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"stele/release"
)

// Open opens a release in a folder or a zip. close lets it go.
func Open(path string) (r *release.Release, closeRelease func() error, err error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there is no release at %s: %w", path, fs.ErrNotExist)
		}
		return nil, nil, err
	}
	files, closeRelease, err := openFiles(path, info.IsDir())
	if err != nil {
		return nil, nil, err
	}
	if r, err = release.Open(files); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", path, err), closeRelease())
	}
	return r, closeRelease, nil
}

func openFiles(path string, folder bool) (fs.FS, func() error, error) {
	if folder {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root.Close, nil
	}
	z, err := openZip(path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return z, z.file.Close, nil
}
