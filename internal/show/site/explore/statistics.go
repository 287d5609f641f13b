package explore

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The list of indicators.
var indicatorForm = markup.Parse(`<a href="{address}"{lang}>{name}</a> <code>{code}</code><span class="quiet"{lang}>{summary}</span>`)

// WriteStatistics makes the page of the statistics: their indicators, each with its newest value.
// It comes after the pages of indicators, which find that out.
func (s *Room) WriteStatistics() error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	return s.Put(layout.KindPage(k.Folder()), func(p *page) error {
		p.Open(
			frame.Head{
				Title: p.Words.Name(k), Description: p.Words.Doc(k), Section: "/healthcare-statistics/",
				Alternate: k.Collection.Path, Data: p.Dataset(k), Wide: true, Feeds: k.Folder(),
				Picture: frame.CardAddress(layout.ListAddress(k.Folder(), 0)),
			},
		)
		p.Crumbs(k, "")
		p.kindOpening(k)
		columns := []frame.Column{
			{Name: p.Words.Indicator, Head: true},
			{Name: p.Words.Newest},
			{Name: p.Words.Values, Number: true, Named: true},
		}
		p.Table(frame.Table{Class: "list newest", Columns: columns}, func(t *frame.Table) {
			for _, x := range s.Indicators {
				t.Row("", func() { p.indicator(x) }, func() { p.Fail(s.figures.Line(p.Page, x)) },
					func() { p.Int(int64(len(x.Records))) })
			}
		})
		p.Close()
		return nil
	})
}

func (p *page) indicator(x *lookup.Indicator) {
	name, summary, err := p.IndicatorName(x)
	p.Fail(err)
	p.Fill(indicatorForm, markup.With("address", x.Address()), markup.With("name", name), markup.With("code", x.Code),
		markup.With("summary", summary))
}
