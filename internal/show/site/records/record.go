package records

import (
	"reflect"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the page of a record.
var (
	recordForm = markup.Parse(`
		<article>{crumbs}{warnings}
			{opening}{status}</header>
			<div class="columns"><div>
				{statement}{special}{sources}{trace}{history}{connections}
			</div>
			<aside>{facts}</aside></div>
			{reuse}
		</article>`)

	warningForm = markup.Parse(`
		<div class="{class}" role="note">
			<p><strong>{what}</strong> {means}</p>
			<p>{date}: {summary}</p>
		</div>`)
	openingForm = markup.Parse(`
		<header class="opening">
			<p class="kicker">{kind}{?illustrative} <span class="tag" title="{=IllustrativeText}">{=Illustrative}</span>{/}</p>
			<h1{lang}>{title}</h1>
			<p class="lead"{lang}>{summary}</p>`)
	statementForm = markup.Parse(`
		<div class="statement">
			<div>{said}{labels}</div>
			{boundary}
		</div>`)
	saidForm     = markup.Parse(`<section class="said"><h2>{name}</h2><p{lang}>{text}</p></section>`)
	boundaryForm = markup.Parse(`<section class="boundary"><h2>{=Boundary}</h2><p{lang}>{statement}</p>{limits}</section>`)
	labelsForm   = markup.Parse(`<dl class="labels">{labels}</dl>`)
	labelForm    = markup.Parse(`<div><dt>{name}</dt><dd>{badge} {means}{?basis}<br><span class="basis">{basis}</span>{/}</dd></div>`)
)

// WriteRecords writes the page of each record of k, and calls made with each record.
func (s *Section) WriteRecords(k *record.Kind, made func(l *lookup.Reader, i int, rec record.Record)) error {
	err := s.Each(s.Records.Len(k), func(i int) string { return render.PagePath(k, s.Records.ID(k, i)) },
		func(p *page, i int) { p.writeRecordPage(k, i, made) })
	if err != nil {
		return err
	}
	return s.writeCards(k)
}

func (p *page) writeRecordPage(k *record.Kind, i int, made func(*lookup.Reader, int, record.Record)) {
	rec := p.Read(k, i)
	made(p.Reader, i, rec)
	e, plan := rec.Common(), p.of.plans[k]
	p.json = k.JSONPath(string(e.ID))
	c := p.CiteRecord(k, e)
	source, _ := rec.(*record.SourceObject)
	if source != nil {
		c = p.CiteSource(source)
	}
	is := p.Records.Standing(k, i).Standing
	h := p.headOf(k, rec, &c, is)
	if x := p.IndicatorBy(string(e.ID)); x != nil {
		h.Moved = x.Address()
		p.Lead(h, rec.(*record.Entity).Name)
		return
	}
	p.Open(h)
	p.Fill(recordForm,
		markup.By("crumbs", func() { p.WriteBreadcrumbs(k, lookup.Name(e)) }),
		markup.By("warnings", func() {
			p.warnAll(k, i, e)
			if source != nil {
				p.writeSourceWarnings(source)
			}
		}),
		markup.By("opening", func() { p.writeOpening(k, rec) }),
		markup.By("status", func() { p.writeStatusLine(plan, rec, is) }),
		markup.By("statement", func() { p.writeStatement(plan, rec) }),
		markup.When(plan.special.write != nil, "special", func() { plan.special.write(p, rec) }),
		markup.By("trace", func() { p.writeTrace(k, i) }),
		markup.By("sources", func() { p.writeSources(e) }),
		markup.By("history", func() { p.writeHistory(k, i, e) }),
		markup.By("connections", func() { p.writeConnections(k, i, e) }),
		markup.By("facts", func() { p.writeFacts(plan, rec, is) }),
		markup.By("reuse", func() { p.writeReuse(k, e, source, &c) }))
	p.Close()
}

var recordScripts = []string{"record.js"}

// warnAll writes the warnings about a record: its replacement, its own notices, and its standing.
func (p *page) warnAll(k *record.Kind, i int, e *record.Envelope) {
	p.writeReplacement(e)
	p.writeWarnings(e)
	p.writeStanding(k, i)
}

// writeReplacement writes a link to the record that replaces the record of e, if there is one.
func (p *page) writeReplacement(e *record.Envelope) {
	if e.ReplacedBy == "" {
		return
	}
	p.Fill(standingForm, markup.With("class", "warning standing"), markup.With("what", p.Words.Replaced[0]),
		markup.With("means", p.Words.Replaced[1]), markup.By("why", func() { p.WriteLink(string(e.ReplacedBy)) }))
}

// writeWarnings writes warnings that the record, or a part of it, is no longer valid.
func (p *page) writeWarnings(e *record.Envelope) {
	for _, c := range slices.Backward(e.InForce()) {
		class, what, means := "warning", "", ""
		switch c.Type {
		case record.CorrectionRetraction:
			class, what, means = "warning grave", p.Words.Retracted, p.Words.RetractedText
		case record.CorrectionPartialRetraction:
			what, means = p.Words.Partial, p.Words.PartialText
		case record.CorrectionExpressionOfConcern:
			what, means = p.Words.Concern, p.Words.ConcernText
		}
		p.Fill(warningForm, markup.With("class", class), markup.With("what", what), markup.With("means", means),
			markup.By("date", func() { p.WriteDate(c.Date) }), markup.By("summary", func() { p.WritePublisherText(c.Summary) }))
	}
}

// writeOpening writes the kind, the title and the summary. It does not close the header element.
func (p *page) writeOpening(k *record.Kind, rec record.Record) {
	e := rec.Common()
	p.Fill(openingForm, markup.With("kind", p.sort(k, rec)), markup.With("title", lookup.Name(e)),
		markup.With("summary", e.Summary), markup.ShowIf("illustrative", e.Illustrative))
}

// writeStatement writes the main text of rec with its labels, and the claim boundary next to it.
func (p *page) writeStatement(plan *Plan, rec record.Record) {
	if _, ok := rec.(*record.Entity); ok && rec.Common().ClaimBoundary == nil {
		return // the type of an entity is above its name
	}
	p.Fill(statementForm,
		markup.When(plan.Statement != nil, "said", func() {
			p.Fill(saidForm, markup.With("name", plan.Statement.Title),
				markup.With("text", plan.Statement.Word(rec)))
		}),
		markup.By("labels", func() { p.writeLabels(plan, rec) }),
		markup.By("boundary", func() {
			if b := rec.Common().ClaimBoundary; b != nil {
				p.writeBoundary(b)
			}
		}))
}

func (p *page) writeBoundary(b *record.ClaimBoundary) {
	p.Fill(boundaryForm, markup.With("statement", b.Statement),
		markup.By("limits", func() {
			if b.Population+b.Place+b.Period == "" && len(b.Excludes) == 0 {
				return
			}
			p.Fill(frame.PairsForm, markup.By("entries", func() {
				p.WriteFact(p.Words.Population, b.Population)
				p.WriteFact(p.Words.Place, b.Place)
				p.WriteFact(p.Words.Period, b.Period)
				frame.WriteList(p.Page, p.Words.Excludes, b.Excludes, p.WritePublisherText)
			}))
		}))
}

// writeLabels writes each label with its meaning and its author.
func (p *page) writeLabels(plan *Plan, rec record.Record) {
	if len(plan.Labels) == 0 {
		return
	}
	p.Fill(labelsForm, markup.By("labels", func() {
		for i := range plan.Labels {
			f := &plan.Labels[i]
			word := f.Word(rec)
			if word == "" {
				continue
			}
			rated := f.Shape.Go == reflect.TypeFor[record.EvidenceLabel]() && word != string(record.LabelNotRated)
			p.Fill(labelForm, markup.With("name", f.Title),
				markup.By("badge", func() { p.WritePlainBadge(f.Shape, word) }),
				markup.With("means", p.Words.Meaning(f.Shape, word)),
				markup.When(rated, "basis", func() { p.writeRater(rec) }))
		}
	}))
}

// writeRater writes the author of the evidence label.
func (p *page) writeRater(rec record.Record) {
	evidence, ok := rec.(*record.Evidence)
	if !ok || evidence.LabelBasis == nil {
		p.Text(p.Words.RatedPublisher)
		return
	}
	b := evidence.LabelBasis
	p.WritePublisherText(b.Scheme)
	p.HTML(": ")
	p.Text(p.Words.Meaning(words.Assessors, string(b.AssessedBy)))
	if b.SourceID != "" {
		p.HTML(" (")
		p.WriteLink(string(b.SourceID))
		p.HTML(")")
	}
	if b.Locator != "" {
		p.Text(p.Words.Comma)
		p.WritePublisherText(b.Locator)
	}
}

func (p *page) headOf(k *record.Kind, rec record.Record, c *frame.Citation, is standing.Standing) frame.Head {
	e := rec.Common()
	twin := layout.Address(layout.TwinPath(k.Folder(), string(e.ID)))
	return frame.Head{
		Title: lookup.Name(e), Description: e.Summary, Kind: "article", Alternate: p.json,
		Scripts: recordScripts, Linked: func() { p.writeLinkedRecord(k, rec) }, Cite: c, Feeds: k.Folder(), Twin: twin,
		Picture: p.of.cardAddress(k, e, is),
		Signposts: &frame.Signposts{
			Type: linkedType(k, rec), Items: []frame.Signpost{{Address: p.json, MediaType: layout.TypeJSON}},
			DescribedBy: []frame.Signpost{{Address: twin, MediaType: layout.TypeMarkdown}},
		},
	}
}
