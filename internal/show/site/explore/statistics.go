package explore

import (
	"maps"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the list of indicators.
var (
	topicForm     = markup.Parse(`<section class="narrow">{?title}<h2>{title}</h2>{/}{table}</section>`)
	indicatorForm = markup.Parse(`<a href="{address}"{lang}>{name}</a> <code>{code}</code><span class="quiet"{lang}>{summary}</span>`)
)

// WriteStatistics writes the page that lists the indicators by topic, each with its latest value.
// It must run after the pages of indicators are written, which determine these values.
func (s *Section) WriteStatistics() error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	return s.Put(layout.KindPage(k.Folder()), func(p *page) {
		p.Open(
			frame.Head{
				Title: p.Words.Name(k), Description: p.Words.Doc(k), Section: "/healthcare-statistics/",
				Alternate: k.Collection.Path, Data: p.Dataset(k), Wide: true, Feeds: k.Folder(),
				Scripts: []string{"list.js"}, Picture: frame.CardAddress(layout.ListAddress(k.Folder(), 0)),
			},
		)
		p.WriteBreadcrumbs(k, "")
		p.writeKindOpening(k)
		p.WriteFilterBox("search")
		topics := p.topics()
		for _, title := range slices.Sorted(maps.Keys(topics)) {
			p.Fill(topicForm, markup.By("table", func() { p.writeIndicators(topics[title]) }),
				markup.When(title != "", "title", func() {
					if own, is := strings.CutPrefix(title, last); is {
						p.Text(own)
					} else {
						p.WritePublisherText(title)
					}
				}))
		}
		p.Close()
	})
}

// last is a string that sorts after all names.
const last = "\U0010FFFF"

// topics returns the indicators by the title of their entity's subject. If there is only one topic,
// its title is "", and the list has no headings.
func (p *page) topics() map[string][]*lookup.Indicator {
	topics := map[string][]*lookup.Indicator{}
	for _, x := range p.Indicators {
		title := last + p.Words.OtherTopics
		if x.Entity != nil {
			k, i, _ := p.Records.Find(string(x.Entity.ID))
			for l := range p.Records.Edges(k, i) {
				if l.Out && l.Relation == record.RelationAbout {
					title = p.Refer(l.ID).Title
					break
				}
			}
		}
		topics[title] = append(topics[title], x)
	}
	if len(topics) == 1 {
		return map[string][]*lookup.Indicator{"": p.Indicators}
	}
	return topics
}

func (p *page) writeIndicators(list []*lookup.Indicator) {
	columns := []frame.Column{
		{Name: p.Words.Indicator, Head: true},
		{Name: p.Words.PlaceValues},
		{Name: p.Words.Values, Number: true, Named: true},
	}
	p.Table(frame.Table{Class: "list newest", Columns: columns}, func(t *frame.Table) {
		for _, x := range list {
			t.Row("", func() { p.writeIndicator(x) }, func() { p.of.figures.Line(p.Page, x) },
				func() { p.Int(int64(len(x.Records))) })
		}
	})
}

func (p *page) writeIndicator(x *lookup.Indicator) {
	p.Fill(indicatorForm, markup.With("address", x.Address()), markup.With("name", x.Title),
		markup.With("code", x.Code), markup.With("summary", x.Summary))
}
