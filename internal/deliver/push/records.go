package push

import (
	"cmp"
	"context"
	"crypto/sha256"
	"io"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/deliver/bucket"
	"stele/internal/disk/scratch"
	"stele/internal/disk/store"
	"stele/internal/trust/signing"
	"stele/release"
)

// addRecords adds what copies read of a release: an index of the whole pack, and what changed since
// that one, if this release is made from increments. Where an earlier version sent the whole pack,
// there is none.
func (j *job) addRecords(ctx context.Context, p *parts) error {
	x, base := new(bucket.Index), j.pack.SHA256
	switch {
	case j.pack.Size <= small:
		return nil
	case j.pack.Path != "":
		if err := j.place(x); err != nil {
			return err
		}
	case j.before.Records == nil:
		return nil
	default:
		was, err := j.bucket.ReadIndex(ctx, j.before.Records)
		if err != nil {
			return err
		}
		x.Base, base = was.Base, j.before.Records.Base
	}
	var err error
	if x.Manifest, err = j.r.ReadFile(layout.ManifestPath, layout.MaxManifest); err != nil {
		return err
	}
	log, err := signing.Carry(ctx, signing.FS(j.r.Files), x.Manifest)
	if err != nil {
		return err
	}
	x.Log = map[string][]byte{}
	for _, f := range log {
		x.Log[f.Path] = f.Data
	}
	return j.addChanged(ctx, p, x, base)
}

// place finds out where the records lie in the pack, which is whole.
func (j *job) place(x *bucket.Index) error {
	files := map[string]*release.File{}
	for _, f := range j.copied() {
		files[bucket.Smallest(f).Path] = f
	}
	if _, err := store.Directory(j.file); err != nil {
		return nil // some other program made it, and copies read it otherwise
	}
	for p, err := range store.Parts(j.file) {
		if err != nil {
			return err
		}
		f := files[string(p.Name)]
		if f == nil || p.Deflate {
			continue
		}
		at, err := p.Content(j.file)
		if err != nil {
			return err
		}
		one := release.File{Path: f.Path, Size: f.Size, SHA256: f.SHA256}
		if least := bucket.Smallest(f); least.Encoding != "" {
			one.Variants = []release.Variant{least}
		}
		x.Base = append(x.Base, bucket.Placed{File: one, At: at})
	}
	slices.SortFunc(x.Base, func(a, b bucket.Placed) int { return cmp.Compare(a.Path, b.Path) })
	return nil
}

// copied are the files that every copy fetches. Listings are made there.
func (j *job) copied() (list []*release.File) {
	m := j.r.Manifest
	made := map[string]bool{m.Histories: true}
	for _, k := range m.Kinds {
		made[k.Listing] = true
	}
	for _, f := range m.With(nil).Files {
		if !made[f.Path] {
			list = append(list, m.File(f.Path))
		}
	}
	return list
}

// addChanged adds the index, after what does not lie where that says in the whole pack: what is
// new, and what was added at the end of a file. A collection is left out if deltas lead to it.
func (j *job) addChanged(ctx context.Context, p *parts, x *bucket.Index, base release.Digest) error {
	on, err := scratch.New("", "stele-push-*")
	if err != nil {
		return err
	}
	p.scratch = append(p.scratch, on)
	collections := map[string]string{}
	for _, k := range j.r.Manifest.Kinds {
		collections[k.Collection] = k.Kind
	}
	sum, end := sha256.New(), int64(0)
	to := io.MultiWriter(on, sum)
	for _, f := range j.copied() {
		least, was := bucket.Smallest(f), bucket.Find(x.Base, f.Path)
		var before release.File
		if was != nil {
			before = was.File
		}
		_, derived := j.r.Manifest.Chain(collections[f.Path], before.SHA256)
		if derived || bucket.Smallest(&before).SHA256 == least.SHA256 {
			continue
		}
		n, err := j.copyRest(to, least, before)
		if err != nil {
			return err
		}
		x.Here = append(x.Here, bucket.Placed{File: release.File{Path: f.Path, Size: n, SHA256: least.SHA256}, At: end})
		end += n
	}
	index, err := x.Encode()
	if err != nil {
		return err
	}
	if _, err := to.Write(index); err != nil {
		return err
	}
	size := int64(len(index))
	one := piece{bucket.Piece{Size: end + size, SHA256: release.Digest(sum.Sum(nil))}, on, "application/octet-stream"}
	if err := j.add(ctx, p, &one, bucket.RecordsSuffix); err != nil {
		return err
	}
	p.records = &bucket.Records{Piece: one.Piece, Index: size, Base: base}
	return nil
}

// copyRest copies a file, or what it has behind an earlier one with which it begins.
func (j *job) copyRest(to io.Writer, f release.Variant, before release.File) (int64, error) {
	in, err := j.r.Files.Open(f.Path)
	if err != nil {
		return 0, err
	}
	defer func() { in.Close() }() // it was only read
	if !strings.HasSuffix(f.Path, layout.HistoryPack) || before.Size == 0 || before.Size > f.Size {
		return io.Copy(to, in)
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.LimitReader(in, before.Size))
	if err == nil && release.Digest(sum.Sum(nil)) != before.SHA256 { // from the beginning
		in.Close() // it was only read
		in, err = j.r.Files.Open(f.Path)
	}
	if err != nil {
		return 0, err
	}
	return io.Copy(to, in)
}
