package store

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"time"

	"stele/internal/base/layout"
	"stele/release"
)

// Linker is a Writer that can link files instead of copying them. Link links path to a file of
// another folder, replacing an existing file, if the file has size bytes and was not modified after
// until. Alias gives a file of the release a second name. Several goroutines may use it.
type Linker interface {
	Link(path, from string, size int64, until time.Time) bool
	Alias(path, of string) error
}

// Links reuses files of an earlier release by linking them.
type Links struct {
	to      Linker    // nil if the writer cannot link
	dir     string    // the earlier release, or ""
	written time.Time // modification time of its manifest
	Trust   bool      // whether to reuse files without checking their digests
}

// NewLinks returns Links from the release in dir, or from none if dir is "", to the writer w.
func NewLinks(w any, dir string) (*Links, error) {
	l := &Links{dir: dir}
	l.to, _ = w.(Linker)
	if dir == "" {
		return l, nil
	}
	info, err := os.Stat(filepath.Join(dir, layout.ManifestPath))
	if err != nil {
		return nil, err
	}
	l.written = info.ModTime()
	return l, nil
}

// AnyOrder reports whether files may be written in any order, as in a folder but not in a zip.
func (l *Links) AnyOrder() bool { return l.to != nil }

// Link links a file of the earlier release, and reports whether that succeeded. It checks the
// digest, unless sum is zero, so that a damaged file is not reused. The file keeps its modification
// time, from which web servers derive entity tags, so that clients need not download it again.
func (l *Links) Link(path string, size int64, sum release.Digest) bool {
	return l.link(path, path, size, sum)
}

func (l *Links) link(path, of string, size int64, sum release.Digest) bool {
	if l.to == nil || l.dir == "" {
		return false
	}
	from := filepath.Join(l.dir, filepath.FromSlash(of))
	return (l.Trust || sum == release.Digest{} || hasDigest(from, sum)) && l.to.Link(path, from, size, l.written)
}

// hasDigest reports whether the file at path has the digest want.
func hasDigest(path string, want release.Digest) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // it was only read
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return err == nil && release.Digest(sum.Sum(nil)) == want
}

// LinkByHash links the files in m to paths that contain their digests, so that clients that have
// read the manifest see one release even while a host is being updated. For the same reason it
// links the files in before, which may be nil. It leaves out the downloads in before, which are
// large and not read by digest.
func (l *Links) LinkByHash(ctx context.Context, m, before *release.Manifest) error {
	if l.to == nil {
		return nil
	}
	named := map[release.Digest]bool{}
	for f := range m.Each() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if named[f.SHA256] {
			continue
		}
		named[f.SHA256] = true
		if err := l.to.Alias(layout.ByHashPath(f.SHA256.String()), f.Path); err != nil {
			return err
		}
	}
	if before == nil {
		return nil
	}
	for f := range before.Each() {
		if !named[f.SHA256] && layout.IsKeptByHash(f.Path) { // a file that cannot be linked is left out
			l.link(layout.ByHashPath(f.SHA256.String()), f.Path, f.Size, f.SHA256)
		}
	}
	return nil
}
