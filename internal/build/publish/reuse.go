package publish

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"slices"

	"stele/internal/base/compress"
	"stele/release"
)

// linkUnchanged takes over the files of the manifest that came out as they were. What cannot be
// linked is there all the same.
func (f *files) linkUnchanged() {
	if f.previous == nil {
		return
	}
	for _, is := range f.listed {
		was := f.previous.Manifest.File(is.Path)
		if was == nil || was.SHA256 != is.SHA256 {
			continue
		}
		f.link(is.Path, is.Size)
		for _, v := range is.Variants {
			if slices.Contains(was.Variants, v) {
				f.link(v.Path, v.Size)
			}
		}
	}
}

// earlierPages are the pages and histories of the previous release, in order: of each the digest of
// its line in the listing, which says everything about it, shortened to what tells all lines of the
// world apart.
type earlierPages [][16]byte

func digestOfLine(line []byte) (short [16]byte) {
	sum := sha256.Sum256(line)
	return [16]byte(sum[:])
}

// readEarlierPages reads the listings of the pages and histories that can be taken over. There are
// none if one cannot be read: then they are written.
func readEarlierPages(f *files) (pages earlierPages) {
	if f.previous == nil || f.opt.PreviousDir == "" {
		return nil
	}
	for _, listing := range f.previous.Manifest.FileListings() {
		for line, err := range f.previous.Lines(listing) {
			if err != nil {
				return nil
			}
			pages = append(pages, digestOfLine(line.Text))
		}
	}
	slices.SortFunc(pages, compareShort)
	return pages
}

func compareShort(x, y [16]byte) int { return bytes.Compare(x[:], y[:]) }

// have reports whether there was a page that is described by the same line.
func (p earlierPages) have(line []byte) bool {
	if len(p) == 0 {
		return false
	}
	_, found := slices.BinarySearchFunc(p, digestOfLine(line), compareShort)
	return found
}

// earlierVariant takes the variant of a file over from the previous release, if the file is the
// same to the byte, the same compressors made the variant, and it is the one that the manifest
// describes. Of a service none is taken over: what it sends would have to be decoded to be
// believed, which takes as long as to compress, and gives the same bytes.
func (f *files) earlierVariant(j variantJob, e compress.Encoding) (r variantResult, ok bool) {
	if f.previous == nil || !f.previous.Local() || f.previous.Manifest.Built == nil ||
		f.previous.Manifest.Built.Compressor != compress.Number {
		return r, false
	}
	v := f.earlier(j.path, e.Name)
	if v == nil || !compress.Saves(j.size, v.Size) {
		return r, false
	}
	in, err := f.previous.Files.Open(v.Path)
	if err != nil {
		return r, false
	}
	defer in.Close() // it was only read
	if r.file, r.err = f.scratch(); r.err != nil {
		return r, true
	}
	if r.size, err = copyChecked(r.file, in, v.Size, v.SHA256); err != nil {
		r.err = r.file.Close() // what cannot be read is compressed anew
		return r, r.err != nil
	}
	return r, true
}

// earlier finds a variant of a file in the previous release, if the file is the same.
func (f *files) earlier(path, encoding string) *release.Variant {
	was := f.previous.Manifest.File(path)
	is := f.find(path)
	if was == nil || was.SHA256 != is.SHA256 || was.Size != is.Size {
		return nil
	}
	for i := range was.Variants {
		if was.Variants[i].Encoding == encoding {
			return &was.Variants[i]
		}
	}
	return nil
}

// copyChecked copies a file that must be what the manifest says.
func copyChecked(to io.Writer, in io.Reader, size int64, want release.Digest) (int64, error) {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(in, size+1))
	if err == nil && (n != size || release.Digest(sum.Sum(nil)) != want) {
		err = errors.New("not the file that the manifest describes")
	}
	return n, err
}
