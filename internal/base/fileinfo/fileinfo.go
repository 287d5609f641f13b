// Package fileinfo implements fs.File and fs.FileInfo for files that are not on a disk.
package fileinfo

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"time"
)

// Info describes a regular, read-only file without a modification time.
type Info struct {
	Path   string
	Length int64
}

func (i Info) Name() string { return path.Base(i.Path) }

func (i Info) Size() int64 { return i.Length }

// Mode returns the mode of a file that everyone may read.
func (Info) Mode() fs.FileMode { return 0o444 }

// ModTime returns the zero time.
func (Info) ModTime() time.Time { return time.Time{} }

func (Info) IsDir() bool { return false }

func (Info) Sys() any { return nil }

// Stat returns i, for files that embed it.
func (i Info) Stat() (fs.FileInfo, error) { return i, nil }

// Close does nothing, for files that embed it.
func (Info) Close() error { return nil }

// File is a read-only file in memory or in a part of another file.
type File struct {
	Info
	*io.SectionReader
}

func (f *File) Size() int64 { return f.Length }

// New returns a file at path that contains the first length bytes of in.
func New(path string, in io.ReaderAt, length int64) *File {
	return &File{Info{path, length}, io.NewSectionReader(in, 0, length)}
}

// FromBytes returns a file at path that contains data.
func FromBytes(path string, data []byte) *File {
	return New(path, bytes.NewReader(data), int64(len(data)))
}
