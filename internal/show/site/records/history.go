package records

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the history of a record.
var (
	historyForm = markup.Parse(`
		<section id="history"><h2>{=History}</h2>{?none}<p class="quiet">{=HistoryNone}</p>{/}{?moments}<ol class="timeline">{moments}</ol>{/}{kept}</section>`)
	momentForm         = markup.Parse(`<li{?id} id="{id}"{/}>{date} {what}</li>`)
	firstPublishedForm = markup.Parse(`<p>{=FirstPublished}</p>`)
	correctionForm     = markup.Parse(`{badge}{?version} <span class="quiet">{=InVersion} {version}</span>{/}<p{lang}>{summary}</p>
		<p class="quiet">{fields}{reported}</p>`)
	reportedForm = markup.Parse(` {reported} {by}.`)
	updateForm   = markup.Parse(`
		{badge}{?version} <span class="quiet">{=InVersion} {version}</span>{/}<p{lang}>{summary}</p>
		<p class="quiet">{?source}{source} · {/}{effect}{?notice} · {notice}{/}</p>`)
	eventForm = markup.Parse(`
		{badge}{versions}{summary}
		<p class="quiet">{fields} {in} <code>{release}</code>{?old} · <a href="{old}">{=SeeVersion} {number}</a>{/}</p>{difference}`)
	eventVersionsForm = markup.Parse(` <span class="quiet">{=FromVersion} {from} {=Arrow} {to}</span>`)
)

// moment is an entry of a record's history: an event, with the corrections and source updates of
// its version; a correction or source update without an event; or the first publication.
type moment struct {
	date       record.Date
	correction *record.Correction
	update     *record.SourceUpdate
	event      *record.ChangeEvent
	// the record before and after that event, if both are kept
	was, is []byte
	old     string // URL of the page of the earlier version, or ""
	brought []moment
}

// isChange reports whether the entry is more than the first publication.
func (m moment) isChange() bool {
	return m.correction != nil || m.update != nil || len(m.brought) > 0 ||
		m.event != nil && m.event.ChangeType != record.ChangeCreated
}

// momentsOf returns the history of a record, with the versions before and after each change.
func (p *page) momentsOf(k *record.Kind, i int, e *record.Envelope) []moment {
	all := p.Records.EventsOf(k, i)
	if all.Len() == 0 {
		return moments(e, nil, false)
	}
	events, created := p.newestEvents(all)
	list := moments(e, events, created)
	p.addVersions(k, p.Records.ID(k, i), list[:min(len(list), frame.Shown)])
	return list
}

// WriteHistory writes the history of a record as elements of a list.
func (s *Section) WriteHistory(to *frame.Page, e *record.Envelope) {
	p := &page{Page: to, of: s}
	k, i, _ := p.Records.Find(string(e.ID))
	list := p.momentsOf(k, i, e)
	for _, m := range list[:min(len(list), frame.Shown)] {
		p.writeMoment(m)
	}
}

// writeHistory writes the corrections, source updates and changes of a record, newest first.
func (p *page) writeHistory(k *record.Kind, i int, e *record.Envelope) {
	list := p.momentsOf(k, i, e)
	p.writeTimeline(k, list)
}

// writeTimeline writes list, the history of a record, and a link to its versions if some are kept.
func (p *page) writeTimeline(k *record.Kind, list []moment) {
	none := !slices.ContainsFunc(list, moment.isChange)
	kept := slices.IndexFunc(list, func(m moment) bool { return m.was != nil })
	p.Fill(historyForm,
		markup.ShowIf("none", none),
		markup.When(len(list) > 1 || len(list) == 1 && list[0].event != nil, "moments", func() {
			for _, m := range list[:min(len(list), frame.Shown)] {
				p.writeMoment(m)
			}
		}),
		markup.When(kept >= 0, "kept", func() { p.writeVersionData(k, list[kept].was, p.Words.VersionsAll) }))
}

// addVersions adds the versions before and after each event to list.
func (p *page) addVersions(k *record.Kind, id string, list []moment) {
	kept := map[record.SHA256][]byte{}
	var newest []byte
	for v := range lookup.All(p.Reader, p.Records.Versions(k, id)) {
		kept[record.SHA256(v.SHA256.String())] = bytes.Clone(v.Record)
	}
	if len(kept) == 0 {
		return
	}
	for i := range list {
		m := &list[i]
		if m.event == nil || m.event.Before == nil {
			continue
		}
		if m.was = kept[m.event.Before.SHA256]; m.was == nil {
			continue
		}
		m.old = p.of.versionAddress(k, id, m.event.Before.Version)
		if m.event.After == nil {
			continue
		}
		if m.is = kept[m.event.After.SHA256]; m.is == nil { // the latest version
			if newest == nil {
				_, number, there := p.Records.Find(id)
				if !there {
					continue // removed, or not all versions are kept
				}
				newest = bytes.Clone(p.Raw(k, number))
			}
			m.is = newest
		}
	}
}

// newestEvents returns the latest events of a record, as many as its page can show, newest first.
// created reports whether any event created the record.
func (p *page) newestEvents(events render.Events) (list []*record.ChangeEvent, created bool) {
	for e := range lookup.All(p.Reader, events.From(0)) {
		created = created || e.ChangeType == record.ChangeCreated
		if len(list) < frame.Shown {
			list = append(list, e)
		}
	}
	return list, created
}

// moments returns the history of a record, newest first.
func moments(e *record.Envelope, events []*record.ChangeEvent, created bool) []moment {
	var list []moment
	if e.PublishedDate != "" && !created {
		list = append(list, moment{date: e.PublishedDate})
	}
	for _, event := range slices.Backward(events) {
		list = append(list, moment{date: event.PublishedDate, event: event})
	}
	add := func(version int64, m moment) {
		for i := range list {
			if event := list[i].event; event != nil && version != 0 && isIntroduction(event, version) {
				list[i].brought = append(list[i].brought, m)
				return
			}
		}
		list = append(list, m)
	}
	for i := range e.SourceUpdates {
		u := &e.SourceUpdates[i]
		add(u.InVersion, moment{date: u.Date, update: u})
	}
	for i := range e.Corrections {
		c := &e.Corrections[i]
		add(c.InVersion, moment{date: c.Date, correction: c})
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b moment) int { return strings.Compare(string(b.date), string(a.date)) })
	return list
}

func isIntroduction(e *record.ChangeEvent, version int64) bool {
	return e.After != nil && e.After.Version == version && (e.Before == nil || e.Before.Version != version)
}

func (p *page) writeMoment(m moment) {
	id := ""
	if m.event != nil {
		id = string(m.event.ID)
	}
	p.Fill(momentForm, markup.With("id", id), markup.By("date", func() { p.WriteDate(m.date) }),
		markup.By("what", func() { p.writeReason(&m) }))
}

func (p *page) writeReason(m *moment) {
	switch {
	case m.correction != nil:
		p.writeCorrection(m.correction)
	case m.update != nil:
		p.writeSourceUpdate(m.update)
	case m.event != nil:
		p.writeChange(m)
	default:
		p.Fill(firstPublishedForm)
	}
}

func (p *page) writeCorrection(c *record.Correction) {
	p.Fill(correctionForm, markup.By("badge", func() { p.WriteBadge(words.CorrectionTypes, string(c.Type)) }),
		markup.Number("version", c.InVersion), markup.With("summary", c.Summary),
		markup.By("fields", func() { p.WriteChangedMembers(c.Fields) }),
		markup.By("reported", func() {
			if c.ReportedBy != "" {
				p.Fill(reportedForm, markup.With("reported", p.Words.ReportedBy),
					markup.By("by", func() { p.WritePublisherText(c.ReportedBy) }))
			}
			for _, id := range c.BecauseOf {
				p.Fill(reportedForm, markup.With("reported", p.Words.BecauseOf), markup.By("by", func() { p.WriteLink(string(id)) }))
			}
		}))
}

func (p *page) writeSourceUpdate(u *record.SourceUpdate) {
	p.Fill(updateForm, markup.By("badge", func() { p.WriteBadge(words.UpdateTypes, string(u.Type)) }),
		markup.Number("version", u.InVersion), markup.With("summary", u.Summary),
		markup.When(u.SourceID != "", "source", func() { p.WriteLink(string(u.SourceID)) }),
		markup.With("effect", words.Capital(p.Words.Meaning(words.Effects, string(u.Effect)))),
		markup.When(u.NoticeURL != "", "notice", func() { p.WriteNotice(u.NoticeURL) }))
}

func (p *page) writeChange(m *moment) {
	e := m.event
	p.Fill(eventForm, markup.By("badge", func() { p.WriteBadge(words.ChangeTypes, string(e.ChangeType)) }),
		markup.When(e.Before != nil && e.After != nil && e.Before.Version != e.After.Version, "versions", func() {
			p.Fill(eventVersionsForm, markup.Number("from", e.Before.Version),
				markup.Number("to", e.After.Version))
		}),
		markup.By("summary", func() {
			for i := range m.brought {
				p.HTML(" ")
				p.writeReason(&m.brought[i])
			}
			if len(m.brought) == 0 {
				p.WriteSummary(e.Summary)
			}
		}),
		markup.When(len(m.brought) == 0, "fields", func() { p.WriteChangedMembers(e.ChangedFields) }),
		markup.With("in", words.Capital(p.Words.EventInRelease)), markup.With("release", e.Release),
		markup.With("old", m.old), markup.Number("number", frame.VersionOf(e.Before)),
		markup.When(m.is != nil, "difference", func() { p.writeDifference(m.was, m.is) }))
}
