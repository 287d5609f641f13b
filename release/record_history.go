package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"stele/internal/base/layout"
)

// RecordHistory is what became of a record from release to release.
type RecordHistory struct {
	ID       string
	Kind     string
	Releases []layout.Past // all that are known, the oldest first
	Changes  []moment      // the oldest first
	Current  *Entry        // nil if it is not in this release
	release  *Release
}

// noRecord says that there never was a record. It is fs.ErrNotExist.
type noRecord struct{ text string }

func (e *noRecord) Error() string { return e.text }
func (e *noRecord) Unwrap() error { return fs.ErrNotExist }

// moment is a change event about a record, as far as versions go.
type moment struct {
	Release       int // its number in the list of releases; -1 if that is not known
	Change        string
	Date          string
	Summary       string
	Before, After *Digest // nil where there was or is no record; the zero one where it is withheld
	version       int64   // before
	redacted      []int64 // the versions that it took out of the history
}

// History finds out what became of the record that has an ID.
func (r *Release) History(id string) (*RecordHistory, error) {
	h := &RecordHistory{ID: id, release: r}
	numbers := map[string]int{}
	for p, err := range r.Releases() {
		if err != nil {
			return nil, err
		}
		numbers[p.Release] = len(h.Releases)
		h.Releases = append(h.Releases, p)
	}
	quoted, err := json.Marshal(id)
	if err != nil {
		return nil, err
	}
	for line, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		if bytes.Contains(line, quoted) {
			if err := h.add(line, numbers); err != nil {
				return nil, err
			}
		}
	}
	if err := h.findCurrent(); err != nil {
		return nil, err
	}
	if h.Kind == "" {
		return nil, &noRecord{fmt.Sprintf("%q: there is no such record in release %s, and none of its events tells of one", id, r.Manifest.Release)}
	}
	return h, nil
}

// add takes an event, if it is about the record.
func (h *RecordHistory) add(line []byte, numbers map[string]int) error {
	var e struct {
		eventDigests
		Kind    string `json:"record_kind"`
		Change  string `json:"change_type"`
		Date    string `json:"published_date"`
		Summary string `json:"summary"`
	}
	if err := json.Unmarshal(line, &e); err != nil || e.RecordID != h.ID ||
		e.Before == nil && e.After == nil && len(e.Redacted) == 0 {
		return err
	}
	m := moment{Release: -1, Change: e.Change, Date: e.Date, Summary: e.Summary, redacted: e.Redacted}
	if at, ok := numbers[e.Release]; ok {
		m.Release = at
	}
	if e.Before != nil {
		m.Before, m.version = &e.Before.SHA256, e.Before.Version
	}
	if e.After != nil {
		m.After = &e.After.SHA256
	}
	h.Kind, h.Changes = e.Kind, append(h.Changes, m)
	return nil
}

// findCurrent finds the record in the listings of this release.
func (h *RecordHistory) findCurrent() error {
	for i := range h.release.Manifest.Kinds {
		k := &h.release.Manifest.Kinds[i]
		if k.Kind == changeEvents || h.Kind != "" && h.Kind != k.Kind {
			continue
		}
		for e, err := range h.release.Entries(k.Kind) {
			if err != nil {
				return err
			}
			if e.ID == h.ID {
				h.Kind, h.Current = k.Kind, &e
				return nil
			}
		}
	}
	return nil
}

// At returns the digest of the record as it stood in a release, by its number in the list; nil if
// it was not there.
func (h *RecordHistory) At(number int) *Digest {
	switch m := h.after(number); {
	case m != nil:
		return m.Before
	case h.Current != nil:
		return &h.Current.SHA256
	}
	return nil
}

// after is the first change that a release after one brought; nil if there is none.
func (h *RecordHistory) after(number int) *moment {
	for i := range h.Changes {
		if h.Changes[i].Release > number {
			return &h.Changes[i]
		}
	}
	return nil
}

// RedactedAt returns the version in which the record stood in a release, if its digest is withheld
// because it was redacted; else 0.
func (h *RecordHistory) RedactedAt(number int) int64 {
	if m := h.after(number); m != nil && m.Before != nil && *m.Before == (Digest{}) {
		return m.version
	}
	return 0
}

// ReleaseOn returns the number of the last release of a day or before it; -1 if there was none.
func (h *RecordHistory) ReleaseOn(date string) int {
	for i, p := range slices.Backward(h.Releases) {
		if p.Date <= date {
			return i
		}
	}
	return -1
}

// Earlier reads the versions that are not the newest any more, the oldest first. Each has a digest
// that a change event names, and each file is the one that is listed.
func (h *RecordHistory) Earlier() iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		for _, path := range h.paths() {
			listed, err := h.release.listedHistory(path)
			if err != nil {
				yield(Version{}, err)
				return
			}
			if listed == nil {
				continue
			}
			for v, err := range h.release.historyFile(path, listed) {
				if err == nil && v.ID == h.ID && !h.superseded(v.SHA256) && !h.isRedacted(&v) {
					err = damaged(path, "%s has a version %d of %s that no change event tells of", path, v.Number, v.ID)
				}
				if (err != nil || v.ID == h.ID) && !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// isRedacted reports whether a version is left out, and an event says why.
func (h *RecordHistory) isRedacted(v *Version) bool {
	return v.Redacted != "" &&
		slices.ContainsFunc(h.Changes, func(m moment) bool { return slices.Contains(m.redacted, v.Number) })
}

// superseded reports whether an event names a digest as that of a version that is not the newest
// any more.
func (h *RecordHistory) superseded(d Digest) bool {
	return slices.ContainsFunc(h.Changes, func(m moment) bool { return m.Before != nil && *m.Before == d })
}

// paths are where earlier versions may lie. Of a kind whose histories are divided by a member, the
// record may have had any value in it before, so all are looked through.
func (h *RecordHistory) paths() []string {
	k := h.release.Manifest.Kind(h.Kind)
	switch {
	case k == nil || k.History == "":
		return nil
	case !k.IsPack() || k.HistoryMember() == "":
		return []string{k.HistoryPath(h.ID)}
	}
	return k.Packs(h.release.Manifest)
}

// Packs returns the paths of the histories of a kind that hold many records.
func (k *Kind) Packs(m *Manifest) (list []string) {
	before, _, after, braces := layout.CutSingle(k.History)
	braces = braces && k.IsPack()
	for i := range m.Files {
		path := m.Files[i].Path
		if path == k.History || path == k.Pack ||
			braces && strings.HasPrefix(path, before) && strings.HasSuffix(path, after) {
			list = append(list, path)
		}
	}
	return list
}

// Read reads the version that has a digest.
func (h *RecordHistory) Read(d Digest) ([]byte, error) {
	if h.Current != nil && h.Current.SHA256 == d {
		return h.readCurrent()
	}
	for v, err := range h.Earlier() {
		if err != nil {
			return nil, err
		}
		if v.SHA256 == d {
			return bytes.Clone(v.Record), nil
		}
	}
	return nil, fmt.Errorf("the version of %s with the digest %s is in no history: it was superseded before histories were kept: %w", h.ID, d, fs.ErrNotExist)
}

// readCurrent reads the record from its own file, or else its collection.
func (h *RecordHistory) readCurrent() ([]byte, error) {
	if h.release.Manifest.Kind(h.Kind).Single != "" {
		return h.release.Single(h.Kind, h.ID, h.Current.SHA256)
	}
	for r, err := range h.release.Listed(h.Kind) {
		if err != nil {
			return nil, err
		}
		if r.ID == h.ID {
			return bytes.Clone(r.JSON), nil
		}
	}
	return nil, damaged(h.release.Manifest.Kind(h.Kind).Collection, "%s is listed, and not in its collection", h.ID)
}
