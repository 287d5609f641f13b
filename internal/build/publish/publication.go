package publish

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"stele/internal/author/settings"
	"stele/internal/base/compress"
	"stele/internal/base/layout"
	"stele/internal/build/eventlog"
	"stele/internal/disk/lists"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// publication is the records as they are published: their files, the change events, and the
// manifest as far as it describes these.
type publication struct {
	records   *corpus
	manifest  *release.Manifest
	events    *eventlog.Log
	asOf      map[*record.Kind]record.Date // the newest date in a kind, derived records and events too
	unchanged bool                         // whether it is the previous release, to the byte
	noticed   []standing.Day               // by number: the date of the release that first had its standing so
	past      []release.Past               // all releases, this one too
	histories *histories
	w         Writer
}

func (p *publication) close() {
	p.events.Close() // what it held is gone with it
	if p.histories != nil {
		p.histories.close()
	}
}

// publish writes the files of the records and of the change events.
func publish(records *corpus, changes *comparison, to *files, opt *Options) (_ *publication, err error) {
	p := &publication{records: records, asOf: map[*record.Kind]record.Date{}, w: to.w}
	if to.draft == nil {
		to.singles = startSingles(records, changes, to)
	}
	kinds := make([]release.Kind, len(records.kinds))
	for i := range records.kinds {
		k := &records.kinds[i]
		kinds[i] = describeKind(k)
		if k.Name == changeEvent { // needs the release's ID, and so the digests of all others
			continue
		}
		opt.progress("writing", int64(i), int64(len(kinds)))
		if err := p.writeKind(k, &kinds[i], to); err != nil {
			return nil, err
		}
	}
	if err := p.writeStandings(to, opt.Date); err != nil {
		return nil, err
	}
	own, err := ownEvents(records, changes)
	if err != nil {
		return nil, err
	}
	p.manifest = describe(&records.settings, kinds, to.sorted(), opt)
	p.compareWith(to.previous, len(own)+changes.drafts.Len() > 0)
	moved, err := p.archive(changes, to)
	if err != nil {
		return nil, err
	}
	past := pastEvents(records, changes, own, moved)
	if err := p.identify(past); err != nil {
		return nil, err
	}
	if err := p.writeReleases(to); err != nil {
		return nil, err
	}
	if p.events, err = eventlog.New(to.scratch, records.spool.Len()); err != nil {
		return nil, err
	}
	all := eventlog.Merge(past, changes.drafts.Of(p.manifest.Release))
	err = p.writeEvents(archivedEvents(changes, moved), all, changes.superseded, to)
	if err == nil {
		p.histories, err = newHistories(changes.superseded, p.past, p.manifest.Kinds, to)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	if !opt.NoDeltas {
		if err := p.writeDeltas(changes, to); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

func describeKind(k *kindRecords) release.Kind {
	kind := release.Kind{
		Kind:       k.Name,
		Collection: k.Collection.Path[1:],
		Listing:    layout.ListingPath(k.Folder()),
		Count:      len(k.numbers),
	}
	if k.HasSingle() {
		kind.Single = k.Single.Path[1:]
	}
	kind.History = strings.TrimPrefix(k.HistoryPath(), "/")
	kind.Pack = strings.TrimPrefix(k.PackPath(), "/")
	return kind
}

// writeKind writes a kind's collection, listing and single records.
func (p *publication) writeKind(k *kindRecords, kind *release.Kind, to *files) error {
	derived := derive(p.records, k.Kind)
	kind.Derived = derived.count
	kind.Count += derived.count
	p.asOf[k.Kind] = max(k.asOf, derived.asOf)
	if to.draft != nil && derived.write == nil {
		return p.draftKind(k, kind, to)
	}
	if err := p.writeCollection(k, kind, derived, to); err != nil {
		return err
	}
	if err := p.writeListing(k, kind, to); err != nil {
		return err
	}
	return to.singles.writeNow(k)
}

func (p *publication) writeCollection(k *kindRecords, kind *release.Kind, derived derived, to *files) error {
	f, err := to.create(kind.Collection)
	if err != nil {
		return err
	}
	f.begin(p.collectionHead(k.Kind, kind.Count))
	if err := writeEach(f, k.numbers, p.records.spool.Reader().Record); err != nil {
		return err
	}
	if derived.write != nil {
		if err := derived.write(f); err != nil {
			return err
		}
	}
	return f.end()
}

func (p *publication) writeListing(k *kindRecords, kind *release.Kind, to *files) error {
	f, err := to.create(kind.Listing)
	if err != nil {
		return err
	}
	f.begin(listingHead(k.Kind, len(k.numbers)))
	if err := writeEach(f, k.numbers, p.records.spool.Reader().Entry); err != nil {
		return err
	}
	return f.end()
}

// writeEach writes a line for each number.
func writeEach(f *file, numbers []int32, read func(n int32) ([]byte, error)) error {
	for _, n := range numbers {
		line, err := read(n)
		if err != nil {
			return err
		}
		f.line(line)
	}
	return nil
}

// collectionHead returns what stands before the records of a kind.
func (p *publication) collectionHead(k *record.Kind, count int) []byte {
	return collectionHead(k, count, p.asOf[k], p.records.settings.License, p.records.settings.Notice)
}

// collectionHead has no day in it but the newest of the records, so that it changes only when they
// do.
func collectionHead(k *record.Kind, count int, asOf record.Date, license, notice string) []byte {
	h := record.AppendText([]byte(`{"kind":`), k.Name)
	h = strconv.AppendInt(append(h, `,"count":`...), int64(count), 10)
	if asOf != "" {
		h = record.AppendText(append(h, `,"as_of":`...), string(asOf))
	}
	h = record.AppendText(append(h, `,"license":`...), license)
	h = record.AppendText(append(h, `,"notice":`...), notice)
	return append(h, `,"records":[`...)
}

func appendCount(b []byte, count int) []byte {
	return append(strconv.AppendInt(b, int64(count), 10), `,"records":[`...)
}

func listingHead(k *record.Kind, count int) []byte {
	return fmt.Appendf(nil, `{"kind":%q,"count":%d,"records":[`, k.Name, count)
}

// describe makes a manifest, but for the files of the change events and the release's ID.
func describe(s *settings.Settings, kinds []release.Kind, list []release.File, opt *Options) *release.Manifest {
	m := &release.Manifest{
		Format: layout.Format, Date: string(opt.Date), Kinds: kinds, Files: list,
		Title: s.Title, BaseURL: string(s.BaseURL), Publisher: s.Publisher, License: s.License,
		Contact: s.Contact, Language: s.Language, Notice: s.Notice,
		Built: &layout.Built{
			Program: opt.Program, Deltas: !opt.NoDeltas, ByHash: opt.ByHash,
			Pages: len(opt.Render) > 0, Downloads: opt.Downloads,
		},
	}
	if !opt.NoVariants {
		m.Built.Compressor = compress.Number
	}
	m.Content = m.ContentDigest()
	return m
}

// compareWith finds out whether this is the release before, which it is if the records are the same
// to the byte and no event is new.
func (p *publication) compareWith(before *previous, newEvents bool) {
	if before == nil {
		return
	}
	m := p.manifest
	if p.unchanged = before.Manifest.Content == m.Content && !newEvents; p.unchanged {
		m.Release, m.Date, m.Previous = before.Manifest.Release, before.Manifest.Date, before.Manifest.Previous
		return
	}
	m.Previous = &release.Previous{Release: before.Manifest.Release, Date: before.Manifest.Date}
}

// identify gives the release its ID, if it does not have that of the release before.
func (p *publication) identify(past iter.Seq2[eventlog.Event, error]) (err error) {
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

// writeEvents writes the collection and the listing of the change events, and takes notice of those
// that archives have.
func (p *publication) writeEvents(archived, all iter.Seq2[eventlog.Event, error], old *superseded, to *files) error {
	known := map[string]int32{} // releases before this one
	for i := range p.past[:len(p.past)-1] {
		known[p.past[i].Release] = int32(i)
	}
	listing, err := lists.NewLines(to.scratch)
	if err != nil {
		return err
	}
	defer listing.Close()
	add := func(e *eventlog.Event) error {
		about := int32(-1)
		if e.ChangeType != record.ChangeRelicensed {
			about = p.records.checker.Number(e.RecordID)
		}
		p.events.Add(e, about)
		return old.sawEvent(e, about, known)
	}
	for e, err := range archived {
		if err == nil {
			err = add(&e)
		}
		if err != nil {
			return err
		}
	}
	p.events.Archived()
	var entry []byte
	own := 0 // that the publisher wrote
	for e, err := range all {
		if err == nil {
			err = add(&e)
		}
		if err != nil {
			return err
		}
		if p.records.checker.Number(e.ID) >= 0 {
			own++
		}
		entry = appendEntry(entry[:0], &record.Envelope{ID: record.ID(e.ID), Version: e.Version}, sha256.Sum256(e.Line))
		listing.Add(entry)
	}
	if err := errors.Join(p.events.Flush(), listing.Flush()); err != nil {
		return err
	}
	k := record.KindNamed(changeEvent)
	kind := p.manifest.Kind(changeEvent)
	kind.Count, kind.Derived = p.events.Len(), p.events.Len()-own
	p.asOf[k] = p.events.AsOf()
	if err := writeLines(to, kind.Collection, p.collectionHead(k, kind.Count), p.events.Lines); err != nil {
		return err
	}
	return writeLines(to, kind.Listing, listingHead(k, kind.Count), listing.All)
}

// writeLines writes a collection or listing whose lines are made already.
func writeLines(to *files, path string, head []byte, lines iter.Seq2[[]byte, error]) error {
	f, err := to.create(path)
	if err != nil {
		return err
	}
	f.begin(head)
	for line, err := range lines {
		if err != nil {
			return err
		}
		f.line(line)
	}
	return f.end()
}

// readBack reads the lines of a collection that was written a moment ago.
func (p *publication) readBack(path string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		f, err := p.w.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close() // it was only read
		lines := bufio.NewScanner(f)
		lines.Buffer(make([]byte, 0, 256<<10), layout.MaxLine)
		lines.Scan() // the head
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
