package figures

import (
	"math"
	"slices"
	"strconv"

	"stele/internal/base/layout"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of indicators on the start page.
var (
	sparksForm     = markup.Parse(`<section class="sparks"><h2><a href="{folder}">{head}</a></h2><ul>{list}</ul>{all}</section>`)
	allForm        = markup.Parse(`<p><a href="/healthcare-statistics/">{indicators}</a> · <a href="/places/">{=AllPlaces}</a></p>`)
	sparkForm      = markup.Parse(`<li><a href="{address}"{lang}>{name}</a>{line}</li>`)
	sparkValueForm = markup.Parse(` <span><strong>{value}</strong> {unit} <span class="quiet"{lang}>{where}</span></span>`)
)

// spark is the data of an indicator in one line.
type spark struct {
	name string
	*stated
}

// keepSpark stores line, which is about x, for the start page.
func (s *Section) keepSpark(x *lookup.Indicator, line *spark) {
	s.sparkMu.Lock()
	defer s.sparkMu.Unlock()
	s.sparks[x] = line
}

// spark returns the line of x. It creates the line if the page of x was not written yet.
func (p *page) spark(x *lookup.Indicator) *spark {
	p.of.sparkMu.Lock()
	line := p.of.sparks[x]
	p.of.sparkMu.Unlock()
	if line == nil {
		line = &spark{x.Title, p.latestOfAll(p.readSeries(x.Records))}
		p.of.keepSpark(x, line)
	}
	return line
}

// writeHomeFigures writes indicators, each with its latest value and a small chart.
func (p *page) writeHomeFigures() {
	const most = 6
	if len(p.Indicators) == 0 {
		return
	}
	p.Fill(sparksForm, markup.With("folder",
		layout.ListAddress(record.KindNamed(record.KindHealthcareStatistic).Folder(), 0)),
		markup.With("head", p.Words.HomeHeads[record.KindHealthcareStatistic]),
		markup.Each("list", p.Indicators[:min(len(p.Indicators), most)], func(x *lookup.Indicator) {
			p.writeSparkItem(x.Address(), p.spark(x), false)
		}),
		markup.By("all", func() {
			p.Fill(allForm, markup.With("indicators", p.Words.Counted(p.Words.AllIndicators, len(p.Indicators))))
		}))
}

// writeSparkItem writes line with a link to its values.
func (p *page) writeSparkItem(address string, line *spark, large bool) {
	p.Fill(sparkForm, markup.With("address", address), markup.With("name", line.name),
		markup.When(line.stated != nil, "line", func() { p.drawSparkLine(line, large) }))
}

// drawSparkLine draws the small chart of line with the latest value. A large chart also shows its
// start.
func (p *page) drawSparkLine(line *spark, large bool) {
	width, height := 150., 34.
	if large {
		width, height = 300, 96
	}
	if line.series == nil {
		p.writeSparkValue(line)
		return
	}
	c := panel{all: []*series{line.series}, shown: []*series{line.series}, from: math.NaN()}
	from, to, low, high, ok := c.extent()
	if !ok { // only codes
		p.writeSparkValue(line)
		return
	}
	if low == high { // all are zero
		high = low + 1
	}
	x, y := scale{from, to, 3, width - 3}, scale{low, high, height - 3, 3}
	p.Either(large, ` <svg class="spark chart" viewBox="0 0 300 114" aria-hidden="true">`,
		` <svg class="spark chart" viewBox="0 0 150 34" aria-hidden="true">`)
	p.Draw(gridForm, 0, y.at(0), width)
	p.drawLine(line.series, x, y, -1)
	if line.latest.isDrawable() {
		p.Draw(dotForm, x.at(line.latest.at), y.at(line.latest.value()))
	}
	if large {
		for _, year := range slices.Compact([]float64{from, to}) {
			p.Draw(yearForm, min(max(x.at(year), 16), width-16), height+14)
			p.writeLabel(p.Words.Localize(strconv.Itoa(int(year))))
		}
	}
	p.HTML("</svg>")
	p.writeSparkValue(line)
}

// writeSparkValue writes the latest value with its area and period.
func (p *page) writeSparkValue(line *spark) {
	p.Fill(sparkValueForm, markup.By("value", func() { p.writeStatedValue(line.stated) }),
		markup.By("unit", func() { p.WritePublisherText(line.unit) }), markup.With("where", line.where))
}
