package build

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"

	"stele/internal/compress"
	"stele/release"
)

// earlierVariant takes the variant of a file over from the previous release, if the file is the same to the byte and the variant is the one that the manifest
// describes. Of a service none is taken over: what it sends would have to be decoded to be believed, which takes as long as to compress.
func (b *builder) earlierVariant(j variantJob, e compress.Encoding) (r variantResult, ok bool) {
	if b.previous == nil || !b.previous.release.AtHand() {
		return r, false
	}
	v := b.earlier(j.path, e.Name)
	if v == nil || !compress.Saves(j.size, v.Size) {
		return r, false
	}
	in, err := b.previous.release.Files.Open(v.Path)
	if err != nil {
		return r, false
	}
	defer in.Close() // it was only read
	if r.file, r.err = b.w.Scratch(); r.err != nil {
		return r, true
	}
	if r.size, err = copyChecked(r.file, in, v); err != nil {
		r.err = r.file.Close() // what cannot be read is compressed anew
		return r, r.err != nil
	}
	return r, true
}

// earlier finds a variant of a file in the previous release, if the file is the same.
func (b *builder) earlier(path, encoding string) *release.Variant {
	was := b.previous.release.File(path)
	i := slices.IndexFunc(b.files, func(f release.File) bool { return f.Path == path })
	if was == nil || was.SHA256 != b.files[i].SHA256 || was.Size != b.files[i].Size {
		return nil
	}
	for i := range was.Variants {
		if was.Variants[i].Encoding == encoding {
			return &was.Variants[i]
		}
	}
	return nil
}

// copyChecked copies a variant that must be what the manifest says.
func copyChecked(to *os.File, in io.Reader, v *release.Variant) (int64, error) {
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(in, v.Size+1))
	if err == nil && (size != v.Size || release.Digest(sum.Sum(nil)) != v.SHA256) {
		err = errors.New("not the variant that the manifest describes")
	}
	return size, err
}
