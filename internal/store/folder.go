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
)

// Folder writes a release as a folder. Its files may be written from several goroutines.
type Folder struct {
	target, dir string
	unlock      func()
	done        bool

	mu      sync.Mutex
	folders map[string]*folder // those of the release that are there, and those that files are linked from
	opened  int                // how many of them are open

	files   atomic.Int64
	disk    *os.File   // the folder, open as long as it is written to, so that no error of the disk is missed
	syncing sync.Mutex // held while the disk is waited for
	failed  error      // what that came to
}

func newFolder(target string, unlock func()) (*Folder, error) {
	dir, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(beside(target, "new-*")))
	if err != nil {
		return nil, err
	}
	disk, err := os.Open(dir)
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		disk.Close() // there may be none, which it says
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Folder{target: target, dir: dir, unlock: unlock, folders: map[string]*folder{}, disk: disk}, nil
}

// place is where a file of the release lies: in a folder, which is there then, under a name.
func (f *Folder) place(path string) (in folder, name string, err error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return in, "", fmt.Errorf("%q is not a path within a release", path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, name := split(path)
	made, err := f.made(dir)
	if err != nil {
		return in, "", err
	}
	if made.files++; made.files == few {
		f.open(made)
	}
	return *made, name, nil
}

// made is a folder of the release, which is there then. A folder of few files, as pages have one
// each, is not opened: its files are named from the one around it.
func (f *Folder) made(dir string) (*folder, error) {
	if in := f.folders[dir]; in != nil {
		return in, nil
	}
	in := &folder{path: filepath.Join(f.dir, filepath.FromSlash(dir)), fd: -1}
	if dir != "" {
		up, name := split(dir)
		around, err := f.made(up)
		if err != nil {
			return nil, err
		}
		f.open(around)
		if err := around.mkdir(name); err != nil {
			return nil, err
		}
		if around.prefix == "" {
			in.fd, in.prefix = around.fd, name+"/"
		}
	}
	f.folders[strings.Clone(dir)] = in
	return in, nil
}

// few are so many files that it is not worth opening their folder.
const few = 4

// open opens a folder, unless many are open: a process may have some hundred.
func (f *Folder) open(in *folder) {
	const most = 64
	if !in.isOpen() && f.opened < most {
		in.open()
		f.opened++
	}
}

// split divides a path into a folder and a name in it.
func split(path string) (dir, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// Put writes a whole file.
func (f *Folder) Put(path string, data []byte) error {
	in, name, err := f.place(path)
	if err != nil {
		return err
	}
	if err := in.put(name, data); err != nil {
		return err
	}
	f.syncEarly()
	return nil
}

// Link takes a file over from another folder without copying it, in place of one that is there, and
// reports whether it did. The file must have a size and must not have been written to after a time.
func (f *Folder) Link(path, from string, size int64, until time.Time) bool {
	to, name, err := f.place(path)
	if err != nil {
		return false
	}
	dir, fromName := filepath.Split(from)
	f.mu.Lock()
	source := f.folders[dir] // it ends in a separator, as none of the release's own does
	if source == nil {
		source = &folder{path: dir, fd: -1}
		f.open(source)
		f.folders[dir] = source
	}
	f.mu.Unlock()
	return to.link(name, *source, fromName, size, until)
}

// Create begins a large file.
func (f *Folder) Create(path string) (io.WriteCloser, error) {
	in, name, err := f.place(path)
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
func (f *Folder) Open(path string) (io.ReadCloser, error) {
	return os.Open(filepath.Join(f.dir, filepath.FromSlash(path)))
}

// Commit puts the folder in its place. On Linux the old and the new one change places in one step;
// elsewhere there is a moment between two steps.
func (f *Folder) Commit() error {
	if err := f.sync(); err != nil {
		return notInPlace(f.target, err)
	}
	f.close()
	old, err := swap(f.dir, f.target)
	if err != nil {
		return notInPlace(f.target, err)
	}
	f.done = true
	defer f.unlock()
	if err := syncParent(f.target); err != nil {
		return inPlace(err)
	}
	if old != "" {
		if err := removeAll(old); err != nil {
			return inPlace(fmt.Errorf("remove the old one: %w", err))
		}
	}
	return nil
}

// syncParent waits until it is on disk that a folder has its name.
func syncParent(target string) error {
	parent, err := os.Open(filepath.Dir(target))
	if err != nil {
		return err
	}
	defer parent.Close() // it was only opened to name the file system
	return syncDisk(parent)
}

// sync waits until what was written is on disk.
func (f *Folder) sync() error {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	f.waitForDisk()
	return f.failed
}

// syncEarly begins to bring files to disk while more are written, so that there is little to wait
// for at the end: for many small files that is as much work as a third of writing them.
func (f *Folder) syncEarly() {
	if f.files.Add(1)%syncEvery != 0 || !f.syncing.TryLock() {
		return
	}
	go func() {
		defer f.syncing.Unlock()
		f.waitForDisk()
	}()
}

// syncEvery is after how many files the disk is asked to write what is there.
const syncEvery = 25_000

// waitForDisk is for whoever holds the lock. The system tells of an error once, so it is kept.
func (f *Folder) waitForDisk() {
	if f.failed == nil {
		f.failed = syncDisk(f.disk)
	}
}

// close lets go of open folders, when no more files are written.
func (f *Folder) close() {
	f.syncing.Lock()
	defer f.syncing.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, in := range f.folders {
		in.close()
	}
	clear(f.folders)
	f.disk.Close() // it was only opened to name the file system
}

// Abort removes what was written.
func (f *Folder) Abort() error {
	if f.done {
		return nil
	}
	f.done = true
	defer f.unlock()
	f.close()
	return removeAll(f.dir)
}

// removeAll removes a folder, also one that was made read-only.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// if this fails, so does what follows, which says why
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	return os.RemoveAll(dir)
}

// swap puts the folder at from into the place of the one at to, and answers with where that one is
// now, if there was one.
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
