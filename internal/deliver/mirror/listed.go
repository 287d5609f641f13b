package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/historyset"
	"stele/internal/disk/lists"
	"stele/release"
)

// writeListed writes the files of a listing, which is already written.
func (j *job) writeListed(listing string, histories *historyset.Set) error {
	there, err := j.copyListed(listing, histories)
	if err != nil {
		return err
	}
	var failed error // set while the listing is read, and checked after the downloads
	missing := func(yield func(*release.File) bool) {
		i := 0
		for f, err := range j.new.ListedFiles(listing) {
			if failed = err; err != nil || !there[i] && !yield(&f.File) {
				return
			}
			i++
		}
	}
	count := int64(0)
	for f := range j.fetch(missing) {
		if err := j.putFetched(f, pageEncodings); err != nil {
			return err
		}
		count++
		j.mirror.opt.Progress("fetching pages", count, 0)
	}
	return failed
}

// copyListed writes the files of a listing that the old copy has or that can be derived. written
// has an element for each file and says whether it was written.
func (j *job) copyListed(listing string, histories *historyset.Set) (written []bool, err error) {
	had := j.oldLines(listing)
	for f, err := range j.new.ListedFiles(listing) {
		if err != nil {
			return nil, err
		}
		j.pages += fetch.SmallestVariant(&f.File).Size
		kept := false
		if _, found := slices.BinarySearchFunc(had, layout.Shorten(f.Line.Text), layout.Short.Compare); found {
			kept, err = j.copyPage(&f.File)
		}
		if !kept && err == nil {
			kept, err = j.putHistory(histories, &f.File)
		}
		if err != nil {
			return nil, err
		}
		written = append(written, kept)
	}
	return written, nil
}

// oldLines returns short digests of those lines of a listing whose files are in the old copy.
func (j *job) oldLines(listing string) (list []layout.Short) {
	if j.old == nil {
		return nil
	}
	files := j.old.Histories()
	if listing == j.want.Pages {
		if j.old.Manifest.Pages == "" {
			return nil
		}
		files = j.old.ListedFiles(j.old.Manifest.Pages)
	}
	for f, err := range files {
		if err != nil {
			return nil // they are downloaded
		}
		list = append(list, layout.Shorten(f.Line.Text))
	}
	slices.SortFunc(list, layout.Short.Compare)
	return list
}

// copyPage copies a page and its variants from the old copy.
func (j *job) copyPage(f *release.File) (ok bool, err error) {
	const most = 1 << 20 // maximum number of bytes read into memory
	files := []release.File{{Path: f.Path, Size: f.Size, SHA256: f.SHA256}}
	for _, v := range f.Variants {
		files = append(files, release.File{Path: v.Path, Size: v.Size, SHA256: v.SHA256})
	}
	if j.oldDir != "" {
		unlinked := func(one release.File) bool { return !j.links.Link(one.Path, one.Size, release.Digest{}) }
		return !slices.ContainsFunc(files, unlinked), nil
	}
	data := make([][]byte, len(files))
	for i, one := range files {
		data[i], err = j.old.ReadFile(one.Path, min(one.Size, most))
		if err != nil || sha256.Sum256(data[i]) != one.SHA256 {
			return false, nil // the page is downloaded
		}
	}
	for i, one := range files {
		if err := j.w.Put(one.Path, data[i]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// pageEncodings are the encodings of the variants of pages.
var pageEncodings = []compress.Encoding{compress.Quick}

// Histories are in files to which each release appends. Only the appended rest of them is
// downloaded. The histories of single records, and the listing with their digests, are derived from
// them.

// isAppended reports whether f is a pack of histories of which the old copy has an earlier, shorter
// state.
func (j *job) isAppended(f *release.File) bool {
	if j.old == nil || !strings.HasPrefix(f.Path, layout.HistoryFolder) {
		return false
	}
	was := j.old.Manifest.File(f.Path)
	return was != nil && was.Size < f.Size && strings.HasSuffix(f.Path, layout.HistoryPack)
}

// fetchAppended downloads a file, or only the bytes that were appended to the old copy's file.
func (j *job) fetchAppended(ctx context.Context, f *release.File, scratch *os.File) error {
	if j.all.File(f.Path) == nil { // a file of another listing
		return j.mirror.source.FetchNamed(ctx, f, scratch)
	}
	if !j.isAppended(f) {
		return j.mirror.source.Fetch(ctx, j.withAllVariants(f), scratch)
	}
	was := j.old.Manifest.File(f.Path)
	if copyChecked(scratch, j.old, f.Path, was.Size, nil) != nil { // damaged, so download the whole file
		if err := fetch.Empty(scratch); err != nil {
			return err
		}
		return j.mirror.source.Fetch(ctx, j.withAllVariants(f), scratch)
	}
	return j.mirror.source.FetchRest(ctx, j.withAllVariants(f), scratch)
}

// deriveHistories derives the histories of single records from those of their kinds.
func (j *job) deriveHistories() (set *historyset.Set, err error) {
	if set, err = historyset.New(j.w.Scratch); err != nil {
		return nil, err
	}
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		if j.want.File(k.Pack) == nil {
			continue
		}
		in, err := j.w.Files().Open(k.Pack)
		if err == nil {
			err = errors.Join(set.Add(k.Pack, in, j.want, k.HistoryPath), in.Close())
		}
		if err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return set, set.Finish()
}

// listHistories writes the listing of histories, unless it is already written. If the digest
// differs because an earlier version of the program wrote the listing, the listing is downloaded.
func (j *job) listHistories(set *historyset.Set) error {
	listing := j.want.File(j.want.Histories)
	if listing == nil || j.hasSame(listing) {
		return nil
	}
	_, err := j.writeOrFetch(listing, func(d *lists.Writer) error {
		d.Write(fmt.Appendf(nil, `{"kind":"history","count":%d,"records":[`, set.Len()))
		var data []byte
		for i := range set.Len() {
			var err error
			if data, err = set.Append(i, data[:0]); err != nil {
				return err
			}
			listed := release.File{Path: set.Path(i), Size: int64(len(data)), SHA256: sha256.Sum256(data)}
			line, err := json.Marshal(&listed)
			if err != nil {
				return err
			}
			d.WriteLine(line)
		}
		d.WriteEnd()
		return nil
	})
	return err
}

// putHistory writes a derived history if it has the listed digest.
func (j *job) putHistory(set *historyset.Set, f *release.File) (ok bool, err error) {
	i := set.Find(f.Path)
	if i < 0 {
		return false, nil
	}
	data, err := set.Append(i, nil)
	if err != nil || sha256.Sum256(data) != f.SHA256 {
		return false, err
	}
	if err := j.w.Put(f.Path, data); err != nil {
		return false, err
	}
	return true, j.writeVariants(f, pageEncodings)
}
