package mirror

import (
	"errors"
	"maps"
	"slices"

	"stele/internal/base/layout"
	"stele/release"
)

func (j *job) write() error {
	j.kept = map[string][]bool{}
	derivable := map[string]bool{}       // collections for which there are deltas, and listings
	ndjson := map[string]*release.Kind{} // downloads that have the lines of collections
	var kinds, listed []*release.Kind
	for i := range j.want.Kinds {
		k := &j.want.Kinds[i]
		ndjson[layout.BulkFolder+layout.FolderOfListing(k.Listing)+".ndjson"] = k
		if _, ok := j.chain(k); ok {
			kinds = append(kinds, k)
			derivable[k.Collection] = true
		}
		if derivable[k.Listing] = true; !j.has(j.want.File(k.Listing)) {
			listed = append(listed, k)
		}
	}
	missing, lines, err := j.sortOut(derivable, ndjson)
	if err != nil {
		return err
	}
	if err := j.fetchAll(missing); err != nil {
		return err
	}
	if err := each(kinds, j.derive); err != nil {
		return err
	}
	if err := each(listed, j.list); err != nil {
		return err
	}
	for _, f := range lines {
		if err := j.writeLines(f, ndjson[f.Path]); err != nil {
			return err
		}
	}
	for i := range j.want.Kinds {
		if err := j.writeSingles(&j.want.Kinds[i]); err != nil {
			return err
		}
	}
	if err := j.writeListings(); err != nil {
		return err
	}
	if err := j.nameByHash(); err != nil {
		return err
	}
	return j.writeBeside()
}

// each does something with kinds, until it fails.
func each(kinds []*release.Kind, do func(*release.Kind) error) error {
	for _, k := range kinds {
		if err := do(k); err != nil {
			return err
		}
	}
	return nil
}

// writeBeside writes what the manifest does not list, and the manifest last.
func (j *job) writeBeside() error {
	beside := j.beside()
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

// sortOut takes over what the old copy has of the files that the manifest lists, and returns those
// that are missing and cannot be derived, and those that have the lines of collections.
func (j *job) sortOut(derivable map[string]bool, ndjson map[string]*release.Kind) (missing,
	lines []*release.File, err error,
) {
	for i := range j.want.Files {
		f := &j.want.Files[i]
		switch {
		case j.has(f):
			if err := j.takeOver(f); err != nil {
				return nil, nil, err
			}
		case ndjson[f.Path] != nil:
			lines = append(lines, f)
		case f.Path == j.want.Histories: // it is made when what it follows from is there
		case !derivable[f.Path]:
			missing = append(missing, f)
		}
	}
	return missing, lines, nil
}

// writeListings writes the histories and what the other listings of files name.
func (j *job) writeListings() error {
	histories, err := j.deriveHistories()
	if err != nil {
		return err
	}
	defer histories.Close() // what it held is gone with it
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

// errUnfit says that nothing can be made of what the old copy has.
var errUnfit = errors.New("the old copy does not fit")

// nameByHash lets what the manifest lists be read by digest too, as a build does. Nothing stays of
// what was redacted since the copy was made.
func (j *job) nameByHash() (err error) {
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
