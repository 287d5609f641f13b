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

// redactions are the versions of records that releases leave out for good. What the release before
// left out already is as it has to be; fresh are those that it still has.
type redactions struct {
	byID  map[string][]settings.Redaction
	told  map[string][]int64 // by record: versions that earlier releases redacted
	edits map[string]bool    // by path: archives of events that have to be written anew
	lives map[string][]life  // by record: what its events say, in their order
	// redacted sentences: the events, and the versions for whose redaction they gave a reason
	sentences map[string]bool
	reasons   map[string][]int64
	date      record.Date // of this release
}

// life is what a release did to a record: its versions before and after that, 0 for none.
type life struct {
	release       string
	kind          string
	before, after int64
}

func newLife(e *record.ChangeEvent) life {
	l := life{release: e.Release, kind: string(e.RecordKind)}
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
		byID: map[string][]settings.Redaction{}, told: map[string][]int64{}, edits: map[string]bool{},
		lives: map[string][]life{}, sentences: map[string]bool{}, reasons: map[string][]int64{}, date: date,
	}
	for _, x := range list {
		r.byID[string(x.ID)] = append(r.byID[string(x.ID)], x)
	}
	return r
}

// of returns the redaction of a version of a record; nil if there is none.
func (r *redactions) of(id string, version int64) *settings.Redaction {
	list := r.byID[id]
	for i := range list {
		if list[i].Has(version) {
			return &list[i]
		}
	}
	return nil
}

// fresh returns the versions up to one that are redacted and that no earlier release redacted, and
// the redaction that the first of them is in, with the members of all.
func (r *redactions) fresh(id string, upTo int64) (versions []int64, why *settings.Redaction) {
	for _, x := range r.byID[id] {
		first, last, ok := x.Span()
		before := len(versions)
		for v := first; ok && v <= min(last, upTo); v++ {
			if !slices.Contains(r.told[id], v) && !slices.Contains(versions, v) {
				versions = append(versions, v)
			}
		}
		switch {
		case len(versions) == before:
		case why == nil:
			why = &x
		case len(x.Members) == 0 || len(why.Members) == 0: // whatever stood there
			why.Members = nil
		default:
			why.Members = slices.Concat(why.Members, x.Members)
		}
	}
	slices.Sort(versions)
	return versions, why
}

// withhold takes the digests of redacted versions out of an event of an earlier release, and
// reports whether it had any.
func (r *redactions) withhold(e *record.ChangeEvent, line []byte) ([]byte, bool) {
	changed := false
	for _, d := range []*record.RecordDigest{e.Before, e.After} {
		if d == nil || d.SHA256 == "" {
			continue
		}
		if x := r.of(string(e.RecordID), d.Version); x != nil {
			line = bytes.ReplaceAll(line, []byte(`"`+string(d.SHA256)+`"`), []byte("null"))
			changed = true
		}
	}
	return line, changed
}

// digest is what an event of this release says of a version.
func (r *redactions) digest(id string, d *record.RecordDigest) *record.RecordDigest {
	if x := r.of(id, d.Version); x != nil {
		return &record.RecordDigest{Version: d.Version}
	}
	return d
}

// tombstone leaves the content out of a version that is redacted, and reports whether it did.
func (r *redactions) tombstone(v *release.Version) bool {
	x := r.of(v.ID, v.Number)
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
	v.SHA256 = release.Digest{} // which earlier versions of the program could keep
	return true
}

// redactRest makes the events for redactions of records that did not change in this release: those
// of which only earlier versions are left out, and those that were removed before.
func (c *comparer) redactRest() {
	for _, id := range slices.Sorted(maps.Keys(c.redactions.byID)) {
		k, is := c.redactable(id)
		if c.redactions.sentences[id] || id == input.SettingsFile {
			continue
		}
		if k == nil {
			c.found.Redaction(id, "no release has a record "+id, "correct the ID in redactions.yaml")
			continue
		}
		if c.checkSpan(id, is.Version); c.told[id] {
			continue
		}
		versions, why := c.redactions.fresh(id, is.Version)
		if why == nil {
			continue
		}
		d := c.redactions.digest(id, is)
		if c.corpus.checker.Number(id) < 0 {
			d = nil
		}
		c.redact(k, record.ChangeEvent{
			RecordID: record.ID(id), ChangeType: record.ChangeRedacted, Before: d, After: d, ChangedFields: why.Members,
			RedactedVersions: versions,
		}, why.Reason)
	}
}

// redactSentence puts other words in the place of the summary of an event of an earlier release:
// why a record was removed or redacted. The tombstones of the versions have the same reason.
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

// redactSettings puts other words in the place of what an earlier release said of the service and
// this one does not say any more, and reports whether there was anything.
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
		now.Calendar[i].Sentences(func(text *string) { said[*text] = true })
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
					kept.Calendar[i].Sentences(func(text *string) {
						inKept = !said[*text] && redact(text, "") || inKept
					})
				}
			default:
				c.found.Redaction("", m+" of "+input.SettingsFile+" cannot be redacted",
					"name /contact, /notice, /description, /about or /calendar")
			}
		}
	}
	if inKept {
		p.Settings, err = kept.Settings.Keep()
	}
	return changed, err
}

// redact makes the event for a redaction. From now on nothing of the previous release is taken over
// that may hold what is redacted.
func (c *comparer) redact(k *record.Kind, e record.ChangeEvent, reason string) {
	c.drafts.Add(k, e, reason)
	c.told[string(e.RecordID)], c.redacted = true, true
}

// redactable finds what the release before has of a record, or had before it was removed.
func (c *comparer) redactable(id string) (*record.Kind, *record.RecordDigest) {
	if k, was := c.previous.find(id); was != nil {
		return k, was
	}
	if was := c.removed[record.ID(id).Fold()]; was != nil && was.ID == id {
		return record.KindNamed(was.Kind), &record.RecordDigest{Version: was.Version, SHA256: record.SHA256(was.SHA256)}
	}
	return nil, nil
}

// checkBack makes sure that a record which was redacted whole does not come back in silence. Lists
// of earlier versions of the program do not say that it was redacted whole: only the release does.
func (c *comparer) checkBack(id string, was *check.Removed) {
	if x := c.redactions.of(id, was.Version); x != nil && len(x.Members) == 0 && !x.Whole && x.TakenBack == "" {
		c.found.Redaction(id, fmt.Sprintf("%s was redacted on %s, and is there again", id, x.Date),
			"take the record out; if it may be published now, write taken_back: DAY beside the redaction")
	}
}

// readPast reads the listing of releases, and takes out of it what is redacted: sentences of
// earlier settings, and the digests that would confirm a guess of a redacted version.
func (c *comparer) readPast() error {
	places := map[string]int{}
	for p, err := range c.previous.Releases() {
		if err != nil {
			return unreadable(err)
		}
		places[p.Release] = len(c.past)
		changed, err := c.redactSettings(&p)
		if err != nil {
			return err
		}
		c.past, c.redacted = append(c.past, p), c.redacted || changed
	}
	for _, id := range slices.Sorted(maps.Keys(c.redactions.byID)) {
		lives := c.redactions.lives[id]
		if k, is := c.redactable(id); len(lives) == 0 && k != nil {
			lives = []life{{kind: k.Name, before: is.Version, after: is.Version}}
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

// withholdKind withholds the digests of a kind in releases from one up to another, if they had a
// version that is redacted, and of what is derived from records, such as the graph, which has their
// titles too.
func (c *comparer) withholdKind(id, kind string, version int64, from, to int) {
	if c.redactions.of(id, version) == nil {
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

// checkRepeated compares the words of what this release redacts and the previous one still has with
// everything that would be published. Its messages do not repeat the words: logs may be public.
func (c *comparer) checkRepeated() error {
	if len(c.told) == 0 {
		return nil
	}
	var ordinary settings.Redaction
	for id := range c.told {
		for _, r := range c.redactions.byID[id] {
			ordinary.Ordinary = append(ordinary.Ordinary, r.Ordinary...)
		}
	}
	words := scrutiny.NewWords(&ordinary)
	if err := c.takeRedacted(words); err != nil || words.IsEmpty() {
		return err
	}
	if err := c.lookAtRecords(words); err != nil {
		return err
	}
	words.Settings(input.SettingsFile, &c.corpus.settings)
	for _, r := range c.corpus.redactions {
		words.Look("the reason for the redaction of "+string(r.ID), r.Reason)
	}
	for _, reason := range c.opt.AllowRemoved {
		words.Look("--allow-removed", reason)
	}
	for _, lines := range []*lists.Lines{c.archived, c.carried} {
		for line, err := range lines.All {
			if err != nil {
				return err
			}
			words.Look("event "+textMember(line, "id")+" /summary", textMember(line, "summary"))
		}
	}
	for _, f := range words.Found() {
		if f.Refused {
			c.found.Redaction("", fmt.Sprintf("a word of what is redacted, %s, is also in %s", f.Masked(), strings.Join(f.Where, ", ")),
				"take it out there too; if the word reveals nothing, add it to the redaction: ordinary: [WORD]")
		}
	}
	return nil
}

// takeRedacted reads the redacted versions: those that this release replaces, and those in the
// histories of the previous release. What a record has in its newest version, it may have.
func (c *comparer) takeRedacted(words *scrutiny.Words) error {
	var line []byte
	var err error
	for _, v := range c.superseded.list {
		if !c.told[v.id] {
			continue
		}
		if line, err = c.superseded.lines.Read(v.line, line); err != nil {
			return err
		}
		c.takeVersion(words, v.id, v.version, line)
	}
	kinds := map[string]bool{}
	for id := range c.told {
		if k, _ := c.redactable(id); k != nil {
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
					return unreadable(err)
				}
				if c.told[v.ID] && v.Record != nil {
					c.takeVersion(words, v.ID, v.Number, v.Record)
				}
			}
		}
	}
	return nil
}

// takeVersion takes in what redactions take out of a version of a record.
func (c *comparer) takeVersion(words *scrutiny.Words, id string, version int64, line []byte) {
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
		words.RedactTree(t, members)
	}
}

func hasMembers(r settings.Redaction) bool { return len(r.Members) > 0 }

// lookAtRecords compares all records. Other words than those of its notes, a record whose earlier
// versions are redacted has on purpose.
func (c *comparer) lookAtRecords(words *scrutiny.Words) error {
	in := c.corpus.spool.Reader()
	for n := range c.corpus.inOrder() {
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
		words.Tree(id, t)
		words.Entity(record.Kinds[c.corpus.checker.Kind(n)], t)
		if c.told[id] && !slices.ContainsFunc(c.redactions.byID[id], hasMembers) {
			scrutiny.Texts(t, func(pointer, text string) {
				if top := schema.TopMember(pointer); top != "corrections" && top != "source_updates" {
					words.Know(text)
				}
			})
		}
	}
	return nil
}

// checkSpan makes sure that a redaction names versions that there are or were.
func (c *comparer) checkSpan(id string, newest int64) {
	if n := c.corpus.checker.Number(id); n >= 0 && c.corpus.spool.Has(n) {
		newest = max(newest, c.corpus.digest(n).version)
	}
	for _, x := range c.redactions.byID[id] {
		if _, last, ok := x.Span(); ok && last > newest {
			c.found.Redaction(id, fmt.Sprintf("version %d of %s is redacted, and the newest is %d", last, id, newest),
				"correct versions in redactions.yaml")
		}
	}
}

// checkKept makes sure that what an earlier release redacted is in the list still: without it,
// nothing keeps it out.
func (c *comparer) checkKept(e *record.ChangeEvent) {
	for _, v := range e.RedactedVersions {
		if c.redactions.of(string(e.RecordID), v) == nil {
			c.found.Redaction(string(e.RecordID),
				fmt.Sprintf("release %s redacted version %d of %s, and redactions.yaml does not say so", e.Release, v, e.RecordID),
				fmt.Sprintf("put it back: {id: %s, versions: \"%d\", date: %s, reason: %q}", e.RecordID, v, e.PublishedDate, e.Summary))
		}
	}
}

// readEvent takes an event of the previous release: it notes what that tells of redactions, and
// withholds what is redacted now.
func (c *comparer) readEvent(e *record.ChangeEvent, line []byte, path string, to *lists.Lines) {
	c.checkKept(e)
	id := string(e.RecordID)
	c.redactions.lives[id] = append(c.redactions.lives[id], newLife(e))
	c.redactions.told[id] = append(c.redactions.told[id], e.RedactedVersions...)
	line, changed := c.redactions.withhold(e, line)
	if changed {
		c.redactions.edits[path], c.redacted = true, true
	}
	to.Add(line)
}
