package records

import (
	"reflect"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the line below the title of a record.
var (
	statusForm = markup.Parse(`
		<ul class="{class}">
			{labels}{who}{verified}
			<li><a href="#history">{=CiteVersion} {number}</a></li>
			{changed}
			{standing}
		</ul>`)
	statusDateForm = markup.Parse(`<li><a href="{address}">{name} {date}</a></li>`)
)

// writeStatusLine writes a line with the certainty, the claimant, the verification date, the
// version, the last change, and the standing. Each links to its explanation.
func (p *page) writeStatusLine(plan *Plan, rec record.Record, is standing.Standing) {
	e := rec.Common()
	class := "status"
	if is.IsLost() { // its labels are no longer valid
		class += " " + withdrawn
	}
	p.Fill(statusForm, markup.With("class", class),
		markup.By("labels", func() {
			for i := range plan.Labels {
				f := &plan.Labels[i]
				if word := f.Word(rec); word != "" && statusLabels[f.Shape.Go] {
					p.WriteItem(func() { p.WriteBadge(f.Shape, word) })
				}
			}
		}),
		markup.By("who", func() { p.writeClaimant(rec) }),
		markup.By("verified", func() { p.writeStatusDate(p.Words.CiteVerified, "#sources", e.VerificationDate) }),
		markup.Number("number", e.Version),
		markup.When(e.UpdatedDate != e.PublishedDate, "changed", func() {
			p.writeStatusDate(p.Words.StatusChanged, "#history", e.UpdatedDate)
		}),
		markup.By("standing", func() {
			// a good standing is not a verdict on the content; an undecided one is shown by the
			// label
			if is > standing.Undecided {
				p.WriteItem(func() { p.WriteBadge(words.Standings, is.String()) })
			}
		}))
}

// writeClaimant writes the claimant of a claim, or the publisher of a source. For a public
// reference, it writes a link to the document.
func (p *page) writeClaimant(rec record.Record) {
	switch r := rec.(type) {
	case *record.ProofClaim:
		if r.ClaimantID != "" {
			p.WriteItem(func() { p.WriteLink(string(r.ClaimantID)) })
		}
	case *record.PublicReference:
		if len(r.SourceLinks) > 0 {
			p.WriteItem(func() { p.WriteExternalLink(r.SourceLinks[0].URL) })
		}
	case *record.SourceObject:
		p.WriteItem(func() { p.WritePublisherText(r.Producer) })
	}
}

func (p *page) writeStatusDate(name, at string, date record.Date) {
	if date != "" {
		p.Fill(statusDateForm, markup.With("address", at), markup.With("name", name),
			markup.By("date", func() { p.WriteDate(date) }))
	}
}

// statusLabels lists the labels of the certainty of a record, or of its decision.
var statusLabels = map[reflect.Type]bool{
	reflect.TypeFor[record.EvidenceLabel](): true,
	reflect.TypeFor[record.DecisionLabel](): true,
	reflect.TypeFor[record.Strength]():      true,
}
