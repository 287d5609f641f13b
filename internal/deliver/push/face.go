package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/fileinfo"
	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/deliver/fetch"
	"stele/release"
)

// published is a file of a release that lies at its public address: one that the manifest lists, a
// page, or the record of a listing. The manifest itself and the log of signatures are not among
// them: they are written last.
type published struct {
	path   string
	sum    release.Digest
	listed bool // whether the manifest lists it, which it does of what tells about others
}

// face are the files of a release that lie at public addresses, in no order. Compressed variants
// have none: a bucket does not choose among them.
func face(r *release.Release) iter.Seq2[published, error] {
	return func(yield func(published, error) bool) {
		for _, f := range r.Manifest.Files {
			if !yield(published{f.Path, f.SHA256, true}, nil) {
				return
			}
		}
		for i := range r.Manifest.Kinds {
			k := &r.Manifest.Kinds[i]
			if k.Single == "" {
				continue
			}
			for e, err := range r.Entries(k.Kind) {
				if !yield(published{k.SinglePath(e.ID), e.SHA256, false}, err) || err != nil {
					return
				}
			}
		}
		for _, listing := range r.Manifest.FileListings() {
			for f, err := range r.ListedFiles(listing) {
				if !yield(published{f.Path, f.SHA256, false}, err) || err != nil {
					return
				}
			}
		}
	}
}

// byDigest are the files that a release has by their digests: not downloads, which are one object
// each, nor the plain form of what all clients read as gzip.
func byDigest(m *release.Manifest) iter.Seq[release.File] {
	return func(yield func(release.File) bool) {
		for f := range m.Each() {
			isGzip := func(v release.Variant) bool { return v.Encoding == compress.Gzip.String() }
			if layout.IsDownload(f.Path) || slices.ContainsFunc(f.Variants, isGzip) {
				continue
			}
			if !yield(f) {
				return
			}
		}
	}
}

// inventory is what a release has at public addresses, in 33 bytes for each file.
type inventory []item

type item struct {
	path, content layout.Short
	seen          bool // whether the next release has something at the path
}

func compareItems(a, b item) int { return bytes.Compare(a.path[:], b.path[:]) }

func take(files iter.Seq2[published, error]) (list inventory, err error) {
	for f, err := range files {
		if err != nil {
			return nil, err
		}
		list = append(list, item{path: layout.Shorten(f.path), content: layout.Short(f.sum[:])})
	}
	slices.SortFunc(list, compareItems)
	return list, nil
}

// find returns what there is at a path, or nil.
func (l inventory) find(path string) *item {
	i, ok := slices.BinarySearchFunc(l, item{path: layout.Shorten(path)}, compareItems)
	if !ok {
		return nil
	}
	return &l[i]
}

// past opens the release whose manifest has a digest, by the files that a bucket has by their
// digests. What it lists can be read, and nothing else. Where the bucket does not have the
// manifest, that is fs.ErrNotExist.
func past(ctx context.Context, b *bucket.Bucket, manifest release.Digest) (*release.Release, *remote, error) {
	key := layout.ByHashPath(manifest.String())
	data, _, err := b.Read(ctx, key, layout.MaxManifest)
	if err != nil {
		return nil, nil, err
	}
	if sha256.Sum256(data) != manifest {
		return nil, nil, fmt.Errorf("%s: %s does not have the digest that is its name: it was damaged", b.Name(), key)
	}
	m := new(release.Manifest)
	if err := m.Decode(data); err != nil {
		return nil, nil, fmt.Errorf("%s: %s: %w", b.Name(), key, err)
	}
	files := &remote{ctx, b, m, map[string]*os.File{}}
	return &release.Release{Manifest: m, Files: files}, files, nil
}

// remote are the files that a manifest lists, in their smallest forms. Each is fetched once.
type remote struct {
	ctx      context.Context
	bucket   *bucket.Bucket
	manifest *release.Manifest
	here     map[string]*os.File
}

// Close lets go of what was fetched. One that is nil has nothing.
func (r *remote) Close() {
	if r == nil {
		return
	}
	for _, f := range r.here {
		f.Close() // it has no name any more, and goes with this
	}
}

// Open opens a file. Whether it is what the manifest says, who reads it finds out.
func (r *remote) Open(name string) (fs.File, error) {
	f := r.manifest.File(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	least := fetch.Smallest(f)
	if r.here[name] == nil {
		on, err := r.bucket.Part(r.ctx, layout.ByHashPath(least.SHA256.String()), 0, least.Size)
		if err != nil {
			return nil, err
		}
		r.here[name] = on
	}
	var in io.Reader = io.NewSectionReader(r.here[name], 0, least.Size)
	if e, known := compress.Named(least.Encoding); known {
		var err error
		if in, err = e.Reader(in); err != nil {
			return nil, err
		}
	}
	return struct {
		fileinfo.Info
		io.Reader
	}{fileinfo.Info{Path: name, Length: f.Size}, in}, nil
}
