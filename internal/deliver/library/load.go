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

// Open makes a release ready to be served. It reads every file and makes sure that it is what the
// release says; of a release that is larger than the memory budget, it leaves the files of single
// records and pages for when they are asked for. modified is when the release came to be; what lies
// in the future counts as the present. closer is called when the library is let go, also if it
// cannot be opened.
func Open(r *release.Release, modified time.Time, opt Options, closer func() error) (*Library, error) {
	if now := time.Now(); modified.After(now) { // RFC 9110, section 8.8.2.1
		modified = now
	}
	l := &Library{
		release: r, modified: modified.UTC().Truncate(time.Second), options: opt.withDefaults(),
		files: map[string]*resource{}, removed: map[string][]byte{}, closer: closer, lease: new(Lease),
	}
	l.holds.Store(1)
	err := Safely(func() error {
		l.setHeads()
		return l.load()
	})
	if err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	return l, nil
}

func (l *Library) load() error {
	if l.release.Manifest.Content != l.release.Manifest.ContentDigest() {
		return fmt.Errorf("%s does not describe this content: it was edited", layout.ManifestPath)
	}
	if l.total() > l.options.Memory {
		l.disk = newDiskFiles()
	}
	for _, step := range []func() error{l.loadManifest, l.loadLog, l.loadFiles, l.loadSingles} {
		if err := step(); err != nil {
			return err
		}
	}
	l.addressesOfFolders()
	l.isHeld = l.disk != nil || l.arena.isUsed()
	return l.loadRemoved()
}

// total is about how much memory the whole release takes. Single records are part of their
// collections. What a manifest says may be too large for any number.
func (l *Library) total() (n int64) {
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
		if slices.Contains(listings, f.Path) { // a page is some forty times its line, with its variants
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

// loadManifest takes the manifest, which lists all others and not itself. Its variants are made
// here, quickly: who keeps a copy reads it again and again.
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
	l.files[layout.ManifestPath] = newResource(l.head(layout.ManifestPath), forms...)
	return nil
}

// loadFiles takes files on all cores: there can be many small ones, and digests of large ones take
// their time.
func (l *Library) loadFiles() error {
	files, err := l.list()
	if err != nil {
		return err
	}
	const batch = 64
	var mu sync.Mutex
	return onAllCores((len(files)+batch-1)/batch, func(part int) error {
		for i := part * batch; i < min((part+1)*batch, len(files)); i++ {
			r, err := l.take(&files[i], l.reader(&files[i]))
			if err != nil {
				return err
			}
			if err := l.settle(r); err != nil {
				return err
			}
			mu.Lock()
			l.files[files[i].Path] = r
			if i < len(l.release.Manifest.Files) {
				l.nameByHash(&files[i], r)
			}
			mu.Unlock()
		}
		return nil
	})
}

// onAllCores does something n times, and ends with the first that fails.
func onAllCores(n int, do func(i int) error) error {
	for err := range parallel.Map(n, func(i int) error { return Safely(func() error { return do(i) }) }) {
		if err != nil {
			return err
		}
	}
	return nil
}

// nameByHash lets a file that the manifest lists, and its variants, be read by digest too. Who has
// read the manifest then gets what it lists, or nothing. That never changes.
func (l *Library) nameByHash(f *release.File, r *resource) {
	name := func(sum release.Digest, forms ...representation) {
		at := layout.ByHashPath(sum.String())
		l.files[at] = newResource(l.head(at), forms...)
	}
	forms := []representation{newRepresentation(compress.Identity, r.representations[0].Body, f.SHA256)}
	for _, v := range f.Variants {
		coding, _ := compress.ParseCoding(v.Encoding) // or it would not have been taken
		b := r.in(coding).Body
		forms = append(forms, newRepresentation(coding, b, v.SHA256))
		// as it is: what has this digest are the compressed bytes
		name(v.SHA256, newRepresentation(compress.Identity, b, v.SHA256))
	}
	name(f.SHA256, forms...)
}

func (l *Library) take(
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
			return nil, fmt.Errorf("%s has the encoding %q, which is not known", v.Path, v.Encoding)
		}
		b, err := read(v.Path, v.Size, v.SHA256)
		if err != nil {
			return nil, err
		}
		forms = append(forms, newRepresentation(coding, b, v.SHA256))
	}
	return newResource(l.head(f.Path), forms...), nil
}

// reader is what reads a file and its variants. One that lies in a zip packed, and has a gzip
// variant with the same content, waits until it is asked for as it is.
func (l *Library) reader(f *release.File) func(path string, size int64, sum release.Digest) (Body, error) {
	gzipped := func(v release.Variant) bool { return v.Encoding == compress.Gzip.String() }
	if l.disk == nil || f.Size <= maxShelved || l.inspects(f.Path) || !slices.ContainsFunc(f.Variants, gzipped) {
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
		defer file.Close() // it was not even read
		if in, is := file.(packed); is {
			return Body{Size: size, packed: &packedFile{path: path, size: size, sum: sum, in: in}}, nil
		}
		return l.read(path, size, sum)
	}
}

// read takes a file into memory, and what is sent is what was checked. A large one is put where it
// can be sent from without copying; of a large release, it is only left open.
func (l *Library) read(path string, size int64, sum release.Digest) (Body, error) {
	switch {
	case size <= maxShelved:
		return l.keepWhole(path, size, sum)
	case l.disk != nil:
		return l.openLarge(path, size, sum)
	}
	b, err := l.readWhole(path, size, sum)
	if err != nil {
		return b, err
	}
	return l.arena.put(b.Data), nil
}

// maxHeld is how much a release may have in memory that is too large for it: files that are asked
// for often are, and so is what is compressed in a zip and cannot be sent from there.
const maxHeld = 256 << 20

var errTooLarge = errors.New("the release is too large to be held in memory, and there is no room for temporary files to serve it from: set TMPDIR to a folder with room, unpack the zip, or pack it without compressing (zip -0)")

// keepWhole reads a file that stays in memory as long as the library.
func (l *Library) keepWhole(path string, size int64, sum release.Digest) (Body, error) {
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

// list notes which files there are, and answers with those that have to be loaded.
func (l *Library) list() ([]release.File, error) {
	files := slices.Clone(l.release.Manifest.Files)
	if l.disk != nil {
		if err := l.shelvePages(); err != nil {
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

// loadSingles takes single records out of their collections, which have them to the byte.
func (l *Library) loadSingles() error {
	if l.disk != nil {
		return l.shelveSingles()
	}
	for i := range l.release.Manifest.Kinds {
		if err := l.loadSinglesOf(&l.release.Manifest.Kinds[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Library) loadSinglesOf(k *release.Kind) error {
	if k.Single == "" {
		return nil
	}
	collection := l.files[k.Collection].representations[0].Data
	_, collection, _ = bytes.Cut(collection, []byte{'\n'}) // its head
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
		l.files[at] = newResource(l.head(at), forms...)
	}
	return nil
}

// mayHaveVariants reports whether there can be variants of a record: whether they would save
// anything.
func mayHaveVariants(data []byte) bool { return compress.Saves(int64(len(data)), 1) }

// withVariants are a record and the variants that lie beside its file.
func (l *Library) withVariants(f representation, at string, sum release.Digest) ([]representation, error) {
	forms := []representation{f}
	if !mayHaveVariants(f.Data) {
		return forms, nil
	}
	for _, e := range compress.Encodings {
		variant, err := l.release.ReadFile(at+e.Suffix, int64(len(f.Data)))
		if err != nil {
			continue // it has none, or loses nothing but this one
		}
		pinned := release.Digest(sha256.Sum256(variant))
		if err := l.prove(e, variant, f.Data, [2]release.Digest{sum, pinned}); err != nil {
			return nil, fmt.Errorf("%s%s %w (%w)", at, e.Suffix, ErrDamaged, err)
		}
		forms = append(forms, newRepresentation(e.Coding, InMemory(variant), pinned))
	}
	return forms, nil
}

// prove makes sure that a variant of a record is one: no listing has its digest.
func (l *Library) prove(e compress.Encoding, variant, record []byte, pair [2]release.Digest) error {
	if l.disk != nil && l.disk.proven.has(pair) {
		return nil
	}
	err := decodesTo(e, variant, record)
	if err == nil && l.disk != nil {
		l.disk.proven.add(pair)
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
		err = fmt.Errorf("it decodes to something else")
	}
	return err
}

// addressesOfFolders lets a page be found at the address that ends in a slash.
func (l *Library) addressesOfFolders() {
	pages := map[string]*resource{}
	for at, r := range l.files {
		if dir, ok := strings.CutSuffix(at, layout.Index); ok && (dir == "" || strings.HasSuffix(dir, "/")) {
			pages[dir] = r
		}
	}
	maps.Copy(l.files, pages)
}

// maxLogFile is the most that a file of a log may have: a bundle of its entries.
const maxLogFile = 1 << 20

// loadLog takes the log of signed releases, which lies beside the release and is not listed in its
// manifest. It is small, and held in memory. Who signed is for those to check who have the key;
// that the log fits together is checked here.
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
		l.files[path] = newResource(l.head(path), plainRepresentation(data))
	}
	return nil
}
