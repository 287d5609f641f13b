package site

import (
	"errors"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The pages of indicators: a list of them, and one each.
var (
	indicatorsForm = markup.Parse(`
		{crumbs}{opening}
		<table class="list">
			<thead><tr><th scope="col">{indicator}</th><th scope="col" class="num">{values}</th></tr></thead>
			<tbody>

			{rows}
			</tbody>
		</table>

		`)
	indicatorRowForm = markup.Parse(`
		<tr>
			<th scope="row"><a href="{address}"{lang}>{name}</a> <code>{code}</code><span class="quiet"{lang}>{summary}</span></th>
			<td class="num">{count}</td>
		</tr>

		`)
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
			<p class="meta">{counts}</p>
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

// writeStatistics makes the page of the kind: its indicators.
func (s *site) writeStatistics(k *record.Kind) error {
	return s.put(layout.KindPage(k.Folder()), func(p *page) error {
		p.begin(
			head{
				title:       p.words.Name(k),
				description: k.Doc,
				section:     "/healthcare-statistics/",
				alternate:   k.Collection.Path,
				data:        p.dataset(k),
				wide:        true,
				feeds:       k.Folder(),
			},
		)
		var failed error
		p.Fill(indicatorsForm,
			markup.By("crumbs", func() { p.crumbs(k, "") }), markup.By("opening", func() { p.kindOpening(k) }),
			markup.With("indicator", p.words.Indicator), markup.With("values", p.words.Values),
			markup.By("rows", func() {
				for _, x := range s.stats.indicators {
					failed = errors.Join(failed, p.indicatorRow(x))
				}
			}))
		p.end()
		return failed
	})
}

func (p *page) indicatorRow(x *indicator) error {
	name, summary, err := p.indicatorName(x)
	p.Fill(indicatorRowForm, markup.With("address", x.address()), markup.By("lang", p.lang),
		markup.With("name", name), markup.With("code", x.code), markup.With("summary", summary),
		markup.Number("count", len(x.records)))
	return err
}

// indicatorName is what an indicator is called, by the entity that its first statistic names.
func (p *page) indicatorName(x *indicator) (name, summary string, err error) {
	e, err := p.indicatorEntity(x)
	if err != nil || e == nil {
		return words.Phrase(x.code), "", err
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
	if err := s.writeAreas(); err != nil {
		return err
	}
	path := func(i int) string { return list[i].address()[1:] + "series.json" }
	return s.out.Each(len(list), path, func(i int, b []byte) ([]byte, error) {
		p := s.idle.Get().(*page)
		defer s.idle.Put(p)
		all, err := p.readSeries(list[i].records)
		return append(b, p.seriesFile(all, p.axisFrom(list[i]))...), err
	})
}

// writeAreas makes a page for each area of the indicators whose values are too many for one.
func (s *site) writeAreas() error {
	for _, x := range s.stats.indicators {
		if !x.apart() {
			continue
		}
		for _, key := range x.areas {
			s.pages = append(s.pages, x.areaAddress(key))
		}
		err := s.each(len(x.areas), func(i int) string { return layout.Indexed(x.areaAddress(x.areas[i])[1:]) },
			func(p *page, i int) error { return p.areaPage(x, x.ofArea[i]) })
		if err != nil {
			return err
		}
	}
	return nil
}

// areaPage writes the values of an indicator for one area.
func (p *page) areaPage(x *indicator, numbers []int32) error {
	k := record.KindNamed(record.KindHealthcareStatistic)
	name, summary, err := p.indicatorName(x)
	if err != nil {
		return err
	}
	list, err := p.readSeries(numbers)
	if err != nil {
		return err
	}
	area := list[0].area.name
	c := p.indicatorCitation(x, name+", "+area, list)
	p.begin(head{
		title: name + ", " + area, description: summary, section: "/healthcare-statistics/",
		alternate: k.Collection.Path, wide: true, feeds: k.Folder(),
	})
	p.Fill(areaForm,
		markup.By("crumbs", func() { p.crumbs(k, x.code) }), markup.By("lang", p.lang),
		markup.With("indicator", x.address()), markup.With("name", name), markup.With("area", area),
		markup.With("summary", summary), markup.By("counts", func() { p.figureCounts(list) }),
		markup.With("chart", p.words.Chart), markup.With("key", p.words.ChartKey),
		markup.By("charts", func() {
			for _, c := range panels(list, p.axisFrom(x)) {
				if len(c.series) == 1 { // its numbers can be read on a phone, where no script draws it anew
					c.small, c.of = true, c.series
				}
				p.chart(&c, name)
			}
		}),
		markup.By("boundaries", func() { p.boundaries(list) }),
		markup.By("figures", func() { p.figures(list) }),
		markup.By("sources", func() { p.statisticSources(list) }),
		markup.By("cite", func() { p.citeSection(&c) }))
	p.end()
	return nil
}

// areaList leads to the values of each area.
func (p *page) areaList(x *indicator, list []*series) {
	counts := map[string]int{}
	for _, s := range list {
		counts[s.areaKey] += len(s.values)
	}
	p.Fill(areaListForm, markup.With("head", p.words.FiguresHead), markup.With("text", p.words.FiguresByArea),
		markup.By("areas", func() {
			for _, s := range list {
				if count := counts[s.areaKey]; count > 0 {
					p.Fill(areaLinkForm, markup.With("address", x.areaAddress(s.areaKey)), markup.By("lang", p.lang),
						markup.With("name", s.area.name), markup.Number("count", count))
				}
				counts[s.areaKey] = 0 // one of several series of it
			}
		}))
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
	list, err := p.readSeries(x.records)
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
	p.Fill(indicatorForm,
		markup.By("crumbs", func() { p.crumbs(k, x.code) }), markup.By("lang", p.lang),
		markup.With("indicator", p.words.Indicator), markup.With("name", name), markup.With("summary", summary),
		markup.By("counts", func() { p.figureCounts(list) }), markup.With("class", chartsClass(list)),
		markup.With("chart", p.words.Chart), markup.With("key", p.words.ChartKey),
		markup.By("charts", func() {
			for _, c := range panels(list, p.axisFrom(x)) {
				p.chart(&c, name)
			}
		}),
		markup.By("boundaries", func() { p.boundaries(list) }),
		markup.By("figures", func() {
			if x.apart() {
				p.areaList(x, list)
			} else {
				p.figures(list)
			}
		}),
		markup.By("sources", func() { p.statisticSources(list) }),
		markup.By("bears", func() { p.restingOn(x) }),
		markup.By("cite", func() { p.citeSection(&c) }),
		markup.By("words", p.scriptWords))
	p.end()
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
	name := p.words.FigureN
	if count == 1 {
		name = p.words.Figure1
	}
	p.Fill(figureCountsForm, markup.Number("count", count), markup.With("figures", name),
		markup.By("tally", func() { p.tally(&t) }),
		markup.By("corrected", func() {
			if corrected > 0 {
				p.Fill(correctedForm, markup.Number("count", corrected), markup.With("corrected", p.words.FiguresCorrected))
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
			if known := areas[b.Statement]; len(known) == 0 || known[len(known)-1] != s.area.name {
				areas[b.Statement] = append(known, s.area.name)
			}
		}
	}
	if len(statements) == 0 {
		return
	}
	p.Fill(boundariesForm, markup.With("head", p.words.Boundary),
		markup.By("statements", func() {
			for _, statement := range statements[:min(len(statements), most)] {
				if len(statements) == 1 {
					p.Fill(summaryForm, markup.By("lang", p.lang), markup.With("text", statement))
					continue
				}
				of := strings.Join(slices.Compact(areas[statement]), ", ")
				p.Fill(areasBoundaryForm, markup.By("lang", p.lang), markup.By("statement", func() { p.theirs(statement) }),
					markup.With("areas", words.First(of, 200)))
			}
		}),
		markup.By("more", func() { p.andMore(len(statements) - most) }))
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
