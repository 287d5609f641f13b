package records

import (
	"cmp"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of parts of the pages of claims and evidence.
var (
	stancesForm = markup.Parse(`<section id="evidence"><h2>{=EvidenceHead}</h2><div class="stances">{stances}</div></section>`)
	changeForm  = markup.Parse(`<section id="change"><h2>{head}</h2><p{lang}>{change}</p></section>`)
	stanceForm  = markup.Parse(`
		<section class="stance {stance}"><h3>{name} <span class="count">{count}</span></h3>{cards}</section>`)
	// a long list of evidence is folded
	foldedForm = markup.Parse(`<details{?first} open{/}><summary>{badge} <span class="count">{count}</span></summary>{cards}</details>`)
	effectForm = markup.Parse(`
		<section id="effect"><h2>{=EffectSize}</h2>
			<p class="figure"><strong>{value}</strong> {measure}{interval}</p>
			{picture}{?counts}<p class="quiet">{participants}{studies}</p>{/}
		</section>`)
	effectIntervalForm = markup.Parse(` <span class="quiet">({interval} {lower}–{upper})</span>`)
	countOfForm        = markup.Parse(`{name}: {count}. `)
)

// claimEvidence writes the evidence for, against and qualifying a claim side by side. Evidence that
// was retracted or lost its support is listed separately and not counted.
func (p *page) claimEvidence(rec record.Record) {
	claim := rec.(*record.ProofClaim)
	p.writeClaimFindings(claim)
	byStance := map[string][]record.ID{}
	for _, x := range claim.Evidence {
		stance := string(x.Stance)
		if p.StandingOf(string(x.EvidenceID)).IsLost() {
			stance = withdrawn
		}
		byStance[stance] = append(byStance[stance], x.EvidenceID)
	}
	side := func(stance, name string) {
		ids := byStance[stance]
		p.Fill(stanceForm, markup.With("stance", stance), markup.With("name", name), markup.Number("count", len(ids)),
			markup.By("cards", func() {
				if len(ids) == 0 {
					p.WriteSecondaryText(p.Words.EvidenceNone)
				}
				p.writeEvidenceCards(ids)
			}))
	}
	p.Fill(stancesForm,
		markup.By("stances", func() {
			for _, stance := range schema.ListOf[record.Stance]() {
				// missing context is not worth mentioning
				if len(byStance[stance.Word]) > 0 || stance.Word != string(record.StanceContext) {
					side(stance.Word, p.stanceName(stance))
				}
			}
			if len(byStance[withdrawn]) > 0 {
				side(withdrawn, p.Words.EvidenceWithdrawn)
			}
		}))
	if claim.WhatWouldChangeIt != "" {
		p.Fill(changeForm, markup.With("head", p.Words.Member(whatWouldChangeIt)), markup.With("change", claim.WhatWouldChangeIt))
	}
}

// whatWouldChangeIt is the name of the member that the page of a claim shows after the evidence.
const whatWouldChangeIt = "what_would_change_it"

// mostCards is the maximum number of pieces of evidence that a page lists without folding them.
const mostCards = 6

// writeEvidenceCards writes pieces of evidence. If there are many, it folds those of each certainty
// together, the most certain first.
func (p *page) writeEvidenceCards(ids []record.ID) {
	more := len(ids) - frame.Shown
	ids = ids[:min(len(ids), frame.Shown)]
	if len(ids) <= mostCards {
		for _, id := range ids {
			p.writeRecordCard(id)
		}
		return
	}
	byLabel := map[record.EvidenceLabel][]record.ID{}
	for _, id := range ids {
		if e := lookup.Find[*record.Evidence](p.Reader, id); e != nil {
			byLabel[e.EvidenceLabel] = append(byLabel[e.EvidenceLabel], id)
		}
	}
	first := true
	for _, label := range schema.ListOf[record.EvidenceLabel]() {
		same := byLabel[record.EvidenceLabel(label.Word)]
		if len(same) == 0 {
			continue
		}
		p.Fill(foldedForm, markup.ShowIf("first", first && len(same) <= mostCards),
			markup.By("badge", func() { p.WritePlainBadge(words.EvidenceLabels, label.Word) }),
			markup.Number("count", len(same)), markup.Each("cards", same, p.writeRecordCard))
		first = false
	}
	p.WriteAndMore(more)
}

// withdrawn is the CSS class of records that were retracted or lost their support.
const withdrawn = "withdrawn"

func (p *page) stanceName(v schema.Value) string {
	return cmp.Or(p.Words.Stances[record.Stance(v.Word)], p.Words.Member(v.Word))
}

// writeEffect writes the size of the effect that a piece of evidence found.
func (p *page) writeEffect(rec record.Record) {
	defer p.writeCitedStatistics(rec)
	e := rec.(*record.Evidence)
	defer p.writeLabelSteps(e)
	x := e.Effect
	if x == nil {
		return
	}
	defer p.writeEvidenceFindings(e)
	p.Fill(effectForm, markup.With("value", p.Words.Localize(string(x.Value))),
		markup.By("measure", func() { p.WritePublisherText(x.Measure) }), markup.By("interval", func() { p.writeEffectInterval(x) }),
		markup.By("picture", func() { p.drawIntervalPicture(x) }),
		markup.ShowIf("counts", x.Participants > 0 || x.Studies > 0),
		markup.By("participants", func() { p.countOf(p.Words.Participants, x.Participants) }),
		markup.By("studies", func() { p.countOf(p.Words.Studies, x.Studies) }))
}

// writeCitedStatistics writes the statistics that a record consists of: as charts, and their values
// in a table.
func (p *page) writeCitedStatistics(rec record.Record) {
	var ids []record.ID
	switch r := rec.(type) {
	case *record.Signal:
		ids = r.StatisticIDs
	case *record.Evidence:
		ids = r.StatisticIDs
	}
	if len(ids) > 0 {
		p.of.figures.Cited(p.Page, ids)
	}
}

func (p *page) writeEffectInterval(x *record.EffectSize) {
	if x.Lower == "" && x.Upper == "" {
		return
	}
	level, sort := "", ""
	if x.Level != "" {
		level = p.Words.Per(x.Level)
	}
	if x.Interval != "" {
		sort = p.Words.IntervalKind(string(x.Interval))
	}
	interval := strings.Fields(words.Fill(p.Words.IntervalOf, "level", level, "type", sort))
	p.Fill(effectIntervalForm, markup.With("interval", strings.Join(interval, " ")),
		markup.With("lower", p.Words.Localize(string(x.Lower))), markup.With("upper", p.Words.Localize(string(x.Upper))))
}

func (p *page) countOf(name string, n int64) {
	if n > 0 {
		p.Fill(countOfForm, markup.With("name", name), markup.Number("count", n))
	}
}
