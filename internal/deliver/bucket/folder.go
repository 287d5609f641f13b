package bucket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/base/layout"
	"stele/internal/disk/durable"
)

// folder stores objects in a folder instead of a bucket, for trials and for file systems that
// several machines share. Objects are created by linking, which fails if the file exists, and
// replaced by renaming, under a lock. Conditions therefore hold among processes that use this
// program. Media types and caching are not stored, because the web server decides them.
type folder struct {
	dir  string
	root *os.Root
}

func openFolder(u *url.URL) (*folder, error) {
	if u.Host != "" || !strings.HasPrefix(u.Path, "/") || len(u.Query()) > 0 {
		return nil, errors.New("write a folder as file:///FOLDER, with three slashes and no parameters")
	}
	dir := filepath.FromSlash(u.Path)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("the folder of a bucket must exist: %w", err)
	}
	return &folder{dir, root}, nil
}

func (f *folder) close() error  { return f.root.Close() }
func (f *folder) wrongTag() tag { return "0" }

func (f *folder) get(_ context.Context, key string, offset, length int64) (io.ReadCloser, Object, error) {
	file, err := f.root.Open(key)
	if err != nil {
		return nil, Object{}, err
	}
	o, err := f.describe(file)
	if err != nil {
		return nil, Object{}, errors.Join(err, file.Close())
	}
	if length < 0 {
		length = o.Size - offset
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(file, offset, length), file}, o, nil
}

// describe returns the description of an open file. Its tag is its digest, which is computed for
// small files only.
func (f *folder) describe(file *os.File) (Object, error) {
	info, err := file.Stat()
	if err != nil {
		return Object{}, err
	}
	if !info.Mode().IsRegular() {
		return Object{}, permanentError{errors.New("not a regular file")}
	}
	o := Object{Size: info.Size(), Modified: info.ModTime()}
	if o.Size <= maxPointer {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(file, 0, o.Size)); err != nil {
			return Object{}, err
		}
		o.tag = tag(hex.EncodeToString(sum.Sum(nil)))
	}
	return o, nil
}

func (f *folder) stat(_ context.Context, key string) (Object, error) {
	info, err := f.root.Stat(key)
	if err != nil {
		return Object{}, err
	}
	return Object{Size: info.Size(), Modified: info.ModTime()}, nil
}

func (f *folder) put(
	ctx context.Context, key string, body io.ReaderAt, size int64, _ Head, when condition,
) (err error) {
	if !layout.ValidPath(key) {
		return permanentError{fmt.Errorf("%.80q cannot be a file name on this system", key)}
	}
	if err := f.root.MkdirAll(path.Dir(key), 0o755); err != nil {
		return err
	}
	temporary := path.Join(path.Dir(key), layout.TemporaryPrefix+nonce())
	file, err := f.root.OpenFile(temporary, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.root.Remove(temporary) // no longer there if it was renamed
	_, err = io.Copy(file, io.NewSectionReader(body, 0, size))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	switch {
	case when.absent:
		err = f.root.Link(temporary, key)
		if errors.Is(err, fs.ErrExist) {
			err = ErrConflict
		}
	case when.tag != "":
		err = f.replace(ctx, temporary, key, when.tag)
	default:
		err = f.root.Rename(temporary, key)
	}
	if err != nil {
		return err
	}
	return durable.SyncDir(filepath.Join(f.dir, filepath.FromSlash(path.Dir(key))))
}

// replace renames the file temporary to key if the object at key has the tag want.
func (f *folder) replace(ctx context.Context, temporary, key string, want tag) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := f.root.Open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrConflict
	}
	if err != nil {
		return err
	}
	is, err := f.describe(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if is.tag != want {
		return ErrConflict
	}
	return f.root.Rename(temporary, key)
}

// lock waits until no other process is replacing a file, and locks the folder. unlock releases the
// lock.
func (f *folder) lock(ctx context.Context) (unlock func(), err error) {
	if err := f.root.MkdirAll(path.Dir(PointerPath), 0o755); err != nil {
		return nil, err
	}
	for {
		unlock, err := durable.Lock(filepath.Join(f.dir, filepath.FromSlash(path.Dir(PointerPath)), "lock"))
		if !errors.Is(err, durable.ErrBusy) {
			return unlock, err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (f *folder) remove(_ context.Context, key string, _ tag) error {
	if err := f.root.Remove(key); err != nil {
		return err
	}
	for dir := path.Dir(key); dir != "." && f.root.Remove(dir) == nil; dir = path.Dir(dir) { // delete empty folders
	}
	return nil
}

func (f *folder) list(_ context.Context, prefix, _ string) (page []Object, next string, err error) {
	err = fs.WalkDir(f.root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		temporary := strings.HasPrefix(path.Base(at), layout.TemporaryPrefix)
		if err != nil || entry.IsDir() || temporary || !strings.HasPrefix(at, prefix) {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			page = append(page, Object{Key: at, Size: info.Size(), Modified: info.ModTime()})
		}
		return err
	})
	slices.SortFunc(page, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return page, "", err
}
