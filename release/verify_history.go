package release

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash"
	"maps"
	"slices"
	"strings"
	"sync"

	"stele/internal/base/layout"
)

// Histories do not contribute to the release's ID. Change events do, and they contain the digest of
// every superseded version, so histories are checked against them.

// oldVersions are the superseded versions according to the change events.
type oldVersions struct {
	sums  []layout.Short // sorted, without duplicates
	needs []bool         // by index: whether it must be in a history
	mu    sync.Mutex
	found []bool // by index

	redacted map[numbered]bool // redacted versions according to events; true once found
	withheld map[numbered]bool // versions whose digests are withheld in an event
	replaced map[numbered]bool // of these, the versions that must be in a history
}

// indexOf returns the index of a version, or -1.
func (o *oldVersions) indexOf(d Digest) int {
	i, ok := slices.BinarySearchFunc(o.sums, layout.Short(d[:16]), layout.Short.Compare)
	if !ok {
		return -1
	}
	return i
}

// eventDigests contains the members of a change event that are needed here.
type eventDigests struct {
	Release  string       `json:"release"`
	RecordID string       `json:"record_id"`
	Before   *eventDigest `json:"before"`
	After    *eventDigest `json:"after"`
	Redacted []int64      `json:"redacted_versions"`
}

// eventDigest is a record before or after a change. Its digest is zero if the version was redacted
// and its digest is withheld.
type eventDigest struct {
	Version int64  `json:"version"`
	SHA256  Digest `json:"sha256"`
}

// numbered is a version of a record.
type numbered struct {
	id      string
	version int64
}

func (n numbered) compare(m numbered) int {
	return cmp.Or(strings.Compare(n.id, m.id), cmp.Compare(n.version, m.version))
}

// supersedes reports whether an event supersedes a version.
func (e *eventDigests) supersedes() bool {
	return e.Before != nil && (e.After == nil || *e.After != *e.Before)
}

// verifyHistories checks the histories and the listing of releases.
func (v *verifier) verifyHistories() {
	kept, withholds, ok := v.verifyReleases()
	if !ok {
		return
	}
	old, ok := v.readOldVersions(kept)
	if !ok { // reported already
		return
	}
	if withholds != "" && len(old.redacted) == 0 {
		v.addFault(layout.ReleasesPath, "release %s withholds digests, but no change event says that anything was redacted", withholds)
	}
	derived := map[string]*derivedFile{}
	verifyParts(v, v.historyPaths(), func(path string, f *found) { v.verifyHistoryFile(path, old, derived, f) })
	v.verifyDerivedHistories(derived)
	if slices.Contains(old.missingVersions(), true) {
		v.reportMissing(old, kept)
	}
	for _, n := range slices.SortedFunc(maps.Keys(old.replaced), numbered.compare) {
		if found, redacted := old.redacted[n]; redacted && !found {
			v.addFault(layout.HistoryFolder, "version %d of %s was redacted, but no history says so", n.version, n.id)
		}
	}
}

// verifyReleases checks the listing of releases. It returns the releases whose superseded versions
// are kept: all but the first known one. withholds is a release that withholds digests, or "".
func (v *verifier) verifyReleases() (kept map[string]bool, withholds string, ok bool) {
	if v.Manifest.File(layout.ReleasesPath) == nil { // the release has no such listing
		return nil, "", false
	}
	kept = map[string]bool{}
	var last layout.Past
	var settings json.RawMessage
	first := true
	for p, err := range v.Release.Releases() {
		if err != nil {
			v.addError(layout.ReleasesPath, err)
			return nil, "", false
		}
		if !first {
			kept[p.Release] = true
		}
		if p.Withholds() {
			withholds = p.Release
		}
		if last, first = p, false; p.Settings != nil {
			settings = p.Settings
		}
	}
	sum, err := layout.SettingsDigest(settings)
	last.Settings = nil
	is, err1 := json.Marshal(v.Manifest.Past())
	says, err2 := json.Marshal(last)
	if errors.Join(err, err1, err2) != nil || !bytes.Equal(is, says) || Digest(sum) != v.Manifest.Settings {
		v.addFault(layout.ReleasesPath, "%s does not end with this release", layout.ReleasesPath)
	}
	return kept, withholds, true
}

// readOldVersions collects the superseded versions from the events.
func (v *verifier) readOldVersions(kept map[string]bool) (*oldVersions, bool) {
	type need struct {
		sum layout.Short
		is  bool
	}
	var list []need
	o := &oldVersions{redacted: map[numbered]bool{}, withheld: map[numbered]bool{}, replaced: map[numbered]bool{}}
	for line, err := range v.Release.Events() {
		var e eventDigests
		if err != nil || json.Unmarshal(line, &e) != nil {
			return nil, false
		}
		for _, n := range e.Redacted {
			o.redacted[numbered{e.RecordID, n}] = false
		}
		for _, d := range []*eventDigest{e.Before, e.After} {
			if d != nil && d.SHA256 == (Digest{}) {
				o.withheld[numbered{e.RecordID, d.Version}] = true
			}
		}
		switch {
		case !e.supersedes():
		case e.Before.SHA256 != (Digest{}):
			list = append(list, need{layout.Short(e.Before.SHA256[:16]), kept[e.Release]})
		case kept[e.Release]:
			o.replaced[numbered{e.RecordID, e.Before.Version}] = true
		}
	}
	slices.SortFunc(list, func(x, y need) int { return layout.Short.Compare(x.sum, y.sum) })
	for _, n := range slices.SortedFunc(maps.Keys(o.withheld), numbered.compare) {
		if _, ok := o.redacted[n]; !ok {
			v.addFault(v.Manifest.Kind(changeEvents).Collection, "the digest of version %d of %s is withheld, but no change event says that it was redacted", n.version, n.id)
		}
	}
	for i, n := range list {
		if i > 0 && n.sum == list[i-1].sum {
			o.needs[len(o.needs)-1] = o.needs[len(o.needs)-1] || n.is
			continue
		}
		o.sums, o.needs = append(o.sums, n.sum), append(o.needs, n.is)
	}
	o.found = make([]bool, len(o.sums))
	return o, true
}

// historyPaths yields the paths of the histories in the manifest and their listing.
func (v *verifier) historyPaths() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range v.Manifest.Files {
			if path := v.Manifest.Files[i].Path; isHistory(path) && !yield(path) {
				return
			}
		}
		for f, err := range v.Release.Histories() {
			if err != nil || !v.isDerived(f.Path) && !yield(f.Path) {
				return
			}
		}
	}
}

// isDerived reports whether the history of a record is derived from a file with the histories of
// all records of its kind.
func (v *verifier) isDerived(path string) bool {
	for i := range v.Manifest.Kinds {
		k := &v.Manifest.Kinds[i]
		if before, _, after, ok := layout.CutSingle(k.History); ok && k.Pack != "" &&
			strings.HasPrefix(path, before) && strings.HasSuffix(path, after) {
			return true
		}
	}
	return false
}

// derivedFile is the expected content of such a history.
type derivedFile struct {
	sum  hash.Hash
	size int64
}

// verifyDerivedHistories checks the listed histories of single records against the expected ones.
func (v *verifier) verifyDerivedHistories(derived map[string]*derivedFile) {
	for f, err := range v.Release.Histories() {
		if err != nil {
			return // reported already
		}
		if !v.isDerived(f.Path) {
			continue
		}
		if is := derived[f.Path]; is == nil || is.size != f.Size || Digest(is.sum.Sum(nil)) != f.SHA256 {
			v.addFault(f.Path, "%s does not match the history of its kind", f.Path)
		}
		delete(derived, f.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(derived)) {
		v.addFault(path, "%s is missing in the listing, but the history of its kind contains it", path)
	}
}

// verifyHistoryFile checks that each version in a history is in an event and is not a duplicate. It
// stops at the first fault, because a compressed file may contain any number of them.
func (v *verifier) verifyHistoryFile(path string, old *oldVersions, derived map[string]*derivedFile, f *found) {
	own := map[string]*derivedFile{}
	f.after = func() { maps.Copy(derived, own) }
	of := slices.IndexFunc(v.Manifest.Kinds, func(k Kind) bool { return k.Pack == path })
	var line []byte
	for version, err := range v.Release.HistoryFile(path) {
		if err != nil {
			f.addFault(path, "%v", err)
			return
		}
		if fault := old.addFound(&version); fault != "" {
			f.addFault(path, "%s has "+fault, path, version.Number, version.ID)
			return
		}
		if of >= 0 {
			at := v.Manifest.Kinds[of].HistoryPath(version.ID)
			if own[at] == nil {
				own[at] = &derivedFile{sum: sha256.New()}
			}
			line = version.Append(line[:0], false)
			own[at].sum.Write(line) // never fails
			own[at].size += int64(len(line))
		}
	}
}

// addFound records that a version was found, or returns its fault: it is in no change event, a
// duplicate, redacted but present, or omitted but not redacted.
func (o *oldVersions) addFound(version *Version) (fault string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := numbered{version.ID, version.Number}
	twice, redacted := o.redacted[name]
	i := o.indexOf(version.SHA256)
	switch {
	case redacted != (version.Redacted != "") && redacted:
		return "version %d of %s, although a change event says that it was redacted"
	case redacted != (version.Redacted != ""):
		return "version %d of %s as redacted, but no change event says so"
	case redacted:
		o.redacted[name] = true
		if i >= 0 {
			o.found[i] = true
		} else if version.SHA256 != (Digest{}) {
			return "version %d of %s with a digest that no change event contains"
		}
	case i < 0:
		return "version %d of %s, which no change event names"
	default:
		twice, o.found[i] = o.found[i], true
	}
	if twice {
		return "a duplicate of version %d of %s"
	}
	return ""
}

// missingVersions returns, by index, the versions that must be in a history but are not.
func (o *oldVersions) missingVersions() []bool {
	list := make([]bool, len(o.sums))
	for i := range list {
		list[i] = o.needs[i] && !o.found[i]
	}
	return list
}

// reportMissing reports the records with missing versions.
func (v *verifier) reportMissing(old *oldVersions, kept map[string]bool) {
	missing := old.missingVersions()
	for line, err := range v.Release.Events() {
		var e eventDigests
		if err != nil || json.Unmarshal(line, &e) != nil {
			return
		}
		if !e.supersedes() || !kept[e.Release] {
			continue
		}
		if i := old.indexOf(e.Before.SHA256); i >= 0 && missing[i] {
			missing[i] = false
			v.addFault(layout.HistoryFolder, "the version of %s that release %s superseded is in no history", e.RecordID, e.Release)
		}
	}
}
