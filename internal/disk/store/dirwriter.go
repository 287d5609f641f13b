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

// dirWriter writes a release as a folder. Several goroutines may use it.
type dirWriter struct {
	target, tmp string
	unlock      func()
	done        bool

	mu     sync.Mutex
	dirs   map[string]*dir // folders of the release, and folders that files are linked from
	opened int             // number of open folders

	files   atomic.Int64
	disk    *durable.Tree
	syncing sync.Mutex // held during a sync
	failed  error      // its error
}

func newDirWriter(target string, unlock func()) (*dirWriter, error) {
	tmp, err := os.MkdirTemp(filepath.Dir(target), filepath.Base(hiddenPath(target, "new-*")))
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

// prepareDir returns the folder and name for a file of the release, and creates the folder if
// necessary.
func (w *dirWriter) prepareDir(path string) (in dir, name string, err error) {
	if err := checkPath(path); err != nil {
		return in, "", err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	parent, name := splitPath(path)
	made, err := w.ensureDir(parent)
	if err != nil {
		return in, "", err
	}
	if made.files++; made.files == fewFiles {
		w.openDir(made)
	}
	return *made, name, nil
}

// ensureDir returns a folder of the release, and creates it if necessary. A folder with few files,
// such as that of a page, is not opened; its files are named relative to the parent.
func (w *dirWriter) ensureDir(path string) (*dir, error) {
	if in := w.dirs[path]; in != nil {
		return in, nil
	}
	in := &dir{path: filepath.Join(w.tmp, filepath.FromSlash(path)), fd: -1}
	if path != "" {
		up, name := splitPath(path)
		around, err := w.ensureDir(up)
		if err != nil {
			return nil, err
		}
		w.openDir(around)
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

// fewFiles is the number of files up to which a folder is not opened.
const fewFiles = 4

// openDir opens a folder unless too many are open.
func (w *dirWriter) openDir(in *dir) {
	const most = 64
	if !in.isOpen() && w.opened < most {
		in.open()
		w.opened++
	}
}

// splitPath splits a path into its folder and name.
func splitPath(path string) (parent, name string) {
	if slash := strings.LastIndexByte(path, '/'); slash >= 0 {
		return path[:slash], path[slash+1:]
	}
	return "", path
}

// Put writes data as the file at path.
func (w *dirWriter) Put(path string, data []byte) error {
	in, name, err := w.prepareDir(path)
	if err != nil {
		return err
	}
	if err := in.put(name, data); err != nil {
		return err
	}
	w.syncEarly()
	return nil
}

// Link links path to the file from of another folder, replacing an existing file, and reports
// whether it did. It does so only if from has size bytes and was not modified after until.
func (w *dirWriter) Link(path, from string, size int64, until time.Time) bool {
	to, name, err := w.prepareDir(path)
	if err != nil {
		return false
	}
	fromDir, fromName := filepath.Split(from)
	w.mu.Lock()
	source := w.dirs[fromDir] // it ends in a separator, unlike the release's own folders
	if source == nil {
		source = &dir{path: fromDir, fd: -1}
		w.openDir(source)
		w.dirs[fromDir] = source
	}
	w.mu.Unlock()
	return to.link(name, *source, fromName, size, until)
}

// Alias makes path another name for the file existing of the release, by a link or, if that fails,
// by a copy.
func (w *dirWriter) Alias(path, existing string) error {
	in, name, err := w.prepareDir(path)
	if err != nil {
		return err
	}
	from, to := filepath.Join(w.tmp, filepath.FromSlash(existing)), filepath.Join(in.path, name)
	if os.Link(from, to) == nil {
		return nil
	}
	if _, err := os.Lstat(to); err == nil { // two files have the same content
		return nil
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close() // it was only read
	out, err := createFile(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, file)
	return errors.Join(err, out.Close())
}

// Create returns a writer for a large file.
func (w *dirWriter) Create(path string) (File, error) {
	in, name, err := w.prepareDir(path)
	if err != nil {
		return nil, err
	}
	file, err := createFile(filepath.Join(in.path, name))
	if err != nil {
		return nil, err
	}
	return &writeBack{File: file}, nil
}

// Files returns the files written so far.
func (w *dirWriter) Files() fs.FS { return os.DirFS(w.tmp) }

// Dir returns the temporary folder of the release.
func (w *dirWriter) Dir() string { return w.tmp }

// Commit moves the folder to its target. Linux exchanges old and new folders atomically; elsewhere
// the target is missing for a moment.
func (w *dirWriter) Commit() error {
	if err := w.sync(); err != nil {
		return notCommitted(w.target, err)
	}
	w.close()
	old, err := swap(w.tmp, w.target)
	if err != nil {
		return notCommitted(w.target, err)
	}
	w.done = true
	defer w.unlock()
	if err := durable.SyncDir(filepath.Dir(w.target)); err != nil {
		return committedError(err)
	}
	if old != "" {
		if err := removeAll(old); err != nil {
			return committedError(fmt.Errorf("cannot remove the previous release: %w", err))
		}
	}
	return nil
}

// sync waits until everything that was written is on disk.
func (w *dirWriter) sync() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.waitForDisk(w.disk.Sync)
	return w.failed
}

// syncEarly starts syncing while more files are written, which shortens the wait at the end: for
// many small files, syncing takes a third of the time of writing them.
func (w *dirWriter) syncEarly() {
	if w.files.Add(1)%syncEvery != 0 || !w.syncing.TryLock() {
		return
	}
	go func() {
		defer w.syncing.Unlock()
		w.waitForDisk(w.disk.SyncEarly)
	}()
}

// syncEvery is the number of files after which syncEarly syncs.
const syncEvery = 25_000

// waitForDisk calls sync unless it failed before. The system reports a disk error only once, so
// w.failed stores it. The caller must have locked w.syncing.
func (w *dirWriter) waitForDisk(sync func() error) {
	if w.failed == nil {
		w.failed = sync()
	}
}

// close closes the open folders.
func (w *dirWriter) close() {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, in := range w.dirs {
		in.close()
	}
	clear(w.dirs)
	w.disk.Close() // it only identified the file system
}

// Abort removes everything that was written.
func (w *dirWriter) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	defer w.unlock()
	w.close()
	return removeAll(w.tmp)
}

// removeAll removes a folder, even if parts of it are read-only.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// If this fails, so does the following call, which returns the error.
	filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return err
	})
	return os.RemoveAll(path)
}

// swap renames the folder from to to. If to existed, swap moves it away first and returns its new
// path.
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
