package site

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/render"
	"stele/record"
)

// moment is an entry of a record's time line: one of the three, or none for the day on which it was
// first published.
type moment struct {
	date       record.Date
	correction *record.Correction
	update     *record.SourceUpdate
	event      *record.ChangeEvent
	// the record before and after that event, where both are kept
	was, is []byte
	old     string // the address of the page of what it was; "" if there is none
}

// history writes one time line of corrections, source updates and changes, the newest first.
func (p *page) history(k *record.Kind, i int, e *record.Envelope) error {
	var events []*record.ChangeEvent
	var created bool
	if all := p.e.EventsOf(k, i); all.Len() > 0 {
		var err error
		if events, created, err = newestEvents(all); err != nil {
			return err
		}
	}
	list := moments(e, events, created)
	if len(events) > 0 {
		if err := p.addVersions(k, i, list[:min(len(list), shown)]); err != nil {
			return err
		}
	}
	p.HTML(`<section id="history"><h2>`)
	p.Text(p.words.History)
	p.HTML("</h2>")
	if len(list) <= 1 {
		p.HTML(`<p class="quiet">`)
		p.Text(p.words.HistoryNone)
		p.HTML("</p>")
	}
	p.HTML(`<ol class="timeline">`)
	for i := range list[:min(len(list), shown)] {
		if err := p.moment(&list[i]); err != nil {
			return err
		}
	}
	p.HTML("</ol>")
	if slices.ContainsFunc(list, func(m moment) bool { return m.was != nil }) {
		p.HTML(`<p class="quiet">`)
		p.Text(p.words.VersionsAll)
		p.HTML(" <code>")
		p.Text(k.HistoryPath())
		p.HTML("</code></p>")
	}
	p.HTML("</section>\n")
	return nil
}

// addVersions finds what a record was before and after the events about it.
func (p *page) addVersions(k *record.Kind, i int, list []moment) error {
	id := p.e.ID(k, i)
	kept := map[record.SHA256][]byte{}
	var newest []byte
	for v, err := range p.e.Versions(k, id) {
		if err != nil {
			return err
		}
		kept[record.SHA256(v.SHA256.String())] = bytes.Clone(v.Record)
	}
	if len(kept) == 0 {
		return nil
	}
	for i := range list {
		m := &list[i]
		if m.event == nil || m.event.Before == nil {
			continue
		}
		if m.was = kept[m.event.Before.SHA256]; m.was == nil {
			continue
		}
		m.old = p.versionAddress(k, id, m.event.Before.Version)
		if m.event.After == nil {
			continue
		}
		if m.is = kept[m.event.After.SHA256]; m.is == nil { // it is the newest
			if newest == nil {
				_, number, _ := p.e.Find(id)
				line, err := p.records.Record(k, number)
				if err != nil {
					return err
				}
				newest = bytes.Clone(line)
			}
			m.is = newest
		}
	}
	return nil
}

// newestEvents are as many events of a record as its page can show, the newest first; and whether
// one of all tells that it was created.
func newestEvents(events render.Events) (list []*record.ChangeEvent, created bool, err error) {
	for e, err := range events.From(0) {
		if err != nil {
			return nil, false, err
		}
		created = created || e.ChangeType == record.ChangeCreated
		if len(list) < shown {
			list = append(list, e)
		}
	}
	return list, created, nil
}

// moments puts everything that happened to a record in the order of time, the newest first.
func moments(e *record.Envelope, events []*record.ChangeEvent, created bool) []moment {
	var list []moment
	if e.PublishedDate != "" && !created {
		list = append(list, moment{date: e.PublishedDate})
	}
	for _, event := range slices.Backward(events) {
		list = append(list, moment{date: event.PublishedDate, event: event})
	}
	for i := range e.SourceUpdates {
		list = append(list, moment{date: e.SourceUpdates[i].Date, update: &e.SourceUpdates[i]})
	}
	for i := range e.Corrections {
		list = append(list, moment{date: e.Corrections[i].Date, correction: &e.Corrections[i]})
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b moment) int { return strings.Compare(string(b.date), string(a.date)) })
	return list
}

func (p *page) moment(m *moment) (err error) {
	p.HTML("<li>")
	p.date(m.date)
	p.HTML(" ")
	switch {
	case m.correction != nil:
		p.correction(m.correction)
	case m.update != nil:
		p.sourceUpdate(m.update)
	case m.event != nil:
		err = p.change(m)
	default:
		p.HTML("<p>")
		p.Text(p.words.FirstPublished)
		p.HTML("</p>")
	}
	p.HTML("</li>")
	return err
}

func (p *page) correction(c *record.Correction) {
	p.badge(correctionTypes, string(c.Type))
	p.inVersion(c.InVersion)
	p.HTML("<p>")
	p.Text(c.Summary)
	p.HTML(`</p><p class="quiet">`)
	p.changed(c.Fields)
	if c.ReportedBy != "" {
		p.HTML(" ")
		p.Text(p.words.ReportedBy)
		p.HTML(" ")
		p.Text(c.ReportedBy)
		p.HTML(".")
	}
	p.HTML("</p>")
}

func (p *page) sourceUpdate(u *record.SourceUpdate) {
	p.badge(updateTypes, string(u.Type))
	p.inVersion(u.InVersion)
	p.HTML("<p>")
	p.Text(u.Summary)
	p.HTML(`</p><p class="quiet">`)
	if u.SourceID != "" {
		p.link(string(u.SourceID))
		p.HTML(" · ")
	}
	p.Text(capital(meaning(record.ListOf[record.Effect](), string(u.Effect))))
	if u.NoticeURL != "" {
		p.HTML(" · ")
		p.notice(u.NoticeURL)
	}
	p.HTML("</p>")
}

func (p *page) change(m *moment) error {
	e := m.event
	p.badge(changeTypes, string(e.ChangeType))
	if e.Before != nil && e.After != nil && e.Before.Version != e.After.Version {
		p.HTML(` <span class="quiet">`)
		p.Text(p.words.FromVersion)
		p.HTML(" ")
		p.Int(e.Before.Version)
		p.HTML(" → ")
		p.Int(e.After.Version)
		p.HTML("</span>")
	}
	if e.Summary != "" {
		p.HTML("<p>")
		p.Text(e.Summary)
		p.HTML("</p>")
	}
	p.HTML(`<p class="quiet">`)
	p.changed(e.ChangedFields)
	p.HTML(" ")
	p.Text(capital(p.words.EventInRelease))
	p.HTML(" <code>")
	p.Text(e.Release)
	p.HTML("</code>")
	if m.old != "" {
		p.HTML(" · <a")
		p.Attr("href", m.old)
		p.HTML(">")
		p.Text(capital(p.words.FromVersion))
		p.HTML(" ")
		p.Int(e.Before.Version)
		p.HTML(" ")
		p.Text(p.words.AsItWas)
		p.HTML("</a>")
	}
	p.HTML("</p>")
	if m.is == nil {
		return nil
	}
	return p.difference(m.was, m.is)
}

func (p *page) inVersion(v int64) {
	if v == 0 {
		return
	}
	p.HTML(` <span class="quiet">`)
	p.Text(p.words.InVersion)
	p.HTML(" ")
	p.Int(v)
	p.HTML("</span>")
}

// changed writes which members changed: names or JSON Pointers.
func (p *page) changed(fields []string) {
	if len(fields) == 0 {
		return
	}
	p.Text(p.words.ChangedFields)
	p.HTML(": ")
	for i, f := range fields[:min(len(fields), shown)] {
		if i > 0 {
			p.HTML(", ")
		}
		p.code(strings.TrimPrefix(f, "/"))
	}
	p.HTML(".")
}
