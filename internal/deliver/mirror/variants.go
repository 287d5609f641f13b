package mirror

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/parallel"
	"stele/release"
)

// writeVariants writes the variants of a file that is written already. They are made here, which
// gives the same bytes if the publisher has the same version of the program, and fetched if not.
func (j *job) writeVariants(f *release.File) error {
	for i := range f.Variants {
		v := &f.Variants[i]
		if j.hasVariant(f, v) {
			if err := j.takeOverOne(f, v); err != nil {
				return err
			}
			continue
		}
		scratch, err := j.w.Scratch()
		if err != nil {
			return err
		}
		err = j.makeVariant(f, v, compress.For(f.Path, f.Size), scratch)
		if err = errors.Join(err, scratch.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) hasVariant(f *release.File, v *release.Variant) bool {
	if !j.has(f) {
		return false
	}
	return slices.Contains(j.old.Manifest.File(f.Path).Variants, *v)
}

// makeVariant compresses a file as the publisher did, or fetches the variant.
func (j *job) makeVariant(f *release.File, v *release.Variant, as []compress.Encoding, scratch *os.File) error {
	if i := slices.IndexFunc(as, func(e compress.Encoding) bool { return e.Name == v.Encoding }); i >= 0 {
		e := as[i]
		in, err := j.w.Open(f.Path)
		if err != nil {
			return err
		}
		sum := sha256.New()
		err = e.Encode(io.MultiWriter(scratch, sum), parallel.Reader(j.ctx, in), f.Size)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		if release.Digest(sum.Sum(nil)) == v.SHA256 {
			return j.put(v.Path, scratch)
		}
		if err := errors.Join(scratch.Truncate(0), rewind(scratch)); err != nil {
			return err
		}
	}
	if err := j.mirror.source.FetchVariant(j.ctx, v, scratch); err != nil {
		return err
	}
	return j.put(v.Path, scratch)
}
