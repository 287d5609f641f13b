package mirror

import (
	"errors"
	"maps"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/deliver/fetch"
	"stele/internal/disk/lists"
	"stele/release"
)

func (j *job) write() error {
	j.kept = map[string][]bool{}
	derivable := map[string]bool{}       // collections with deltas, and listings
	ndjson := map[string]*release.Kind{} // downloads with the lines of collections
	var kinds, listed []*release.Kind
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		ndjson[layout.BulkFolder+layout.FolderOfListing(k.Listing)+".ndjson"] = k
		if _, ok := j.deltaChain(k); ok {
			kinds = append(kinds, k)
			derivable[k.Collection] = true
		}
		if derivable[k.Listing] = true; !j.hasSame(j.want.File(k.Listing)) {
			listed = append(listed, k)
		}
	}
	missing, lines, err := j.copyOldFiles(derivable, ndjson)
	if err != nil {
		return err
	}
	if err := j.fetchAll(missing); err != nil {
		return err
	}
	for _, k := range kinds {
		if err := j.deriveCollection(k); err != nil {
			return err
		}
	}
	for _, k := range listed {
		derive := func(d *lists.Writer) error { return fetch.WriteListing(d, k, j.new.Trusted().Records(k.Kind)) }
		if _, err := j.writeOrFetch(j.want.File(k.Listing), derive); err != nil {
			return err
		}
	}
	for _, f := range lines {
		if err := j.writeLines(f, ndjson[f.Path]); err != nil {
			return err
		}
	}
	if err := j.writeListings(); err != nil {
		return err
	}
	if err := j.addByHash(); err != nil {
		return err
	}
	return j.writeUnlisted()
}

// writeUnlisted writes the files that the manifest does not list, and the manifest last.
func (j *job) writeUnlisted() error {
	beside := j.unlistedFiles()
	for _, path := range slices.Sorted(maps.Keys(beside)) {
		if path == layout.ManifestPath || beside[path] == nil {
			continue
		}
		if err := j.w.Put(path, beside[path]); err != nil {
			return err
		}
	}
	return j.w.Put(layout.ManifestPath, j.data)
}

// copyOldFiles copies the files of the manifest that the old copy has. It returns the files that
// must be downloaded, and the downloads with the lines of collections.
func (j *job) copyOldFiles(derivable map[string]bool, ndjson map[string]*release.Kind) (missing,
	lines []*release.File, err error,
) {
	for i := range j.want.Files {
		f := &j.want.Files[i]
		switch {
		case j.hasSame(f):
			if err := j.copyOld(f); err != nil {
				return nil, nil, err
			}
		case ndjson[f.Path] != nil:
			lines = append(lines, f)
		case f.Path == j.want.Histories: // made after the files that it is derived from
		case !derivable[f.Path]:
			missing = append(missing, f)
		}
	}
	return missing, lines, nil
}

// writeListings writes single records, histories and the files of the other listings.
func (j *job) writeListings() error {
	for i := range j.want.Kinds {
		if err := j.writeSingles(&j.want.Kinds[i]); err != nil {
			return err
		}
	}
	histories, err := j.deriveHistories()
	if err != nil {
		return err
	}
	defer histories.Close() // its files are deleted
	if err := j.listHistories(histories); err != nil {
		return err
	}
	for _, listing := range j.want.FileListings() {
		if err := j.writeListed(listing, histories); err != nil {
			return err
		}
	}
	return nil
}

// errMismatch means that a file cannot be derived from the old copy.
var errMismatch = errors.New("the old copy does not match")

// addByHash adds the files by digest, as a build does, and deletes files that were redacted since
// the copy was made.
func (j *job) addByHash() (err error) {
	if j.old != nil {
		if j.redacted, err = j.new.RedactedSince(j.old.Manifest.Release); err != nil {
			return err
		}
	}
	if j.mirror.opt.NoByHash {
		return nil
	}
	var before *release.Manifest
	if j.old != nil && len(j.redacted) == 0 {
		before = j.old.Manifest
	}
	return j.links.LinkByHash(j.ctx, j.want, before)
}
