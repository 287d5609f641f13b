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

// RecordHistory is the history of a record across releases.
type RecordHistory struct {
	ID       string
	Kind     string
	Releases []layout.Past   // all known releases, oldest first
	Changes  []versionChange // oldest first
	Current  *Entry          // nil if it is not in this release
	release  *Release
}

// neverExistedError is the error for a record that never existed. It matches fs.ErrNotExist.
type neverExistedError struct{ text string }

func (e *neverExistedError) Error() string { return e.text }
func (e *neverExistedError) Unwrap() error { return fs.ErrNotExist }

// versionChange is the data about versions in a change event of a record.
type versionChange struct {
	Release       int // index of its release; -1 if unknown
	Change        string
	Date          string
	Summary       string
	Before, After *Digest // nil if the record did not exist; zero if the digest is withheld
	version       int64   // of the record before the change
	redacted      []int64 // versions that it redacted
}

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
			if err := h.addEvent(line, numbers); err != nil {
				return nil, err
			}
		}
	}
	if err := h.findCurrent(); err != nil {
		return nil, err
	}
	if h.Kind == "" {
		return nil, &neverExistedError{fmt.Sprintf("no record %q in release %s, and no change event refers to it", id, r.Manifest.Release)}
	}
	return h, nil
}

// addEvent adds an event if it is about the record.
func (h *RecordHistory) addEvent(line []byte, numbers map[string]int) error {
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
	m := versionChange{Release: -1, Change: e.Change, Date: e.Date, Summary: e.Summary, redacted: e.Redacted}
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

// At returns the digest of the record in the release with index number, or nil if that release does
// not contain the record.
func (h *RecordHistory) At(number int) *Digest {
	switch m := h.firstChangeAfter(number); {
	case m != nil:
		return m.Before
	case h.Current != nil:
		return &h.Current.SHA256
	}
	return nil
}

// firstChangeAfter returns the first change after the release with index number, or nil.
func (h *RecordHistory) firstChangeAfter(number int) *versionChange {
	for i := range h.Changes {
		if h.Changes[i].Release > number {
			return &h.Changes[i]
		}
	}
	return nil
}

// RedactedAt returns the version of the record in the release with index number if that version was
// redacted and its digest is withheld, otherwise 0.
func (h *RecordHistory) RedactedAt(number int) int64 {
	if m := h.firstChangeAfter(number); m != nil && m.Before != nil && *m.Before == (Digest{}) {
		return m.version
	}
	return 0
}

// ReleaseOn returns the index of the last release on or before date, or -1.
func (h *RecordHistory) ReleaseOn(date string) int {
	for i, p := range slices.Backward(h.Releases) {
		if p.Date <= date {
			return i
		}
	}
	return -1
}

// Earlier yields the superseded versions, oldest first. It checks each version against the change
// events, and each file against its listing.
func (h *RecordHistory) Earlier() iter.Seq2[Version, error] {
	return func(yield func(Version, error) bool) {
		for _, path := range h.historyPaths() {
			listed, err := h.release.listedHistory(path)
			if err != nil {
				yield(Version{}, err)
				return
			}
			if listed == nil {
				continue
			}
			for v, err := range h.release.historyFile(path, listed) {
				if err == nil && v.ID == h.ID && !h.isSuperseded(v.SHA256) && !h.isRedacted(&v) {
					err = damagedError(path, "%s: no change event refers to version %d of %s", path, v.Number, v.ID)
				}
				if (err != nil || v.ID == h.ID) && !yield(v, err) || err != nil {
					return
				}
			}
		}
	}
}

// isRedacted reports whether v was redacted and an event confirms that.
func (h *RecordHistory) isRedacted(v *Version) bool {
	return v.Redacted != "" &&
		slices.ContainsFunc(h.Changes, func(m versionChange) bool { return slices.Contains(m.redacted, v.Number) })
}

// isSuperseded reports whether, according to an event, the version with the digest d was
// superseded.
func (h *RecordHistory) isSuperseded(d Digest) bool {
	return slices.ContainsFunc(h.Changes, func(m versionChange) bool { return m.Before != nil && *m.Before == d })
}

// historyPaths returns the files that may contain earlier versions. If a kind's histories are
// divided by a member, its value may have changed, so all of them are searched.
func (h *RecordHistory) historyPaths() []string {
	k := h.release.Manifest.Kind(h.Kind)
	switch {
	case k == nil || k.History == "":
		return nil
	case !k.IsPack() || k.HistoryMember() == "":
		return []string{k.HistoryPath(h.ID)}
	}
	return k.Packs(h.release.Manifest)
}

// Packs returns the paths of the kind's histories of many records.
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

// Read returns the version with the digest d.
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

// readCurrent reads the record from its own file, or otherwise from its collection.
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
	return nil, damagedError(h.release.Manifest.Kind(h.Kind).Collection, "%s is in the listing but not in the collection", h.ID)
}
