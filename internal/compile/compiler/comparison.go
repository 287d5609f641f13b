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

// comparison is the result of comparing the records with the previous release.
type comparison struct {
	found          *check.Checker   // with the findings about records and changes
	drafts         *eventlog.Drafts // one for each record that changed
	unchanged      []bool           // by number: whether the record is unchanged; nil without a previous release
	archived       *lists.Lines     // the events in archives of the previous release, verbatim
	previousEvents *lists.Lines     // the events in its collection, verbatim, sorted by date
	newest         record.Date      // latest date of these
	events         *check.Events    // checks the publisher's events
	shrunk         []Shrinkage
	edits          []difference // by kind: the differences between both collections
	// The versions that this release replaces.
	superseded *superseded
	redactions *redactions
	redacted   bool          // whether data that the previous release contains is left out
	past       []layout.Past // the earlier releases, from the listing of releases
}

// difference describes the changes to a collection: the indexes of removed and inserted lines, and
// the IDs of removed records.
type difference struct {
	leftOut, placed []int64
	removed         []string
}

func (c *comparison) close() {
	c.drafts.Close() // this also deletes their files
	c.archived.Close()
	c.previousEvents.Close()
	c.superseded.lines.Close()
}

// comparer compares the records with the previous release.
type comparer struct {
	comparison
	ctx       context.Context
	corpus    *corpus
	previous  *previous
	rules     *check.History
	removed   map[string]*check.Removed // by folded ID: the records that were removed
	opt       *Options
	announced map[string]bool // the records whose redaction has an event in this release
}

// compare compares the records with those of the previous release: it checks versions against
// changes, and creates the new events.
func compare(ctx context.Context, records *corpus, before *previous, w files.Writer, opt *Options) (_ *comparison,
	err error,
) {
	c := &comparer{ctx: ctx, corpus: records, previous: before, opt: opt}
	c.found = records.checker.Clone()
	c.redactions = newRedactions(records.redactions, opt.Date)
	c.superseded = &superseded{removed: map[string]int32{}}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	c.drafts, err = eventlog.NewDrafts(w.Scratch, opt.Date)
	for _, lines := range []**lists.Lines{&c.archived, &c.previousEvents, &c.superseded.lines} {
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
			c.found.CheckPublishedPlans(records.settings.Calendar, map[record.Date]bool{opt.Date: true})
		}
	}
	if know := c.publishedStates; err == nil {
		if c.found.Failed() {
			know = nil
		}
		err = c.events.Check(know)
	}
	return &c.comparison, err
}

func (c *comparer) run() error {
	before := c.previous.Manifest
	c.rules = c.found.CompareWith(before.Release, record.Date(before.Date), c.opt.AllowRemoved)
	c.unchanged = make([]bool, c.corpus.spool.Len())
	c.removed, c.announced = map[string]*check.Removed{}, map[string]bool{}
	c.edits = make([]difference, len(c.corpus.kinds))
	if err := c.readPreviousEvents(); err != nil {
		return err
	}
	c.compareTerms()
	if err := c.compareAreas(); err != nil {
		return err
	}
	if was, is := trimSlash(before.BaseURL), trimSlash(string(c.corpus.settings.BaseURL)); was != is {
		c.rules.ReportAddress(was, is)
	}
	if err := c.comparePlans(); err != nil {
		return err
	}
	added := make([][]int32, len(c.corpus.kinds)) // by kind: the new records
	for i := range c.corpus.kinds {
		if c.corpus.kinds[i].Name == changeEvent {
			continue
		}
		var err error
		if added[i], err = c.compareKind(&c.corpus.kinds[i], &c.previous.kinds[i], &c.edits[i]); err != nil {
			return err
		}
	}
	for i, numbers := range added { // now all removed records are known
		for _, n := range numbers {
			c.addCreated(c.corpus.kinds[i].Kind, n)
		}
	}
	c.redactUnchanged()
	c.rules.CheckAllowed()
	return errors.Join(c.drafts.Finish(), c.superseded.lines.Flush(), c.checkRepeated(), c.readPast())
}

// comparePlans compares the calendar with the one in the previous release's settings.
func (c *comparer) comparePlans() error {
	var was settings.Kept
	days := map[record.Date]bool{c.opt.Date: true}
	for past, err := range c.previous.Releases() {
		if err != nil {
			return previousError(err)
		}
		days[record.Date(past.Date)] = true
		if past.Settings != nil {
			was = settings.Kept{}
			if err := json.Unmarshal(past.Settings, &was); err != nil {
				return err
			}
		}
	}
	c.rules.CheckPlans(was.Calendar, c.corpus.settings.Calendar)
	c.found.CheckPublishedPlans(c.corpus.settings.Calendar, days)
	return nil
}

// compareTerms compares the licence and the notice, which apply to all records without their own.
// An event about a kind has the name of the kind's folder instead of a record ID.
func (c *comparer) compareTerms() {
	var fields, sentences []string
	for _, t := range []struct{ name, was, is string }{
		{"license", c.previous.Manifest.License, c.corpus.settings.License},
		{"notice", c.previous.Manifest.Notice, c.corpus.settings.Notice},
	} {
		if t.is != "" && t.was != t.is { // if it is missing, the settings have an error
			fields = append(fields, "/"+t.name)
			sentences = append(sentences, fmt.Sprintf("The %s was %q, now %q.", t.name, t.was, t.is))
		}
	}
	if len(fields) == 0 {
		return
	}
	if !c.opt.AllowLicense {
		c.rules.ReportTerms(strings.Join(sentences, " "))
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

// changed is a record that was changed or removed.
type changed struct {
	place  int32 // index in the listing
	number int32 // of the current record, or -1 if it was removed
}

// compareKind compares the records of a kind with previous, the kind's previous listing. It adds
// the differences to diff, and returns the records that previous does not contain.
func (c *comparer) compareKind(kind *kindRecords, previous *listing, diff *difference) (added []int32, err error) {
	var all []changed
	next := 0 // next index in the listing
	goneBefore := func(id string) {
		for ; next < previous.len() && (id == "" || previous.idAt(next) < id); next++ {
			id := previous.idAt(next)
			if c.addRemoved(kind.Kind, id, previous.digestAt(next)) {
				all = append(all, changed{int32(next), -1})
			}
			diff.leftOut, diff.removed = append(diff.leftOut, int64(next)), append(diff.removed, id)
		}
	}
	for i, n := range kind.numbers {
		id := c.corpus.checker.ID(n)
		if !c.corpus.spool.Has(n) { // its invalid ID is reported already
			continue
		}
		goneBefore(id)
		switch now := c.corpus.digestOf(n); {
		case next == previous.len() || previous.idAt(next) != id:
			added = append(added, n)
			diff.placed = append(diff.placed, int64(i))
			continue
		case previous.digestAt(next).sum == now.sum:
			c.unchanged[n] = true
		default:
			all = append(all, changed{int32(next), n})
			diff.leftOut, diff.placed = append(diff.leftOut, int64(next)), append(diff.placed, int64(i))
		}
		next++
	}
	goneBefore("")
	if before, after := previous.len(), len(kind.numbers); !c.opt.AllowShrink && after*10 < before*9 &&
		!c.corpus.checker.MayHide(kind.Name) {
		c.shrunk = append(c.shrunk, Shrinkage{kind.Many, before, after})
	}
	if len(all) > 0 {
		err = c.compareChanged(kind.Kind, previous, all)
	}
	return added, err
}

// addCreated adds the event for a record that is not in the previous release: a new record, or a
// removed record that was restored.
func (c *comparer) addCreated(k *record.Kind, n int32) {
	id, is := c.corpus.checker.ID(n), c.corpus.digestOf(n).recordDigest()
	event := record.ChangeEvent{RecordID: record.ID(id), ChangeType: record.ChangeCreated, After: is}
	if was := c.removed[record.ID(id).Fold()]; was == nil {
		c.rules.CheckCreated(n)
		c.events.MarkExplained(n, 0, is.Version)
		c.drafts.Add(k, event, "")
	} else if c.checkReturned(id, was); c.rules.CheckRestored(n, is.Version, string(is.SHA256), was) {
		c.events.MarkExplained(n, 0, is.Version)
		event.ChangeType = record.ChangeRestored
		c.drafts.Add(k, event, "")
	}
}

// addRemoved adds the event for a removed record, and reports whether removing it is allowed.
func (c *comparer) addRemoved(k *record.Kind, id string, was *digest) bool {
	d := was.recordDigest()
	versions, why := c.redactions.newlyRedacted(id, d.Version)
	whole := c.redactions.find(id, d.Version) != nil && c.corpus.checker.Number(id) < 0
	if whole && why != nil {
		c.addRedactionEvent(k, record.ChangeEvent{
			RecordID: record.ID(id), ChangeType: record.ChangeRemoved, Before: c.redactions.visibleDigest(id, d),
			ChangedFields: why.Members, RedactedVersions: versions,
		}, why.Reason)
	} else {
		reason, ok := c.rules.CheckRemoved(k, id)
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

// compareChanged compares changed records with their previous versions on all cores, adds their
// events, and stores the previous versions. For removed records, it only stores the previous
// versions.
func (c *comparer) compareChanged(k *record.Kind, previous *listing, all []changed) error {
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
	for r := range parallel.Ordered(c.oldRecords(k, previous, all), workers) {
		if r.err != nil {
			return r.err
		}
		n, before := all[i].number, previous.digestAt(int(all[i].place))
		i++
		id := previous.idAt(int(all[i-1].place))
		if c.superseded.add(c.corpus, kind, id, n, before, r.was); n < 0 {
			continue
		}
		versions, why := c.redactions.newlyRedacted(id, r.Was.Version)
		r.Redacted = why
		c.rules.CheckChanged(n, &r.Change)
		c.events.MarkExplained(n, r.Was.Version, r.Is.Version)
		event := record.ChangeEvent{
			RecordID: record.ID(id), Before: before.recordDigest(), After: c.corpus.digestOf(n).recordDigest(),
			ChangedFields: r.Fields(),
		}
		if why == nil {
			event.ChangeType = r.Type()
			c.drafts.Add(k, event, "")
			continue
		}
		event.ChangeType, event.RedactedVersions = record.ChangeRedacted, versions
		event.Before = c.redactions.visibleDigest(id, event.Before)
		c.addRedactionEvent(k, event, why.Reason)
	}
	return nil
}

// oldRecord is the previous version of a record, with the number of the current record.
type oldRecord struct {
	number int32
	json   []byte
	err    error
}

// oldRecords yields the previous versions of all records in all, in batches. If an error occurs, it
// is the last value.
func (c *comparer) oldRecords(k *record.Kind, previous *listing, all []changed) iter.Seq[[]oldRecord] {
	const most = 16 // few enough to keep all cores busy until the end
	return func(yield func([]oldRecord) bool) {
		batch := make([]oldRecord, 0, most)
		fail := func(err error) { yield(append(batch, oldRecord{err: previousError(err)})) }
		place := int32(-1)
		left := all
		for line, err := range c.previous.Records(k.Name) {
			if place++; err == nil {
				err = context.Cause(c.ctx)
			}
			if err == nil && len(left) > 0 && place == left[0].place {
				if sha256.Sum256(line) != previous.digestAt(int(place)).sum {
					err = fmt.Errorf("record %s does not match its listing", previous.idAt(int(place)))
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
			fail(fmt.Errorf("record %s is missing from its collection", previous.idAt(int(left[0].place))))
			return
		}
		yield(batch)
	}
}

// compareRecord compares the previous and the current version of a record.
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
		err = previousError(err)
	}
	return change, err
}

// readPreviousEvents reads all events of the previous release, including archives. It checks that
// none was edited, and finds the records that were removed.
func (c *comparer) readPreviousEvents() error {
	for _, a := range c.previous.Manifest.Archives() {
		if err := c.readEvents(a.Path, c.previous.Archived(&a), c.archived); err != nil {
			return err
		}
	}
	if k := c.previous.Manifest.Kind(changeEvent); k != nil {
		if err := c.readEvents(k.Collection, c.previous.Records(changeEvent), c.previousEvents); err != nil {
			return err
		}
	}
	return errors.Join(c.archived.Flush(), c.previousEvents.Flush())
}

// readEvents reads the events of a file, which must be sorted by date, and adds them to to.
func (c *comparer) readEvents(path string, lines iter.Seq2[[]byte, error], to *lists.Lines) error {
	last := ""
	for line, err := range lines {
		if err != nil {
			return previousError(err)
		}
		e, err := eventlog.Parse(line)
		switch {
		case err != nil:
		case context.Cause(c.ctx) != nil:
			return context.Cause(c.ctx)
		case !json.Valid(line):
			err = fmt.Errorf("event %s is not valid JSON", e.ID)
		case e.Date < last:
			err = fmt.Errorf("out of order: event %s of %s comes after an event of %s", e.ID, e.Date, last)
		}
		if err != nil {
			return previousError(fmt.Errorf("%s: %w", path, err))
		}
		last = e.Date
		if to == c.previousEvents {
			c.newest = record.Date(e.Date)
		}
		if err := c.compareEvent(&e, path, to); err != nil {
			return previousError(fmt.Errorf("event %s: %w", e.ID, err))
		}
	}
	return nil
}

// compareEvent compares an event of the previous release with the records, and updates the list of
// removed records.
func (c *comparer) compareEvent(e *eventlog.Event, path string, to *lists.Lines) error {
	if n := c.corpus.checker.Number(e.ID); n >= 0 {
		c.events.MarkPublished(n)
		if c.corpus.digestOf(n).sum != sha256.Sum256(e.Line) && !bytes.Contains(e.Line, withheld) &&
			c.redactions.byID[e.ID] == nil {
			c.rules.ReportEditedEvent(n)
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
	concerns := c.events.NeedsHistory(e.RecordID)
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
		c.events.AddEarlier(&event)
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

// publishedStates returns the states of the record recordID in the previous release and in this
// one.
func (c *comparer) publishedStates(recordID string) (known check.Known, err error) {
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
	known.Is, known.Updated = *d.recordDigest(), is.Updated
	return known, nil
}
