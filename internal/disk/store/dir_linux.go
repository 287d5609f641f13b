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

// A file that is written by way of the os package takes eight system calls, of which five are for
// the poller, which is of no use to it, and walks down its whole path. In an open folder it takes
// three. That counts where a release has a hundred thousand.

// open opens the folder. If that fails, files are written by their paths, which says why.
func (d *dir) open() {
	fd, err := again(func() (int, error) {
		return unix.Open(d.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err == nil {
		d.fd, d.prefix = fd, ""
	}
}

func (d *dir) close() {
	if d.isOpen() {
		unix.Close(d.fd) // it was only opened to name the folder
	}
	d.fd = -1
}

// mkdir makes a folder in the folder, unless it is there.
func (d *dir) mkdir(name string) error {
	if d.fd < 0 {
		return os.MkdirAll(filepath.Join(d.path, name), 0o755)
	}
	if err := unix.Mkdirat(d.fd, d.prefix+name, 0o755); !errors.Is(err, unix.EEXIST) {
		return d.fault("mkdir", name, err)
	}
	return nil
}

// put writes a whole file.
func (d *dir) put(name string, data []byte) error {
	if d.fd < 0 {
		return putAt(filepath.Join(d.path, name), data)
	}
	fd, err := d.create(d.prefix + name)
	if err != nil {
		return d.fault("open", name, err)
	}
	for len(data) > 0 && err == nil {
		var n int
		if n, err = again(func() (int, error) { return unix.Write(fd, data) }); n == 0 && err == nil {
			err = io.ErrShortWrite
		}
		data = data[max(n, 0):]
	}
	if closed := unix.Close(fd); err == nil && !errors.Is(closed, unix.EINTR) { // which leaves it closed
		err = closed
	}
	return d.fault("write", name, err)
}

// create makes a new file, as the function of that name does.
func (d *dir) create(name string) (fd int, err error) {
	for range attempts {
		fd, err = again(func() (int, error) {
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

// link takes a file over from another folder, in place of one that is there, if it has a size and
// was not written to after a time.
func (d *dir) link(name string, from dir, fromName string, size int64, until time.Time) bool {
	if d.fd < 0 || from.fd < 0 {
		return linkAt(filepath.Join(d.path, name), filepath.Join(from.path, fromName), size, until)
	}
	fromName, name = from.prefix+fromName, d.prefix+name
	var is unix.Stat_t
	if unix.Fstatat(from.fd, fromName, &is, unix.AT_SYMLINK_NOFOLLOW) != nil || is.Mode&unix.S_IFMT != unix.S_IFREG ||
		is.Size != size ||
		time.Unix(is.Mtim.Unix()).After(until) {
		return false
	}
	err := unix.Linkat(from.fd, fromName, d.fd, name, 0)
	if errors.Is(err, unix.EEXIST) && unix.Linkat(from.fd, fromName, d.fd, name+between, 0) == nil {
		err = unix.Renameat(d.fd, name+between, d.fd, name)
		unix.Unlinkat(d.fd, name+between, 0) // if that failed, or did nothing because both are one file already
	}
	return err == nil
}

// fault is what went wrong with a file, as the os package tells it; nil for nothing.
func (d *dir) fault(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: filepath.Join(d.path, name), Err: err}
}

// again calls the system until no signal interrupts it.
func again(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
