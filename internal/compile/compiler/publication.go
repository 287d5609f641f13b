package compiler

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"stele/internal/author/reading/settings"
	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/compile/eventlog"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/internal/disk/spool"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// publication contains the files of the records and of the change events, and the manifest that
// describes them.
type publication struct {
	records   *corpus
	manifest  *release.Manifest
	events    *eventlog.Log
	added     []int64                      // indexes of the events that the previous collection lacks
	asOf      map[*record.Kind]record.Date // latest date in a kind, including derived records and events
	unchanged bool                         // whether the release is identical to the previous one
	noticed   []standing.Day               // by number: the date of the release that first listed this standing
	past      []layout.Past                // all releases, including this one
	histories *histories
	sorted    map[*record.Kind]*spool.Spool // the records of large kinds, sorted by ID
	to        *files.Set
}

func (p *publication) close() {
	if p.events != nil {
		p.events.Close() // this also deletes its file
	}
	if p.histories != nil {
		p.histories.close()
	}
	for _, s := range p.sorted {
		s.Close() // likewise
	}
}

// publish writes the files of the records and of the change events. draft is the writer of a draft,
// or nil for a release.
func publish(
	records *corpus, changes *comparison, before *previous, to *files.Set, draft *draftWriter, opt *Options,
) (_ *publication, err error) {
	p := &publication{
		records: records, asOf: map[*record.Kind]record.Date{}, sorted: map[*record.Kind]*spool.Spool{}, to: to,
	}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	kinds, err := p.writeKinds(changes, draft, opt)
	if err != nil {
		return nil, err
	}
	if err := p.writeAreas(); err != nil {
		return nil, err
	}
	standings, err := newStandings(records, before, opt.Date)
	if err != nil {
		return nil, err
	}
	own, err := ownEvents(records, changes)
	if err != nil {
		return nil, err
	}
	var kept []byte
	if p.manifest, kept, err = newManifest(&records.settings, kinds, slices.Clone(to.Sorted()), opt); err != nil {
		return nil, err
	}
	if err := p.setContent(standings, before, len(own)+changes.drafts.Len() > 0 || changes.redacted, opt); err != nil {
		return nil, err
	}
	p.noticed = standings.noticed
	archives, moved, err := writeArchives(p.manifest, p.unchanged, changes, before, to)
	if err != nil {
		return nil, err
	}
	p.manifest.Kind(changeEvent).Archives = archives
	past := pastEvents(records, changes, own, moved)
	if err := p.setID(past); err != nil {
		return nil, err
	}
	if p.past, err = writeReleases(p.manifest, kept, p.unchanged, changes.past, to); err != nil {
		return nil, err
	}
	kind := p.manifest.Kind(changeEvent)
	kind.Count, p.asOf[record.KindNamed(changeEvent)] = countEvents(changes, own, moved, opt.Date)
	first := newOrigins(changes.superseded, p.past)
	all := eventlog.Merge(past, changes.drafts.ForRelease(p.manifest.Release))
	if err := p.writeEvents(archivedEvents(changes, moved), all, first); err != nil {
		return nil, err
	}
	if p.histories, err = newHistories(first, p.past, p.manifest.Kinds, before, changes, to); err != nil {
		return nil, err
	}
	if before != nil && !opt.NoDeltas && !changes.redacted { // earlier deltas may contain redacted data
		err = writeDeltas(p, changes, before)
	}
	return p, err
}

// writeKinds writes the files of all kinds except change events. Change events need the release's
// ID, which depends on the digests of all other kinds.
func (p *publication) writeKinds(changes *comparison, draft *draftWriter, opt *Options) ([]release.Kind, error) {
	inTurn := noSingles // a draft renders them on demand
	if draft == nil {
		inTurn = startSingles(p.records, changes.unchanged, p.to)
	}
	kinds := make([]release.Kind, len(p.records.kinds))
	for i := range p.records.kinds {
		k := &p.records.kinds[i]
		kinds[i] = describeKind(k)
		if k.Name == changeEvent {
			continue
		}
		opt.reportProgress("writing", int64(i), int64(len(kinds)))
		if err := p.writeKind(k, &kinds[i], draft); err != nil {
			return nil, err
		}
		if err := inTurn(k); err != nil {
			return nil, err
		}
	}
	return kinds, nil
}

func describeKind(k *kindRecords) release.Kind {
	kind := release.Kind{
		Kind: k.Name, Collection: k.Collection.Path[1:], Listing: layout.ListingPath(k.Folder()), Count: len(k.numbers),
	}
	if k.HasSingle() {
		kind.Single = k.Single.Path[1:]
	}
	kind.History = strings.TrimPrefix(k.HistoryPath(), "/")
	kind.Pack = strings.TrimPrefix(k.PackPath(), "/")
	return kind
}

// writeKind writes a kind's collection and listing.
func (p *publication) writeKind(k *kindRecords, kind *release.Kind, draft *draftWriter) error {
	derived := derive(p.records, k.Kind)
	kind.Derived = derived.count
	kind.Count += derived.count
	p.asOf[k.Kind] = max(k.asOf, derived.asOf)
	if draft != nil && derived.write == nil {
		return p.writeDraftKind(k, kind, draft)
	}
	if err := p.writeCollection(k, kind, derived); err != nil {
		return err
	}
	return p.writeListing(k, kind)
}

// writeDraftKind writes a kind's listing. It writes the kind's collection unless the previous draft
// has the same one. The digests in the listing and the header determine the collection.
func (p *publication) writeDraftKind(k *kindRecords, kind *release.Kind, draft *draftWriter) error {
	if err := p.writeListing(k, kind); err != nil {
		return err
	}
	source := sha256.Sum256(append(p.collectionHead(k.Kind, kind.Count), p.to.Find(kind.Listing).SHA256[:]...))
	if listed, ok := draft.reuseCollection(kind.Collection, source); ok {
		p.to.AddListed(listed, nil)
		return nil
	}
	if err := p.writeCollection(k, kind, derived{}); err != nil {
		return err
	}
	return draft.cacheCollection(*p.to.Find(kind.Collection), source)
}

func (p *publication) writeCollection(k *kindRecords, kind *release.Kind, derived derived) error {
	return p.to.WriteList(kind.Collection, p.collectionHead(k.Kind, kind.Count), func(f *files.File) error {
		err := p.writeRecords(f, k)
		if err == nil && derived.write != nil {
			err = derived.write(f)
		}
		return err
	})
}

// writeRecords writes the records of a kind that publishers wrote. If there are many, it also
// writes a sorted spool, because renderers read them in order several times.
func (p *publication) writeRecords(f *files.File, k *kindRecords) error {
	const ofMemory = 640 // memory for each record that is read out of order
	from, memory := p.records.spool.Reader(), p.records.memory
	if k.HasSingle() || memory == nil || len(k.numbers) <= memory.Bound/ofMemory {
		return writeEach(f, k.numbers, from.Record)
	}
	s, err := spool.New(p.to.Scratch)
	if err != nil {
		return err
	}
	p.sorted[k.Kind] = s
	s.UseMemory(memory)
	w := s.Writer()
	err = writeEach(f, k.numbers, func(n int32) ([]byte, error) {
		entry, err := from.Entry(n)
		data, err2 := from.Record(n)
		at, err3 := w.Add(&spool.Parts{Entry: entry, Record: data})
		s.Add(at)
		return data, errors.Join(err, err2, err3)
	})
	return errors.Join(err, w.Flush())
}

func (p *publication) writeListing(k *kindRecords, kind *release.Kind) error {
	return p.to.WriteList(kind.Listing, files.ListingHead(k.Kind, len(k.numbers)), func(f *files.File) error {
		if s := p.sorted[k.Kind]; s != nil {
			in, i := s.Reader(), int32(-1)
			return writeEach(f, k.numbers, func(int32) ([]byte, error) { i++; return in.Entry(i) })
		}
		return writeEach(f, k.numbers, p.records.spool.Reader().Entry)
	})
}

// collectionHead returns the header of a kind's collection.
func (p *publication) collectionHead(k *record.Kind, count int) []byte {
	return files.CollectionHead(k, count, p.asOf[k], p.records.settings.License, p.records.settings.Notice)
}

// newManifest returns the manifest, which still lacks the files of the change events and the
// release's ID. kept contains the settings for the listing of releases.
func newManifest(s *settings.Settings, kinds []release.Kind, list []release.File, opt *Options) (
	m *release.Manifest, kept []byte, err error,
) {
	if kept, err = s.StoredJSON(); err != nil {
		return nil, nil, err
	}
	sum, err := layout.SettingsDigest(kept)
	m = &release.Manifest{
		Settings: sum,
		Format:   layout.Format, Date: string(opt.Date), GaveUp: opt.GaveUp, Kinds: kinds, Files: list,
		Title: s.Title, BaseURL: string(s.BaseURL), Publisher: s.Publisher, License: s.License,
		Contact: s.Contact, Language: s.Language, Notice: s.Notice,
		Built: &layout.Built{
			Program: opt.Program, Deltas: !opt.NoDeltas, ByHash: opt.ByHash,
			Pages: len(opt.Render) > 0, Downloads: opt.Downloads,
			Standings: int(standing.Latest), At: formatTime(opt.At),
		},
	}
	if p := s.NextPlan(opt.Date); p != nil {
		m.NextPlanned = string(p.Planned)
	}
	if !opt.NoVariants {
		m.Built.Compressor = compress.Number
	}
	return m, kept, err
}

// setContent sets the content digest of the release. The digest includes a salt, so that neither
// the digest nor the ID confirms a guess of a text that a later release redacts. To compare the
// content with the previous release, setContent uses that release's salt.
func (p *publication) setContent(s *standings, before *previous, isNew bool, opt *Options) (err error) {
	m, salt := p.manifest, ""
	unsalted := m.ContentDigest()
	if before != nil {
		if salt, err = before.Salt(); err != nil {
			return previousError(err)
		}
	}
	listing, err := s.manifestEntry(salt)
	if err != nil {
		return err
	}
	m.Files = append(m.Files, listing)
	slices.SortFunc(m.Files, func(a, b release.File) int { return strings.Compare(a.Path, b.Path) })
	m.Content = m.ContentDigest()
	if p.checkUnchanged(before, isNew); !p.unchanged {
		if salt = opt.Salt; len(opt.Secret) > 0 && salt == "" {
			mac := hmac.New(sha256.New, opt.Secret)
			fmt.Fprintf(mac, "%s\n%s\n%s\n", m.Past().Previous, m.Date, unsalted) // a hash does not fail
			salt = hex.EncodeToString(mac.Sum(nil))
		}
	}
	if err := s.write(p.to, salt); err != nil {
		return err
	}
	m.Files = slices.Clone(p.to.Sorted())
	m.Content = m.ContentDigest()
	return nil
}

// formatTime returns the time against which embargoes were checked, in UTC, or "" for the zero
// time.
func formatTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// checkUnchanged sets p.unchanged if this release is identical to the previous one: the records are
// identical, no event is new or redacted, and no other release is replaced.
func (p *publication) checkUnchanged(before *previous, newEvents bool) {
	if before == nil {
		return
	}
	m := p.manifest
	same := before.Manifest.Content == m.Content && !newEvents
	if p.unchanged = same && len(m.GaveUp) == 0; p.unchanged {
		m.Release, m.Date = before.Manifest.Release, before.Manifest.Date
		m.Previous, m.GaveUp = before.Manifest.Previous, before.Manifest.GaveUp
		m.NextPlanned = before.Manifest.NextPlanned
		if before.Manifest.Built != nil {
			m.Built.At = before.Manifest.Built.At
		}
		return
	}
	m.Previous = &release.Previous{Release: before.Manifest.Release, Date: before.Manifest.Date}
}

// setID sets the release's ID, unless the release is unchanged.
func (p *publication) setID(past iter.Seq2[eventlog.Event, error]) (err error) {
	m := p.manifest
	if p.unchanged {
		return nil
	}
	m.Release = m.ID(func(yield func([]byte) bool) {
		for e, failed := range past {
			if err = failed; err != nil || !yield(e.Line) {
				return
			}
		}
	})
	return err
}

// newSettings returns settings if they differ from those of the latest release in list, otherwise
// nil.
func newSettings(settings []byte, list []layout.Past) json.RawMessage {
	before := json.RawMessage("{}")
	for _, past := range list {
		if past.Settings != nil {
			before = past.Settings
		}
	}
	if settings == nil {
		settings = []byte("{}")
	}
	if bytes.Equal(before, settings) {
		return nil
	}
	return settings
}

// writeReleases writes the listing of all releases: those in list, and this release unless it is
// unchanged. It returns all of them.
func writeReleases(m *release.Manifest, kept []byte, unchanged bool, list []layout.Past, to *files.Set) (
	[]layout.Past, error,
) {
	if !unchanged {
		list = append(list, m.Past())
		list[len(list)-1].Settings = newSettings(kept, list)
	}
	head := files.AppendCount([]byte(`{"count":`), len(list))
	return list, to.WriteList(layout.ReleasesPath, head, func(f *files.File) error {
		for i := range list {
			line, err := json.Marshal(&list[i])
			if err != nil {
				return err
			}
			f.WriteLine(line)
		}
		return nil
	})
}

// writeEvents writes the collection and the listing of the change events, and reads those in
// archives.
func (p *publication) writeEvents(archived, all iter.Seq2[eventlog.Event, error], first *origins) (err error) {
	if p.events, err = eventlog.New(p.to.Scratch, p.records.spool.Len()); err != nil {
		return err
	}
	listing, err := lists.NewLines(p.to.Scratch)
	if err != nil {
		return err
	}
	defer listing.Close() // this also deletes its file
	for e, err := range archived {
		if err == nil {
			err = p.addEvent(&e, first)
		}
		if err != nil {
			return err
		}
	}
	p.events.EndArchives()
	k := record.KindNamed(changeEvent)
	kind := p.manifest.Kind(changeEvent)
	kind.Derived = kind.Count
	if err := p.to.WriteList(kind.Collection, p.collectionHead(k, kind.Count), func(f *files.File) error {
		for e, err := range all {
			if err == nil {
				err = p.addEvent(&e, first)
			}
			if err != nil {
				return err
			}
			f.WriteLine(e.Line)
			p.listEvent(&e, kind, listing)
		}
		return nil
	}); err != nil {
		return err
	}
	if p.events.Len() != kind.Count || p.events.AsOf() != p.asOf[k] {
		return fmt.Errorf("%s has %d events up to %s, but its header says %d up to %s",
			kind.Collection, p.events.Len(), p.events.AsOf(), kind.Count, p.asOf[k])
	}
	if err := errors.Join(p.events.Flush(), listing.Flush()); err != nil {
		return err
	}
	return p.to.WriteLines(kind.Listing, files.ListingHead(k, kind.Count), listing.All)
}

func (p *publication) listEvent(e *eventlog.Event, kind *release.Kind, listing *lists.Lines) {
	if !e.Previous {
		p.added = append(p.added, int64(p.events.Len()-1))
	}
	if p.records.checker.Number(e.ID) >= 0 { // the publisher wrote it
		kind.Derived--
	}
	entry := release.Entry{ID: e.ID, Version: e.Version, SHA256: sha256.Sum256(e.Line)}
	listing.Add(lists.AppendEntry(nil, &entry))
}

// addEvent adds an event to the log for renderers, and to the origins of versions.
func (p *publication) addEvent(e *eventlog.Event, first *origins) error {
	about := int32(-1)
	if !e.ChangeType.OfKind() {
		about = p.records.checker.Number(e.RecordID)
	}
	indicator := ""
	if e.RecordKind == record.KindHealthcareStatistic {
		indicator = p.records.checker.Indicator(about)
	}
	p.events.Add(e, about, indicator)
	return first.addEvent(e, about)
}

// readBack yields the lines of the collection that was just written to path.
func (p *publication) readBack(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := p.to.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close() // it was only read
		lines := bufio.NewScanner(f)
		lines.Buffer(make([]byte, 0, 256<<10), layout.MaxLine)
		lines.Scan() // the header
		for lines.Scan() && len(lines.Bytes()) > len("]}") {
			if !yield(bytes.TrimSuffix(lines.Bytes(), []byte{','}), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(nil, err)
		}
	}
}
