package site

import (
	"slices"
	"strings"

	"stele/internal/layout"
	"stele/internal/standing"
	"stele/record"
)

// writeStatistics makes the page of the kind: its indicators.
func (s *site) writeStatistics(k *record.Kind) error {
	return s.put(layout.KindPage(k.Folder()), func(p *page) error {
		p.begin(
			head{
				title:       capital(k.Many),
				description: k.Doc,
				section:     "/healthcare-statistics/",
				alternate:   k.Collection.Path,
				data:        p.dataset(k),
				wide:        true,
				feeds:       k.Folder(),
			},
		)
		p.crumbs(k, "")
		p.kindOpening(k)
		p.HTML(`<table class="list"><thead><tr><th scope="col">`)
		p.Text(p.words.Indicator)
		p.HTML(`</th><th scope="col" class="num">`)
		p.Text(p.words.Values)
		p.HTML("</th></tr></thead><tbody>\n")
		for _, x := range s.stats.indicators {
			name, summary, err := p.indicatorName(x)
			if err != nil {
				return err
			}
			p.HTML(`<tr><th scope="row"><a`)
			p.Attr("href", x.address())
			p.HTML(">")
			p.Text(name)
			p.HTML("</a> <code>")
			p.Text(x.code)
			p.HTML(`</code><span class="quiet">`)
			p.Text(summary)
			p.HTML(`</span></th><td class="num">`)
			p.Int(int64(len(x.records)))
			p.HTML("</td></tr>\n")
		}
		p.HTML("</tbody></table>\n")
		p.end()
		return nil
	})
}

// indicatorName is what an indicator is called, by the entity that its first statistic names.
func (p *page) indicatorName(x *indicator) (name, summary string, err error) {
	e, err := p.indicatorEntity(x)
	if err != nil || e == nil {
		return phraseOf(x.code), "", err
	}
	return e.Name, e.Summary, nil
}

// indicatorEntity is the entity that describes an indicator, or nil.
func (p *page) indicatorEntity(x *indicator) (*record.Entity, error) {
	rec, err := p.read(record.KindNamed(record.KindHealthcareStatistic), int(x.records[0]))
	if err != nil {
		return nil, err
	}
	return find[*record.Entity](p, rec.(*record.HealthcareStatistic).IndicatorID)
}

// writeIndicators makes a page for each indicator, and beside it the values that its chart draws
// anew where scripts run.
func (s *site) writeIndicators() error {
	list := s.stats.indicators
	for _, x := range list {
		s.pages = append(s.pages, x.address())
	}
	err := s.each(len(list), func(i int) string { return layout.Indexed(list[i].address()[1:]) },
		func(p *page, i int) error { return p.indicatorPage(list[i]) })
	if err != nil {
		return err
	}
	path := func(i int) string { return list[i].address()[1:] + "series.json" }
	return s.out.Each(len(list), path, func(i int, b []byte) ([]byte, error) {
		p := s.idle.Get().(*page)
		defer s.idle.Put(p)
		all, err := p.readSeries(list[i])
		return append(b, p.seriesFile(all, p.axisFrom(list[i]))...), err
	})
}

// axisFrom is where the axis of an indicator's charts begins, if the publisher does not want it to
// begin at zero; else it is NaN.
func (s *site) axisFrom(x *indicator) float64 {
	return record.Number(s.settings.AxisFrom.Get(x.code)).Float()
}

func (p *page) indicatorPage(x *indicator) error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	name, summary, err := p.indicatorName(x)
	if err != nil {
		return err
	}
	list, err := p.readSeries(x)
	if err != nil {
		return err
	}
	p.keepSpark(x, sparkOf(name, list))
	c := p.indicatorCitation(x, name, list)
	data := p.dataset(k)
	data.ID, data.Name, data.Description, data.Modified = p.base+x.address(), name, summary, ""
	data.Variable = []linkedName{{"StatisticalVariable", "", name}}
	p.begin(head{
		title: name, description: summary, section: "/healthcare-statistics/", alternate: k.Collection.Path, data: data, wide: true,
		scripts: []string{"chart.js"}, cite: &c, feeds: k.Folder(),
	})
	p.crumbs(k, x.code)
	p.HTML(`<header class="opening"><p class="kicker">`)
	p.Text(p.words.Indicator)
	p.HTML("</p><h1>")
	p.Text(name)
	p.HTML(`</h1><p class="lead">`)
	p.Text(summary)
	p.HTML(`</p><p class="meta">`)
	p.figureCounts(list)
	p.HTML(`</p></header><section class="charts" data-series="series.json"><h2 class="sr">`)
	p.Text(p.words.Chart)
	p.HTML(`</h2><div class="still">`)
	for _, c := range panels(list, p.axisFrom(x)) {
		p.chart(&c, name)
	}
	p.HTML(`</div><p class="quiet key">`)
	p.Text(p.words.ChartKey)
	p.HTML("</p></section>\n")
	p.boundaries(list)
	p.figures(list)
	p.statisticSources(list)
	p.restingOn(x)
	p.citeSection(&c)
	p.scriptWords()
	p.end()
	return nil
}

// figureCounts writes how many figures there are, and of how many a reader must know more.
func (p *page) figureCounts(list []*series) {
	var t tally
	count, corrected := 0, 0
	for _, s := range list {
		for i := range s.values {
			v := &s.values[i]
			count++
			t[v.standing]++
			if len(v.Corrections) > 0 && v.standing != standing.Retracted {
				corrected++
			}
		}
	}
	p.Int(int64(count))
	p.HTML(" ")
	if count == 1 {
		p.Text(p.words.Figure1)
	} else {
		p.Text(p.words.FigureN)
	}
	p.tally(&t)
	if corrected > 0 {
		p.HTML(" · ")
		p.Int(int64(corrected))
		p.HTML(" ")
		p.Text(p.words.FiguresCorrected)
	}
}

// boundaries writes the claim boundaries of the values: each once, with the areas that it holds
// for.
func (p *page) boundaries(list []*series) {
	const most = 12
	var statements []string
	areas := map[string][]string{}
	for _, s := range list {
		for i := range s.values {
			b := s.values[i].ClaimBoundary
			if b == nil {
				continue
			}
			if _, ok := areas[b.Statement]; !ok {
				statements = append(statements, b.Statement)
			}
			if known := areas[b.Statement]; len(known) == 0 || known[len(known)-1] != s.area.name {
				areas[b.Statement] = append(known, s.area.name)
			}
		}
	}
	if len(statements) == 0 {
		return
	}
	p.HTML(`<section class="boundary wide-boundary"><h2>`)
	p.Text(p.words.Boundary)
	p.HTML("</h2>")
	for _, statement := range statements[:min(len(statements), most)] {
		p.HTML("<p>")
		p.Text(statement)
		if len(statements) > 1 {
			p.HTML(` <span class="quiet">`)
			p.Text(firstWords(strings.Join(slices.Compact(areas[statement]), ", "), 200))
			p.HTML("</span>")
		}
		p.HTML("</p>")
	}
	if more := len(statements) - most; more > 0 {
		p.HTML(`<p class="quiet">`)
		p.Int(int64(more))
		p.HTML(" ")
		p.Text(p.words.AndMore)
		p.HTML("</p>")
	}
	p.HTML("</section>\n")
}

// statisticSources writes what the values rest on: each source once.
func (p *page) statisticSources(list []*series) {
	var all record.Envelope
	seen := map[record.SourceLink]bool{}
	for _, s := range list {
		for i := range s.values {
			for _, l := range s.values[i].SourceLinks {
				l.Locator, l.Quote = "", nil
				if !seen[l] && len(all.SourceLinks) < shown {
					seen[l] = true
					all.SourceLinks = append(all.SourceLinks, l)
				}
			}
		}
	}
	p.sources(&all)
}
