package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/disk/durable"
)

// dirWriter writes a release as a folder. Its files may be written from several goroutines.
type dirWriter struct {
	target, tmp string
	unlock      func()
	done        bool

	mu     sync.Mutex
	dirs   map[string]*dir // those of the release that are there, and those that files are linked from
	opened int             // how many of them are open

	files   atomic.Int64
	disk    *durable.Tree
	syncing sync.Mutex // held while the disk is waited for
	failed  error      // what that came to
}

func newDirWriter(target string, unlock func()) (*dirWriter, error) {
	tmp, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, err
	}
	disk, err := durable.OpenTree(tmp)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(tmp))
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, errors.Join(err, disk.Close(), os.RemoveAll(tmp))
	}
	return &dirWriter{target: target, tmp: tmp, unlock: unlock, dirs: map[string]*dir{}, disk: disk}, nil
}

// locate says where a file of the release lies: in a folder, which is there then, under a name.
func (w *dirWriter) locate(path string) (in dir, name string, err error) {
	if err := checkPath(path); err != nil {
		return in, "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	parent, name := split(path)
	made, err := w.made(parent)
	if err != nil {
		return in, "", err
	}
	if made.files++; made.files == few {
		w.open(made)
	}
	return *made, name, nil
}

// made is a folder of the release, which is there then. A folder of few files, as pages have one
// each, is not opened: its files are named from the one around it.
func (w *dirWriter) made(path string) (*dir, error) {
	if in := w.dirs[path]; in != nil {
		return in, nil
	}
	in := &dir{path: filepath.Join(w.tmp, filepath.FromSlash(path)), fd: -1}
	if path != "" {
		up, name := split(path)
		around, err := w.made(up)
		if err != nil {
			return nil, err
		}
		w.open(around)
		if err := around.mkdir(name); err != nil {
			return nil, err
		}
		if around.prefix == "" {
			in.fd, in.prefix = around.fd, name+"/"
		}
	}
	w.dirs[strings.Clone(path)] = in
	return in, nil
}

// few are so many files that it is not worth opening their folder.
const few = 4

// open opens a folder, unless many are open: a process may have some hundred.
func (w *dirWriter) open(in *dir) {
	const most = 64
	if !in.isOpen() && w.opened < most {
		in.open()
		w.opened++
	}
}

// split divides a path into a folder and a name in it.
func split(path string) (parent, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// Put writes a whole file.
func (w *dirWriter) Put(path string, data []byte) error {
	in, name, err := w.locate(path)
	if err != nil {
		return err
	}
	if err := in.put(name, data); err != nil {
		return err
	}
	w.syncEarly()
	return nil
}

// Link takes a file over from another folder without copying it, in place of one that is there, and
// reports whether it did. The file must have a size and must not have been written to after a time.
func (w *dirWriter) Link(path, from string, size int64, until time.Time) bool {
	to, name, err := w.locate(path)
	if err != nil {
		return false
	}
	fromDir, fromName := filepath.Split(from)
	w.mu.Lock()
	source := w.dirs[fromDir] // it ends in a separator, as none of the release's own does
	if source == nil {
		source = &dir{path: fromDir, fd: -1}
		w.open(source)
		w.dirs[fromDir] = source
	}
	w.mu.Unlock()
	return to.link(name, *source, fromName, size, until)
}

// Alias gives a file of the release a second name, without copying it where the disk can do that.
func (w *dirWriter) Alias(path, of string) error {
	in, name, err := w.locate(path)
	if err != nil {
		return err
	}
	from, to := filepath.Join(w.tmp, filepath.FromSlash(of)), filepath.Join(in.path, name)
	if os.Link(from, to) == nil {
		return nil
	}
	if _, err := os.Lstat(to); err == nil { // two files with the same content
		return nil
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	out, err := create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, file)
	return errors.Join(err, out.Close())
}

// Create begins a large file.
func (w *dirWriter) Create(path string) (io.WriteCloser, error) {
	in, name, err := w.locate(path)
	if err != nil {
		return nil, err
	}
	file, err := create(filepath.Join(in.path, name))
	if err != nil {
		return nil, err
	}
	return &writeBack{File: file}, nil
}

// Open reads a file back.
func (w *dirWriter) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(w.tmp, filepath.FromSlash(path)))
}

// Files are those that were written so far.
func (w *dirWriter) Files() fs.FS { return os.DirFS(w.tmp) }

// Dir is the folder in which they are, until it is put in its place.
func (w *dirWriter) Dir() string { return w.tmp }

// Commit puts the folder in its place. On Linux the old and the new one change places in one step;
// elsewhere there is a moment between two steps.
func (w *dirWriter) Commit() error {
	if err := w.sync(); err != nil {
		return notInPlace(w.target, err)
	}
	w.close()
	old, err := swap(w.tmp, w.target)
	if err != nil {
		return notInPlace(w.target, err)
	}
	w.done = true
	defer w.unlock()
	if err := durable.SyncDir(filepath.Dir(w.target)); err != nil {
		return inPlace(err)
	}
	if old != "" {
		if err := removeAll(old); err != nil {
			return inPlace(fmt.Errorf("remove the old one: %w", err))
		}
	}
	return nil
}

// sync waits until what was written is on disk.
func (w *dirWriter) sync() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.waitForDisk(w.disk.Sync)
	return w.failed
}

// syncEarly begins to bring files to disk while more are written, so that there is little to wait
// for at the end: for many small files that is as much work as a third of writing them.
func (w *dirWriter) syncEarly() {
	if w.files.Add(1)%syncEvery != 0 || !w.syncing.TryLock() {
		return
	}
	go func() {
		defer w.syncing.Unlock()
		w.waitForDisk(w.disk.SyncEarly)
	}()
}

// syncEvery is after how many files the disk is asked to write what is there.
const syncEvery = 25_000

// waitForDisk is for whoever holds the lock. The system tells of an error once, so it is kept.
func (w *dirWriter) waitForDisk(sync func() error) {
	if w.failed == nil {
		w.failed = sync()
	}
}

// close lets go of open folders, when no more files are written.
func (w *dirWriter) close() {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, in := range w.dirs {
		in.close()
	}
	clear(w.dirs)
	w.disk.Close() // it was only opened to name the file system
}

// Abort removes what was written.
func (w *dirWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	defer w.unlock()
	w.close()
	return removeAll(w.tmp)
}

// removeAll removes a folder, also one that was made read-only.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// if this fails, so does what follows, which says why
	filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	return os.RemoveAll(path)
}

// swap puts the folder at from, which is on disk, into the place of the one at to, and returns
// where that one is now, if there was one.
func swap(from, to string) (old string, err error) {
	if _, err := os.Lstat(to); err != nil {
		return "", os.Rename(from, to)
	}
	if exchange(from, to) == nil {
		return from, nil
	}
	old = from + oldSuffix
	if err := os.Rename(to, old); err != nil {
		return "", err
	}
	if err := os.Rename(from, to); err != nil {
		return "", errors.Join(err, os.Rename(old, to))
	}
	return old, nil
}
