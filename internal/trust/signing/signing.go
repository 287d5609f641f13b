// Package signing makes releases provable: complete, unaltered, and part of one history that cannot
// be rewritten unnoticed. Anyone with a copy and one public key can verify it offline.
//
// Every release is a leaf of an append-only log, a Merkle tree whose latest root the publisher
// signs. The log is next to the release, in the formats of c2sp.org: signed-note, tlog-checkpoint,
// tlog-tiles, tlog-proof, tlog-cosignature, tlog-witness and tlog-policy. The tree, the notes and
// the keys are implemented by golang.org/x/mod/sumdb; this package contains no cryptography of its
// own.
//
// It reads no clock, environment or network, except for Cosign, which asks witnesses over HTTP.
package signing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"stele/internal/base/layout"
)

// Limits on the size of files of a log. A log has one leaf per release, so logs stay far below
// them.
const (
	maxNote    = 64 << 10      // bytes of a checkpoint, a proof or a policy
	maxEntries = 1 << 20       // leaves of a log
	maxEntry   = 1<<16 - 1     // bytes of a leaf, the limit of tlog-tiles
	maxBundle  = 256 << 10 * 4 // bytes of a bundle of 256 leaves; releases have about 300 each
)

// Files reads the files of a log.
type Files interface {
	// ReadFile reads a file of at most maxSize bytes. If the file does not exist, the error is
	// fs.ErrNotExist.
	ReadFile(ctx context.Context, path string, most int64) ([]byte, error)
}

// IsSigned reports whether a release has a signature file.
func IsSigned(release fs.FS) bool {
	_, err := fs.Stat(release, layout.ProofPath)
	return err == nil
}

// FS returns the files of a file system, such as a release in a folder or a zip.
func FS(fsys fs.FS) Files { return fsFiles{fsys} }

type fsFiles struct{ fsys fs.FS }

func (f fsFiles) ReadFile(ctx context.Context, path string, maxSize int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.fsys.Open(path)
	if err != nil {
		return nil, err
	}
	return readUpTo(file, path, maxSize)
}

// ReadLocal reads a local file of at most maxSize bytes.
func ReadLocal(path string, maxSize int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return readUpTo(file, path, maxSize)
}

func readUpTo(file io.ReadCloser, path string, maxSize int64) ([]byte, error) {
	defer file.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
	if err == nil && int64(len(data)) > maxSize {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxSize)
	}
	return data, err
}

// NoFiles contains no files, for a release without a log.
var NoFiles Files = noFiles{}

type noFiles struct{}

func (noFiles) ReadFile(context.Context, string, int64) ([]byte, error) { return nil, fs.ErrNotExist }

// isNotExist reports whether err means that a file does not exist.
func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
