// Package restore puts the records of an earlier release together from a later one.
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
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// Records writes the records of an earlier release, by its place in the listing of releases, as a
// folder that can be built again. It puts them together from the records of r, the change events
// and the histories, and makes sure that they are those of that release: their listings and, where
// nothing in them is derived, their collections must have the digests that the release had. Records
// that were redacted since are left out; they are named, and those of their kinds are not held to
// the digests.
func Records(
	ctx context.Context, r *release.Release, place int,
	scratch func() (*os.File, error), create func(path string) (io.WriteCloser, error),
) (past layout.Past, count int, redacted []string, err error) {
	s := &snapshot{Release: r, scratch: scratch, create: create}
	if err := s.rewind(ctx, place); err != nil {
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
	for i := range s.was {
		if s.was[i].redacted {
			redacted = append(redacted, s.was[i].id)
		}
	}
	own, err := s.restoreEvents(ctx)
	if err == nil {
		err = s.restoreSettings()
	}
	return s.past, count + own, redacted, err
}

// restoreSettings writes the settings of the release, and the files that they name.
func (s *snapshot) restoreSettings() error {
	var kept settings.Kept
	if s.settings != nil {
		if err := json.Unmarshal(s.settings, &kept); err != nil {
			return fmt.Errorf("the settings of release %s: %w", s.past.Release, err)
		}
	}
	text, err := settingsOf(&s.past, &kept)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path, endings string
		data          []byte
	}{
		{kept.Logo, ".svg .png .webp", kept.LogoBytes},
		{kept.Style, ".css", kept.StyleBytes},
		{input.SettingsFile, ".yaml", text},
	} {
		if f.path == "" {
			continue
		}
		if !isOwnFile(f.path, f.endings) { // whoever made the release may have named anything
			return fmt.Errorf("the settings of release %s name a file %.80q, which is not restored: its name must end with %s", s.past.Release, f.path, f.endings)
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

// isOwnFile reports whether a file that settings name has one of some endings, and is not in a
// folder that programs look into, or in one of records: under any name that a file system takes for
// theirs.
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

// restoreEvents writes the change events that the publisher wrote: those that are of no release
// that is known, as far as they had happened.
func (s *snapshot) restoreEvents(ctx context.Context) (count int, err error) {
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return 0, err
	}
	defer lines.Close() // it has no name any more, and goes with this
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

// settingsOf writes what a release said of its service. JSON is YAML.
func settingsOf(p *layout.Past, kept *settings.Kept) (b []byte, err error) {
	for _, s := range []struct{ name, text string }{
		{"title", p.Title},
		{"base_url", p.BaseURL},
		{"publisher", p.Publisher},
		{"license", p.License},
		{"contact", p.Contact},
		{"language", p.Language},
		{"notice", p.Notice},
	} {
		if s.name == "base_url" && s.text == "" { // it was not known
			continue
		}
		b = append(jsonline.AppendText(append(append(b, s.name...), ": "...), s.text), '\n')
	}
	data, err := kept.Keep()
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

// snapshot is the records of an earlier release, seen from a later one.
type snapshot struct {
	*release.Release
	past     layout.Past
	settings []byte          // those that it had besides
	later    map[string]bool // by the ID of each release that is known: whether it came later
	withheld bool            // whether anything was redacted, so that digests may be withheld
	was      []earlier       // the records that changed since, in the order of kinds and IDs, each once
	scratch  func() (*os.File, error)
	create   func(path string) (io.WriteCloser, error) // makes a file of the folder
}

// earlier is what a record was. There may be as many as there are records.
type earlier struct {
	id   string
	kind int16 // its number in the table of kinds
	gone bool  // whether it was not there
	kept bool  // whether its line was found
	// whether it was taken out of the history, and the version that it was
	redacted bool
	version  int64
	sum      release.Digest
	line     lists.Ref
}

// pin notes the version and the digest that an event gives, if it does.
func (e *earlier) pin(d *record.RecordDigest) error {
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

// rewind finds out which records changed since a release: the first event after it says what each
// was before that.
func (s *snapshot) rewind(ctx context.Context, place int) error {
	n := 0
	s.later = map[string]bool{}
	for p, err := range s.Releases() {
		if err != nil {
			return err
		}
		if n == place {
			s.past = p
		}
		if n <= place && p.Settings != nil {
			s.settings = p.Settings
		}
		s.later[p.Release] = n > place
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
		// the text of the event must not be kept
		was := earlier{id: strings.Clone(string(e.RecordID)), kind: int16(kind), gone: e.Before == nil}
		if err := was.pin(e.Before); err != nil {
			return err
		}
		if s.was = append(s.was, was); len(s.was) > most { // the same records may have changed again and again
			s.firstOfEach()
			most = max(most, 2*len(s.was))
		}
	}
	s.firstOfEach()
	return s.leaveOut()
}

// leaveOut notes which of what records were was redacted.
func (s *snapshot) leaveOut() error {
	list, err := s.RedactedSince("")
	if err != nil {
		return err
	}
	s.withheld = len(list) > 0
	left := map[version]bool{}
	for _, v := range list {
		left[version{v.ID, v.Number}] = true
	}
	for i := range s.was {
		s.was[i].redacted = !s.was[i].gone && left[version{s.was[i].id, s.was[i].version}]
	}
	return nil
}

// version is one of a record.
type version struct {
	id     string
	number int64
}

// firstOfEach brings what records were into order, and keeps what came first of each.
func (s *snapshot) firstOfEach() {
	slices.SortStableFunc(s.was, func(a, b earlier) int { return a.compare(b.kind, b.id) })
	s.was = slices.CompactFunc(s.was, func(a, b earlier) bool { return a.compare(b.kind, b.id) == 0 })
}

// changed are the records of a kind that changed since.
func (s *snapshot) changed(k *record.Kind) []earlier {
	kind := int16(slices.Index(record.Kinds, k))
	from, _ := slices.BinarySearchFunc(s.was, kind, func(e earlier, kind int16) int { return e.compare(kind, "") })
	to, _ := slices.BinarySearchFunc(s.was, kind+1, func(e earlier, kind int16) int { return e.compare(kind, "") })
	return s.was[from:to]
}

// restoreKind puts the records of a kind together, holds them to the digests of the release, and
// writes them.
func (s *snapshot) restoreKind(ctx context.Context, k *record.Kind) (count int, err error) {
	want := s.past.Kind(k.Name)
	if want == nil {
		return 0, nil
	}
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return 0, err
	}
	defer lines.Close() // it has no name any more, and goes with this
	listing := lists.NewWriter(io.Discard)
	listing.Write(files.ListingHead(k, want.Count-want.Derived))
	var asOf record.Date
	var entry []byte
	for line, err := range s.records(k) {
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
	whole := !slices.ContainsFunc(s.changed(k), func(e earlier) bool { return e.redacted }) &&
		!(s.withheld && want.Listing == release.Digest{})
	if whole && !ends(listing, want.Listing) {
		return count, s.differs(k, "listing")
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

// compareCollection holds records to the digest of the collection that they were in.
func (s *snapshot) compareCollection(k *record.Kind, count int, asOf record.Date, lines *lists.Lines) error {
	collection := lists.NewWriter(io.Discard)
	collection.Write(files.CollectionHead(k, count, asOf, s.past.License, s.past.Notice))
	for line, err := range lines.All {
		if err != nil {
			return err
		}
		collection.WriteLine(line)
	}
	if !ends(collection, s.past.Kind(k.Name).Collection) {
		return s.differs(k, "collection")
	}
	return nil
}

// ends ends a list and reports whether it has a digest.
func ends(list *lists.Writer, want release.Digest) bool {
	list.End()
	return list.Flush() == nil && list.Digest() == want
}

func (s *snapshot) differs(k *record.Kind, what string) error {
	return fmt.Errorf("the %s that can be put together are not those of release %s: their %s has another digest", k.Many, s.past.Release, what)
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
		w.Write(line) // errors stay until Flush
		w.WriteByte('\n')
	}
	return errors.Join(w.Flush(), f.Close())
}

// records yields the records of a kind as they were, in the order of IDs.
func (s *snapshot) records(k *record.Kind) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		left := s.changed(k)
		lines, err := s.versions(k, left)
		if err != nil {
			yield(nil, err)
			return
		}
		defer lines.Close() // it has no name any more, and goes with this
		var line []byte
		// before yields what those were that changed, up to an ID
		before := func(id string) bool {
			for ; len(left) > 0 && (id == "" || left[0].id <= id); left = left[1:] {
				if left[0].gone || left[0].redacted {
					continue
				}
				if line, err = s.version(&left[0], lines, line); !yield(line, err) || err != nil {
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

// version reads what a record was, into memory that is given.
func (s *snapshot) version(was *earlier, lines *lists.Lines, room []byte) ([]byte, error) {
	if !was.kept {
		return room, fmt.Errorf("%s as it stood in release %s is in no history: it was superseded before histories were kept", was.id, s.past.Release)
	}
	return lines.Read(was.line, room)
}

// find is the place of an ID in a list of a kind.
func find(list []earlier, id string) (int, bool) {
	return slices.BinarySearchFunc(list, id, func(e earlier, id string) int { return strings.Compare(e.id, id) })
}

// versions gathers what records of a kind were, so that it can be read in any order.
func (s *snapshot) versions(k *record.Kind, list []earlier) (*lists.Lines, error) {
	lines, err := lists.NewLines(s.scratch)
	if err != nil {
		return nil, err
	}
	kind := s.Manifest.Kind(k.Name)
	paths := kind.Packs(s.Manifest)
	if !kind.IsPack() && kind.Pack == "" { // of an earlier version of the program
		for i := range list {
			if !list[i].gone {
				paths = append(paths, kind.HistoryPath(list[i].id))
			}
		}
	}
	for _, path := range paths {
		for v, err := range s.HistoryFile(path) {
			if err != nil {
				return nil, errors.Join(err, lines.Close())
			}
			if i, ok := find(list, v.ID); ok && !list[i].gone && !list[i].redacted && !list[i].kept &&
				list[i].sum == v.SHA256 {
				list[i].line, list[i].kept = lines.Add(v.Record), true
			}
		}
	}
	if err := lines.Flush(); err != nil {
		return nil, errors.Join(err, lines.Close())
	}
	return lines, nil
}
