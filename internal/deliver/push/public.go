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

// publicFile is a file of a release with a public URL: a file of the manifest, a page, or a record
// of a listing. The manifest itself and the log are not included, because they are written last.
type publicFile struct {
	path   string
	sum    release.Digest
	listed bool // whether the manifest lists it; such files may describe others
}

// publicFiles yields the files of a release with public URLs, in no particular order. Compressed
// variants are omitted, because buckets cannot choose a variant for each request.
func publicFiles(r *release.Release) iter.Seq2[publicFile, error] {
	return func(yield func(publicFile, error) bool) {
		for _, f := range r.Manifest.Files {
			if !yield(publicFile{f.Path, f.SHA256, true}, nil) {
				return
			}
		}
		for i := range r.Manifest.Kinds {
			k := &r.Manifest.Kinds[i]
			if k.Single == "" {
				continue
			}
			for e, err := range r.Entries(k.Kind) {
				if !yield(publicFile{k.SinglePath(e.ID), e.SHA256, false}, err) || err != nil {
					return
				}
			}
		}
		for _, listing := range r.Manifest.FileListings() {
			for f, err := range r.ListedFiles(listing) {
				if !yield(publicFile{f.Path, f.SHA256, false}, err) || err != nil {
					return
				}
			}
		}
	}
}

// filesByDigest yields the files that are stored by digest. It omits downloads, which are one
// object each, and the uncompressed form of files that all clients read as gzip.
func filesByDigest(m *release.Manifest) iter.Seq[release.File] {
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

// inventory lists the public files of a release, in 33 bytes each.
type inventory []item

type item struct {
	path, content layout.Short
	seen          bool // whether the next release has a file at the path
}

func compareItems(a, b item) int { return bytes.Compare(a.path[:], b.path[:]) }

func newInventory(files iter.Seq2[publicFile, error]) (list inventory, err error) {
	for f, err := range files {
		if err != nil {
			return nil, err
		}
		list = append(list, item{path: layout.Shorten(f.path), content: layout.Short(f.sum[:])})
	}
	slices.SortFunc(list, compareItems)
	return list, nil
}

// findItem returns the item of path, or nil if there is none.
func (l inventory) findItem(path string) *item {
	i, ok := slices.BinarySearchFunc(l, item{path: layout.Shorten(path)}, compareItems)
	if !ok {
		return nil
	}
	return &l[i]
}

// openByManifest opens the release whose manifest has the digest manifest, from the files by digest
// in a bucket. Only files that the manifest lists can be read. It returns fs.ErrNotExist if the
// bucket does not have the manifest.
func openByManifest(ctx context.Context, b *bucket.Bucket, manifest release.Digest) (*release.Release, *remote, error) {
	key := layout.ByHashPath(manifest.String())
	data, _, err := b.Read(ctx, key, layout.MaxManifest)
	if err != nil {
		return nil, nil, err
	}
	if sha256.Sum256(data) != manifest {
		return nil, nil, fmt.Errorf("%s: %s is damaged: its digest differs from its name", b.Name(), key)
	}
	m := new(release.Manifest)
	if err := m.Decode(data); err != nil {
		return nil, nil, fmt.Errorf("%s: %s: %w", b.Name(), key, err)
	}
	files := &remote{ctx, b, m, map[string]*os.File{}}
	return &release.Release{Manifest: m, Files: files}, files, nil
}

// remote reads the files of a manifest, in their smallest forms. Each is downloaded once.
type remote struct {
	ctx      context.Context
	bucket   *bucket.Bucket
	manifest *release.Manifest
	here     map[string]*os.File
}

// Close deletes the downloaded files. r may be nil.
func (r *remote) Close() {
	if r == nil {
		return
	}
	for _, f := range r.here {
		f.Close() // closing deletes it, because it has no name
	}
}

// Open opens a file. Readers check it against the manifest.
func (r *remote) Open(name string) (fs.File, error) {
	f := r.manifest.File(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	least := fetch.SmallestVariant(f)
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
