package bucket

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/lists"
	"stele/internal/disk/scratch"
	"stele/release"
)

// Records names the object by which copies read the records of a release without its pack: what
// changed since a whole pack, in which the rest lies, and an index of both at the end.
type Records struct {
	Piece
	Index int64          `json:"index"` // how long that is
	Base  release.Digest `json:"base"`  // of the whole pack
}

// Index says where the files lie that every copy of a release has, each in its smallest form.
type Index struct {
	Manifest []byte            `json:"manifest"`
	Log      map[string][]byte `json:"log,omitempty"` // of signatures, by path
	Base     []Placed          `json:"base"`          // what the whole pack has
	// Here is what stands before the index, by path. What is shorter than the file goes on where
	// the one in the whole pack ends.
	Here []Placed `json:"here,omitempty"`
}

// Placed is a file, with the one variant that is there, if it is one, and where that begins.
type Placed struct {
	release.File
	At int64 `json:"at"`
}

const maxIndex = 64 << 20

// Smallest is the smallest form of a file that can be read: itself or a variant.
func Smallest(f *release.File) release.Variant {
	least := release.Variant{Path: f.Path, Size: f.Size, SHA256: f.SHA256}
	for _, v := range f.Variants {
		if _, known := compress.Named(v.Encoding); known && v.Size < least.Size {
			least = v
		}
	}
	return least
}

// Find returns what a list has at a path, or nil.
func Find(list []Placed, path string) *Placed {
	i, ok := slices.BinarySearchFunc(list, path, func(p Placed, path string) int { return cmp.Compare(p.Path, path) })
	if !ok {
		return nil
	}
	return &list[i]
}

// Encode writes an index.
func (x *Index) Encode() ([]byte, error) {
	data, err := json.Marshal(x)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = compress.Zstandard.Encode(&b, bytes.NewReader(data), int64(len(data)))
	return b.Bytes(), err
}

// ReadIndex reads an index.
func (b *Bucket) ReadIndex(ctx context.Context, r *Records) (*Index, error) {
	in, err := b.Part(ctx, r.Path, r.Size-r.Index, r.Index)
	if err != nil {
		return nil, err
	}
	defer in.Close() // it has no name any more, and goes with this
	unpacked, err := compress.Zstandard.Reader(in)
	if err != nil {
		return nil, err
	}
	x := new(Index)
	data, err := io.ReadAll(io.LimitReader(unpacked, maxIndex+1))
	if err == nil {
		err = json.Unmarshal(data, x)
	}
	if err != nil || len(data) > maxIndex {
		return nil, fmt.Errorf("%s: %w", r.Path, errors.Join(errOther, err))
	}
	return x, nil
}

type stretch struct {
	path     string
	at, size int64
}

// Part reads a part of an object.
func (b *Bucket) Part(ctx context.Context, path string, at, size int64) (*os.File, error) {
	return b.stretches(ctx, []stretch{{path, at, size}})
}

// stretches reads parts of objects, one after the other.
func (b *Bucket) stretches(ctx context.Context, list []stretch) (*os.File, error) {
	on, err := scratch.New("", "stele-bucket-*")
	if err != nil {
		return nil, err
	}
	var end int64
	for _, s := range list {
		if _, err := b.ReadRange(ctx, s.path, s.at, s.size, io.NewOffsetWriter(on, end-s.at)); err != nil {
			return nil, errors.Join(err, on.Close())
		}
		end += s.size
	}
	return on, nil
}

// indexed are the files of a release by its index, and by its pack where somebody asks for others.
type indexed struct {
	bucket   *Bucket
	at       *Records
	base     *Piece
	index    *Index
	manifest *release.Manifest
	bring    func() (files, func() error, error)

	mu    sync.Mutex
	whole files // nil as long as nobody needs it
	end   func() error
}

func (b *Bucket) openIndexed(ctx context.Context, at *Records, base *Piece, bring func() (files, func() error, error)) (
	_ files, closeFiles func() error, err error,
) {
	x := &indexed{bucket: b, at: at, base: base, bring: bring, manifest: new(release.Manifest)}
	x.end = func() error { return nil }
	if x.index, err = b.ReadIndex(ctx, at); err == nil {
		err = x.manifest.Decode(x.index.Manifest)
	}
	hasVariants := func(p Placed) bool { return len(p.Variants) > 0 }
	if err == nil && (slices.ContainsFunc(x.index.Here, hasVariants) || // its size is the length that is read
		!within(x.index.Base, base.Size) || !within(x.index.Here, at.Size)) {
		err = fmt.Errorf("%s: %w", at.Path, errOther)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", b.name, err)
	}
	return x, func() error { return x.end() }, nil
}

// within reports whether all of a list lies in an object that has so many bytes.
func within(list []Placed, size int64) bool {
	return !slices.ContainsFunc(list, func(p Placed) bool {
		n := Smallest(&p.File).Size
		return n < 0 || n > size || p.At < 0 || p.At > size-n
	})
}

func (x *indexed) open(ctx context.Context, name string, encodings []string, from int64) (*content, error) {
	data, ok := x.index.Log[name]
	if name == layout.ManifestPath {
		data, ok = x.index.Manifest, true
	}
	switch {
	case ok && from <= int64(len(data)):
		return &content{io.NopCloser(bytes.NewReader(data[from:])), int64(len(data)), ""}, nil
	case name == layout.ProofPath, strings.HasPrefix(name, layout.LogFolder),
		strings.HasPrefix(name, layout.ByHashFolder):
		return nil, fs.ErrNotExist
	}
	if f := x.manifest.File(name); f != nil {
		if c, err := x.stored(ctx, f, encodings, from); c != nil || err != nil {
			return c, err
		}
		if c, err := x.derived(ctx, f, from); c != nil || err != nil {
			return c, err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.whole == nil {
		whole, end, err := x.bring()
		if err != nil {
			return nil, err
		}
		x.whole, x.end = whole, end
	}
	return x.whole.open(ctx, name, encodings, from)
}

// stored reads a file that lies somewhere; nil if the index does not say where.
func (x *indexed) stored(ctx context.Context, f *release.File, encodings []string, from int64) (*content, error) {
	least := Smallest(f)
	here, base := Find(x.index.Here, f.Path), Find(x.index.Base, f.Path)
	var list []stretch
	if base != nil && (here == nil && Smallest(&base.File).SHA256 == least.SHA256 ||
		here != nil && here.Size < least.Size) {
		list = append(list, stretch{x.base.Path, base.At, Smallest(&base.File).Size})
	}
	if here != nil {
		list = append(list, stretch{x.at.Path, here.At, here.Size})
	}
	if list == nil || least.Encoding != "" && !slices.Contains(encodings, least.Encoding) || from > least.Size {
		return nil, nil
	}
	size, skip := int64(0), from
	for i := range list { // from there on
		size += list[i].size
		n := min(skip, list[i].size)
		list[i].at, list[i].size, skip = list[i].at+n, list[i].size-n, skip-n
	}
	if size != least.Size {
		return nil, fmt.Errorf("%s: %w", x.at.Path, errOther)
	}
	on, err := x.bucket.stretches(ctx, list)
	if err != nil {
		return nil, err
	}
	return &content{on, size, least.Encoding}, nil
}

// derived makes a collection from the one in the whole pack; nil if no deltas lead there.
func (x *indexed) derived(ctx context.Context, f *release.File, from int64) (*content, error) {
	i := slices.IndexFunc(x.manifest.Kinds, func(k release.Kind) bool { return k.Collection == f.Path })
	base := Find(x.index.Base, f.Path)
	if i < 0 || base == nil {
		return nil, nil
	}
	kind := x.manifest.Kinds[i].Kind
	chain, ok := x.manifest.Chain(kind, base.SHA256)
	if !ok || len(chain) == 0 {
		return nil, nil
	}
	was := *x.manifest
	was.Files = []release.File{base.File}
	old := NewRemote(&was, func(f *release.File) (*os.File, error) {
		return x.bucket.Part(ctx, x.base.Path, base.At, Smallest(f).Size)
	})
	defer old.Close()
	deltas := NewRemote(x.manifest, func(f *release.File) (*os.File, error) {
		c, err := x.stored(ctx, f, []string{Smallest(f).Encoding}, 0)
		if c == nil {
			return nil, cmp.Or(err, fs.ErrNotExist)
		}
		return c.ReadCloser.(*os.File), nil
	})
	defer deltas.Close()
	lines, head := layout.Base((&release.Release{Manifest: &was, Files: old}).Records(kind)), ""
	for _, d := range chain {
		step, err := (&release.Release{Manifest: x.manifest, Files: deltas}).Delta(kind, d)
		if err != nil {
			return nil, err
		}
		lines, head = step.Apply(lines), step.Head
	}
	return written(ctx, head, lines, from, f.Size)
}

// written is a collection with some lines, from a place in it on. It may have most bytes.
func written(
	ctx context.Context, head string, lines iter.Seq2[layout.Applied, error], from, most int64,
) (*content, error) {
	on, err := scratch.New("", "stele-bucket-*")
	if err != nil {
		return nil, err
	}
	w := lists.NewWriter(on)
	w.Write([]byte(head)) // errors stay until Flush
	for line, failure := range lines {
		if err = cmp.Or(failure, context.Cause(ctx)); err != nil {
			break
		}
		if w.Line(line.Text); w.Size() > most {
			err = errOther
			break
		}
	}
	w.End()
	if err = cmp.Or(err, w.Flush()); err == nil {
		_, err = on.Seek(from, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, on.Close())
	}
	return &content{on, w.Size(), ""}, nil
}

// Remote are the files that a manifest lists, in their smallest forms. Each is fetched once.
type Remote struct {
	manifest *release.Manifest
	fetch    func(*release.File) (*os.File, error)
	here     map[string]*os.File
}

// NewRemote makes them.
func NewRemote(m *release.Manifest, fetch func(*release.File) (*os.File, error)) *Remote {
	return &Remote{m, fetch, map[string]*os.File{}}
}

// Close lets go of what was fetched.
func (p *Remote) Close() {
	for _, f := range p.here {
		f.Close() // it has no name any more, and goes with this
	}
}

// Open opens a file. Whether it is what the manifest says, who reads it finds out.
func (p *Remote) Open(name string) (fs.File, error) {
	f := p.manifest.File(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	least := Smallest(f)
	if p.here[name] == nil {
		on, err := p.fetch(f)
		if err != nil {
			return nil, err
		}
		p.here[name] = on
	}
	var in io.Reader = io.NewSectionReader(p.here[name], 0, least.Size)
	if e, known := compress.Named(least.Encoding); known {
		var err error
		if in, err = e.Reader(in); err != nil {
			return nil, err
		}
	}
	return remoteFile{in, name}, nil
}

type remoteFile struct {
	io.Reader
	name string
}

func (f remoteFile) Close() error { return nil }

func (f remoteFile) Stat() (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "stat", Path: f.name, Err: errors.ErrUnsupported}
}
