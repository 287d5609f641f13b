package compiler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/input"
	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/eventlog"
	"stele/internal/disk/lists"
	"stele/record"
	"stele/release"
)

// redactions are the versions of records that releases leave out permanently.
type redactions struct {
	byID           map[string][]settings.Redaction
	redactedBefore map[string][]int64         // by record: versions that earlier releases redacted
	edits          map[string]bool            // by path: archives of events that must be rewritten
	changes        map[string][]versionChange // by record: the versions in its events, in order
	// Redacted sentences: the events that contain them, and the versions that these events explain.
	sentences map[string]bool
	reasons   map[string][]int64
	date      record.Date // of this release
}

// versionChange is the change to a record in a release: its version before and after, 0 for none.
type versionChange struct {
	release       string
	kind          string
	before, after int64
}

func newVersionChange(e *record.ChangeEvent) versionChange {
	l := versionChange{release: e.Release, kind: string(e.RecordKind)}
	if e.Before != nil {
		l.before = e.Before.Version
	}
	if e.After != nil {
		l.after = e.After.Version
	}
	return l
}

func newRedactions(list []settings.Redaction, date record.Date) *redactions {
	r := &redactions{
		byID: map[string][]settings.Redaction{}, redactedBefore: map[string][]int64{}, edits: map[string]bool{},
		changes: map[string][]versionChange{}, sentences: map[string]bool{}, reasons: map[string][]int64{}, date: date,
	}
	for _, x := range list {
		r.byID[string(x.ID)] = append(r.byID[string(x.ID)], x)
	}
	return r
}

// find returns the redaction of the given version of the record id, or nil.
func (r *redactions) find(id string, version int64) *settings.Redaction {
	list := r.byID[id]
	for i := range list {
		if list[i].Has(version) {
			return &list[i]
		}
	}
	return nil
}

// newlyRedacted returns the redacted versions up to upTo that no earlier release redacted, and the
// first redaction of any of them. why.Members are the members that all their redactions remove.
func (r *redactions) newlyRedacted(id string, upTo int64) (versions []int64, why *settings.Redaction) {
	for _, x := range r.byID[id] {
		first, last, ok := x.Span()
		before := len(versions)
		for v := first; ok && v <= min(last, upTo); v++ {
			if !slices.Contains(r.redactedBefore[id], v) && !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
		switch {
		case len(versions) == before:
		case why == nil:
			why = &x
		case len(x.Members) == 0 || len(why.Members) == 0: // the whole record
			why.Members = nil
		default:
			why.Members = slices.Concat(why.Members, x.Members)
		}
	}
	slices.Sort(versions)
	return versions, why
}

// hideDigests replaces the digests of redacted versions in an event of an earlier release with
// null, and reports whether there were any.
func (r *redactions) hideDigests(e *record.ChangeEvent, line []byte) ([]byte, bool) {
	changed := false
	for _, d := range []*record.RecordDigest{e.Before, e.After} {
		if d == nil || d.SHA256 == "" {
			continue
		}
		if x := r.find(string(e.RecordID), d.Version); x != nil {
			line = bytes.ReplaceAll(line, []byte(`"`+string(d.SHA256)+`"`), []byte("null"))
			changed = true
		}
	}
	return line, changed
}

// visibleDigest returns the digest for an event of this release, without the SHA-256 if the version
// is redacted.
func (r *redactions) visibleDigest(id string, d *record.RecordDigest) *record.RecordDigest {
	if x := r.find(id, d.Version); x != nil {
		return &record.RecordDigest{Version: d.Version}
	}
	return d
}

// makeTombstone removes the content of v if v is redacted, and reports whether it did.
func (r *redactions) makeTombstone(v *release.Version) bool {
	x := r.find(v.ID, v.Number)
	reason := v.Redacted != "" && v.Reason != settings.RedactedText && slices.Contains(r.reasons[v.ID], v.Number)
	if reason {
		v.Reason = settings.RedactedText
	}
	if x == nil || v.Redacted != "" && v.SHA256 == (release.Digest{}) {
		return reason
	}
	if v.Redacted == "" {
		v.Record, v.Redacted, v.Reason = nil, string(r.date), x.Reason
	}
	v.SHA256 = release.Digest{} // earlier versions of the program could keep it
	return true
}

// redactUnchanged adds the events for redactions that affect only earlier versions of a record, or
// a record that an earlier release removed.
func (c *comparer) redactUnchanged() {
	for _, id := range slices.Sorted(maps.Keys(c.redactions.byID)) {
		k, is := c.findRedactable(id)
		if c.redactions.sentences[id] || id == input.SettingsFile {
			continue
		}
		if k == nil {
			c.found.ReportRedaction(id, "unknown record "+id+": no release contains it", "correct the ID in redactions.yaml")
			continue
		}
		if c.checkSpan(id, is.Version); c.announced[id] {
			continue
		}
		versions, why := c.redactions.newlyRedacted(id, is.Version)
		if why == nil {
			continue
		}
		d := c.redactions.visibleDigest(id, is)
		if c.corpus.checker.Number(id) < 0 {
			d = nil
		}
		c.addRedactionEvent(k, record.ChangeEvent{
			RecordID: record.ID(id), ChangeType: record.ChangeRedacted, Before: d, After: d, ChangedFields: why.Members,
			RedactedVersions: versions,
		}, why.Reason)
	}
}

// redactSentence replaces the summary of an earlier event, which gives the reason for a removal or
// redaction. Tombstones with the same reason change too.
func (c *comparer) redactSentence(e *eventlog.Event, path string) error {
	c.redactions.sentences[e.ID] = true
	var event record.ChangeEvent
	if err := json.Unmarshal(e.Line, &event); err != nil {
		return err
	}
	names := func(r settings.Redaction) bool { return slices.Contains(r.Members, "/summary") }
	if !slices.ContainsFunc(c.redactions.byID[e.ID], names) || event.Summary == "" {
		return nil
	}
	c.redactions.reasons[e.RecordID] = append(c.redactions.reasons[e.RecordID], event.RedactedVersions...)
	if event.Summary == settings.RedactedText {
		return nil
	}
	event.Summary = settings.RedactedText
	e.Line = record.KindNamed(changeEvent).AppendJSON(nil, &event)
	c.redactions.edits[path], c.redacted = true, true
	return nil
}

// redactSettings replaces redacted texts in the settings of an earlier release that the current
// settings no longer contain, and reports whether it did.
func (c *comparer) redactSettings(p *layout.Past) (changed bool, err error) {
	now, kept := &c.corpus.settings, settings.Kept{}
	if p.Settings != nil {
		if err := json.Unmarshal(p.Settings, &kept); err != nil {
			return false, err
		}
		kept.LogoData, kept.StyleData = string(kept.LogoBytes), string(kept.StyleBytes)
	}
	said, inKept := map[string]bool{"": true, settings.RedactedText: true}, false
	for i := range now.Calendar {
		now.Calendar[i].EachText(func(text *string) { said[*text] = true })
	}
	redact := func(text *string, is string) bool {
		if *text == is || *text == "" || *text == settings.RedactedText {
			return false
		}
		*text, changed = settings.RedactedText, true
		return true
	}
	for _, r := range c.redactions.byID[input.SettingsFile] {
		for _, m := range r.Members {
			switch m {
			case "/contact":
				redact(&p.Contact, now.Contact)
			case "/notice":
				redact(&p.Notice, now.Notice)
			case "/description":
				inKept = redact(&kept.Description, now.Description) || inKept
			case "/about":
				inKept = redact(&kept.About, now.About) || inKept
			case "/calendar":
				for i := range kept.Calendar {
					kept.Calendar[i].EachText(func(text *string) {
						inKept = !said[*text] && redact(text, "") || inKept
					})
				}
			default:
				c.found.ReportRedaction("", m+" of "+input.SettingsFile+" cannot be redacted",
					"name /contact, /notice, /description, /about or /calendar")
			}
		}
	}
	if inKept {
		p.Settings, err = kept.Settings.StoredJSON()
	}
	return changed, err
}

// addRedactionEvent adds the event for a redaction. Files of the previous release that may contain
// the redacted data are not reused any more.
func (c *comparer) addRedactionEvent(k *record.Kind, e record.ChangeEvent, reason string) {
	c.drafts.Add(k, e, reason)
	c.announced[string(e.RecordID)], c.redacted = true, true
}

// findRedactable returns the kind and digest that the previous release has for the record id, or
// had before the record was removed.
func (c *comparer) findRedactable(id string) (*record.Kind, *record.RecordDigest) {
	if k, was := c.previous.find(id); was != nil {
		return k, was
	}
	if was := c.removed[record.ID(id).Fold()]; was != nil && was.ID == id {
		return record.KindNamed(was.Kind), &record.RecordDigest{Version: was.Version, SHA256: record.SHA256(was.SHA256)}
	}
	return nil, nil
}

// checkReturned reports a record that was redacted completely and exists again. Lists of earlier
// versions of the program do not say that it was redacted completely; only the release shows it.
func (c *comparer) checkReturned(id string, was *check.Removed) {
	if x := c.redactions.find(id, was.Version); x != nil && len(x.Members) == 0 && !x.Whole && x.TakenBack == "" {
		c.found.ReportRedaction(id, fmt.Sprintf("%s was redacted on %s, but exists again", id, x.Date),
			"remove the record or, if it may be published now, add taken_back: DAY to the redaction")
	}
}

// readPast reads the listing of releases, and removes redacted content: texts of earlier settings,
// and digests that would confirm a guess of a redacted version.
func (c *comparer) readPast() error {
	places := map[string]int{}
	for p, err := range c.previous.Releases() {
		if err != nil {
			return previousError(err)
		}
		places[p.Release] = len(c.past)
		changed, err := c.redactSettings(&p)
		if err != nil {
			return err
		}
		c.past, c.redacted = append(c.past, p), c.redacted || changed
	}
	for _, id := range slices.Sorted(maps.Keys(c.redactions.byID)) {
		lives := c.redactions.changes[id]
		if k, is := c.findRedactable(id); len(lives) == 0 && k != nil {
			lives = []versionChange{{kind: k.Name, before: is.Version, after: is.Version}}
		}
		from, version := 0, int64(-1)
		for i := range lives {
			l := &lives[i]
			if version < 0 {
				version = l.before
			}
			if place, known := places[l.release]; known {
				c.withholdKind(id, l.kind, version, from, place)
				from = place
			}
			if version = l.after; i == len(lives)-1 {
				c.withholdKind(id, l.kind, version, from, len(c.past))
			}
		}
	}
	return nil
}

// withholdKind removes the digests of a kind, and of kinds derived from it, such as the graph, from
// the releases with indexes in [from, to). It does so only if that version of the record is
// redacted.
func (c *comparer) withholdKind(id, kind string, version int64, from, to int) {
	if c.redactions.find(id, version) == nil {
		return
	}
	for i := max(from, 0); i < to; i++ {
		p := &c.past[i]
		p.Content = layout.Digest{}
		for j := range p.Kinds {
			if k := &p.Kinds[j]; k.Derived > 0 || k.Kind == kind {
				k.Collection, k.Listing = layout.Digest{}, layout.Digest{}
			}
		}
	}
}

// checkRepeated searches everything that would be published for words that this release redacts and
// the previous one still contains. Its messages do not repeat the words, because logs may be
// public.
func (c *comparer) checkRepeated() error {
	if len(c.announced) == 0 {
		return nil
	}
	var ordinary settings.Redaction
	for id := range c.announced {
		for _, r := range c.redactions.byID[id] {
			ordinary.Ordinary = append(ordinary.Ordinary, r.Ordinary...)
		}
	}
	words := scrutiny.NewWords(&ordinary)
	if err := c.addRedactedWords(words); err != nil || words.IsEmpty() {
		return err
	}
	if err := c.checkRecords(words); err != nil {
		return err
	}
	words.CompareSettings(input.SettingsFile, &c.corpus.settings)
	words.CompareAreas(c.corpus.checker.AreaSchemes())
	for _, r := range c.corpus.redactions {
		words.CompareText("the reason for the redaction of "+string(r.ID), r.Reason)
	}
	for _, reason := range c.opt.AllowRemoved {
		words.CompareText("--allow-removed", reason)
	}
	for _, lines := range []*lists.Lines{c.archived, c.previousEvents} {
		for line, err := range lines.All {
			if err != nil {
				return err
			}
			words.CompareText("event "+textMember(line, "id")+" /summary", textMember(line, "summary"))
		}
	}
	for _, f := range words.Found() {
		if f.Refused {
			c.found.ReportRedaction("", fmt.Sprintf("the redacted word %s is also in %s", f.Masked(), strings.Join(f.Where, ", ")),
				"remove it there too or, if it reveals nothing, add it to the redaction as ordinary: [WORD]")
		}
	}
	return nil
}

// addRedactedWords adds the words of the redacted versions: those that this release replaces, and
// those in the previous release's histories. Words in a record's latest version may stay there.
func (c *comparer) addRedactedWords(words *scrutiny.Words) error {
	var line []byte
	var err error
	for _, v := range c.superseded.list {
		if !c.announced[v.id] {
			continue
		}
		if line, err = c.superseded.lines.Read(v.line, line); err != nil {
			return err
		}
		c.addVersionWords(words, v.id, v.version, line)
	}
	kinds := map[string]bool{}
	for id := range c.announced {
		if k, _ := c.findRedactable(id); k != nil {
			kinds[k.Name] = true
		}
	}
	for i := range c.previous.Manifest.Kinds {
		k := &c.previous.Manifest.Kinds[i]
		if !kinds[k.Kind] {
			continue
		}
		for _, path := range k.Packs(c.previous.Manifest) {
			for v, err := range c.previous.HistoryFile(path) {
				if err != nil {
					return previousError(err)
				}
				if c.announced[v.ID] && v.Record != nil {
					c.addVersionWords(words, v.ID, v.Number, v.Record)
				}
			}
		}
	}
	return nil
}

// addVersionWords adds the words that redactions remove from a version of a record.
func (c *comparer) addVersionWords(words *scrutiny.Words, id string, version int64, line []byte) {
	var members []string
	whole := false
	for _, r := range c.redactions.byID[id] {
		if r.Has(version) {
			members, whole = append(members, r.Members...), whole || len(r.Members) == 0
		}
	}
	t := new(schema.Tree)
	if (whole || len(members) > 0) && t.ScanJSON("", string(line), 1) {
		if whole {
			members = nil
		}
		words.AddRedactedTree(t, members)
	}
}

func redactsMembers(r settings.Redaction) bool { return len(r.Members) > 0 }

// checkRecords searches all records. A record whose earlier versions are redacted completely may
// contain their words, except in its notes.
func (c *comparer) checkRecords(words *scrutiny.Words) error {
	in := c.corpus.spool.Reader()
	for n := range c.corpus.sortedNumbers() {
		if !c.corpus.spool.Has(n) {
			continue
		}
		line, err := in.Record(n)
		if err != nil {
			return err
		}
		t := new(schema.Tree)
		if !t.ScanJSON("", string(line), 1) {
			continue
		}
		id := c.corpus.checker.ID(n)
		words.CompareTree(id, t)
		words.AddKnownEntity(record.Kinds[c.corpus.checker.Kind(n)], t)
		if c.announced[id] && !slices.ContainsFunc(c.redactions.byID[id], redactsMembers) {
			scrutiny.EachText(t, func(pointer, text string) {
				if top := schema.TopMember(pointer); top != "corrections" && top != "source_updates" {
					words.AddKnown(text)
				}
			})
		}
	}
	return nil
}

// checkSpan reports redactions of versions that never existed.
func (c *comparer) checkSpan(id string, latest int64) {
	if n := c.corpus.checker.Number(id); n >= 0 && c.corpus.spool.Has(n) {
		latest = max(latest, c.corpus.digestOf(n).version)
	}
	for _, x := range c.redactions.byID[id] {
		if _, last, ok := x.Span(); ok && last > latest {
			c.found.ReportRedaction(id, fmt.Sprintf("version %d of %s is redacted, but the latest is %d", last, id, latest),
				"correct versions in redactions.yaml")
		}
	}
}

// checkStillListed reports versions that an earlier release redacted and that are missing in
// redactions.yaml. They stay redacted only as long as they are listed there.
func (c *comparer) checkStillListed(e *record.ChangeEvent) {
	for _, v := range e.RedactedVersions {
		if c.redactions.find(string(e.RecordID), v) == nil {
			c.found.ReportRedaction(string(e.RecordID),
				fmt.Sprintf("redactions.yaml: missing redaction of version %[2]d of %[3]s, from release %[1]s", e.Release, v, e.RecordID),
				fmt.Sprintf("add it again: {id: %s, versions: \"%d\", date: %s, reason: %q}", e.RecordID, v, e.PublishedDate, e.Summary))
		}
	}
}

// readEvent reads an event of the previous release about a redacted record: it collects the
// redactions in the event, and hides the digests of redacted versions.
func (c *comparer) readEvent(e *record.ChangeEvent, line []byte, path string, to *lists.Lines) {
	c.checkStillListed(e)
	id := string(e.RecordID)
	c.redactions.changes[id] = append(c.redactions.changes[id], newVersionChange(e))
	c.redactions.redactedBefore[id] = append(c.redactions.redactedBefore[id], e.RedactedVersions...)
	line, changed := c.redactions.hideDigests(e, line)
	if changed {
		c.redactions.edits[path], c.redacted = true, true
	}
	to.Add(line)
}
