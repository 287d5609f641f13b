// Package signing makes releases provable: complete, unaltered, and part of one history that
// cannot be rewritten unnoticed. Whoever holds a copy and one public key can check it offline.
//
// Every release is a leaf of an append-only log, a Merkle tree whose newest root the publisher
// signs. The log lies beside the release, in the formats of c2sp.org: signed-note,
// tlog-checkpoint, tlog-tiles, tlog-proof, tlog-cosignature, tlog-witness and tlog-policy. The
// tree, the notes and the keys are those of golang.org/x/mod/sumdb; no cryptography is made here.
//
// Nothing here reads a clock, the environment or the network, but for Cosign, which asks witnesses
// over HTTP.
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

// Limits on what is read. A log has a leaf for each release, so they are far away.
const (
	maxNote    = 64 << 10      // bytes of a checkpoint, a proof or a policy
	maxEntries = 1 << 20       // leaves of a log
	maxEntry   = 1<<16 - 1     // bytes of a leaf, as tlog-tiles has it
	maxBundle  = 256 << 10 * 4 // bytes of a bundle of 256 leaves; those of releases have some 300
)

// Files are what a log is read from.
type Files interface {
	// ReadFile reads a file of at most so many bytes. It answers with an error that is
	// fs.ErrNotExist where there is none.
	ReadFile(ctx context.Context, path string, most int64) ([]byte, error)
}

// IsSigned reports whether a release has the proof of its signature.
func IsSigned(release fs.FS) bool {
	_, err := fs.Stat(release, layout.ProofPath)
	return err == nil
}

// FS reads a log from a file system, such as a release in a folder or a zip.
func FS(fsys fs.FS) Files { return fsFiles{fsys} }

type fsFiles struct{ fsys fs.FS }

func (f fsFiles) ReadFile(ctx context.Context, path string, most int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	file, err := f.fsys.Open(path)
	if err != nil {
		return nil, err
	}
	return readUpTo(file, path, most)
}

// ReadLocal reads a file of this machine, of at most so many bytes.
func ReadLocal(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return readUpTo(file, path, most)
}

func readUpTo(file io.ReadCloser, path string, most int64) ([]byte, error) {
	defer file.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s has more than %d bytes", path, most)
	}
	return data, err
}

// NoFiles is where there is no log yet.
var NoFiles Files = noFiles{}

type noFiles struct{}

func (noFiles) ReadFile(context.Context, string, int64) ([]byte, error) { return nil, fs.ErrNotExist }

// missing reports whether an error says that a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
