package site

import (
	"stele/internal/standing"
	"stele/record"
)

// claimEvidence sets the evidence for, against and qualifying a claim side by side.
func (p *page) claimEvidence(rec record.Record) error {
	claim := rec.(*record.ProofClaim)
	p.HTML(`<section id="evidence"><h2>`)
	p.Text(p.words.EvidenceHead)
	p.HTML(`</h2><div class="stances">`)
	for _, stance := range record.ListOf[record.Stance]() {
		var ids []record.ID
		for _, x := range claim.Evidence {
			if string(x.Stance) == stance.Word {
				ids = append(ids, x.EvidenceID)
			}
		}
		if len(ids) == 0 && stance.Word == string(record.StanceContext) { // its absence says nothing
			continue
		}
		p.HTML("<section")
		p.Attr("class", "stance "+stance.Word)
		p.HTML("><h3>")
		p.Text(p.stanceName(stance))
		p.HTML(` <span class="count">`)
		p.Int(int64(len(ids)))
		p.HTML(`</span></h3>`)
		if len(ids) == 0 {
			p.HTML(`<p class="quiet">`)
			p.Text(p.words.EvidenceNone)
			p.HTML("</p>")
		}
		for _, id := range ids[:min(len(ids), shown)] {
			if err := p.evidenceCard(id); err != nil {
				return err
			}
		}
		p.HTML("</section>")
	}
	p.HTML("</div></section>\n")
	return nil
}

func (p *page) stanceName(v record.Value) string {
	if name := p.words.stances[record.Stance(v.Word)]; name != "" {
		return name
	}
	return phraseOf(v.Word)
}

// evidenceCard shows a piece of evidence in a few lines.
func (p *page) evidenceCard(id record.ID) error {
	e, err := find[*record.Evidence](p, id)
	if err != nil || e == nil {
		return err
	}
	p.HTML(`<div class="card"><p class="card-title">`)
	p.link(string(id))
	p.HTML("</p><p>")
	p.Text(e.Finding)
	p.HTML("</p><p>")
	if is := p.standingOf(string(id)); is != standing.Stands {
		p.badge(standings, is.String())
		p.HTML(" ")
	}
	p.badge(evidenceLabels, string(e.EvidenceLabel))
	p.HTML(" ")
	p.badge(evidenceTypes, string(e.EvidenceType))
	p.HTML("</p></div>")
	return nil
}

// effect shows the size of the effect that a piece of evidence found.
func (p *page) effect(rec record.Record) error {
	x := rec.(*record.Evidence).Effect
	if x == nil {
		return nil
	}
	p.HTML(`<section id="effect"><h2>`)
	p.Text(p.words.EffectSize)
	p.HTML(`</h2><p class="figure"><strong>`)
	p.Text(string(x.Value))
	p.HTML("</strong> ")
	p.Text(x.Measure)
	if x.Lower != "" || x.Upper != "" {
		p.HTML(` <span class="quiet">(`)
		if x.Level != "" {
			p.Text(string(x.Level))
			p.HTML("% ")
		}
		if x.Interval != "" {
			p.Text(string(x.Interval))
			p.HTML(" ")
		}
		p.Text(p.words.Interval)
		p.HTML(" ")
		p.Text(string(x.Lower))
		p.HTML("–")
		p.Text(string(x.Upper))
		p.HTML(")</span>")
	}
	p.HTML("</p>")
	p.intervalPicture(x)
	if x.Participants > 0 || x.Studies > 0 {
		p.HTML(`<p class="quiet">`)
		p.countOf(p.words.Participants, x.Participants)
		p.countOf(p.words.Studies, x.Studies)
		p.HTML("</p>")
	}
	p.HTML("</section>\n")
	return nil
}

func (p *page) countOf(name string, n int64) {
	if n > 0 {
		p.Text(name)
		p.HTML(": ")
		p.Int(n)
		p.HTML(". ")
	}
}
