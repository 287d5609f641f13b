package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/disk/historyset"
	"stele/release"
)

// What records said before lies in files to which each release adds something at the end. Of those,
// only the rest is fetched; the histories of single records follow from them, and so does the
// listing that has their digests.

// isGrown reports whether a file begins with what the old copy has of it.
func (j *job) isGrown(f *release.File) bool {
	if j.old == nil || !strings.HasPrefix(f.Path, layout.HistoryFolder) {
		return false
	}
	was := j.old.Manifest.File(f.Path)
	return was != nil && was.Size < f.Size && strings.HasSuffix(f.Path, layout.HistoryPack)
}

// fetchGrown fetches a file, or only the rest of it.
func (j *job) fetchGrown(ctx context.Context, f *release.File, scratch *os.File) error {
	if j.all.File(f.Path) == nil { // it is listed elsewhere
		return j.mirror.source.FetchNamed(ctx, f, scratch)
	}
	if !j.isGrown(f) {
		return j.mirror.source.Fetch(ctx, j.sent(f), scratch)
	}
	was := j.old.Manifest.File(f.Path)
	if copyChecked(scratch, j.old, f.Path, was.Size, nil) != nil { // it is damaged, and fetched whole
		if _, err := scratch.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := scratch.Truncate(0); err != nil {
			return err
		}
		return j.mirror.source.Fetch(ctx, j.sent(f), scratch)
	}
	return j.mirror.source.FetchRest(ctx, j.sent(f), scratch)
}

// deriveHistories makes the histories of single records from those of their kinds.
func (j *job) deriveHistories() (set *historyset.Set, err error) {
	if set, err = historyset.New(j.w.Scratch); err != nil {
		return nil, err
	}
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		f := j.want.File(k.Pack)
		if f == nil {
			continue
		}
		in, err := j.w.Open(k.Pack)
		if err == nil {
			err = errors.Join(set.Add(k.Pack, in, f.Size, k.HistoryPath), in.Close())
		}
		if err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return set, set.Finish()
}

// listHistories writes the listing of histories, unless it is there already. One that comes out
// with another digest is fetched: that of an earlier version of the program.
func (j *job) listHistories(set *historyset.Set) error {
	listing := j.want.File(j.want.Histories)
	if listing == nil || j.has(listing) {
		return nil
	}
	d, err := j.digested(listing.Path)
	if err != nil {
		return err
	}
	d.Write(fmt.Appendf(nil, `{"kind":"history","count":%d,"records":[`, set.Len()))
	var data []byte
	for i := range set.Len() {
		if data, err = set.Append(data[:0], i); err != nil {
			return errors.Join(err, d.discard())
		}
		line, err := json.Marshal(&release.File{Path: set.Path(i), Size: int64(len(data)), SHA256: sha256.Sum256(data)})
		if err != nil {
			return errors.Join(err, d.discard())
		}
		d.Line(line)
	}
	d.End()
	if ok, err := j.keep(d, listing); ok || err != nil {
		return err
	}
	return j.fetchAll([]*release.File{listing})
}

// putHistory writes a history that was derived, if it is the one that is listed.
func (j *job) putHistory(set *historyset.Set, f *release.File) (ok bool, err error) {
	i := set.Find(f.Path)
	if i < 0 {
		return false, nil
	}
	data, err := set.Append(nil, i)
	if err != nil || sha256.Sum256(data) != f.SHA256 {
		return false, err
	}
	if err := j.w.Put(f.Path, data); err != nil {
		return false, err
	}
	return true, j.writePageVariants(f)
}
