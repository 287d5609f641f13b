package lookup

import (
	"bytes"
	"cmp"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/vintage"
	"stele/internal/trust/standing"
	"stele/record"
)

// Changed describes the effect of an event on a record: the record's title, the reason and, for a
// statistic, the figure before and after.
type Changed struct {
	Title  string // "" if no version of the record is kept
	Reason string // in the publisher's words, or ""
	Figure string // such as 81 → 80; "" if no figure changed
}

// Changed returns the effect of e. It depends only on the versions before and after e, so that it
// does not change when the record changes again.
func (l *Reader) Changed(e *record.ChangeEvent) (c Changed) {
	c.Reason = e.Summary
	k := record.KindNamed(string(e.RecordKind))
	if k == nil || e.ChangeType.OfKind() {
		return c
	}
	before, after := l.versions(k, e)
	for _, side := range []record.Record{before, after} {
		if side != nil {
			c.Title = cmp.Or(side.Common().Title, c.Title)
		}
	}
	if after != nil && explained[e.ChangeType] {
		c.Reason = cmp.Or(c.Reason, reasonOf(after.Common()))
	}
	if k.Name != record.KindHealthcareStatistic || before == nil && after == nil {
		return c
	}
	step := vintage.Step{Before: rowOf(before), After: rowOf(after)}
	if text := step.Text(l.words); step.Before == nil || step.Differs() {
		c.Figure = text
	}
	return c
}

// versions returns the versions of a record before and after e. Each is nil if it does not exist.
func (l *Reader) versions(k *record.Kind, e *record.ChangeEvent) (before, after record.Record) {
	is := func(d *record.RecordDigest, digest string) bool { return d != nil && string(d.SHA256) == digest }
	for v := range All(l, l.Records.Versions(k, string(e.RecordID))) {
		switch digest := v.SHA256.String(); {
		case is(e.Before, digest):
			before = l.Parse(k, bytes.Clone(v.Record))
		case is(e.After, digest):
			after = l.Parse(k, bytes.Clone(v.Record))
		}
	}
	if after == nil && e.After != nil {
		if _, i, there := l.Records.Find(string(e.RecordID)); there {
			after = l.Parse(k, bytes.Clone(l.Raw(k, i)))
		}
		if after != nil && after.Common().Version != e.After.Version {
			after = nil
		}
	}
	return before, after
}

func rowOf(rec record.Record) *vintage.Row {
	st, is := rec.(*record.HealthcareStatistic)
	if !is || st == nil {
		return nil
	}
	row := &vintage.Row{HealthcareStatistic: st}
	if st.Retracted() {
		row.Standing = standing.Retracted
	}
	return row
}

// explained lists the changes for which the record itself gives the reason.
var explained = map[record.ChangeType]bool{
	record.ChangeCorrected: true, record.ChangeRetracted: true, record.ChangeSourceUpdated: true,
}

// reasonOf returns the reason that a version of a record gives for its changes.
func reasonOf(e *record.Envelope) string {
	var reasons []string
	for _, c := range e.Corrections {
		if c.InVersion == e.Version {
			reasons = append(reasons, c.Summary)
		}
	}
	for _, u := range e.SourceUpdates {
		if u.InVersion == e.Version {
			reasons = append(reasons, u.Summary)
		}
	}
	return strings.Join(reasons, " ")
}

// ChangedAddress returns the URL for an event: the record's page or, for a statistic, its area on
// the page of its indicator. It returns "" if the record was removed.
func (l *Reader) ChangedAddress(e *record.ChangeEvent) string {
	k, i, there := l.Records.Find(string(e.RecordID))
	switch {
	case !there:
		return ""
	case k.HasPage():
		return l.Address(string(e.RecordID)) + "#" + string(e.ID)
	case k.Name != record.KindHealthcareStatistic:
		return layout.ListAddress(k.Folder(), 0)
	}
	at := "#" + string(e.RecordID)
	if e.Before != nil && e.After != nil && e.Before.Version != e.After.Version {
		at = "#" + string(e.ID)
	}
	x, rest := l.indicatorIn(l.Raw(k, i))
	if x == nil {
		return ""
	}
	area := areaKeyOf(rest, map[string]string{})
	if x.HasAreaPages() {
		return x.AreaAddress(area) + at
	}
	return x.Address() + "?area=" + area + at
}
