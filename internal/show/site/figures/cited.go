package figures

import (
	"slices"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the statistics that a record cites.
var (
	citedForm          = markup.Parse(`<section id="figures" class="cited"><h2>{=FiguresHead}</h2>{indicators}{more}</section>`)
	citedIndicatorForm = markup.Parse(`
		<h3><a href="{address}"{lang}>{name}</a></h3>
		<div class="charts"><div class="still">{charts}</div></div>{table}`)
)

// mostCited is the maximum number of indicators drawn, and of values of each indicator in a table.
const mostCited = 6

// citedOf is an indicator with the statistics of it that a record cites.
type citedOf struct {
	*lookup.Indicator
	cited []int32
	whole []int32 // the statistics of the same areas
}

// Cited writes charts of the cited statistics in ids, with a table of their values. Each value
// links to the row with its source and history.
func (s *Section) Cited(to *frame.Page, ids []record.ID) {
	p := &page{to, s}
	list := p.citedIndicators(ids)
	if len(list) == 0 {
		return
	}
	p.Fill(citedForm, markup.Each("indicators", list[:min(len(list), mostCited)], p.writeCitedIndicator),
		markup.By("more", func() { p.WriteAndMore(len(list) - mostCited) }))
}

// citedIndicators returns the indicators of the cited statistics in ids, in order.
func (p *page) citedIndicators(ids []record.ID) (list []*citedOf) {
	k := record.KindNamed(record.KindHealthcareStatistic)
	for _, id := range ids {
		found, i, ok := p.Records.Find(string(id))
		if !ok || found != k {
			continue
		}
		x := p.IndicatorOf(k, i)
		if x == nil {
			continue
		}
		n := slices.IndexFunc(list, func(of *citedOf) bool { return of.Indicator == x })
		if n < 0 {
			n = len(list)
			list = append(list, &citedOf{Indicator: x})
		}
		list[n].cited = append(list[n].cited, int32(i))
		if slices.Contains(list[n].whole, int32(i)) {
			continue
		}
		for _, numbers := range x.OfArea {
			if slices.Contains(numbers, int32(i)) {
				list[n].whole = append(list[n].whole, numbers...)
			}
		}
	}
	return list
}

func (p *page) writeCitedIndicator(of *citedOf) {
	name, whole, cited := of.Title, p.readSeries(of.whole), p.readSeries(of.cited)
	columns := []frame.Column{
		{Name: p.Words.Area, Theirs: true},
		{Name: p.Words.Period, Head: true},
		{Name: words.Capital(cited[0].label), Number: true, Label: true},
		{Name: p.Words.Status},
	}
	p.Fill(citedIndicatorForm, markup.With("address", of.Address()), markup.With("name", name),
		markup.Each("charts", allPanels(whole, p.of.axisFrom(of.Indicator)), func(c panel) { p.drawChart(&c, name) }),
		markup.By("table", func() {
			caption := func() { p.WritePublisherText(name) }
			p.Table(frame.Table{Class: "figures", Caption: caption, Unseen: true, Columns: columns}, func(t *frame.Table) {
				for _, s := range cited {
					for i := range s.values {
						o := &s.values[i]
						period := func() { p.WriteAnchor(p.Address(string(o.ID)), p.Words.When(o.TimePeriod)) }
						t.Row("", p.Cell(s.name()), period, func() { p.writeFigure(o) },
							func() { p.writeFigureStatus(o) })
					}
				}
			})
		}))
}
