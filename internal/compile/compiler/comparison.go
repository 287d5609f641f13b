package compiler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/parallel"
	"stele/internal/compile/eventlog"
	"stele/internal/compile/files"
	"stele/internal/disk/lists"
	"stele/internal/disk/spool"
	"stele/record"
)

// comparison is what changed since the previous release.
type comparison struct {
	found     *check.Checker   // what is wrong with the records, and with what changed
	drafts    *eventlog.Drafts // an event for each record that changed
	unchanged []bool           // by number: records that are as they were; nil if there is no release before
	archived  *lists.Lines     // the events that archives of the previous release have, word for word
	carried   *lists.Lines     // those of its collection, likewise, in the order of their dates
	newest    record.Date      // of these
	events    *check.Events    // what the publisher's events are held to
	shrunk    []Shrinkage
	edits     []edit // by kind: what leads from the collection of the previous release to the new one
	// the versions that this release replaces
	superseded *superseded
	redactions *redactions
	redacted   bool          // whether something is left out that the previous release has
	past       []layout.Past // what the listing of releases says of earlier ones
}

// edit is what leads from one collection to another: places in both, and IDs that are gone.
type edit struct {
	leftOut, placed []int64
	removed         []string
}

func (c *comparison) close() {
	c.drafts.Close() // what they held is gone with them
	c.archived.Close()
	c.carried.Close()
	c.superseded.lines.Close()
}

// comparer makes a comparison.
type comparer struct {
	comparison
	ctx      context.Context
	corpus   *corpus
	previous *previous
	rules    *check.History
	removed  map[string]*check.Removed // by ID in lower case: the records that are gone
	opt      *Options
	told     map[string]bool // the records whose redaction an event of a change tells of
}

// compare compares the records with those of the previous release: it checks that versions tell of
// what changed, and makes the new events.
func compare(ctx context.Context, records *corpus, before *previous, w files.Writer, opt *Options) (_ *comparison,
	err error,
) {
	c := &comparer{ctx: ctx, corpus: records, previous: before, opt: opt}
	c.found = records.checker.Further()
	c.redactions = newRedactions(records.redactions, opt.Date)
	c.superseded = &superseded{removed: map[string]int32{}}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	c.drafts, err = eventlog.NewDrafts(w.Scratch, opt.Date)
	for _, lines := range []**lists.Lines{&c.archived, &c.carried, &c.superseded.lines} {
		if err == nil {
			*lines, err = lists.NewLines(w.Scratch)
		}
	}
	if err != nil {
		return nil, err
	}
	if before != nil {
		c.events = c.found.Events(before.Manifest.Release, record.Date(before.Manifest.Date))
		err = c.run()
	} else {
		c.events = c.found.Events("", "")
		c.events.PreviousUnknown = opt.PreviousUnknown
		if !opt.PreviousUnknown {
			c.found.PlansPublished(records.settings.Calendar, map[record.Date]bool{opt.Date: true})
		}
	}
	if know := c.know; err == nil {
		if c.found.Failed() {
			know = nil
		}
		err = c.events.Check(know)
	}
	return &c.comparison, err
}

func (c *comparer) run() error {
	before := c.previous.Manifest
	c.rules = c.found.Since(before.Release, record.Date(before.Date), c.opt.AllowRemoved)
	c.unchanged = make([]bool, c.corpus.spool.Len())
	c.removed, c.told = map[string]*check.Removed{}, map[string]bool{}
	c.edits = make([]edit, len(c.corpus.kinds))
	if err := c.readCarried(); err != nil {
		return err
	}
	c.compareTerms()
	if was, is := bareAddress(before.BaseURL), bareAddress(string(c.corpus.settings.BaseURL)); was != is {
		c.rules.AddressChanged(was, is)
	}
	if err := c.comparePlans(); err != nil {
		return err
	}
	added := make([][]int32, len(c.corpus.kinds)) // by kind: records that the previous release does not have
	for i := range c.corpus.kinds {
		if c.corpus.kinds[i].Name == changeEvent {
			continue
		}
		var err error
		if added[i], err = c.compareKind(&c.corpus.kinds[i], &c.previous.kinds[i], &c.edits[i]); err != nil {
			return err
		}
	}
	for i, numbers := range added { // when it is known which records are gone
		for _, n := range numbers {
			c.added(c.corpus.kinds[i].Kind, n)
		}
	}
	c.redactRest()
	c.rules.CheckAllowed()
	return errors.Join(c.drafts.Finish(), c.superseded.lines.Flush(), c.checkRepeated(), c.readPast())
}

// comparePlans compares the calendar with what the release before kept of its settings.
func (c *comparer) comparePlans() error {
	var was settings.Kept
	days := map[record.Date]bool{c.opt.Date: true}
	for past, err := range c.previous.Releases() {
		if err != nil {
			return unreadable(err)
		}
		days[record.Date(past.Date)] = true
		if past.Settings != nil {
			was = settings.Kept{}
			if err := json.Unmarshal(past.Settings, &was); err != nil {
				return err
			}
		}
	}
	c.rules.PlansChanged(was.Calendar, c.corpus.settings.Calendar)
	c.found.PlansPublished(c.corpus.settings.Calendar, days)
	return nil
}

// compareTerms compares licence and notice, which hold for all records that say nothing of their
// own. The event about a kind names the kind's folder, and no record.
func (c *comparer) compareTerms() {
	var fields, sentences []string
	for _, t := range []struct{ name, was, is string }{
		{"license", c.previous.Manifest.License, c.corpus.settings.License},
		{"notice", c.previous.Manifest.Notice, c.corpus.settings.Notice},
	} {
		if t.is != "" && t.was != t.is { // without one the settings are wrong, which is said elsewhere
			fields = append(fields, "/"+t.name)
			sentences = append(sentences, fmt.Sprintf("The %s was %q and is %q.", t.name, t.was, t.is))
		}
	}
	if len(fields) == 0 {
		return
	}
	if !c.opt.AllowLicense {
		c.rules.TermsChanged(strings.Join(sentences, " "))
		return
	}
	for i := range c.corpus.kinds {
		if k := &c.corpus.kinds[i]; k.Name != changeEvent && len(k.numbers) > 0 {
			c.drafts.Add(k.Kind, record.ChangeEvent{
				RecordID: record.ID(k.Folder()), ChangeType: record.ChangeRelicensed, ChangedFields: fields,
			}, strings.Join(sentences, " "))
		}
	}
}

// changed is a record that changed or is gone.
type changed struct {
	place  int32 // in the listing
	number int32 // of the record as it is now; -1 if it is gone
}

// compareKind walks down the records of a kind and the listing beside them, and returns the records
// that are not in the listing.
func (c *comparer) compareKind(kind *kindRecords, was *listing, e *edit) (added []int32, err error) {
	var all []changed
	next := 0 // in the listing
	goneBefore := func(id string) {
		for ; next < was.len() && (id == "" || was.id(next) < id); next++ {
			id := was.id(next)
			if c.gone(kind.Kind, id, was.at(next)) {
				all = append(all, changed{int32(next), -1})
			}
			e.leftOut, e.removed = append(e.leftOut, int64(next)), append(e.removed, id)
		}
	}
	for i, n := range kind.numbers {
		id := c.corpus.checker.ID(n)
		if !c.corpus.spool.Has(n) { // its ID is none, which is a problem already
			continue
		}
		goneBefore(id)
		switch now := c.corpus.digest(n); {
		case next == was.len() || was.id(next) != id:
			added = append(added, n)
			e.placed = append(e.placed, int64(i))
			continue
		case was.at(next).sum == now.sum:
			c.unchanged[n] = true
		default:
			all = append(all, changed{int32(next), n})
			e.leftOut, e.placed = append(e.leftOut, int64(next)), append(e.placed, int64(i))
		}
		next++
	}
	goneBefore("")
	if before, after := was.len(), len(kind.numbers); !c.opt.AllowShrink && after*10 < before*9 &&
		!c.corpus.checker.Hides(kind.Name) {
		c.shrunk = append(c.shrunk, Shrinkage{kind.Many, before, after})
	}
	if len(all) > 0 {
		err = c.compareChanged(kind.Kind, was, all)
	}
	return added, err
}

// added makes the event for a record that the previous release does not have: a new one, or one
// that was removed once and is back.
func (c *comparer) added(k *record.Kind, n int32) {
	id, is := c.corpus.checker.ID(n), c.corpus.digest(n).of()
	event := record.ChangeEvent{RecordID: record.ID(id), ChangeType: record.ChangeCreated, After: is}
	if was := c.removed[record.ID(id).Fold()]; was == nil {
		c.rules.Created(n)
		c.events.MarkExplained(n, 0, is.Version)
		c.drafts.Add(k, event, "")
	} else if c.checkBack(id, was); c.rules.Restored(n, is.Version, string(is.SHA256), was) {
		c.events.MarkExplained(n, 0, is.Version)
		event.ChangeType = record.ChangeRestored
		c.drafts.Add(k, event, "")
	}
}

// gone makes the event for a record that is no longer there, if it may be gone.
func (c *comparer) gone(k *record.Kind, id string, was *digest) bool {
	d := was.of()
	versions, why := c.redactions.fresh(id, d.Version)
	whole := c.redactions.of(id, d.Version) != nil && c.corpus.checker.Number(id) < 0
	if whole && why != nil {
		c.redact(k, record.ChangeEvent{
			RecordID: record.ID(id), ChangeType: record.ChangeRemoved, Before: c.redactions.digest(id, d),
			ChangedFields: why.Members, RedactedVersions: versions,
		}, why.Reason)
	} else {
		reason, ok := c.rules.Gone(k, id)
		if !ok {
			return false
		}
		event := record.ChangeEvent{RecordID: record.ID(id), ChangeType: record.ChangeRemoved, Before: d}
		c.drafts.Add(k, event, reason)
	}
	c.removed[record.ID(id).Fold()] = &check.Removed{
		ID: id, Kind: k.Name, Version: d.Version, SHA256: string(d.SHA256), Release: "",
	}
	return true
}

// compareChanged checks the records that changed against what they were, on all cores, makes the
// events for them, and keeps what they were. Of those that are gone it only does the last.
func (c *comparer) compareChanged(k *record.Kind, was *listing, all []changed) error {
	type result struct {
		check.Change
		was []byte
		err error
	}
	worker := func(batch []oldRecord) iter.Seq[result] {
		return func(yield func(result) bool) {
			in := c.corpus.spool.Reader()
			for _, old := range batch {
				change, err := c.compareRecord(old, in)
				if !yield(result{change, old.json, err}) {
					return
				}
			}
		}
	}
	workers := slices.Repeat([]func([]oldRecord) iter.Seq[result]{worker}, parallel.Workers(0))
	i, kind := 0, slices.Index(record.Kinds, k)
	for r := range parallel.Ordered(c.oldRecords(k, was, all), workers) {
		if r.err != nil {
			return r.err
		}
		n, before := all[i].number, was.at(int(all[i].place))
		i++
		id := was.id(int(all[i-1].place))
		if c.superseded.add(c.corpus, kind, id, n, before, r.was); n < 0 {
			continue
		}
		versions, why := c.redactions.fresh(id, r.Was.Version)
		r.Redacted = why
		c.rules.Changed(n, &r.Change)
		c.events.MarkExplained(n, r.Was.Version, r.Is.Version)
		event := record.ChangeEvent{
			RecordID: record.ID(id), Before: before.of(), After: c.corpus.digest(n).of(), ChangedFields: r.Fields(),
		}
		if why == nil {
			event.ChangeType = r.Type()
			c.drafts.Add(k, event, "")
			continue
		}
		event.ChangeType, event.RedactedVersions = record.ChangeRedacted, versions
		event.Before = c.redactions.digest(id, event.Before)
		c.redact(k, event, why.Reason)
	}
	return nil
}

// oldRecord is what a record was, and the number of what it is.
type oldRecord struct {
	number int32
	json   []byte
	err    error
}

// oldRecords yields what records of a kind were, in batches. An error is the last that comes.
func (c *comparer) oldRecords(k *record.Kind, was *listing, all []changed) iter.Seq[[]oldRecord] {
	const most = 16 // few enough to keep all cores busy to the end
	return func(yield func([]oldRecord) bool) {
		batch := make([]oldRecord, 0, most)
		fail := func(err error) { yield(append(batch, oldRecord{err: unreadable(err)})) }
		place := int32(-1)
		left := all
		for line, err := range c.previous.Records(k.Name) {
			if place++; err == nil {
				err = context.Cause(c.ctx)
			}
			if err == nil && len(left) > 0 && place == left[0].place {
				if sha256.Sum256(line) != was.at(int(place)).sum {
					err = fmt.Errorf("record %s is not the one that its listing describes", was.id(int(place)))
				}
				batch = append(batch, oldRecord{number: left[0].number, json: bytes.Clone(line)})
				left = left[1:]
			}
			if err != nil {
				fail(err)
				return
			}
			if len(batch) == most {
				if !yield(batch) {
					return
				}
				batch = make([]oldRecord, 0, most)
			}
		}
		if len(left) > 0 {
			fail(fmt.Errorf("record %s is missing in its collection", was.id(int(left[0].place))))
			return
		}
		yield(batch)
	}
}

// compareRecord finds what differs between what a record was and is.
func (c *comparer) compareRecord(old oldRecord, in *spool.Reader) (check.Change, error) {
	if old.err != nil || old.number < 0 {
		return check.Change{}, old.err
	}
	now, err := in.Record(old.number)
	if err != nil {
		return check.Change{}, err
	}
	change, err := check.Compare(record.Kinds[c.corpus.checker.Kind(old.number)], old.json, bytes.Clone(now))
	if err != nil {
		err = unreadable(err)
	}
	return change, err
}

// readCarried reads the events of the previous release, those of its archives too. It makes sure
// that none of them was edited, and finds the records that were removed.
func (c *comparer) readCarried() error {
	for _, a := range c.previous.Manifest.Archives() {
		if err := c.readEvents(a.Path, c.previous.Archived(&a), c.archived); err != nil {
			return err
		}
	}
	if k := c.previous.Manifest.Kind(changeEvent); k != nil {
		if err := c.readEvents(k.Collection, c.previous.Records(changeEvent), c.carried); err != nil {
			return err
		}
	}
	return errors.Join(c.archived.Flush(), c.carried.Flush())
}

// readEvents reads the events of a file, which stand in the order of their dates.
func (c *comparer) readEvents(path string, lines iter.Seq2[[]byte, error], to *lists.Lines) error {
	last := ""
	for line, err := range lines {
		if err != nil {
			return unreadable(err)
		}
		e, err := eventlog.Parse(line)
		switch {
		case err != nil:
		case context.Cause(c.ctx) != nil:
			return context.Cause(c.ctx)
		case !json.Valid(line):
			err = fmt.Errorf("event %s is not valid JSON", e.ID)
		case e.Date < last:
			err = fmt.Errorf("event %s of %s stands after one of %s", e.ID, e.Date, last)
		}
		if err != nil {
			return unreadable(fmt.Errorf("%s: %w", path, err))
		}
		last = e.Date
		if to == c.carried {
			c.newest = record.Date(e.Date)
		}
		if err := c.compareEvent(&e, path, to); err != nil {
			return unreadable(fmt.Errorf("event %s: %w", e.ID, err))
		}
	}
	return nil
}

// compareEvent compares an event of the previous release with the records, and notes which records
// are gone.
func (c *comparer) compareEvent(e *eventlog.Event, path string, to *lists.Lines) error {
	if n := c.corpus.checker.Number(e.ID); n >= 0 {
		c.events.Published(n)
		if c.corpus.digest(n).sum != sha256.Sum256(e.Line) && !bytes.Contains(e.Line, withheld) &&
			c.redactions.byID[e.ID] == nil {
			c.rules.EventEdited(n)
		}
	}
	if c.redactions.byID[e.ID] != nil {
		if err := c.redactSentence(e, path); err != nil {
			return err
		}
	}
	if e.ChangeType.OfKind() {
		to.Add(e.Line)
		return nil
	}
	redacted := len(c.redactions.byID[e.RecordID]) > 0 || bytes.Contains(e.Line, redacting)
	concerns := c.events.Concerns(e.RecordID)
	var event record.ChangeEvent
	if redacted || concerns || e.ChangeType == record.ChangeRemoved {
		if err := json.Unmarshal(e.Line, &event); err != nil {
			return err
		}
	}
	if redacted {
		c.readEvent(&event, e.Line, path, to)
	} else {
		to.Add(e.Line)
	}
	if concerns {
		c.events.Carried(&event)
	}
	folded := record.ID(e.RecordID).Fold()
	switch e.ChangeType {
	case record.ChangeCreated, record.ChangeRestored:
		delete(c.removed, folded)
	case record.ChangeRemoved:
		was := &check.Removed{ID: string(event.RecordID), Kind: string(event.RecordKind), Release: event.Release}
		if event.Before != nil {
			was.Version, was.SHA256 = event.Before.Version, string(event.Before.SHA256)
		}
		c.removed[folded] = was
	}
	return nil
}

// know returns what the previous release and this one know of a record.
func (c *comparer) know(recordID string) (known check.Known, err error) {
	if _, was := c.previous.find(recordID); was != nil {
		known.Was = *was
	}
	n := c.corpus.checker.Number(recordID)
	if n < 0 || !c.corpus.spool.Has(n) {
		return known, nil
	}
	line, err := c.corpus.spool.Reader().Record(n)
	if err != nil {
		return known, err
	}
	var is struct {
		Version int64       `json:"version"`
		Updated record.Date `json:"updated_date"`
	}
	if err := json.Unmarshal(line, &is); err != nil {
		return known, err
	}
	d := digest{is.Version, sha256.Sum256(line)}
	known.Is, known.Updated = *d.of(), is.Updated
	return known, nil
}
