package release

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"stele/internal/base/compress"
	"stele/internal/base/layout"
)

// maxArchives is the maximum number of archives: one for each year with four digits.
const maxArchives = 9999

// checkArchives checks that the data about archives in the manifest is consistent.
func (m *Manifest) checkArchives(k *Kind) error {
	if len(k.Archives) > 0 && k.Kind != changeEvents {
		return fmt.Errorf("%s: kind %s cannot have archives", layout.ManifestPath, k.Kind)
	}
	last := 0
	for _, a := range k.Archives {
		f := m.File(a.Path)
		switch {
		case a.Year <= last || a.Year > maxArchives:
			return fmt.Errorf("%s: archives out of order: year %d comes after %d", layout.ManifestPath, a.Year, last)
		case a.Count < 0 || a.Size < 0 || a.Size > maxSize:
			return fmt.Errorf("%s: invalid archive of %d events in %d bytes", layout.ManifestPath, a.Count, a.Size)
		case f == nil:
			return fmt.Errorf("%s: archive %.80q is not in the list of files", layout.ManifestPath, a.Path)
		case a.Size > layout.MaxExpanded(f.Size):
			return fmt.Errorf("%s: an archive of %d bytes cannot be compressed to %d", layout.ManifestPath, a.Size, f.Size)
		}
		last = a.Year
	}
	return nil
}

// Archives returns the archives of the change events, oldest first.
func (m *Manifest) Archives() []layout.Archive {
	if k := m.Kind(changeEvents); k != nil {
		return k.Archives
	}
	return nil
}

// Archived yields each event of an archive as JSON, valid until the next iteration. If the archive
// does not match the manifest, the last value is an error.
func (r *Release) Archived(a *layout.Archive) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := r.open(a.Path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close() // f was only read
		in, err := compress.Zstandard.Reader(f)
		if err != nil {
			yield(nil, archiveError(a, "%s: %v", a.Path, err))
			return
		}
		sum := &hashReader{r: io.LimitReader(in, a.Size+1), hash: sha256.New()}
		lines, count := newLines(sum, a.Size+1), 0
		for lines.Scan() {
			if count++; !yield(lines.Bytes(), nil) {
				return
			}
		}
		err = lines.Err()
		switch {
		case err != nil && r.contextError() != nil:
			err = r.contextError()
		case err != nil:
			err = archiveError(a, "%s: %v", a.Path, err)
		case sum.n != a.Size || Digest(sum.hash.Sum(nil)) != a.SHA256:
			err = archiveError(a, "%s does not match the manifest", a.Path)
		case count != a.Count:
			err = archiveError(a, "%s contains %d events, but the manifest says %d", a.Path, count, a.Count)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func archiveError(a *layout.Archive, format string, args ...any) error {
	return &DamagedError{Fault{wrongEvents, a.Path, fmt.Sprintf(format, args...)}}
}

// Events yields all change events in the order of their releases: first those of the archives, then
// those of the collection.
func (r *Release) Events() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, a := range r.Manifest.Archives() {
			for line, err := range r.Archived(&a) {
				if !yield(line, err) || err != nil {
					return
				}
			}
		}
		r.Records(changeEvents)(yield)
	}
}

// verifyArchives checks that each archive contains the number of events in the manifest, sorted by
// date, and no event of a later year.
func (v *verifier) verifyArchives() {
	for _, a := range v.Manifest.Archives() {
		last, bound := "", fmt.Sprintf("%04d-12-31", a.Year)
		for line, err := range v.Archived(&a) {
			if err != nil {
				v.addError(a.Path, err)
				break
			}
			var e struct {
				ID   string `json:"id"`
				Date string `json:"published_date"`
			}
			if err := json.Unmarshal(line, &e); err != nil || !validDate(e.Date) || e.Date < last || e.Date > bound {
				v.addFaultWithCode(wrongEvents, a.Path, "%s: misplaced event %.80q of %.40q", a.Path, e.ID, e.Date)
				break
			}
			last = e.Date
		}
	}
}
