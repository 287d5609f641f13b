// Package restore reconstructs the records of an earlier release from a later one.
package restore

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/fold"
	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// Records writes the records of an earlier release as a folder that can be built again. index is
// the index of that release in the listing of releases. It reconstructs the records from those of
// r, the change events and the histories. It checks the digests of their listings and, for kinds
// without derived records, of their collections. It leaves out records that were redacted since,
// returns their IDs, and does not check the digests of their kinds.
func Records(
	ctx context.Context, r *release.Release, index int,
	scratch func() (*os.File, error), create func(path string) (io.WriteCloser, error),
) (past layout.Past, count int, redacted []string, err error) {
	s := &snapshot{Release: r, scratch: scratch, create: create}
	if err := s.findChanged(ctx, index); err != nil {
		return past, 0, nil, err
	}
	for _, k := range record.Kinds {
		if k.Name == record.KindChangeEvent {
			continue
		}
		n, err := s.restoreKind(ctx, k)
		if err != nil {
			return s.past, count, nil, err
		}
		count += n
	}
	for i := range s.earlier {
		if s.earlier[i].redacted {
			redacted = append(redacted, s.earlier[i].id)
		}
	}
	own, err := s.restoreEvents(ctx)
	if err == nil {
		err = s.restoreSettings()
	}
	return s.past, count + own, redacted, err
}

// restoreSettings writes the settings of the release, and the files that they refer to.
func (s *snapshot) restoreSettings() error {
	var kept settings.Kept
	if s.settings != nil {
		if err := json.Unmarshal(s.settings, &kept); err != nil {
			return fmt.Errorf("the settings of release %s: %w", s.past.Release, err)
		}
	}
	kept.AreaDigests = nil // they follow from the tables
	text, err := settingsFileOf(&s.past, &kept)
	if err != nil {
		return err
	}
	list := []settingsFile{
		{kept.Logo, ".svg .png .webp", kept.LogoBytes},
		{kept.Style, ".css", kept.StyleBytes},
		{input.SettingsFile, ".yaml", text},
	}
	tables, err := s.areaTables(kept.Areas)
	if err != nil {
		return err
	}
	for _, f := range append(list, tables...) {
		if f.path == "" {
			continue
		}
		if !isOwnFile(f.path, f.endings) { // the release may name any path
			return fmt.Errorf("the settings of release %s name an invalid file %.80q: the name must end with %s", s.past.Release, f.path, f.endings)
		}
		out, err := s.create(f.path)
		if err != nil {
			return err
		}
		_, err = out.Write(f.data)
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
	return nil
}

// settingsFile is a file that the settings refer to. Its path must have one of the extensions.
type settingsFile struct {
	path, endings string
	data          []byte
}

// areaTables returns the tables of areas as the latest release has them: they contain all earlier
// codes.
func (s *snapshot) areaTables(schemes settings.AreaSchemes) (list []settingsFile, err error) {
	const most = 256 << 20
	for _, scheme := range schemes {
		data, err := s.ReadFile(layout.AreaFile(scheme.Name, ".json"), most)
		if err != nil {
			return nil, fmt.Errorf("the tables of scheme %s: %w", scheme.Name, err)
		}
		parsed, _, err := areas.Parse(data)
		if err != nil {
			return nil, err
		}
		codes, changes := parsed.CSV()
		list = append(list, settingsFile{scheme.Codes, ".csv", codes}, settingsFile{scheme.Changes, ".csv", changes})
	}
	return list, nil
}

// isOwnFile reports whether name has one of the extensions and is neither in a records folder nor
// in a hidden one. It also refuses names that a file system might treat as equivalent to these.
func isOwnFile(name, endings string) bool {
	ending := strings.ToLower(path.Ext(name))
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:~`) || !slices.Contains(strings.Fields(endings), ending) {
		return false
	}
	steps := strings.Split(name, "/")
	return fold.Letters(steps[0]) != "records" && !slices.ContainsFunc(steps, func(step string) bool {
		first, _ := utf8.DecodeRuneInString(step)
		return first == '.' || !unicode.IsGraphic(first) || unicode.IsSpace(first) || strings.HasSuffix(step, ".")
	})
}

// restoreEvents writes the change events that the publisher wrote before the release: events that
// belong to no known release and are not after its date.
func (s *snapshot) restoreEvents(ctx context.Context) (count int, err error) {
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return 0, err
	}
	defer lines.Close() // frees its space
	for line, err := range s.Events() {
		var e record.ChangeEvent
		if err == nil {
			err = errors.Join(context.Cause(ctx), json.Unmarshal(line, &e))
		}
		if err != nil {
			return 0, err
		}
		if _, ofRelease := s.later[e.Release]; !ofRelease && string(e.PublishedDate) <= s.past.Date {
			lines.Add(line)
			count++
		}
	}
	if err := lines.Flush(); err != nil || count == 0 {
		return 0, err
	}
	return count, s.writeRecords(record.KindNamed(record.KindChangeEvent), lines)
}

// settingsFileOf returns the settings file of the release p. Its values are JSON, which is valid
// YAML.
func settingsFileOf(p *layout.Past, kept *settings.Kept) (b []byte, err error) {
	for _, s := range []struct{ name, text string }{
		{"title", p.Title},
		{"base_url", p.BaseURL},
		{"publisher", p.Publisher},
		{"license", p.License},
		{"contact", p.Contact},
		{"language", p.Language},
		{"notice", p.Notice},
	} {
		if s.name == "base_url" && s.text == "" { // it was unknown
			continue
		}
		b = append(jsonline.AppendText(append(append(b, s.name...), ": "...), s.text), '\n')
	}
	data, err := kept.StoredJSON()
	if err != nil || data == nil {
		return b, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		b = append(append(append(append(b, name...), ": "...), members[name]...), '\n')
	}
	return b, nil
}

// snapshot reconstructs the records of an earlier release from a later one.
type snapshot struct {
	*release.Release
	past     layout.Past
	settings []byte          // the other settings, as JSON
	later    map[string]bool // by release ID: whether it is after the restored one
	withheld bool            // whether digests may be withheld because of redactions
	earlier  []earlier       // the records that changed since, sorted by kind and ID, without duplicates
	scratch  func() (*os.File, error)
	create   func(path string) (io.WriteCloser, error) // creates a file of the folder
}

// earlier is the state of a record that changed after the release. There may be as many as records.
type earlier struct {
	id      string
	kind    int16 // index in record.Kinds
	missing bool  // whether it did not exist
	found   bool  // whether its JSON was found
	// Whether it was redacted from the history, and its version.
	redacted bool
	version  int64
	sum      release.Digest
	line     lists.Ref
}

// setDigest sets the version and digest that an event gives, if any.
func (e *earlier) setDigest(d *record.RecordDigest) error {
	if d == nil {
		return nil
	}
	e.version = d.Version
	if d.SHA256 == "" { // it was redacted
		return nil
	}
	return e.sum.UnmarshalText([]byte(d.SHA256))
}

func (e *earlier) compare(kind int16, id string) int {
	return cmp.Or(cmp.Compare(e.kind, kind), strings.Compare(e.id, id))
}

// findChanged finds the records that changed since the release. The first event about a record
// after the release contains the record's earlier state.
func (s *snapshot) findChanged(ctx context.Context, index int) error {
	n := 0
	s.later = map[string]bool{}
	for p, err := range s.Releases() {
		if err != nil {
			return err
		}
		if n == index {
			s.past = p
		}
		if n <= index && p.Settings != nil {
			s.settings = p.Settings
		}
		s.later[p.Release] = n > index
		n++
	}
	most := 1 << 16
	for line, err := range s.Events() {
		var e record.ChangeEvent
		if err == nil {
			err = errors.Join(context.Cause(ctx), json.Unmarshal(line, &e))
		}
		if err != nil {
			return err
		}
		if !s.later[e.Release] || !e.Differs() {
			continue
		}
		kind := slices.IndexFunc(record.Kinds, func(k *record.Kind) bool { return k.Name == string(e.RecordKind) })
		// Clone the ID, so that it does not keep the event's text in memory.
		was := earlier{id: strings.Clone(string(e.RecordID)), kind: int16(kind), missing: e.Before == nil}
		if err := was.setDigest(e.Before); err != nil {
			return err
		}
		if s.earlier = append(s.earlier, was); len(s.earlier) > most { // records may have changed several times
			s.keepEarliest()
			most = max(most, 2*len(s.earlier))
		}
	}
	s.keepEarliest()
	return s.markRedacted()
}

// markRedacted marks the records whose version was redacted.
func (s *snapshot) markRedacted() error {
	list, err := s.RedactedSince("")
	if err != nil {
		return err
	}
	s.withheld = len(list) > 0
	left := map[version]bool{}
	for _, v := range list {
		left[version{v.ID, v.Number}] = true
	}
	for i := range s.earlier {
		s.earlier[i].redacted = !s.earlier[i].missing && left[version{s.earlier[i].id, s.earlier[i].version}]
	}
	return nil
}

// version identifies a version of a record.
type version struct {
	id     string
	number int64
}

// keepEarliest sorts the earlier states of records and keeps the first state of each record.
func (s *snapshot) keepEarliest() {
	slices.SortStableFunc(s.earlier, func(a, b earlier) int { return a.compare(b.kind, b.id) })
	s.earlier = slices.CompactFunc(s.earlier, func(a, b earlier) bool { return a.compare(b.kind, b.id) == 0 })
}

func (s *snapshot) changedRecords(k *record.Kind) []earlier {
	kind := int16(slices.Index(record.Kinds, k))
	from, _ := slices.BinarySearchFunc(s.earlier, kind, func(e earlier, kind int16) int { return e.compare(kind, "") })
	to, _ := slices.BinarySearchFunc(s.earlier, kind+1, func(e earlier, kind int16) int { return e.compare(kind, "") })
	return s.earlier[from:to]
}

// restoreKind reconstructs the records of k, checks their digests, and writes them.
func (s *snapshot) restoreKind(ctx context.Context, k *record.Kind) (count int, err error) {
	want := s.past.Kind(k.Name)
	if want == nil {
		return 0, nil
	}
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return 0, err
	}
	defer lines.Close() // frees its space
	listing := lists.NewWriter(io.Discard)
	listing.Write(files.ListingHead(k, want.Count-want.Derived))
	var asOf record.Date
	var entry []byte
	for line, err := range s.recordsThen(k) {
		var e record.Envelope
		if err == nil {
			err = errors.Join(context.Cause(ctx), json.Unmarshal(line, &e))
		}
		if err != nil {
			return count, err
		}
		asOf = max(asOf, e.UpdatedDate, e.PublishedDate)
		entry = lists.AppendEntry(entry[:0], &release.Entry{
			ID: string(e.ID), Version: e.Version, Title: e.Title, Updated: string(e.UpdatedDate),
			SHA256: sha256.Sum256(line),
		})
		listing.WriteLine(entry)
		lines.Add(line)
		count++
	}
	if err := lines.Flush(); err != nil {
		return count, err
	}
	whole := !slices.ContainsFunc(s.changedRecords(k), func(e earlier) bool { return e.redacted }) &&
		!(s.withheld && want.Listing == release.Digest{})
	if whole && !hasDigest(listing, want.Listing) {
		return count, s.differsError(k, "listing")
	}
	if whole && want.Derived == 0 {
		if err := s.compareCollection(k, count, asOf, lines); err != nil {
			return count, err
		}
	}
	if count == 0 {
		return 0, nil
	}
	return count, s.writeRecords(k, lines)
}

// compareCollection checks the digest of the collection with the restored records.
func (s *snapshot) compareCollection(k *record.Kind, count int, asOf record.Date, lines *lists.Lines) error {
	collection := lists.NewWriter(io.Discard)
	collection.Write(files.CollectionHead(k, count, asOf, s.past.License, s.past.Notice))
	for line, err := range lines.All {
		if err != nil {
			return err
		}
		collection.WriteLine(line)
	}
	if !hasDigest(collection, s.past.Kind(k.Name).Collection) {
		return s.differsError(k, "collection")
	}
	return nil
}

// hasDigest completes list and reports whether its digest is want.
func hasDigest(list *lists.Writer, want release.Digest) bool {
	list.WriteEnd()
	return list.Flush() == nil && list.Digest() == want
}

func (s *snapshot) differsError(k *record.Kind, what string) error {
	return fmt.Errorf("the restored %s differ from those of release %s: wrong digest of the %s", k.Many, s.past.Release, what)
}

func (s *snapshot) writeRecords(k *record.Kind, lines *lists.Lines) error {
	f, err := s.create("records/" + k.Folder() + "/" + k.Folder() + ".ndjson")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for line, err := range lines.All {
		if err != nil {
			return errors.Join(err, f.Close())
		}
		w.Write(line) // Flush returns write errors
		w.WriteByte('\n')
	}
	return errors.Join(w.Flush(), f.Close())
}

// recordsThen yields the records of k as they were in the release, sorted by ID.
func (s *snapshot) recordsThen(k *record.Kind) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		left := s.changedRecords(k)
		lines, err := s.collectVersions(k, left)
		if err != nil {
			yield(nil, err)
			return
		}
		defer lines.Close() // frees its space
		var line []byte
		// before yields the changed records up to an ID.
		before := func(id string) bool {
			for ; len(left) > 0 && (id == "" || left[0].id <= id); left = left[1:] {
				if left[0].missing || left[0].redacted {
					continue
				}
				if line, err = s.readEarlier(&left[0], lines, line); !yield(line, err) || err != nil {
					return false
				}
			}
			return true
		}
		for is, err := range s.Listed(k.Name) {
			if err != nil {
				yield(nil, err)
				return
			}
			i, changed := find(left, is.ID)
			if (i > 0 || changed) && !before(is.ID) {
				return
			}
			if !changed && !yield(is.JSON, nil) {
				return
			}
		}
		before("")
	}
}

// readEarlier reads an earlier record into room.
func (s *snapshot) readEarlier(was *earlier, lines *lists.Lines, room []byte) ([]byte, error) {
	if !was.found {
		return room, fmt.Errorf("%s: its version in release %s is missing from all histories, because that release is older than the histories", was.id, s.past.Release)
	}
	return lines.Read(was.line, room)
}

// find returns the index of id in list, the records of one kind.
func find(list []earlier, id string) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(e earlier, id string) int { return strings.Compare(e.id, id) })
}

// collectVersions collects the JSON of the earlier records of k, so that it can be read in any
// order.
func (s *snapshot) collectVersions(k *record.Kind, list []earlier) (*lists.Lines, error) {
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return nil, err
	}
	kind := s.Manifest.Kind(k.Name)
	paths := kind.Packs(s.Manifest)
	if !kind.IsPack() && kind.Pack == "" { // written by an earlier version of the program
		for i := range list {
			if !list[i].missing {
				paths = append(paths, kind.HistoryPath(list[i].id))
			}
		}
	}
	for _, path := range paths {
		for v, err := range s.HistoryFile(path) {
			if err != nil {
				return nil, errors.Join(err, lines.Close())
			}
			if i, ok := find(list, v.ID); ok && !list[i].missing && !list[i].redacted && !list[i].found &&
				list[i].sum == v.SHA256 {
				list[i].line, list[i].found = lines.Add(v.Record), true
			}
		}
	}
	if err := lines.Flush(); err != nil {
		return nil, errors.Join(err, lines.Close())
	}
	return lines, nil
}
