package bucket

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/deliver/fetch"
	"stele/internal/trust/signing"
	"stele/release"
)

// Records is an object with the files of a release that every copy has, in compressed form. Readers
// that want some of them need neither the directory of the pack, which is large, nor increments.
//
// It begins with a zip of the manifest and the log. The other files follow in the order of the
// manifest, so their offsets follow from its sizes. Listings that readers derive are omitted.
type Records struct {
	Piece
	Head int64 `json:"head"` // size of the zip
}

// RecordsSuffix is the suffix of the names of [Records] objects.
const RecordsSuffix = ".records"

// maxHead is the maximum size of the zip at the beginning of a [Records] object.
const maxHead = 2 * layout.MaxManifest

func (r *Records) isValid() bool {
	return r == nil || r.Piece.isValid(RecordsSuffix) && r.Head > 0 && r.Head <= min(r.Size, maxHead)
}

// recordFiles returns the files that follow the zip, each with the variant in which it is stored.
func recordFiles(m *release.Manifest) iter.Seq2[*release.File, release.Variant] {
	return func(yield func(*release.File, release.Variant) bool) {
		for _, listed := range m.With(nil).Files {
			f := m.File(listed.Path) // with its variants
			derives := func(k release.Kind) bool { return k.Listing == f.Path && fetch.DerivesListing(m, &k) }
			if !slices.ContainsFunc(m.Kinds, derives) && !yield(f, fetch.SmallestVariant(f)) {
				return
			}
		}
	}
}

// WriteRecords writes the [Records] object of a release to w, and returns the size of the zip at
// its beginning.
func WriteRecords(ctx context.Context, w io.Writer, r *release.Release) (head int64, err error) {
	manifest, err := r.ReadFile(layout.ManifestPath, layout.MaxManifest)
	if err != nil {
		return 0, err
	}
	log, err := signing.CopyLog(ctx, signing.FS(r.Files), manifest)
	if err != nil {
		return 0, err
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range append(log, signing.File{Path: layout.ManifestPath, Data: manifest}) {
		to, err := z.Create(f.Path)
		if err == nil {
			_, err = to.Write(f.Data)
		}
		if err != nil {
			return 0, err
		}
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	if head, err = b.WriteTo(w); err != nil {
		return 0, err
	}
	for f, v := range recordFiles(r.Manifest) {
		path := f.Path
		if v.Encoding != "" {
			path = v.Path
		}
		if err := copyFile(w, r.Files, path, v.Size); err != nil {
			return 0, err
		}
	}
	return head, ctx.Err()
}

func copyFile(w io.Writer, files fs.FS, path string, size int64) error {
	in, err := files.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() // in was only read
	if n, err := io.Copy(w, in); err != nil || n != size {
		return fmt.Errorf("%s has %d bytes, not %d: %w", path, n, size, errors.Join(errMismatch, err))
	}
	return nil
}

// records reads files of a release from its [Records] object, and other files from the pack.
type records struct {
	bucket   *Bucket
	path     string
	head     *zip.Reader
	ranges   map[string]storedFile // by path, and by digest path
	openPack func(context.Context) (files, error)

	mu   sync.Mutex
	pack files // nil until another file is read
}

// storedFile is the range of a [Records] object that contains a file.
type storedFile struct {
	at, size int64
	encoding string
}

// errLayout means that the object does not have the size that follows from its manifest, because
// another version of the program wrote other files.
var errLayout = errors.New("unknown layout")

// newRecords reads the manifest and the log from the object of a pack.
func newRecords(
	ctx context.Context, b *Bucket, p *Pack, openPack func(context.Context) (files, error),
) (*records, error) {
	head := make(memory, p.Records.Head)
	if _, err := b.ReadRange(ctx, p.Records.Path, 0, p.Records.Head, head); err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(head), p.Records.Head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Records.Path, errMismatch)
	}
	r := &records{bucket: b, path: p.Records.Path, head: z, ranges: map[string]storedFile{}, openPack: openPack}
	manifest, err := readManifest(ctx, r, p)
	if err != nil {
		return nil, err
	}
	m := new(release.Manifest)
	if err := m.Decode(manifest); err != nil {
		return nil, err
	}
	at := p.Records.Head
	for f, v := range recordFiles(m) {
		stored := storedFile{at, v.Size, v.Encoding}
		r.ranges[f.Path], r.ranges[layout.ByHashPath(v.SHA256.String())] = stored, storedFile{at, v.Size, ""}
		at += v.Size
	}
	if at != p.Records.Size {
		return nil, errLayout
	}
	return r, nil
}

func (r *records) open(ctx context.Context, name string, from int64) (*content, error) {
	if name == layout.ManifestPath || name == layout.ProofPath || strings.HasPrefix(name, layout.LogFolder) {
		return fetched{r.head}.open(ctx, name, from)
	}
	if f, ok := r.ranges[name]; ok {
		if f.encoding != "" {
			from = 0 // the offset is one of the decoded file
		}
		if from > f.size {
			return nil, fs.ErrInvalid
		}
		in, err := r.bucket.Part(ctx, r.path, f.at+from, f.size-from)
		if err != nil {
			return nil, err
		}
		return &content{in, f.size, f.encoding}, nil
	}
	if name == layout.CopyPath || strings.HasPrefix(name, layout.ByHashFolder) { // no pack has these
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	r.mu.Lock()
	var err error
	if r.pack == nil {
		r.pack, err = r.openPack(ctx)
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return r.pack.open(ctx, name, from)
}

// memory is an io.WriterAt that writes to a buffer of a fixed size.
type memory []byte

// WriteAt copies b to offset at of the buffer.
func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:], b), nil }
