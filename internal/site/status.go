package site

import (
	"reflect"

	"stele/internal/standing"
	"stele/record"
)

// statusLine writes what a reader wants to know first, in one line: how certain it is, who says so,
// when it was verified, which version it is, when it changed, and whether it still holds. Each
// leads to where it is explained.
func (p *page) statusLine(plan *plan, rec record.Record, is standing.Standing) {
	e := rec.Common()
	p.HTML(`<ul class="status">`)
	for i := range plan.labels {
		if f := &plan.labels[i]; statusLabels[f.Shape.Go] {
			if word := f.word(rec); word != "" {
				p.HTML("<li>")
				p.badge(f.Shape, word)
				p.HTML("</li>")
			}
		}
	}
	switch r := rec.(type) {
	case *record.ProofClaim:
		if r.ClaimantID != "" {
			p.HTML("<li>")
			p.link(string(r.ClaimantID))
			p.HTML("</li>")
		}
	case *record.SourceObject:
		p.HTML("<li>")
		p.Text(r.Producer)
		p.HTML("</li>")
	}
	p.statusDate(p.words.CiteVerified, "#sources", e.VerificationDate)
	p.HTML(`<li><a`)
	p.Attr("href", "#history")
	p.HTML(">")
	p.Text(p.words.CiteVersion)
	p.HTML(" ")
	p.Int(e.Version)
	p.HTML("</a></li>")
	if e.UpdatedDate != e.PublishedDate {
		p.statusDate(p.words.StatusChanged, "#history", e.UpdatedDate)
	}
	p.HTML("<li>")
	p.badge(standings, is.String())
	p.HTML("</li></ul>")
}

func (p *page) statusDate(name, at string, date record.Date) {
	if date == "" {
		return
	}
	p.HTML("<li><a")
	p.Attr("href", at)
	p.HTML(">")
	p.Text(name)
	p.HTML(" ")
	p.date(date)
	p.HTML("</a></li>")
}

// statusLabels are the labels that say how much a record can be relied on, or what it decides.
var statusLabels = map[reflect.Type]bool{
	reflect.TypeFor[record.EvidenceLabel](): true,
	reflect.TypeFor[record.DecisionLabel](): true,
	reflect.TypeFor[record.Strength]():      true,
}
