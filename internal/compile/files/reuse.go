package files

import (
	"context"
	"io"
	"slices"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/disk/lists"
	"stele/release"
)

// linkUnchanged links the listed files to those of the previous release that are the same. If
// linking fails, nothing is lost, because the files are already written.
func (f *Set) linkUnchanged() {
	if f.opt.Previous == nil {
		return
	}
	for _, is := range f.listed {
		was := f.opt.Previous.Manifest.File(is.Path)
		if was == nil || was.SHA256 != is.SHA256 {
			continue
		}
		f.Link(is.Path, is.Size, is.SHA256)
		for _, v := range is.Variants {
			if slices.Contains(was.Variants, v) {
				f.Link(v.Path, v.Size, v.SHA256)
			}
		}
	}
}

// earlierPages are the digests of the lines with which the previous release lists its pages and
// histories, sorted. Each line describes a page completely.
type earlierPages []layout.Short

// readEarlierPages reads the previous release's listings of pages and histories. If one cannot be
// read, it returns none, so that all pages are written.
func readEarlierPages(f *Set) (pages earlierPages) {
	if f.opt.Previous == nil || f.opt.PreviousDir == "" {
		return nil
	}
	for _, listing := range f.opt.Previous.Manifest.FileListings() {
		for line, err := range f.opt.Previous.Lines(listing) {
			if err != nil {
				return nil
			}
			pages = append(pages, layout.Shorten(line.Text))
		}
	}
	slices.SortFunc(pages, layout.Short.Compare)
	return pages
}

// contains reports whether the previous release has a page with the same line.
func (p earlierPages) contains(line []byte) bool {
	if len(p) == 0 {
		return false
	}
	_, found := slices.BinarySearchFunc(p, layout.Shorten(line), layout.Short.Compare)
	return found
}

// reuseVariant copies a file's variant from the previous release if the file is unchanged, the same
// compressors wrote the variant, and it is intact. It does not copy variants from a server:
// decoding a downloaded variant to check it takes as long as compressing the file.
func (f *Set) reuseVariant(j variantJob, e compress.Encoding) (r variantResult, ok bool) {
	if f.opt.Previous == nil || !f.opt.Previous.Local() || f.opt.Previous.Manifest.Built == nil ||
		f.opt.Previous.Manifest.Built.Compressor != compress.Number {
		return r, false
	}
	v := f.earlierVariant(j.path, e.Name)
	if v == nil || !compress.Saves(j.size, v.Size) {
		return r, false
	}
	in, err := f.opt.Previous.Files.Open(v.Path)
	if err != nil {
		return r, false
	}
	defer in.Close() // it was only read
	if r.file, r.err = f.Scratch(); r.err != nil {
		return r, true
	}
	if r.size, err = lists.Copy(r.file, in, v.Size, &v.SHA256); err != nil {
		r.err = r.file.Close() // it is compressed again
		return r, r.err != nil
	}
	return r, true
}

// earlierVariant returns a file's variant in the previous release, or nil if the file changed.
func (f *Set) earlierVariant(path, encoding string) *release.Variant {
	was := f.opt.Previous.Manifest.File(path)
	is := f.Find(path)
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

// UnreadError means that a file of the previous release could not be copied. If it is a delta, the
// new release just lacks it.
type UnreadError struct{ error }

func (e *UnreadError) Unwrap() error { return e.error }

// CopyPrevious copies an immutable file from the previous release.
func (f *Set) CopyPrevious(listed *release.File) error {
	if f.Link(listed.Path, listed.Size, listed.SHA256) {
		f.AddListed(release.File{Path: listed.Path, Size: listed.Size, SHA256: listed.SHA256}, nil)
		return nil
	}
	scratch, err := f.Scratch()
	if err != nil {
		return err
	}
	defer scratch.Close() // frees its space
	in, err := f.opt.Previous.Files.Open(listed.Path)
	if err != nil {
		return &UnreadError{err}
	}
	defer in.Close() // it was only read
	// Check the whole file before writing any of it.
	if _, err := lists.Copy(scratch, in, listed.Size, &listed.SHA256); err != nil {
		if cause := context.Cause(f.ctx); cause != nil {
			return cause
		}
		return &UnreadError{err}
	}
	if _, err := scratch.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out, err := f.Create(listed.Path)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, scratch)
	return out.Finish(err)
}

// linkByHash makes the files of m available by digest.
func (f *Set) linkByHash(m *release.Manifest) error {
	var before *release.Manifest
	if f.opt.Previous != nil && !f.opt.Redacted {
		before = f.opt.Previous.Manifest
	}
	if !f.opt.ByHash {
		return nil
	}
	return f.LinkByHash(f.ctx, m, before)
}
