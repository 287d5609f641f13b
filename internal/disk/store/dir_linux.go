package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Package os needs eight system calls to write a file, five of them for the poller, and resolves
// the whole path. Relative to an open folder, three are enough. That matters in a release with a
// hundred thousand files.

// open opens the folder. If that fails, files are written by path, and writing them returns the
// error.
func (d *dir) open() {
	fd, err := retry(func() (int, error) {
		return unix.Open(d.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err == nil {
		d.fd, d.prefix = fd, ""
	}
}

func (d *dir) close() {
	if d.isOpen() {
		unix.Close(d.fd) // it only identified the folder
	}
	d.fd = -1
}

// mkdir creates a folder in d unless it exists.
func (d *dir) mkdir(name string) error {
	if d.fd < 0 {
		return os.MkdirAll(filepath.Join(d.path, name), 0o755)
	}
	if err := unix.Mkdirat(d.fd, d.prefix+name, 0o755); !errors.Is(err, unix.EEXIST) {
		return d.pathError("mkdir", name, err)
	}
	return nil
}

// put writes data to a new file.
func (d *dir) put(name string, data []byte) error {
	if d.fd < 0 {
		return writeNewFile(filepath.Join(d.path, name), data)
	}
	fd, err := d.create(d.prefix + name)
	if err != nil {
		return d.pathError("open", name, err)
	}
	for len(data) > 0 && err == nil {
		var n int
		if n, err = retry(func() (int, error) { return unix.Write(fd, data) }); n == 0 && err == nil {
			err = io.ErrShortWrite
		}
		data = data[max(n, 0):]
	}
	if closed := unix.Close(fd); err == nil && !errors.Is(closed, unix.EINTR) { // the file is closed after EINTR
		err = closed
	}
	return d.pathError("write", name, err)
}

// create is createFile for a name in an open folder.
func (d *dir) create(name string) (fd int, err error) {
	for range attempts {
		fd, err = retry(func() (int, error) {
			return unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o644)
		})
		if !errors.Is(err, unix.EEXIST) {
			return fd, err
		}
		if err := unix.Unlinkat(d.fd, name, 0); err != nil && !errors.Is(err, unix.ENOENT) {
			return -1, err
		}
	}
	return fd, err
}

func (d *dir) link(name string, from dir, fromName string, size int64, until time.Time) bool {
	if d.fd < 0 || from.fd < 0 {
		return linkFile(filepath.Join(d.path, name), filepath.Join(from.path, fromName), size, until)
	}
	fromName, name = from.prefix+fromName, d.prefix+name
	var is unix.Stat_t
	if unix.Fstatat(from.fd, fromName, &is, unix.AT_SYMLINK_NOFOLLOW) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG ||
		is.Size != size ||
		time.Unix(is.Mtim.Unix()).After(until) {
		return false
	}
	err := unix.Linkat(from.fd, fromName, d.fd, name, 0)
	if errors.Is(err, unix.EEXIST) && unix.Linkat(from.fd, fromName, d.fd, name+linkSuffix, 0) == nil {
		err = unix.Renameat(d.fd, name+linkSuffix, d.fd, name)
		unix.Unlinkat(d.fd, name+linkSuffix, 0) // after a failure, or if both were the same file already
	}
	return err == nil
}

// pathError returns err as package os would, or nil.
func (d *dir) pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: filepath.Join(d.path, name), Err: err}
}

// retry repeats a system call while signals interrupt it.
func retry(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
