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

// maxArchives is how many there can be: one for each year that has four digits.
const maxArchives = 9999

// checkArchives makes sure that what the manifest says of archives fits together.
func (m *Manifest) checkArchives(k *Kind) error {
	if len(k.Archives) > 0 && k.Kind != changeEvents {
		return fmt.Errorf("%s has archives of %s, which has none", layout.ManifestPath, k.Kind)
	}
	last := 0
	for _, a := range k.Archives {
		f := m.File(a.Path)
		switch {
		case a.Year <= last || a.Year > maxArchives:
			return fmt.Errorf("%s has an archive of the year %d after one of %d", layout.ManifestPath, a.Year, last)
		case a.Count < 0 || a.Size < 0 || a.Size > maxSize:
			return fmt.Errorf("%s has an archive of %d events in %d bytes", layout.ManifestPath, a.Count, a.Size)
		case f == nil:
			return fmt.Errorf("%s does not list the archive %.80q", layout.ManifestPath, a.Path)
		case a.Size > layout.MaxExpanded(f.Size):
			return fmt.Errorf("%s has an archive of %d bytes that are compressed to %d, which events are not", layout.ManifestPath, a.Size, f.Size)
		}
		last = a.Year
	}
	return nil
}

// Archives are the archives of the change events, the oldest first.
func (m *Manifest) Archives() []layout.Archive {
	if k := m.Kind(changeEvents); k != nil {
		return k.Archives
	}
	return nil
}

// Archived reads the events of an archive: the JSON of each, which is valid until the next one. An
// archive that is not what the manifest says ends with an error.
func (r *Release) Archived(a *layout.Archive) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := r.open(a.Path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close() // it was only read
		in, err := compress.Zstandard.Reader(f)
		if err != nil {
			yield(nil, otherArchive(a, "%s: %v", a.Path, err))
			return
		}
		sum := &summer{r: io.LimitReader(in, a.Size+1), hash: sha256.New()}
		lines, count := newLines(sum, a.Size+1), 0
		for lines.Scan() {
			if count++; !yield(lines.Bytes(), nil) {
				return
			}
		}
		err = lines.Err()
		switch {
		case err != nil && r.ended() != nil:
			err = r.ended()
		case err != nil:
			err = otherArchive(a, "%s: %v", a.Path, err)
		case sum.n != a.Size || Digest(sum.hash.Sum(nil)) != a.SHA256:
			err = otherArchive(a, "%s does not have the events that the manifest describes", a.Path)
		case count != a.Count:
			err = otherArchive(a, "%s has %d events, and the manifest says %d", a.Path, count, a.Count)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func otherArchive(a *layout.Archive, format string, args ...any) error {
	return &DamagedError{Fault{wrongEvents, a.Path, fmt.Sprintf(format, args...)}}
}

// Events reads all change events in the order in which releases told of them: those of the
// archives, and then the collection.
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

// archives checks that the archives have the events that the manifest says, in the order of their
// dates, and none of a later year.
func (v *verifier) archives() {
	for _, a := range v.Manifest.Archives() {
		last, bound := "", fmt.Sprintf("%04d-12-31", a.Year)
		for line, err := range v.Archived(&a) {
			if err != nil {
				v.failed(a.Path, err)
				break
			}
			var e struct {
				ID   string `json:"id"`
				Date string `json:"published_date"`
			}
			if err := json.Unmarshal(line, &e); err != nil || !validDate(e.Date) || e.Date < last || e.Date > bound {
				v.coded(wrongEvents, a.Path, "%s: event %.80q of %.40q does not belong there", a.Path, e.ID, e.Date)
				break
			}
			last = e.Date
		}
	}
}
