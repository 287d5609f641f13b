package figures

import (
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/records"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The pages of indicators: a list of them, and one each.
var (
	indicatorForm = markup.Parse(`
		{crumbs}
		<header class="opening">
			<p class="kicker">{indicator}</p>
			<h1{lang}>{name}</h1>
			<p class="lead"{lang}>{summary}</p>
			<p class="meta">{counts}</p>
		</header>
		<section class="{class}" data-series="series.json"><h2 class="sr">{chart}</h2>
			<div class="still">{charts}</div>
			<p class="quiet key">{key}</p>
		</section>

		{boundaries}{figures}{sources}{bears}{cite}{words}`)
	areaListForm = markup.Parse(`
		<section id="figures"><h2>{head}</h2><p class="quiet">{text}</p><ul class="tally areas-list">{areas}</ul></section>

		`)
	areaLinkForm = markup.Parse(`<li><a href="{address}"{lang}>{name}</a> <span class="count">{count}</span></li>`)
	areaForm     = markup.Parse(`
		{crumbs}
		<header class="opening">
			<p class="kicker"><a href="{indicator}"{lang}>{name}</a></p>
			<h1{lang}>{area}</h1>
			<p class="lead"{lang}>{summary}</p>
			<p class="meta">{counts}{place}</p>
		</header>
		<section class="charts"><h2 class="sr">{chart}</h2>
			<div class="still">{charts}</div>
			<p class="quiet key">{key}</p>
		</section>

		{boundaries}{figures}{sources}{cite}`)
	figureCountsForm = markup.Parse(`{count} {figures}{tally}{corrected}`)
	correctedForm    = markup.Parse(` · {count} {corrected}`)
	boundariesForm   = markup.Parse(`
		<section class="boundary wide-boundary"><h2>{head}</h2>{statements}{more}</section>

		`)
	areasBoundaryForm = markup.Parse(`<p>{statement} <span class="quiet"{lang}>{areas}</span></p>`)
)

// Write makes a page for each indicator, and beside it the values that its chart draws
// anew where scripts run.
func (s *Room) Write() error {
	list := s.Indicators
	for _, x := range list {
		s.Pages = append(s.Pages, x.Address())
	}
	err := s.Each(len(list), func(i int) string { return layout.Indexed(list[i].Address()[1:]) },
		func(p *page, i int) error { return p.indicatorPage(list[i]) })
	if err != nil {
		return err
	}
	if err := s.writeAreas(); err != nil {
		return err
	}
	path := func(i int) string { return list[i].Address()[1:] + "series.json" }
	return s.Out.Each(len(list), path, func(i int, b []byte) ([]byte, error) {
		p := s.Borrow()
		defer s.GiveBack(p)
		all, err := p.readSeries(list[i].Records)
		return append(b, p.seriesFile(all, p.of.axisFrom(list[i]))...), err
	})
}

// writeAreas makes a page for each area of the indicators whose values are too many for one.
func (s *Room) writeAreas() error {
	for _, x := range s.Indicators {
		if !x.Apart() {
			continue
		}
		for _, key := range x.Areas {
			s.Pages = append(s.Pages, x.AreaAddress(key))
		}
		err := s.Each(len(x.Areas), func(i int) string { return layout.Indexed(x.AreaAddress(x.Areas[i])[1:]) },
			func(p *page, i int) error { return p.areaPage(x, x.OfArea[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// areaPage writes the values of an indicator for one area.
func (p *page) areaPage(x *lookup.Indicator, numbers []int32) error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	name, summary, err := p.IndicatorName(x)
	if err != nil {
		return err
	}
	list, err := p.readSeries(numbers)
	if err != nil {
		return err
	}
	area := list[0].area
	c := p.CiteIndicator(x.Name, name+", "+area, lastChanged(list))
	p.Open(frame.Head{
		Title: name + ", " + area, Description: summary, Section: "/healthcare-statistics/",
		Alternate: k.Collection.Path, Wide: true, Feeds: k.Folder(),
	})
	p.Fill(areaForm,
		markup.By("crumbs", func() { p.Crumbs(k, x.Code) }), markup.By("lang", p.Lang),
		markup.With("indicator", x.Address()), markup.With("name", name), markup.With("area", area),
		markup.With("summary", summary), markup.By("counts", func() { p.figureCounts(list) }),
		markup.By("place", func() {
			if place := p.PlaceOf(list[0].areaKey); place != nil {
				p.HTML(" · ")
				p.Anchor(place.Address(), strings.Replace(p.Words.AllOfPlace, "{place}", area, 1))
			}
		}),
		markup.With("chart", p.Words.Chart), markup.With("key", p.Words.ChartKey),
		markup.By("charts", func() {
			for _, c := range panels(list, p.of.axisFrom(x)) {
				if len(c.series) == 1 { // its numbers can be read on a phone, where no script draws it anew
					c.small, c.of = true, c.series
				}
				p.chart(&c, name)
			}
		}),
		markup.By("boundaries", func() { p.boundaries(list) }),
		markup.By("figures", func() { p.figures(list) }),
		markup.By("sources", func() { p.statisticSources(list) }),
		markup.By("cite", func() { p.CiteSection(&c) }))
	p.Close()
	return nil
}

// areaList leads to the values of each area.
func (p *page) areaList(x *lookup.Indicator, list []*series) {
	counts := map[string]int{}
	for _, s := range list {
		counts[s.areaKey] += len(s.values)
	}
	p.Fill(areaListForm, markup.With("head", p.Words.FiguresHead), markup.With("text", p.Words.FiguresByArea),
		markup.By("areas", func() {
			for _, s := range list {
				if count := counts[s.areaKey]; count > 0 {
					p.Fill(areaLinkForm, markup.With("address", x.AreaAddress(s.areaKey)), markup.By("lang", p.Lang),
						markup.With("name", s.area), markup.Number("count", count))
				}
				counts[s.areaKey] = 0 // one of several series of it
			}
		}))
}

// axisFrom is where the axis of an indicator's charts begins, if the publisher does not want it to
// begin at zero; else it is NaN.
func (s *Room) axisFrom(x *lookup.Indicator) float64 {
	return record.Number(s.Settings.AxisFrom.Get(x.Code)).Float()
}

func (p *page) indicatorPage(x *lookup.Indicator) error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	name, summary, err := p.IndicatorName(x)
	if err != nil {
		return err
	}
	list, err := p.readSeries(x.Records)
	if err != nil {
		return err
	}
	p.of.keepSpark(x, sparkOf(name, list))
	c := p.CiteIndicator(x.Name, name, lastChanged(list))
	data := p.Dataset(k)
	data.ID, data.Name, data.Description, data.Modified = p.Base+x.Address(), name, summary, ""
	data.Measures(name)
	p.Open(frame.Head{
		Title: name, Description: summary, Section: "/healthcare-statistics/", Alternate: k.Collection.Path, Data: data, Wide: true,
		Scripts: []string{"chart.js"}, Cite: &c, Feeds: k.Folder(),
	})
	p.Fill(indicatorForm,
		markup.By("crumbs", func() { p.Crumbs(k, x.Code) }), markup.By("lang", p.Lang),
		markup.With("indicator", p.Words.Indicator), markup.With("name", name), markup.With("summary", summary),
		markup.By("counts", func() { p.figureCounts(list) }), markup.With("class", chartsClass(list)),
		markup.With("chart", p.Words.Chart), markup.With("key", p.Words.ChartKey),
		markup.By("charts", func() {
			for _, c := range panels(list, p.of.axisFrom(x)) {
				p.chart(&c, name)
			}
		}),
		markup.By("boundaries", func() { p.boundaries(list) }),
		markup.By("figures", func() {
			if x.Apart() {
				p.areaList(x, list)
			} else {
				p.figures(list)
			}
		}),
		markup.By("sources", func() { p.statisticSources(list) }),
		markup.By("bears", func() { records.RestingOn(p.Page, x) }),
		markup.By("cite", func() { p.CiteSection(&c) }),
		markup.By("words", p.ScriptWords))
	p.Close()
	return nil
}

// chartsClass says how much room the script's chart will take: more where there are many areas to
// pick from.
func chartsClass(list []*series) string {
	if len(list) > 30 {
		return "charts many"
	}
	return "charts"
}

// figureCounts writes how many figures there are, and of how many a reader must know more.
func (p *page) figureCounts(list []*series) {
	var t frame.Tally
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
	name := p.Words.FigureN
	if count == 1 {
		name = p.Words.Figure1
	}
	p.Fill(figureCountsForm, markup.Number("count", count), markup.With("figures", name),
		markup.By("tally", func() { p.Tally(&t) }),
		markup.By("corrected", func() {
			if corrected > 0 {
				p.Fill(correctedForm, markup.Number("count", corrected), markup.With("corrected", p.Words.FiguresCorrected))
			}
		}))
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
			if known := areas[b.Statement]; len(known) == 0 || known[len(known)-1] != s.area {
				areas[b.Statement] = append(known, s.area)
			}
		}
	}
	if len(statements) == 0 {
		return
	}
	p.Fill(boundariesForm, markup.With("head", p.Words.Boundary),
		markup.By("statements", func() {
			for _, statement := range statements[:min(len(statements), most)] {
				if len(statements) == 1 {
					p.Fill(frame.SummaryForm, markup.By("lang", p.Lang), markup.With("text", statement))
					continue
				}
				of := strings.Join(slices.Compact(areas[statement]), ", ")
				p.Fill(areasBoundaryForm, markup.By("lang", p.Lang), markup.By("statement", func() { p.Theirs(statement) }),
					markup.With("areas", words.First(of, 200)))
			}
		}),
		markup.By("more", func() { p.AndMore(len(statements) - most) }))
}

// statisticSources writes what the values rest on: each source once.
func (p *page) statisticSources(list []*series) {
	var all record.Envelope
	seen := map[record.SourceLink]bool{}
	for _, s := range list {
		for i := range s.values {
			for _, l := range s.values[i].SourceLinks {
				l.Locator, l.Quote = "", nil
				if !seen[l] && len(all.SourceLinks) < frame.Shown {
					seen[l] = true
					all.SourceLinks = append(all.SourceLinks, l)
				}
			}
		}
	}
	records.Sources(p.Page, &all)
}

// lastChanged is the day on which a value last changed.
func lastChanged(list []*series) (day record.Date) {
	for _, s := range list {
		for i := range s.values {
			day = max(day, s.values[i].UpdatedDate, s.values[i].PublishedDate)
		}
	}
	return day
}
