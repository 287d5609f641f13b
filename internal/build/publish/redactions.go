package publish

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"stele/internal/author/judging/check"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
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
	date  record.Date        // of this release
}

func newRedactions(list []settings.Redaction, date record.Date) *redactions {
	r := &redactions{
		byID: map[string][]settings.Redaction{}, told: map[string][]int64{}, edits: map[string]bool{}, date: date,
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
		if x := r.of(string(e.RecordID), d.Version); x != nil && !x.KeepDigest {
			line = bytes.ReplaceAll(line, []byte(`"`+string(d.SHA256)+`"`), []byte("null"))
			changed = true
		}
	}
	return line, changed
}

// digest is what an event of this release says of a version.
func (r *redactions) digest(id string, d *record.RecordDigest) *record.RecordDigest {
	if x := r.of(id, d.Version); x != nil && !x.KeepDigest {
		return &record.RecordDigest{Version: d.Version}
	}
	return d
}

// tombstone leaves the content out of a version that is redacted, and reports whether it did.
func (r *redactions) tombstone(v *release.Version) bool {
	x := r.of(v.ID, v.Number)
	if x == nil || v.Redacted != "" {
		return false
	}
	v.Record, v.Redacted, v.Reason = nil, string(r.date), x.Reason
	if !x.KeepDigest {
		v.SHA256 = release.Digest{}
	}
	return true
}

// redactRest makes the events for redactions of records that did not change in this release: those
// of which only earlier versions are left out, and those that were removed before.
func (c *comparer) redactRest() {
	for _, id := range slices.Sorted(maps.Keys(c.redactions.byID)) {
		k, is := c.redactable(id)
		if k == nil {
			c.redactionProblem(id, "no release has a record "+id, "correct the ID in redactions.yaml")
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

// checkRedacted makes sure that a record does not stand in a version that is redacted, and has no
// member that is.
func (c *comparer) checkRedacted(n int32) error {
	id, version := c.corpus.checker.ID(n), c.corpus.digest(n).version
	list := c.redactions.byID[id]
	if len(list) == 0 {
		return nil
	}
	if c.redactions.of(id, version) != nil {
		c.redactionProblem(id, fmt.Sprintf("version %d of %s is redacted, and is what the record stands in still", version, id),
			"take out of the record what must not be published, and write a higher version")
		return nil
	}
	line, err := c.corpus.spool.Reader().Record(n)
	if err != nil {
		return err
	}
	for _, x := range list {
		for _, m := range x.Members {
			if x.TakenBack == "" && stands(line, m) {
				c.redactionProblem(id, fmt.Sprintf("%s of %s was redacted on %s, and stands in the record again", m, id, x.Date),
					"take it out of the record; if it may be published now, write taken_back: DAY beside the redaction")
			}
		}
	}
	return nil
}

// stands reports whether a record has something that a JSON Pointer leads to, other than the text
// that a redaction writes.
func stands(line []byte, pointer string) bool {
	tree := new(schema.Tree)
	if !tree.ScanJSON("", string(line), 1) {
		return false
	}
	n, found := tree.At(pointer)
	return found && tree.Nodes[n].Type != schema.Null && tree.Nodes[n].Text != settings.RedactedText
}

// checkBack makes sure that a record which was redacted whole does not come back in silence.
func (c *comparer) checkBack(id string, was *check.Removed) {
	if x := c.redactions.of(id, was.Version); x != nil && len(x.Members) == 0 && x.TakenBack == "" {
		c.redactionProblem(id, fmt.Sprintf("%s was redacted on %s, and is there again", id, x.Date),
			"take the record out; if it may be published now, write taken_back: DAY beside the redaction")
	}
}

// checkReason makes sure that a reason does not hold what a record loses.
func (c *comparer) checkReason(id string, why *settings.Redaction, change *check.Change) {
	for _, d := range change.Differences {
		text, ok := d.Old.(string)
		if ok && d.New == nil && slices.Contains(why.Members, d.Pointer) && why.Reveals(text) != "" {
			c.redactionProblem(id, "the reason for the redaction of "+id+" holds what stood in "+d.Pointer, "name the sort of thing, never the thing")
		}
	}
}

// checkSpan makes sure that a redaction names versions that there are or were.
func (c *comparer) checkSpan(id string, newest int64) {
	if n := c.corpus.checker.Number(id); n >= 0 && c.corpus.spool.Has(n) {
		newest = max(newest, c.corpus.digest(n).version)
	}
	for _, x := range c.redactions.byID[id] {
		if _, last, ok := x.Span(); ok && last > newest {
			c.redactionProblem(id, fmt.Sprintf("version %d of %s is redacted, and the newest is %d", last, id, newest),
				"correct versions in redactions.yaml")
		}
	}
}

// checkKept makes sure that what an earlier release redacted is in the list still: without it,
// nothing keeps it out.
func (c *comparer) checkKept(e *record.ChangeEvent) {
	for _, v := range e.RedactedVersions {
		if c.redactions.of(string(e.RecordID), v) == nil {
			c.redactionProblem(string(e.RecordID),
				fmt.Sprintf("release %s redacted version %d of %s, and redactions.yaml does not say so", e.Release, v, e.RecordID),
				fmt.Sprintf("put it back: {id: %s, versions: \"%d\", date: %s, reason: %q}", e.RecordID, v, e.PublishedDate, e.Summary))
		}
	}
}

func (c *comparer) redactionProblem(id, message, fix string) {
	c.found.Report(schema.Problem{
		Code: codes.WrongRedaction, File: "redactions.yaml", Record: id, Message: message, Fix: fix,
	})
}

// readEvent takes an event of the previous release: it notes what that tells of redactions, and
// withholds what is redacted now.
func (c *comparer) readEvent(e *record.ChangeEvent, line []byte, path string, to *lists.Lines) {
	c.checkKept(e)
	id := string(e.RecordID)
	c.redactions.told[id] = append(c.redactions.told[id], e.RedactedVersions...)
	line, changed := c.redactions.withhold(e, line)
	if changed {
		c.redactions.edits[path] = true
	}
	to.Add(line)
}
