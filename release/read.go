package release

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
)

// ReadFile reads a file of at most maxSize bytes. It never allocates more than that, even if the
// file claims to be larger.
func (r *Release) ReadFile(path string, maxSize int64) ([]byte, error) {
	f, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // f was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, damagedError(path, "%s is not a regular file", path)
	}
	// one more byte than expected, so that the end is found without growing
	data := make([]byte, 0, min(max(info.Size(), 0), maxSize)+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > maxSize:
			return nil, damagedError(path, "%s is larger than %d bytes", path, maxSize)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(data) == cap(data): // it is longer than it claims
			grown := make([]byte, len(data), min(2*int64(cap(data))+512, maxSize+1))
			copy(grown, data)
			data = grown
		}
	}
}

// ReadListed reads a file that the manifest lists, of at most maxSize bytes, and verifies its
// digest.
func (r *Release) ReadListed(f *File, maxSize int64) ([]byte, error) {
	data, err := r.ReadFile(f.Path, min(f.Size, maxSize))
	if err == nil && sha256.Sum256(data) != f.SHA256 {
		return nil, damagedError(f.Path, "%s does not match the manifest", f.Path)
	}
	return data, err
}

// open opens a file that returns an error once the context of the release has ended.
func (r *Release) open(path string) (fs.File, error) {
	if err := r.contextError(); err != nil {
		return nil, err
	}
	f, err := r.Files.Open(path)
	if err != nil || r.ctx == nil {
		return f, err
	}
	return contextFile{f, r}, nil
}

// contextError returns why the context of the release has ended, or nil.
func (r *Release) contextError() error {
	if r.ctx == nil {
		return nil
	}
	return context.Cause(r.ctx)
}

type contextFile struct {
	fs.File
	release *Release
}

func (f contextFile) Read(b []byte) (int, error) {
	if err := f.release.contextError(); err != nil {
		return 0, err
	}
	return f.File.Read(b)
}
