package records

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the description of an indicator, which is below its values.
var (
	describedForm = markup.Parse(`
		<div class="columns"><div>{definition}{about}{sources}{history}{connections}</div><aside>{facts}</aside></div>`)
	definitionForm = markup.Parse(`<section id="definition"><h2>{=Definition}</h2><dl class="facts">{entries}</dl></section>`)
)

// Warn writes the warnings about an indicator's entity.
func (s *Section) Warn(to *frame.Page, x *lookup.Indicator) {
	if x.Entity != nil {
		k, i, _ := to.Records.Find(string(x.Entity.ID))
		(&page{Page: to, of: s}).warnAll(k, i, &x.Entity.Envelope)
	}
}

// Describe writes the description of x by its entity, the records about the entity or its values,
// and the sources of both. If happened is set, the values have a history, and an empty history of
// the entity is omitted.
func (s *Section) Describe(to *frame.Page, x *lookup.Indicator, links []record.SourceLink, happened bool) {
	p := &page{Page: to, of: s}
	a := about{ids: map[string][]string{}, seen: map[string]bool{}}
	p.addCiting(&a, []lookup.Figures{{Indicator: x, Records: x.Records}})
	e := x.Entity
	if e == nil {
		p.writeAbout(&a)
		s.Sources(to, links)
		return
	}
	k, i, _ := p.Records.Find(string(e.ID))
	p.addSubjectOf(&a, k, i, false)
	links = append(slices.Clone(links), e.SourceLinks...)
	plan := *s.plans[k]
	plan.details = slices.DeleteFunc(slices.Clone(plan.details),
		func(f Field) bool { return f.Name == "name" || f.Name == "measure" })
	p.Fill(describedForm,
		markup.By("definition", func() { p.writeDefinition(e) }), markup.By("about", func() { p.writeAbout(&a) }),
		markup.By("sources", func() { p.writeSources(&record.Envelope{SourceLinks: distinct(links)}) }),
		markup.By("history", func() {
			list := p.momentsOf(k, i, &e.Envelope)
			if !happened || slices.ContainsFunc(list, moment.isChange) {
				p.writeTimeline(k, list)
			}
		}),
		markup.By("connections", func() { p.writeConnections(k, i, &e.Envelope) }),
		markup.By("facts", func() { p.writeFacts(&plan, e, p.Records.Standing(k, i).Standing) }))
}

// Sources writes the sources in links on any page.
func (s *Section) Sources(to *frame.Page, links []record.SourceLink) {
	(&page{Page: to, of: s}).writeSources(&record.Envelope{SourceLinks: links})
}

// distinct returns links without duplicate sources with the same role.
func distinct(links []record.SourceLink) (list []record.SourceLink) {
	for _, l := range links {
		if !slices.ContainsFunc(list, func(o record.SourceLink) bool { return o.URL == l.URL && o.Role == l.Role }) {
			list = append(list, l)
		}
	}
	return list
}

// writeDefinition writes the definition of an indicator and its other names.
func (p *page) writeDefinition(e *record.Entity) {
	if e.Title == e.Name && e.Measure == nil {
		return
	}
	p.Fill(definitionForm, markup.By("entries", func() {
		if e.Title != e.Name {
			p.WriteEntry(p.Words.Aliases, func() { p.WritePublisherText(e.Title) })
		}
		if e.Measure != nil {
			p.writeMembers(schema.ShapeOf[record.Measure](), reflect.ValueOf(*e.Measure))
		}
	}))
}
