package figures

import (
	"slices"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The statistics that a record cites.
var (
	citedForm          = markup.Parse(`<section id="figures" class="cited"><h2>{=FiguresHead}</h2>{indicators}{more}</section>`)
	citedIndicatorForm = markup.Parse(`
		<h3><a href="{address}"{lang}>{name}</a></h3>
		<div class="charts"><div class="still">{charts}</div></div>
		<table class="figures">
			<caption class="sr"{lang}>{name}</caption>
			<thead><tr><th scope="col">{=Area}</th><th scope="col">{=Period}</th><th scope="col" class="num">{value}</th><th scope="col">{=Status}</th></tr></thead>
			<tbody>
			{rows}
			</tbody>
		</table>`)
	citedRowForm = markup.Parse(`
		<tr><td{lang}>{area}</td><th scope="row"><a href="{address}">{period}</a></th><td class="num">{value}</td><td>{status}</td></tr>`)
)

// mostCited is how many indicators are drawn, and how many values of each stand in a table.
const mostCited = 6

// citedOf is an indicator, and which of its statistics are cited.
type citedOf struct {
	*lookup.Indicator
	cited []int32
	whole []int32 // those of the same areas
}

// Cited draws the series that statistics belong to, with the values of these in a table, where each
// leads to the row that has its source and history.
func (s *Room) Cited(to *frame.Page, ids []record.ID) error {
	p := &page{to, s}
	list := p.citedIndicators(ids)
	if len(list) == 0 {
		return nil
	}
	var failed error
	p.Fill(citedForm,
		markup.By("indicators", func() {
			for _, of := range list[:min(len(list), mostCited)] {
				if err := p.citedIndicator(of); err != nil {
					failed = err
				}
			}
		}),
		markup.By("more", func() { p.AndMore(len(list) - mostCited) }))
	return failed
}

// citedIndicators are those that statistics belong to, in the order in which they are cited.
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

func (p *page) citedIndicator(of *citedOf) error {
	name, _, err := p.IndicatorName(of.Indicator)
	if err != nil {
		return err
	}
	whole, err := p.readSeries(of.whole)
	if err != nil {
		return err
	}
	cited, err := p.readSeries(of.cited)
	if err != nil {
		return err
	}
	p.Fill(citedIndicatorForm, markup.With("address", of.Address()), markup.With("name", name),
		markup.By("charts", func() {
			for _, c := range allPanels(whole, p.of.axisFrom(of.Indicator)) {
				p.chart(&c, name)
			}
		}),
		markup.By("value", func() { p.Theirs(words.Capital(cited[0].label)) }),
		markup.By("rows", func() {
			for _, s := range cited {
				for i := range s.values {
					p.citedRow(s, &s.values[i])
				}
			}
		}))
	return nil
}

func (p *page) citedRow(s *series, o *observation) {
	p.Fill(citedRowForm, markup.With("area", s.name()), markup.With("address", p.Address(string(o.ID))),
		markup.With("period", p.Words.When(o.TimePeriod)), markup.By("value", func() { p.figure(o) }),
		markup.By("status", func() { p.figureStatus(o) }))
}
