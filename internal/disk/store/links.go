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

// Linker is a Writer that can take over a file from another folder without copying it, in place of
// one that is there, if the file has a size and was not written to after a time, as make and rsync
// judge it; and that can give a file a second name. It takes files from several goroutines.
type Linker interface {
	Link(path, from string, size int64, until time.Time) bool
	Alias(path, of string) error
}

// Links takes files over from an earlier release that is a folder.
type Links struct {
	to      Linker    // nil where nothing can be linked
	dir     string    // "" for none
	written time.Time // when its manifest was
	Trust   bool      // whether the files of the release are not compared with their digests
}

// NewLinks prepares to take files over from the release in a folder, or from none for "".
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

// AnyOrder reports whether the order in which files are written does not matter: in a folder it
// does not, in a zip it does.
func (l *Links) AnyOrder() bool { return l.to != nil }

// Link takes a file over, and reports whether it could. The file must be the same, and is compared
// with its digest, if that is given: damage is not passed on. It keeps the time at which it was
// written then, of which plain web servers make entity tags: nobody has to fetch it again.
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

// hasDigest reports whether a file has a digest.
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

// NameByHash lets what a manifest lists be read by digest too. Who has read the manifest then sees
// one release, even while a host is being updated; so what the release before listed, unless it is
// nil, can still be read that way, but for its downloads, which nobody reads by digest and which
// weigh more than all the rest.
func (l *Links) NameByHash(ctx context.Context, m, before *release.Manifest) error {
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
		if !named[f.SHA256] && layout.StaysByHash(f.Path) { // what cannot be linked is not there
			l.link(layout.ByHashPath(f.SHA256.String()), f.Path, f.Size, f.SHA256)
		}
	}
	return nil
}
