package records

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the page of an earlier version.
var (
	versionForm = markup.Parse(`
		<article>{crumbs}{superseded}
			{opening}</header>
			<div class="columns"><div>
				{statement}{members}{sources}{?after}<section id="after"><h2>{=ChangedAfter}</h2>{after}</section>{/}
			</div>
			<aside>{facts}{data}</aside></div>
		</article>`)
	supersededForm = markup.Parse(`
		<div class="{class}" role="note">
			<p><strong>{what}</strong> {=ThisIsVersion} {version}. {=SupersededText}</p>
			{end}{?newest}<p><a href="{address}">{=ReadNewest}</a></p>{/}
		</div>`)
	redactedForm = markup.Parse(`
		<article>{crumbs}
			<div class="warning grave" role="note">
				<p><strong>{=RedactedVersion}</strong> {=RedactedText}</p>
				{end}{?newest}<p><a href="{address}">{=ReadNewest}</a></p>{/}
			</div>
			<h1{lang}>{title}</h1>
		</article>`)
	endedForm       = markup.Parse(`<p>{date} {badge}{versions} · {=EventInRelease} <code>{release}</code></p>{summary}`)
	versionDataForm = markup.Parse(`<p class="quiet">{text} <a href="{address}"><code>{path}</code></a></p>`)
)

// versionAddress returns the URL of the page of the given version, or "" if it has no page.
func (s *Section) versionAddress(k *record.Kind, id string, version int64) string {
	_, found := slices.BinarySearchFunc(s.superseded[k], id, func(v render.Superseded, id string) int {
		return cmp.Or(strings.Compare(v.ID, id), cmp.Compare(v.Version, version))
	})
	if !found {
		return ""
	}
	return layout.Address(layout.VersionPath(k.Folder(), id, version))
}

// WriteVersions writes a page for each superseded version of a record. A page depends only on its
// version and the next version, so that it never changes.
func (s *Section) WriteVersions() error {
	for _, k := range record.Kinds {
		list := s.superseded[k]
		path := func(i int) string { return layout.VersionPath(k.Folder(), list[i].ID, list[i].Version) }
		err := s.Each(len(list), path, func(p *page, i int) { p.writeVersionPage(k, &list[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// writeVersionPage writes the page of an earlier version: a notice, its content, and the changes
// after it.
func (p *page) writeVersionPage(k *record.Kind, v *render.Superseded) {
	event := new(record.ChangeEvent)
	for e := range lookup.All(p.Reader, p.Records.Events(k).From(int(v.Event))) {
		event = e
		break
	}
	if v.Redacted {
		p.writeRedactedPage(k, v, event)
		return
	}
	was, is := p.beforeAndAfter(k, event)
	rec := p.Parse(k, was)
	e := rec.Common()
	newest := cmp.Or(p.Address(v.ID), layout.PageAddress(k.Folder(), v.ID))
	_, _, there := p.Records.Find(v.ID)
	h := frame.Head{
		Title:       lookup.Name(e) + " · " + p.Words.FromVersion + " " + p.Words.Int(v.Version),
		Description: p.Words.SupersededText, Hidden: true,
	}
	if there {
		h.Canonical = p.Base + newest
	}
	p.Open(h)
	p.Fill(versionForm,
		markup.By("crumbs", func() {
			p.WriteBreadcrumbs(k, lookup.Name(e)+p.Words.Comma+p.Words.FromVersion+" "+p.Words.Int(v.Version))
		}),
		markup.By("superseded", func() { p.writeNotCurrent(event, newest, there) }),
		markup.By("opening", func() { p.writeOpening(k, rec) }),
		markup.By("statement", func() { p.writeStatement(p.of.plans[k], rec) }),
		markup.By("sources", func() { p.writeSources(e) }),
		markup.By("members", func() { p.writePastMembers(p.of.plans[k], rec) }),
		markup.When(is != nil, "after", func() {
			if !p.writeDifference(was, is) { // only dates and notes changed
				p.WriteSummary(p.Changed(event).Reason)
			}
		}),
		markup.By("facts", func() { p.writePastFacts(v.ID, rec) }),
		markup.By("data", func() { p.writeVersionData(k, was, p.Words.VersionsAll) }))
	p.Close()
}

// writePastMembers writes the members of the record's kind, derived from its shape alone.
func (p *page) writePastMembers(plan *Plan, rec record.Record) {
	fields := slices.Clone(plan.details)
	for _, m := range plan.Kind.Shape().Members {
		if slices.Contains(plan.special.members, m.Name) {
			fields = append(fields, Field{m, memberName(p.Words, &m)})
		}
	}
	if slices.ContainsFunc(fields, func(f Field) bool { return !f.of(rec).IsZero() }) {
		p.Fill(factsForm, markup.With("head", p.Words.Contents), markup.By("entries", func() { p.writeDetailList(fields, rec) }))
	}
}

// writeRedactedPage writes the page of a redacted version, with the date of and reason for the
// redaction. The content of the version no longer exists.
func (p *page) writeRedactedPage(k *record.Kind, v *render.Superseded, event *record.ChangeEvent) {
	_, _, there := p.Records.Find(v.ID)
	title := v.ID
	if there {
		title = p.Refer(v.ID).Title
	}
	title += p.Words.Comma + p.Words.FromVersion + " " + p.Words.Int(v.Version)
	p.Open(frame.Head{Title: title, Description: p.Words.RedactedText, Hidden: true})
	p.Fill(redactedForm, markup.By("crumbs", func() { p.WriteBreadcrumbs(k, title) }),
		markup.By("end", func() { p.writeSupersedingEvent(event) }),
		markup.ShowIf("newest", there), markup.With("address", layout.PageAddress(k.Folder(), v.ID)), markup.With("title", title))
	p.Close()
}

func (p *page) writeSupersedingEvent(e *record.ChangeEvent) {
	p.Fill(endedForm, markup.By("date", func() { p.WriteDate(e.PublishedDate) }),
		markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, string(e.ChangeType)) }),
		markup.By("versions", func() { p.WriteEventVersions(e) }), markup.With("release", e.Release),
		markup.By("summary", func() { p.WriteSummary(p.Changed(e).Reason) }))
}

// writePastFacts writes the members that identified a record. rec is nil if only its ID is kept.
func (p *page) writePastFacts(id string, rec record.Record) {
	p.Fill(factsForm, markup.With("head", p.Words.Facts), markup.By("entries", func() {
		p.WriteEntry(p.Words.ID, func() { p.WriteCode(id) })
		if rec != nil {
			p.WriteEntry(p.Words.Version, func() { p.Int(rec.Common().Version) })
			p.writeDates(rec.Common())
		}
	}))
}

// writeVersionData writes links to the files with all versions of a record. version is one of them.
func (p *page) writeVersionData(k *record.Kind, version []byte, text string) {
	address := k.HistoryPath()
	if _, member, _, ok := layout.CutSingle(address); ok {
		address = layout.FillSingle(address, lookup.TextOf(version, `"`+member+`":"`))
	}
	p.Fill(versionDataForm, markup.With("text", text), markup.With("address", address), markup.With("path", address))
}

// writeNotCurrent writes that the version is not current, its replacement, the date and the reason.
func (p *page) writeNotCurrent(e *record.ChangeEvent, newest string, there bool) {
	class, what := "warning", p.Words.Superseded
	if e.After == nil {
		what = p.Words.RemovedRecord
	}
	if e.After == nil || e.ChangeType == record.ChangeRetracted { // other changes may concern only the wording
		class = "warning grave"
	}
	p.Fill(supersededForm, markup.With("class", class), markup.With("what", what),
		markup.Number("version", frame.VersionOf(e.Before)), markup.By("end", func() { p.writeSupersedingEvent(e) }),
		markup.ShowIf("newest", there), markup.With("address", newest))
}

// beforeAndAfter returns the JSON of a record before and after e. Each is nil if the record did not
// exist or is not kept.
func (p *page) beforeAndAfter(k *record.Kind, e *record.ChangeEvent) (was, is []byte) {
	for v := range lookup.All(p.Reader, p.Records.Versions(k, string(e.RecordID))) {
		sum := record.SHA256(v.SHA256.String())
		if e.Before != nil && sum == e.Before.SHA256 {
			was = bytes.Clone(v.Record)
		}
		if e.After != nil && sum == e.After.SHA256 {
			is = bytes.Clone(v.Record)
		}
	}
	found, i, ok := p.Records.Find(string(e.RecordID))
	if e.After != nil && is == nil && was != nil && ok {
		is = bytes.Clone(p.Raw(found, i))
	}
	return was, is
}
