package records

import (
	"cmp"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the identification and other members of a record.
var (
	factsForm     = markup.Parse(`<section><h2>{head}</h2><dl class="facts">{entries}</dl></section>`)
	ownMemberForm = markup.Parse(`<dt><code>{name}</code></dt><dd>{value}</dd>`)
)

// writeDates writes the dates on which a record was verified, updated and published.
func (p *page) writeDates(e *record.Envelope) {
	for _, d := range []struct {
		name string
		date record.Date
	}{
		{p.Words.Verified, e.VerificationDate},
		{p.Words.Updated, e.UpdatedDate},
		{p.Words.Published, e.PublishedDate},
	} {
		if d.date != "" {
			p.WriteEntry(d.name, func() { p.WriteDate(d.date) })
		}
	}
	p.WriteFact(p.Words.VerifiedBy, e.VerifiedBy)
}

// writeFacts writes the members that identify a record, and the other members of its kind.
func (p *page) writeFacts(plan *Plan, rec record.Record, stands standing.Standing) {
	e := rec.Common()
	p.Fill(factsForm, markup.With("head", p.Words.Facts), markup.By("entries", func() {
		p.WriteEntry(p.Words.ID, func() { p.WriteCode(string(e.ID)) })
		p.WriteEntry(p.Words.Version, func() { p.Int(e.Version) })
		p.WriteEntry(p.Words.Standing, func() { p.WriteBadge(words.Standings, stands.String()) })
		p.writeDates(e)
		if source, ok := rec.(*record.SourceObject); ok {
			p.WriteEntry(p.Words.LicenseOfSource, func() { p.writeSourceLicense(source.SourceLicense) })
			p.WriteEntry(p.Words.LicenseOfRecord, func() { p.WriteLicense(p.licenseOf(e)) })
		} else {
			p.WriteEntry(p.Words.License, func() { p.WriteLicense(p.licenseOf(e)) })
		}
		p.writeDetailList(plan.details, rec)
		p.writeClassification(e)
	}))
	p.writeCustomMembers(e)
}

// writeSourceLicense writes the licence of a source, not of the record about the source.
func (p *page) writeSourceLicense(l *record.SourceLicense) {
	switch {
	case l == nil:
		p.Text(p.Words.LicenseUnknown)
	case l.URL != "":
		p.Fill(frame.OutsideForm, markup.With("address", string(l.URL)), markup.By("text", func() { p.WritePublisherText(l.Name) }))
	default:
		p.WritePublisherText(l.Name)
	}
}

func (p *page) licenseOf(e *record.Envelope) string { return cmp.Or(e.License, p.Settings.License) }

// writeClassification writes the subjects, other names and related records.
func (p *page) writeClassification(e *record.Envelope) {
	frame.WriteList(p.Page, p.Words.Subjects, e.Subjects, func(s record.Subject) {
		p.Text(s.Scheme)
		p.HTML(" ")
		p.WriteCode(s.Code)
	})
	frame.WriteList(p.Page, p.Words.Aliases, e.Aliases, p.WritePublisherText)
	frame.WriteList(p.Page, p.Words.SeeAlso, e.SeeAlso, func(id record.ID) { p.WriteLink(string(id)) })
}

// writeCustomMembers writes the custom members as JSON.
func (p *page) writeCustomMembers(e *record.Envelope) {
	if len(e.Extra) == 0 {
		return
	}
	const most = 2000 // of a value; the JSON contains all
	p.Fill(factsForm, markup.With("head", p.Words.OwnMembers),
		markup.Each("entries", e.Extra[:min(len(e.Extra), frame.Shown)], func(x record.Extra) {
			p.Fill(ownMemberForm, markup.With("name", x.Name),
				markup.By("value", func() { p.WritePublisherText(words.Truncate(x.JSON, most)) }))
		}))
}
