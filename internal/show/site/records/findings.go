package records

import (
	"cmp"
	"slices"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/show/outcomes"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the table of findings.
var (
	findingsForm = markup.Parse(`
		<section id="findings"><h2>{=Findings}</h2>
			<p>{=FindingsText}</p>{table}{withdrawn}
			{outcomes}
		</section>`)
	withdrawnForm = markup.Parse(`<p class="withdrawn-note">{=FindingsWithdrawn}</p><ul>{list}</ul>`)
	findingForm   = markup.Parse(`
		<a href="{address}"{lang}>{outcome}</a><span class="quiet">{question}{stance}</span>`)
	linesForm    = markup.Parse(`<span class="line">{line}</span>`)
	computedForm = markup.Parse(`<span class="computed">{text}</span>`)
	whyForm      = markup.Parse(`<details class="why"><summary>{why}</summary><ul>{steps}</ul></details>`)
	reasonForm   = markup.Parse(`<li>{step}{why}</li>`)
	weakestForm  = markup.Parse(`
		<p class="limit"><strong>{=WeakestOutcome}</strong> {outcome} {label}{?why} {why}{/}</p>`)
	certaintyForm = markup.Parse(`<section id="certainty"><h2>{=WhyCertainty}</h2>{table}</section>`)
)

// finding is a row of the table of findings: evidence with its stance on the claim.
type finding struct {
	*record.Evidence
	stance record.Stance // "" on the page of the evidence itself
}

// hasFinding reports whether e belongs in a table of findings.
func hasFinding(e *record.Evidence) bool {
	return e != nil && (e.Effect != nil || e.Comparison != nil && e.Comparison.Outcome != "")
}

// writeClaimFindings writes the table of the evidence that a claim names. Evidence that was
// retracted or lost its support is listed below the table.
func (p *page) writeClaimFindings(claim *record.ProofClaim) {
	var list []finding
	var lost []record.ID
	for _, x := range claim.Evidence[:min(len(claim.Evidence), frame.Shown)] {
		switch e := lookup.Find[*record.Evidence](p.Reader, x.EvidenceID); {
		case !hasFinding(e):
		case p.StandingOf(string(x.EvidenceID)).IsLost():
			lost = append(lost, x.EvidenceID)
		default:
			list = append(list, finding{e, x.Stance})
		}
	}
	if len(list)+len(lost) > 0 {
		p.writeFindings(list, lost)
	}
}

// writeEvidenceFindings writes the table of findings on the page of e, with one row.
func (p *page) writeEvidenceFindings(e *record.Evidence) {
	if e.Comparison != nil || len(e.Effect.Risks) > 0 {
		p.writeFindings([]finding{{e, ""}}, nil)
	}
}

func (p *page) writeFindings(list []finding, lost []record.ID) {
	p.Fill(findingsForm, markup.When(len(list) > 0, "table", func() { p.writeFindingsTable(list) }),
		markup.When(len(lost) > 0, "withdrawn", func() {
			p.Fill(withdrawnForm, markup.Each("list", lost, func(id record.ID) {
				p.WriteItem(func() {
					p.WriteLink(string(id))
					p.WriteStandingBadge(p.StandingOf(string(id)))
				})
			}))
		}),
		markup.By("outcomes", func() { p.writeOutcomes(list) }))
}

func (p *page) writeFindingsTable(list []finding) {
	column := func(name string) frame.Column { return frame.Column{Name: name, Named: true} }
	t := p.Words
	p.Table(frame.Table{Class: "findings", Columns: []frame.Column{
		{Name: t.FindingsOutcome, Head: true},
		column(t.FindingsRelative), column(t.FindingsWithout), column(t.FindingsWith),
		column(t.FindingsDifference), column(t.FindingsStudied), column(t.FindingsCertainty),
	}}, func(table *frame.Table) {
		for _, f := range list {
			table.Row("", p.findingCells(f)...)
		}
	})
}

// findingCells returns functions that write the cells of f, with a line for each assumed risk.
func (p *page) findingCells(f finding) []func() {
	x := cmp.Or(f.Effect, &record.EffectSize{})
	var list []outcomes.Absolute
	for _, r := range x.Risks[:min(len(x.Risks), frame.Shown)] {
		list = append(list, outcomes.Of(x, r))
	}
	each := func(write func(a *outcomes.Absolute)) func() {
		return func() {
			if len(list) == 0 {
				p.Text("–")
			}
			for i := range list {
				p.Fill(linesForm, markup.By("line", func() { write(&list[i]) }))
			}
		}
	}
	return []func(){
		func() { p.writeComparison(f) },
		func() { p.writeRelativeEffect(x) },
		each(func(a *outcomes.Absolute) { p.writeAssumedRisk(x, a) }),
		each(func(a *outcomes.Absolute) { p.writeCorrespondingRisk(x, a) }),
		each(func(a *outcomes.Absolute) { p.Text(p.riskDifference(x, a)) }),
		func() { p.writeStudies(x) },
		func() { p.writeCertainty(f.Evidence) },
	}
}

// writeComparison writes the outcome of f, and the population and interventions that were compared.
func (p *page) writeComparison(f finding) {
	c := cmp.Or(f.Comparison, &record.Comparison{})
	p.Fill(findingForm, markup.With("address", p.Refer(string(f.ID)).Address),
		markup.With("outcome", words.Capital(cmp.Or(c.Outcome, lookup.Name(&f.Envelope)))),
		markup.By("question", func() {
			p.WritePublisherText(words.Capital(c.Intervention))
			if c.Intervention != "" && c.Comparator != "" {
				p.Text(" " + p.Words.FindingsAgainst + " ")
			}
			p.WritePublisherText(c.Comparator)
			for _, text := range []string{c.Population, c.Time} {
				if text != "" {
					p.Text(p.Words.Comma)
					p.WritePublisherText(text)
				}
			}
		}),
		markup.When(f.stance != "" && f.stance != record.StanceSupports, "stance", func() {
			p.Text(" · " + p.stanceName(schema.Value{Word: string(f.stance)}))
		}))
}

// writeRelativeEffect writes the relative effect with its interval.
func (p *page) writeRelativeEffect(x *record.EffectSize) {
	if x.Value == "" {
		p.Text("–")
		return
	}
	if code := x.Code(); code != "" {
		p.Text(p.Words.Written(words.MeasureCodes, string(code)))
	} else {
		p.WritePublisherText(words.Capital(x.Measure))
	}
	p.Text(" " + p.Words.Figure(x.Value, nil))
	if x.Lower != "" && x.Upper != "" {
		p.Text(" (" + p.rangeText(p.Words.Figure(x.Lower, nil), p.Words.Figure(x.Upper, nil)) + ")")
	}
}

func (p *page) rangeText(low, high string) string {
	return words.Fill(p.Words.FromTo, "low", low, "high", high)
}

// perText formats the rate of n in of people or, for rate ratios, in of person-years.
func (p *page) perText(x *record.EffectSize, n string, of int64) string {
	form := p.Words.PerPeople
	if x.Code() == record.MeasureRateRatio {
		form = p.Words.PerYears
	}
	return words.Fill(form, "n", n, "per", p.Words.Int(of))
}

func (p *page) figureText(f record.Figure) string { return p.Words.Figure(record.Number(f), nil) }

func (p *page) writeAssumedRisk(x *record.EffectSize, a *outcomes.Absolute) {
	p.Text(p.perText(x, p.figureText(a.Assumed), a.Risk.Per))
	if a.Label != "" {
		p.Text(" (")
		p.WritePublisherText(a.Label)
		p.Text(")")
	}
	if a.SourceID != "" {
		p.Text(" ")
		p.WriteLink(string(a.SourceID))
	}
}

func (p *page) writeCorrespondingRisk(x *record.EffectSize, a *outcomes.Absolute) {
	if a.Corresponding == "" {
		p.Text(p.Words.NotEstimable)
		return
	}
	p.Text(p.perText(x, p.figureText(a.Corresponding), a.Risk.Per))
	if a.Lower != "" && a.Upper != "" {
		p.Text(" (" + p.rangeText(p.figureText(a.Lower), p.figureText(a.Upper)) + ")")
	}
	if a.Computed {
		risk := p.perText(x, p.figureText(a.Assumed), a.Risk.Per)
		p.Text(" ")
		p.Fill(computedForm, markup.With("text", words.Fill(p.Words.ComputedFor, "risk", risk)))
	}
}

// riskDifference returns how many more or fewer people have the outcome, with the interval.
func (p *page) riskDifference(x *record.EffectSize, a *outcomes.Absolute) string {
	if a.Difference == "" && a.Assumed != "" && strings.Trim(string(a.Assumed), "0.") == "" {
		return p.Words.NotFromZero
	} else if a.Difference == "" {
		return p.Words.NotEstimable
	}
	side := func(difference string) string {
		n, fewer := outcomes.Fewer(difference)
		if fewer {
			return words.Fill(p.Words.FewerOf, "n", p.figureText(record.Figure(n)))
		}
		return words.Fill(p.Words.MoreOf, "n", p.figureText(record.Figure(n)))
	}
	text := side(a.Difference)
	if strings.Trim(a.Difference, "-0.") == "" {
		text = p.Words.NoDifference
	}
	text = p.perText(x, text, a.Unit)
	if a.From == "" || a.To == "" {
		return text
	}
	from, to := a.From, a.To
	low, lowFewer := outcomes.Fewer(from)
	high, highFewer := outcomes.Fewer(to)
	if lowFewer && highFewer { // the smaller number first
		from, to, low = to, from, high
	}
	first := side(from)
	if lowFewer == highFewer {
		first = p.figureText(record.Figure(low))
	}
	return text + " (" + p.rangeText(first, side(to)) + ")"
}

func (p *page) writeStudies(x *record.EffectSize) {
	if x.Participants == 0 && x.Studies == 0 {
		p.Text("–")
		return
	}
	p.countOf(p.Words.Participants, x.Participants)
	p.countOf(p.Words.Studies, x.Studies)
}

// writeCertainty writes the label, and its reasons in a note that readers can open.
func (p *page) writeCertainty(e *record.Evidence) {
	p.WriteBadge(words.EvidenceLabels, string(e.EvidenceLabel))
	b := e.LabelBasis
	if b == nil || b.Start == "" && b.Factors == nil {
		return
	}
	label := strings.ToLower(p.Words.Written(words.EvidenceLabels, string(e.EvidenceLabel)))
	p.Fill(whyForm, markup.With("why", words.Fill(p.Words.WhyLabel, "label", label)),
		markup.Each("steps", p.labelStepsOf(b), func(s labelStep) {
			p.Fill(reasonForm, markup.With("step", s.sign+s.name),
				markup.By("why", func() {
					if s.why != nil {
						p.Text(": ")
						s.why()
					}
				}))
		}))
}

// labelStep is a step from the starting level of a label to the label.
type labelStep struct {
	sign, name string
	why        func()
}

// labelStepsOf returns the starting level and the factors of a label in words.
func (p *page) labelStepsOf(b *record.LabelBasis) (list []labelStep) {
	t := p.Words
	if b.Start != "" {
		start := t.Written(words.EvidenceLabels, string(b.Start))
		means := p.Cell(t.Meaning(words.StartLabels, string(b.Start)))
		list = append(list, labelStep{"", words.Fill(t.LabelStart, "label", start), means})
	}
	for _, f := range b.Factors {
		name := t.Written(words.CertaintyFactors, string(f.Factor))
		list = append(list, labelStep{t.Localize(f.SignedLevels()) + " ", name, func() { p.WritePublisherText(f.Why) }})
	}
	switch {
	case b.Factors == nil:
		list = append(list, labelStep{"", t.ReasonsUnknown, nil})
	case !slices.ContainsFunc(b.Factors, func(f record.LabelFactor) bool { return f.Levels > 0 }):
		list = append(list, labelStep{"", t.ReasonsNone, nil})
	}
	return list
}

// writeLabelSteps writes the steps from the starting level to the label of e.
func (p *page) writeLabelSteps(e *record.Evidence) {
	b := e.LabelBasis
	if b == nil || b.Start == "" && b.Factors == nil {
		return
	}
	t := p.Words
	p.Fill(certaintyForm, markup.By("table", func() {
		p.Table(frame.Table{Class: "steps", Columns: []frame.Column{
			{Name: t.StepLevels}, {Name: t.Step, Head: true}, {Name: t.StepWhy},
		}}, func(table *frame.Table) {
			for _, s := range p.labelStepsOf(b) {
				table.Row("", p.Cell(s.sign), p.Cell(s.name), s.why)
			}
			table.Row("", p.Cell("="), func() { p.WriteBadge(words.EvidenceLabels, string(e.EvidenceLabel)) },
				func() { p.writeRater(e) })
		})
	}))
}

// writeWeakestOutcome writes the outcome with the lowest certainty that recommendations rest on,
// and the factors that lower the certainty. Recommendations and evidence that were retracted or
// lost their support do not count.
func (p *page) writeWeakestOutcome(advice []*record.Recommendation) {
	var weakest *record.Evidence
	for _, r := range advice {
		if p.StandingOf(string(r.ID)).IsLost() {
			continue
		}
		for _, id := range r.EvidenceIDs[:min(len(r.EvidenceIDs), frame.Shown)] {
			e := lookup.Find[*record.Evidence](p.Reader, id)
			if !hasFinding(e) || p.StandingOf(string(id)).IsLost() {
				continue
			}
			if weakest == nil || e.EvidenceLabel.Rank() < weakest.EvidenceLabel.Rank() {
				weakest = e
			}
		}
	}
	if weakest == nil {
		return
	}
	limit := cmp.Or(weakest.LabelBasis, &record.LabelBasis{}).Limit()
	p.Fill(weakestForm, markup.By("outcome", func() { p.WriteLink(string(weakest.ID)) }),
		markup.By("label", func() { p.WriteBadge(words.EvidenceLabels, string(weakest.EvidenceLabel)) }),
		markup.When(limit != nil, "why", func() {
			p.Text(p.Words.Written(words.CertaintyFactors, string(limit.Factor)) + ": ")
			p.WritePublisherText(limit.Why)
		}))
}
