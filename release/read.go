package release

import (
	"context"
	"fmt"
	"io"
	"io/fs"
)

// ReadFile reads a file that may have so many bytes at most. It never takes memory for more,
// whatever the file says of its size.
func (r *Release) ReadFile(path string, most int64) ([]byte, error) {
	return readFile(r.Files, path, most)
}

func readFile(files fs.FS, path string, most int64) ([]byte, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, damaged(path, "%s is no ordinary file", path)
	}
	// one more byte than it should have, so that its end is seen without growing
	data := make([]byte, 0, min(max(info.Size(), 0), most)+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, damaged(path, "%s is larger than %d bytes", path, most)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(data) == cap(data): // it has more than it says
			grown := make([]byte, len(data), min(2*int64(cap(data))+512, most+1))
			copy(grown, data)
			data = grown
		}
	}
}

// cancelledFS is a file system of which nothing is read once a context has ended.
type cancelledFS struct {
	ctx context.Context
	fs.FS
}

func (c cancelledFS) Open(name string) (fs.File, error) {
	if c.ctx.Err() != nil {
		return nil, context.Cause(c.ctx)
	}
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return cancelledFile{f, c.ctx}, nil
}

// Stat asks the file system itself, which need not open the file.
func (c cancelledFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }

type cancelledFile struct {
	fs.File
	ctx context.Context
}

func (c cancelledFile) Read(b []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.File.Read(b)
}
