package site

import (
	"reflect"

	"stele/internal/layout"
	"stele/record"
)

// record writes the page of a record.
func (p *page) record(k *record.Kind, i int, search *searchFile) error {
	rec, err := p.read(k, i)
	if err != nil {
		return err
	}
	e, plan := rec.Common(), p.plans[k]
	row := p.listRow(plan, rec, p.e.Standing(k, i).Standing)
	search.add(i, &row)
	p.finder.addRecord(k, i, plan, rec)
	p.json = k.JSONPath(string(e.ID))
	c := p.citation(k, e)
	source, _ := rec.(*record.SourceObject)
	if source != nil {
		c = p.sourceCitation(source)
	}
	p.begin(head{
		title: p.name(e), description: e.Summary, kind: "article", alternate: p.json,
		scripts: recordScripts, linked: func() { p.linkedRecord(k, rec) }, cite: &c,
		feeds: k.Folder(), twin: layout.Address(layout.TwinPath(k.Folder(), string(e.ID))),
	})
	p.HTML("<article>")
	p.crumbs(k, string(e.ID))
	p.warnings(e)
	p.standing(k, i, e)
	p.opening(k, e)
	p.statusLine(plan, rec, p.e.Standing(k, i).Standing)
	p.HTML("</header>")
	p.HTML("<div class=\"columns\"><div>\n")
	p.statement(plan, rec)
	if plan.special.write != nil {
		if err := plan.special.write(p, rec); err != nil {
			return err
		}
	}
	p.trace(k, i)
	p.sources(e)
	if err := p.history(k, i, e); err != nil {
		return err
	}
	p.connections(k, i, e)
	p.HTML("</div>\n<aside>")
	p.facts(plan, rec, p.e.Standing(k, i).Standing)
	p.HTML("</aside></div>\n")
	p.reuse(k, e, source, &c)
	p.HTML("</article>")
	p.end()
	return nil
}

var recordScripts = []string{"record.js"}

// name is what a record is called.
func (p *page) name(e *record.Envelope) string {
	if e.Title != "" {
		return e.Title
	}
	return string(e.ID)
}

func (p *page) crumbs(k *record.Kind, id string) {
	p.again("crumbs", k.Name, func() {
		p.HTML(`<nav class="crumbs"`)
		p.Attr("aria-label", p.words.Breadcrumb)
		p.HTML("><a")
		p.Attr("href", "/")
		p.HTML(">")
		p.Text(p.words.Home)
		p.HTML("</a> <a")
		p.Attr("href", "/"+k.Folder()+"/")
		p.HTML(">")
		p.Text(capital(k.Many))
		p.HTML("</a>")
	})
	if id != "" {
		p.HTML(` <span>`)
		p.Text(id)
		p.HTML("</span>")
	}
	p.HTML("</nav>\n")
}

// warnings say first what a reader must not overlook: that the record, or a part of it, no longer
// stands.
func (p *page) warnings(e *record.Envelope) {
	retracted := e.Retracted()
	for i := len(e.Corrections) - 1; i >= 0; i-- {
		c := &e.Corrections[i]
		if c.Type == record.CorrectionRetraction && !retracted { // it was taken back
			continue
		}
		switch c.Type {
		case record.CorrectionRetraction:
			p.HTML(`<div class="warning grave" role="note"><p><strong>`)
			p.Text(p.words.Retracted)
			p.HTML("</strong> ")
			p.Text(p.words.RetractedText)
		case record.CorrectionPartialRetraction:
			p.HTML(`<div class="warning" role="note"><p><strong>`)
			p.Text(p.words.Partial)
			p.HTML("</strong> ")
			p.Text(p.words.PartialText)
		case record.CorrectionExpressionOfConcern:
			p.HTML(`<div class="warning" role="note"><p><strong>`)
			p.Text(p.words.Concern)
			p.HTML("</strong> ")
			p.Text(p.words.ConcernText)
		default:
			continue
		}
		p.HTML("</p><p>")
		p.date(c.Date)
		p.HTML(": ")
		p.Text(c.Summary)
		p.HTML("</p></div>\n")
	}
}

// opening writes the kind, the title and the summary, and leaves the header open.
func (p *page) opening(k *record.Kind, e *record.Envelope) {
	p.HTML(`<header class="opening"><p class="kicker">`)
	p.Text(k.One)
	if e.Illustrative {
		p.HTML(` <span class="tag"`)
		p.Attr("title", p.words.IllustrativeText)
		p.HTML(">")
		p.Text(p.words.Illustrative)
		p.HTML("</span>")
	}
	p.HTML("</p><h1>")
	p.Text(p.name(e))
	p.HTML(`</h1><p class="lead">`)
	p.Text(e.Summary)
	p.HTML("</p>")
}

// statement writes what the record says with its labels, and beside it where that ends.
func (p *page) statement(plan *plan, rec record.Record) {
	e := rec.Common()
	p.HTML(`<div class="statement"><div>`)
	if plan.statement != nil {
		p.HTML(`<section class="said"><h2>`)
		p.Text(plan.statement.name)
		p.HTML("</h2><p>")
		p.Text(plan.statement.word(rec))
		p.HTML("</p></section>")
	}
	p.labels(plan, rec)
	p.HTML("</div>")
	if b := e.ClaimBoundary; b != nil {
		p.boundary(b)
	}
	p.HTML("</div>\n")
}

func (p *page) boundary(b *record.ClaimBoundary) {
	p.HTML(`<section class="boundary"><h2>`)
	p.Text(p.words.Boundary)
	p.HTML("</h2><p>")
	p.Text(b.Statement)
	p.HTML("</p>")
	if b.Population+b.Place+b.Period != "" || len(b.Excludes) > 0 {
		p.HTML("<dl>")
		p.fact(p.words.Population, b.Population)
		p.fact(p.words.Place, b.Place)
		p.fact(p.words.Period, b.Period)
		listed(p, p.words.Excludes, b.Excludes, p.Text)
		p.HTML("</dl>")
	}
	p.HTML("</section>")
}

// labels writes every label with what it means and who gave it.
func (p *page) labels(plan *plan, rec record.Record) {
	if len(plan.labels) == 0 {
		return
	}
	p.HTML(`<dl class="labels">`)
	for i := range plan.labels {
		f := &plan.labels[i]
		word := f.word(rec)
		if word == "" {
			continue
		}
		p.HTML("<div><dt>")
		p.Text(f.name)
		p.HTML("</dt><dd>")
		p.plainBadge(f.Shape, word)
		p.HTML(" ")
		p.Text(meaning(f.Shape.List, word))
		if f.Shape.Go == reflect.TypeFor[record.EvidenceLabel]() {
			p.ratedBy(rec, word)
		}
		p.HTML("</dd></div>")
	}
	p.HTML("</dl>\n")
}

// ratedBy says who gave an evidence label.
func (p *page) ratedBy(rec record.Record, word string) {
	if word == string(record.LabelNotRated) {
		return
	}
	p.HTML(`<br><span class="basis">`)
	defer p.HTML("</span>")
	evidence, ok := rec.(*record.Evidence)
	if !ok || evidence.LabelBasis == nil {
		p.Text(p.words.RatedPublisher)
		return
	}
	b := evidence.LabelBasis
	p.Text(b.Scheme)
	p.HTML(": ")
	p.Text(meaning(record.ListOf[record.Assessor](), string(b.AssessedBy)))
	if b.SourceID != "" {
		p.HTML(" (")
		p.link(string(b.SourceID))
		p.HTML(")")
	}
	if b.Locator != "" {
		p.HTML(", ")
		p.Text(b.Locator)
	}
}
