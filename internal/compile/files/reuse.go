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

// linkUnchanged takes over the files of the manifest that came out as they were. What cannot be
// linked is there all the same.
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

// earlierPages are the pages and histories of the previous release, in order: of each the digest of
// its line in the listing, which says everything about it.
type earlierPages []layout.Short

// readEarlierPages reads the listings of the pages and histories that can be taken over. There are
// none if one cannot be read: then they are written.
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

// have reports whether there was a page that is described by the same line.
func (p earlierPages) have(line []byte) bool {
	if len(p) == 0 {
		return false
	}
	_, found := slices.BinarySearchFunc(p, layout.Shorten(line), layout.Short.Compare)
	return found
}

// earlierVariant takes the variant of a file over from the previous release, if the file is the
// same to the byte, the same compressors made the variant, and it is the one that the manifest
// describes. Of a service none is taken over: what it sends would have to be decoded to be
// believed, which takes as long as to compress, and gives the same bytes.
func (f *Set) earlierVariant(j variantJob, e compress.Encoding) (r variantResult, ok bool) {
	if f.opt.Previous == nil || !f.opt.Previous.Local() || f.opt.Previous.Manifest.Built == nil ||
		f.opt.Previous.Manifest.Built.Compressor != compress.Number {
		return r, false
	}
	v := f.earlier(j.path, e.Name)
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
		r.err = r.file.Close() // what cannot be read is compressed anew
		return r, r.err != nil
	}
	return r, true
}

// earlier finds a variant of a file in the previous release, if the file is the same.
func (f *Set) earlier(path, encoding string) *release.Variant {
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

// UnreadError says that a file of the previous release could not be taken over. Of a delta, that
// costs nothing but the delta.
type UnreadError struct{ error }

// Unwrap returns the cause.
func (e *UnreadError) Unwrap() error { return e.error }

// Carry takes a file that never changes over from the previous release, to the byte.
func (f *Set) Carry(listed *release.File) error {
	if f.Link(listed.Path, listed.Size, listed.SHA256) {
		f.List(release.File{Path: listed.Path, Size: listed.Size, SHA256: listed.SHA256}, nil)
		return nil
	}
	scratch, err := f.Scratch()
	if err != nil {
		return err
	}
	defer scratch.Close() // it has no name any more, and goes with this
	in, err := f.opt.Previous.Files.Open(listed.Path)
	if err != nil {
		return &UnreadError{err}
	}
	defer in.Close() // it was only read
	// to know that it is whole before any of it is written
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

// nameByHash lets what the manifest lists be read by digest too.
func (f *Set) nameByHash(m *release.Manifest) error {
	var before *release.Manifest
	if f.opt.Previous != nil && !f.opt.Redacted {
		before = f.opt.Previous.Manifest
	}
	if !f.opt.ByHash {
		return nil
	}
	return f.LinkByHash(f.ctx, m, before)
}
