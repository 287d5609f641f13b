package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"stele/internal/base/layout"
	"stele/internal/trust/signing"
)

// maxLogFile is the most that a file of a log may have: a bundle of its entries.
const maxLogFile = 1 << 20

// loadLog takes the log of signed releases, which lies beside the release and is not listed in its
// manifest. It is small, and held in memory. Who signed is for those to check who have the key;
// that the log fits together is checked here.
func (l *Library) loadLog() error {
	paths, err := signing.Paths(context.Background(), signing.FS(l.release.Files))
	if err != nil {
		return fmt.Errorf("the log of signed releases: %w", err)
	}
	for _, path := range paths {
		data, err := l.release.ReadFile(path, maxLogFile)
		if errors.Is(err, fs.ErrNotExist) && path == layout.ProofPath { // not signed yet
			continue
		}
		if err != nil {
			return err
		}
		l.files[path] = newResource(l.head(path), plainRepresentation(data, l.link(path)))
	}
	return nil
}
