package library

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/trust/signing"
	"stele/release"
)

// Open returns a library for a release. It reads and verifies every file. If the release is larger
// than the memory budget, single records and pages are verified when they are requested. modified
// is the time of the release; a time in the future counts as now. closer is called when the library
// is closed, or when Open returns an error.
func Open(r *release.Release, modified time.Time, opt Options, closer func() error) (*Library, error) {
	if now := time.Now(); modified.After(now) { // RFC 9110, section 8.8.2.1
		modified = now
	}
	l := &Library{
		release: r, modified: modified.UTC().Truncate(time.Second), options: opt.withDefaults(),
		files: map[string]*resource{}, removed: map[string][]byte{}, closer: closer, lease: new(Lease),
	}
	l.holds.Store(1)
	err := CatchPanic(func() error {
		l.prepareHeads()
		return l.load()
	})
	if err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

func (l *Library) load() error {
	if l.release.Manifest.Content != l.release.Manifest.ContentDigest() {
		return fmt.Errorf("%s does not match this content: it was edited", layout.ManifestPath)
	}
	if l.estimateMemory() > l.options.Memory {
		l.disk = newDiskFiles()
	}
	for _, step := range []func() error{l.loadManifest, l.loadLog, l.loadFiles, l.loadSingles} {
		if err := step(); err != nil {
			return err
		}
	}
	l.addFolderURLs()
	l.isHeld = l.disk != nil || l.arena.isUsed()
	return l.loadRemoved()
}

// estimateMemory estimates how much memory the whole release takes. Single records are part of
// their collections. Sizes in a manifest may be too large to add up.
func (l *Library) estimateMemory() (n int64) {
	add := func(times, size int64) {
		if size > (math.MaxInt64-n)/times {
			n = math.MaxInt64
			return
		}
		n += times * size
	}
	listings := l.release.Manifest.FileListings()
	for _, f := range l.release.Manifest.Files {
		add(1, f.Size)
		for _, v := range f.Variants {
			add(1, v.Size)
		}
		if slices.Contains(listings, f.Path) { // a page takes about forty times its line, with its variants
			add(40, f.Size)
		}
	}
	for _, k := range l.release.Manifest.Kinds {
		if k.Single != "" {
			add(600, int64(k.Count))
		}
	}
	return n
}

// loadManifest loads the manifest, which does not list itself, and compresses it, because mirrors
// read it often.
func (l *Library) loadManifest() error {
	data, err := l.release.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return err
	}
	forms := []representation{plainRepresentation(data)}
	for _, e := range []compress.Encoding{compress.Encodings[0], compress.Quick} {
		var b bytes.Buffer
		if err := e.Stream(&b, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		}); err != nil {
			return err
		}
		if variant := b.Bytes(); compress.Saves(int64(len(data)), int64(len(variant))) {
			forms = append(forms, newRepresentation(e.Coding, InMemory(variant), sha256.Sum256(variant)))
		}
	}
	l.files[layout.ManifestPath] = newResource(l.sharedHead(layout.ManifestPath), forms...)
	return nil
}

// loadFiles loads files on all cores: there may be many small ones, and digests of large ones take
// time.
func (l *Library) loadFiles() error {
	files, err := l.listFiles()
	if err != nil {
		return err
	}
	const batch = 64
	var mu sync.Mutex
	return onAllCores((len(files)+batch-1)/batch, func(part int) error {
		for i := part * batch; i < min((part+1)*batch, len(files)); i++ {
			r, err := l.newFileResource(&files[i], l.readerFor(&files[i]))
			if err != nil {
				return err
			}
			if err := l.compareWithGzip(r); err != nil {
				return err
			}
			mu.Lock()
			l.files[files[i].Path] = r
			if i < len(l.release.Manifest.Files) {
				l.addByHash(&files[i], r)
			}
			mu.Unlock()
		}
		return nil
	})
}

// onAllCores calls do for 0 to n-1 and returns the first error.
func onAllCores(n int, do func(i int) error) error {
	for err := range parallel.Map(n, func(i int) error { return CatchPanic(func() error { return do(i) }) }) {
		if err != nil {
			return err
		}
	}
	return nil
}

// addByHash makes a file of the manifest, and its variants, available by digest too. Clients that
// have read the manifest then get exactly the files that it lists.
func (l *Library) addByHash(f *release.File, r *resource) {
	name := func(sum release.Digest, forms ...representation) {
		at := layout.ByHashPath(sum.String())
		l.files[at] = newResource(l.sharedHead(at), forms...)
	}
	forms := []representation{newRepresentation(compress.Identity, r.representations[0].Body, f.SHA256)}
	for _, v := range f.Variants {
		coding, _ := compress.ParseCoding(v.Encoding) // known, or the file would have been refused
		b := r.withCoding(coding).Body
		forms = append(forms, newRepresentation(coding, b, v.SHA256))
		// without an encoding: the digest is that of the compressed bytes
		name(v.SHA256, newRepresentation(compress.Identity, b, v.SHA256))
	}
	name(f.SHA256, forms...)
}

func (l *Library) newFileResource(
	f *release.File, read func(path string, size int64, sum release.Digest) (Body, error),
) (*resource, error) {
	b, err := read(f.Path, f.Size, f.SHA256)
	if err != nil {
		return nil, err
	}
	forms := []representation{newRepresentation(compress.Identity, b, f.SHA256)}
	for _, v := range f.Variants {
		coding, known := compress.ParseCoding(v.Encoding)
		if !known || coding == compress.Identity {
			return nil, fmt.Errorf("%s: unknown encoding %q", v.Path, v.Encoding)
		}
		b, err := read(v.Path, v.Size, v.SHA256)
		if err != nil {
			return nil, err
		}
		forms = append(forms, newRepresentation(coding, b, v.SHA256))
	}
	return newResource(l.sharedHead(f.Path), forms...), nil
}

// readerFor returns the function that reads a file and its variants. A file that is compressed in a
// zip and has a gzip variant is unpacked only when it is requested without an encoding.
func (l *Library) readerFor(f *release.File) func(path string, size int64, sum release.Digest) (Body, error) {
	gzipped := func(v release.Variant) bool { return v.Encoding == compress.Gzip.String() }
	if l.disk == nil || f.Size <= maxIndexed || l.isIndexed(f.Path) || !slices.ContainsFunc(f.Variants, gzipped) {
		return l.read
	}
	return func(path string, size int64, sum release.Digest) (Body, error) {
		if path != f.Path {
			return l.read(path, size, sum)
		}
		file, err := l.release.Files.Open(path)
		if err != nil {
			return Body{}, err
		}
		defer file.Close() // nothing was read from file
		if in, is := file.(packed); is {
			return Body{Size: size, packed: &packedFile{path: path, size: size, sum: sum, in: in}}, nil
		}
		return l.read(path, size, sum)
	}
}

// read reads and verifies a file. Files are copied into memory, and large ones into the arena; the
// large files of a large release are left open instead.
func (l *Library) read(path string, size int64, sum release.Digest) (Body, error) {
	switch {
	case size <= maxIndexed:
		return l.loadWhole(path, size, sum)
	case l.disk != nil:
		return l.openLarge(path, size, sum)
	}
	b, err := l.readWhole(path, size, sum)
	if err != nil {
		return b, err
	}
	return l.arena.put(b.Data), nil
}

// maxHeld is the maximum memory for a release that is served from its files. It is used for
// frequently requested files, and for files that are compressed in a zip.
const maxHeld = 256 << 20

var errTooLarge = errors.New("the release is too large for memory, and there is no room for temporary files: set TMPDIR to a folder with more room, unpack the zip, or pack it without compression (zip -0)")

// loadWhole reads a file into memory, unless files in memory would then exceed maxHeld.
func (l *Library) loadWhole(path string, size int64, sum release.Digest) (Body, error) {
	if l.disk != nil && l.disk.held.Add(size) > maxHeld {
		l.disk.held.Add(-size)
		return Body{}, fmt.Errorf("%s: %w", path, errTooLarge)
	}
	b, err := l.readWhole(path, size, sum)
	if err != nil && l.disk != nil {
		l.disk.held.Add(-size)
	}
	return b, err
}

func (l *Library) readWhole(path string, size int64, sum release.Digest) (Body, error) {
	data, err := l.release.ReadFile(path, size)
	if err != nil {
		return Body{}, err
	}
	if int64(len(data)) != size || sha256.Sum256(data) != sum {
		return Body{}, fmt.Errorf("%s %w", path, ErrDamaged)
	}
	return InMemory(data), nil
}

// listFiles stores the paths of all files, and returns the files that must be loaded.
func (l *Library) listFiles() ([]release.File, error) {
	files := slices.Clone(l.release.Manifest.Files)
	if l.disk != nil {
		if err := l.indexPages(); err != nil {
			return nil, err
		}
	} else {
		for _, listing := range l.release.Manifest.FileListings() {
			for f, err := range l.release.ListedFiles(listing) {
				if err != nil {
					return nil, err
				}
				files = append(files, f.File)
			}
		}
	}
	l.listed = make(map[string]bool, len(files))
	for i := range files {
		l.listed[files[i].Path] = true
	}
	return files, nil
}

// loadSingles loads the single records from their collections, which contain the same bytes.
func (l *Library) loadSingles() error {
	if l.disk != nil {
		return l.indexSingles()
	}
	for i := range l.release.Manifest.Kinds {
		if err := l.loadSinglesOfKind(&l.release.Manifest.Kinds[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Library) loadSinglesOfKind(k *release.Kind) error {
	if k.Single == "" {
		return nil
	}
	collection := l.files[k.Collection].representations[0].Data
	_, collection, _ = bytes.Cut(collection, []byte{'\n'}) // without its first line
	for e, err := range l.release.Entries(k.Kind) {
		if err != nil {
			return err
		}
		line, rest, _ := bytes.Cut(collection, []byte{'\n'})
		collection, line = rest, bytes.TrimSuffix(line, []byte{','})
		if sha256.Sum256(line) != e.SHA256 {
			return fmt.Errorf("%s %s %w", k.Kind, e.ID, ErrDamaged)
		}
		at := k.SinglePath(e.ID)
		plain := newRepresentation(compress.Identity, InMemory(line[:len(line):len(line)]), e.SHA256)
		forms, err := l.withVariants(plain, at, e.SHA256)
		if err != nil {
			return err
		}
		l.files[at] = newResource(l.sharedHead(at), forms...)
	}
	return nil
}

// mayHaveVariants reports whether a record can have variants, because compressing it can save
// bytes.
func mayHaveVariants(data []byte) bool { return compress.Saves(int64(len(data)), 1) }

// withVariants returns a record's representation f followed by its variants, which are files next
// to it.
func (l *Library) withVariants(f representation, at string, sum release.Digest) ([]representation, error) {
	forms := []representation{f}
	if !mayHaveVariants(f.Data) {
		return forms, nil
	}
	for _, e := range compress.Encodings {
		variant, err := l.release.ReadFile(at+e.Suffix, int64(len(f.Data)))
		if err != nil {
			continue // the record has no such variant, or only this one is lost
		}
		pinned := release.Digest(sha256.Sum256(variant))
		if err := l.verifyVariant(e, variant, f.Data, [2]release.Digest{sum, pinned}); err != nil {
			return nil, fmt.Errorf("%s%s %w (%w)", at, e.Suffix, ErrDamaged, err)
		}
		forms = append(forms, newRepresentation(e.Coding, InMemory(variant), pinned))
	}
	return forms, nil
}

// verifyVariant verifies a variant of a record by decoding it, because no listing contains its
// digest.
func (l *Library) verifyVariant(e compress.Encoding, variant, record []byte, pair [2]release.Digest) error {
	if l.disk != nil && l.disk.verified.has(pair) {
		return nil
	}
	err := decodesTo(e, variant, record)
	if err == nil && l.disk != nil {
		l.disk.verified.add(pair)
	}
	return err
}

func decodesTo(e compress.Encoding, variant, want []byte) error {
	in, err := e.Reader(bytes.NewReader(variant))
	if err != nil {
		return err
	}
	got, err := io.ReadAll(io.LimitReader(in, int64(len(want))+1))
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("it decodes to different content")
	}
	return err
}

// addFolderURLs adds the URLs of pages that end in a slash.
func (l *Library) addFolderURLs() {
	pages := map[string]*resource{}
	for at, r := range l.files {
		if dir, ok := strings.CutSuffix(at, layout.Index); ok && (dir == "" || strings.HasSuffix(dir, "/")) {
			pages[dir] = r
		}
	}
	maps.Copy(l.files, pages)
	l.setNames()
}

// maxLogFile is the maximum size of a file of the log: a bundle of its entries.
const maxLogFile = 1 << 20

// loadLog loads the log of signed releases, which the manifest does not list. It checks that the
// log is consistent, but not the signatures, which clients check with the publisher's key.
func (l *Library) loadLog() error {
	paths, err := signing.Paths(context.Background(), signing.FS(l.release.Files))
	if err != nil {
		return fmt.Errorf("the log of signed releases: %w", err)
	}
	for _, path := range paths {
		data, err := l.release.ReadFile(path, maxLogFile)
		if errors.Is(err, fs.ErrNotExist) && path == layout.ProofPath { // not signed yet
			continue
		}
		if err != nil {
			return err
		}
		l.files[path] = newResource(l.sharedHead(path), plainRepresentation(data))
	}
	return nil
}
