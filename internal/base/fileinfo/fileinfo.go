// Package fileinfo describes files that do not lie on a disk by themselves.
package fileinfo

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// Info describes an ordinary file that nobody may write to. It has no time.
type Info struct {
	Path   string
	Length int64
}

// Name returns the last element of the path.
func (i Info) Name() string { return path.Base(i.Path) }

// Size returns the length in bytes.
func (i Info) Size() int64 { return i.Length }

// Mode returns that of a file that everybody may read.
func (Info) Mode() fs.FileMode { return 0o444 }

// ModTime returns no time.
func (Info) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (Info) IsDir() bool { return false }

// Sys returns nil.
func (Info) Sys() any { return nil }

// Stat returns the description itself, for files that embed it.
func (i Info) Stat() (fs.FileInfo, error) { return i, nil }

// Close does nothing, for files that embed it.
func (Info) Close() error { return nil }

// File is a file in memory, or a part of another one.
type File struct {
	Info
	*io.SectionReader
}

// Size returns the length in bytes.
func (f *File) Size() int64 { return f.Length }

// Of returns the file at a path that has the first bytes of a reader.
func Of(path string, in io.ReaderAt, length int64) *File {
	return &File{Info{path, length}, io.NewSectionReader(in, 0, length)}
}

// OfBytes returns the file at a path that has some bytes.
func OfBytes(path string, data []byte) *File {
	return Of(path, bytes.NewReader(data), int64(len(data)))
}
