package figures

import (
	"maps"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
)

var multiplesForm = markup.Parse(`<section class="sparks multiples" id="figures"><h2>{head}</h2><ul>{list}</ul>{more}</section>`)

// mostMultiples is the maximum number of small charts on a page.
const mostMultiples = 60

// Multiples writes the indicators in list on another page under the heading head. Each has its
// latest value and a small chart of one area or of the most relevant series.
func (s *Section) Multiples(to *frame.Page, head string, list []lookup.Figures) {
	p := &page{to, s}
	shown := list[:min(len(list), mostMultiples)]
	p.Fill(multiplesForm, markup.With("head", head), markup.Each("list", shown, func(f lookup.Figures) {
		if !p.writeKeptItem(f) {
			line, address := p.smallMultiple(f)
			p.writeSparkItem(address, line, true)
		}
	}), markup.By("more", func() { p.WriteAndMore(len(list) - mostMultiples) }))
}

var changeForm = markup.Parse(` <span class="quiet">{change}</span>`)

// Line writes the latest value of an indicator with a small chart, and its change.
func (s *Section) Line(to *frame.Page, x *lookup.Indicator) {
	p := &page{to, s}
	if line := p.spark(x); line.stated != nil {
		p.drawSparkLine(line, false)
		p.Fill(changeForm, markup.With("change", line.change))
	}
}

// keptLine is the line of an indicator on the page of a place.
type keptLine struct {
	area  string // key of the area
	piece markup.Piece
	drawn bool   // whether there is a value to show
	text  string // that value in words
}

// mostKept is the maximum size of kept lines in memory, in bytes.
const mostKept = 16 << 20

// storeLines writes the lines of x for each of its areas while its values are held, so that they
// need not be read again for the pages of places.
func (p *page) storeLines(x *lookup.Indicator) {
	if p.openSeries(x) == nil || len(x.Areas) == 1 {
		return
	}
	kept := make(map[int32]*keptLine, len(x.Areas))
	p.Fail(p.of.With(func(own *page) {
		for n, records := range x.OfArea {
			line := p.areaLine(x.Title, p.seriesOfArea(x, n))
			k := &keptLine{area: x.Areas[n], drawn: line.stated != nil, text: line.text(p.Words.Comma)}
			if k.drawn {
				own.Begin(nil, layout.ResolveIndex(lookup.PlacesFolder+k.area+"/"))
				own.Again(&k.piece, func() { own.drawSparkLine(line, true) })
				p.of.keptBytes.Add(int64(len(own.Bytes())))
			}
			kept[records[0]] = k
		}
	}))
	p.of.sparkMu.Lock()
	defer p.of.sparkMu.Unlock()
	if p.of.keptBytes.Load() <= mostKept {
		maps.Copy(p.of.kept, kept)
	}
}

// writeKeptItem writes the line of f, and reports whether it was kept for a page at the same depth.
func (p *page) writeKeptItem(f lookup.Figures) bool {
	if len(f.Records) == len(f.Indicator.Records) {
		return false
	}
	p.of.sparkMu.Lock()
	k := p.of.kept[f.Records[0]]
	p.of.sparkMu.Unlock()
	if k == nil || k.drawn && !p.Has(&k.piece) {
		return false
	}
	address := f.Address()
	if f.HasAreaPages() {
		address = f.AreaAddress(k.area)
	}
	p.Fill(sparkForm, markup.With("address", address), markup.With("name", f.Title),
		markup.When(k.drawn, "line", func() { p.Again(&k.piece, nil) }))
	return true
}

// areaLine returns the line of the series in list, which are of the area of the page.
func (p *page) areaLine(name string, list []*series) *spark {
	line := &spark{name: name}
	if s := representative(list); s != nil {
		line.stated = p.latestOf(s, s.detail)
	}
	return line
}

// Latest returns the latest value of x in the area with the given index as text, or "".
func (s *Section) Latest(to *frame.Page, x *lookup.Indicator, area int) string {
	s.sparkMu.Lock()
	k := s.kept[x.OfArea[area][0]]
	s.sparkMu.Unlock()
	if k != nil {
		return k.text
	}
	p := &page{to, s}
	return p.areaLine(x.Title, p.seriesOfArea(x, area)).text(p.Words.Comma)
}

// LatestOfAll returns the value that represents all areas of x as text, or "" if there is none.
func (s *Section) LatestOfAll(to *frame.Page, x *lookup.Indicator) string {
	return (&page{to, s}).spark(x).text(to.Words.Comma)
}

// smallMultiple returns the line of f, and the URL of its values.
func (p *page) smallMultiple(f lookup.Figures) (line *spark, address string) {
	if len(f.Records) == len(f.Indicator.Records) && len(f.Areas) > 1 {
		return p.spark(f.Indicator), f.Address()
	}
	list := p.readSeries(f.Records)
	address = f.Address()
	if f.HasAreaPages() {
		address = f.AreaAddress(list[0].areaKey)
	}
	return p.areaLine(f.Title, list), address
}
