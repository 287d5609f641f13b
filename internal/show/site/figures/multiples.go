package figures

import (
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

var multiplesForm = markup.Parse(`<section class="sparks multiples" id="figures"><h2>{head}</h2><ul>{list}</ul>{more}</section>

	`)

// mostMultiples is how many small charts a page has.
const mostMultiples = 60

// Multiples shows indicators on a page of something else, each with its newest value and a small
// chart: of one area, or of the one that has the most to say.
func (s *Room) Multiples(to *frame.Page, head string, list []lookup.Figures) error {
	p := &page{to, s}
	var failed error
	p.Fill(multiplesForm, markup.With("head", head), markup.By("list", func() {
		for _, f := range list[:min(len(list), mostMultiples)] {
			line, address, err := p.multiple(f)
			if err != nil {
				failed = err
				return
			}
			p.sparkItem(address, line)
		}
	}), markup.By("more", func() { p.AndMore(len(list) - mostMultiples) }))
	return failed
}

// multiple is the line of an indicator, and where its values are.
func (p *page) multiple(f lookup.Figures) (line *spark, address string, err error) {
	if len(f.Records) == len(f.Indicator.Records) && len(f.Areas) > 1 {
		line, err = p.spark(f.Indicator)
		return line, f.Address(), err
	}
	name, _, err := p.IndicatorName(f.Indicator)
	if err != nil {
		return nil, "", err
	}
	list, err := p.readSeries(f.Records)
	if err != nil {
		return nil, "", err
	}
	line = sparkOf(name, list)
	if len(list) == 1 { // the page is about the area
		line.area = ""
	}
	address = f.Address()
	if f.Apart() {
		address = f.AreaAddress(list[0].areaKey)
	}
	return line, address, nil
}
