package figures

import (
	"errors"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the pages of indicators.
var (
	indicatorForm = markup.Parse(`
		{crumbs}{warnings}
		<header class="opening">
			<p class="kicker">{=Indicator}</p>
			<h1{lang}>{name}</h1>
			<p class="lead"{lang}>{summary}</p>
			{latest}
			<p class="meta">{counts} · {asOf}</p>
		</header>
		{view}
		{boundaries}{past}{ranking}{figures}{described}{cite}{words}`)
	viewForm = markup.Parse(`
		<section class="{class}" data-series="{series}" data-world="{world}" data-embed="{embed}"{?past} data-past="{past}"{/}><h2 class="sr">{=Chart}</h2>
			<div class="views"></div>
			<div class="plot"><div class="still">{charts}</div>{readout}</div>
			<div class="side"></div>
			{turns}<p class="quiet key"><span>{key}</span>{alone}</p>
		</section>`)
	aloneForm = markup.Parse(` <a href="{address}">{=ChartAlone}</a>`)
	asOfForm  = markup.Parse(`
		{=LastChanged} {date} · {verified} {checked}{?defined} · <a href="#definition">{=Definition}</a>{/} · <a href="#sources">{=Sources}</a> · {license} · <a href="/changes/?kind=` + record.KindHealthcareStatistic + `">{=Changes}</a>{?follow} · <a href="{follow}">{=FollowIndicator}</a>{/}`)
	areaForm = markup.Parse(`
		{crumbs}
		<header class="opening">
			<p class="kicker"><a href="{indicator}">{=Indicator}</a></p>
			<h1{lang}>{name}</h1>
			<p class="lead"{lang}>{summary}</p>
			{latest}
			<p class="meta">{counts}{place}</p>
		</header>
		<section class="charts"><h2 class="sr">{=Chart}</h2>
			<div class="still">{charts}</div>
			{turns}<p class="quiet key"><span>{key}</span></p>
		</section>
		{boundaries}{figures}{sources}{cite}`)
	figureCountsForm = markup.Parse(`{figures}{areas}{periods}{tally}{corrected}`)
	boundariesForm   = markup.Parse(`
		<section class="boundary wide-boundary"><h2>{=Boundary}</h2>{statements}{more}</section>`)
	areasBoundaryForm = markup.Parse(`<p>{statement} <span class="quiet"{lang}>{areas}</span></p>`)
)

// Write writes a page for each indicator, and the values for its interactive chart.
func (s *Section) Write() error {
	for _, x := range s.Indicators {
		s.Pages = append(s.Pages, x.Address())
	}
	for _, x := range s.Indicators {
		if x.HasAreaPages() {
			for _, key := range x.Areas {
				s.Pages = append(s.Pages, x.AreaAddress(key))
			}
		}
	}
	return s.visitInGroups(func(list []*lookup.Indicator) error {
		err := s.Each(len(list), func(i int) string { return layout.ResolveIndex(list[i].Address()[1:]) },
			func(p *page, i int) { p.writeIndicatorPage(list[i]) })
		if err != nil {
			return err
		}
		return errors.Join(s.writeAreas(list), s.writeEmbeds(list), s.writeSeries(list), s.writePast(list),
			s.writeCards(list))
	})
}

// writeSeries writes the files for interactive charts.
func (s *Section) writeSeries(list []*lookup.Indicator) error {
	path := func(i int) string { return list[i].Address()[1:] + "series.json" }
	return s.EachFile(len(list), path, func(p *page, i int, b []byte) []byte {
		return append(b, p.seriesFile(list[i], p.seriesOf(list[i]))...)
	})
}

// writeAreas writes a page for each area of indicators with too many values for one page.
func (s *Section) writeAreas(list []*lookup.Indicator) error {
	for _, x := range list {
		if !x.HasAreaPages() {
			continue
		}
		err := s.Each(len(x.Areas), func(i int) string { return layout.ResolveIndex(x.AreaAddress(x.Areas[i])[1:]) },
			func(p *page, i int) { p.writeAreaPage(x, i) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *page) writeAreaPage(x *lookup.Indicator, of int) {
	k, name, list := record.KindNamed(record.KindHealthcareStatistic), x.Title, p.seriesOfArea(x, of)
	area, from := list[0].area, p.Len()
	verified, _ := verifiedBetween(list)
	c := p.CiteIndicator(x.Name, name+", "+area, lastChanged(list), verified)
	p.Open(frame.Head{
		Title: name + ", " + area, Description: x.Summary, Section: "/healthcare-statistics/",
		Alternate: k.Collection.Path, Wide: true, Feeds: x.Feed(), Scripts: []string{"record.js"}, Picture: p.of.cardAddress(x),
	})
	p.Fill(areaForm, markup.By("crumbs", func() { p.WriteBreadcrumbs(k, name+p.Words.Comma+area) }), markup.With("indicator", x.Address()),
		markup.With("name", name+p.Words.Comma+area), markup.With("summary", x.Summary),
		markup.By("counts", func() { p.writeFigureCounts(list) }), markup.By("latest", func() { p.writeLatest(list) }),
		markup.By("place", func() {
			p.HTML(" · ")
			p.WriteAnchor(x.Address()+"?area="+list[0].areaKey, p.Words.CompareAreas)
			if place := p.PlaceOf(list[0].areaKey); place != nil {
				p.HTML(" · ")
				p.WriteAnchor(place.Address(), words.Fill(p.Words.AllOfPlace, "place", area))
			}
		}),
		markup.Each("charts", allPanels(list, p.of.axisFrom(x)), func(c panel) { p.drawChart(&c, name) }),
		markup.By("turns", func() { p.writeAreaChanges(list, func(*areaChange) bool { return true }) }),
		markup.By("key", func() { p.writeKey(from) }),
		markup.By("boundaries", func() { p.writeBoundaries(list) }), markup.By("figures", func() { p.writeFigures(list) }),
		markup.By("sources", func() { p.of.About.Sources(p.Page, sourceLinks(list)) }),
		markup.By("cite", func() { p.writeFiles(x, list[0].areaKey); p.WriteCitationSection(&c) }))
	p.Close()
}

// axisFrom returns the start of the value axis of x if the publisher sets it, or otherwise NaN.
func (s *Section) axisFrom(x *lookup.Indicator) float64 {
	return record.Number(s.Settings.AxisFrom.Get(x.Code)).Float()
}

func (p *page) writeIndicatorPage(x *lookup.Indicator) {
	k, name, summary := record.KindNamed(record.KindHealthcareStatistic), x.Title, x.Summary
	list, rows := p.seriesOf(x), p.pastOf(x)
	p.of.keepSpark(x, &spark{name, p.latestOfAll(list)})
	p.storeLines(x)
	verified, _ := verifiedBetween(list)
	c := p.CiteIndicator(x.Name, name, lastChanged(list), verified)
	c.InRelease(p.lastRelease(rows))
	data := p.Dataset(k)
	data.ID, data.Name, data.Description, data.Modified = p.Base+x.Address(), name, summary, ""
	data.Measures(name)
	data.Distribute(p.Base, p.filesOf(x, ""))
	p.Open(frame.Head{
		Title: name, Description: summary, Section: "/healthcare-statistics/", Alternate: k.Collection.Path, Data: data, Wide: true,
		Scripts: []string{"chart.js", "record.js", "list.js"}, Cite: &c, Feeds: x.Feed(), Picture: p.of.cardAddress(x),
		PictureText: strings.TrimSuffix(name+p.Words.Comma+p.spark(x).text(p.Words.Comma), p.Words.Comma),
		Signposts:   p.signposts(x),
	})
	p.Fill(indicatorForm, markup.By("crumbs", func() { p.WriteBreadcrumbs(k, name) }), markup.With("name", name),
		markup.With("summary", summary), markup.By("latest", func() { p.writeLatest(list) }),
		markup.By("counts", func() { p.writeFigureCounts(list) }), markup.By("asOf", func() { p.writeAsOf(x, list) }),
		markup.By("view", func() {
			p.writeCharts(x, list, func() {
				p.Fill(aloneForm, markup.With("address", embedAddress(x)))
			})
		}),
		markup.By("boundaries", func() { p.writeBoundaries(list) }), markup.By("ranking", func() { p.writeRanking(x, list) }),
		markup.When(!x.HasAreaPages(), "figures", func() { p.writeFigures(list) }),
		markup.By("past", func() { p.writeUpdates(x) }),
		markup.By("warnings", func() { p.of.About.Warn(p.Page, x) }),
		markup.By("described", func() { p.of.About.Describe(p.Page, x, sourceLinks(list), len(rows) > 0 || hasHistory(list)) }),
		markup.By("cite", func() { p.writeFiles(x, ""); p.WriteCitationSection(&c) }), markup.By("words", p.WriteScriptWords))
	p.Close()
}

// writeCharts writes the charts of x, which the script replaces with interactive charts.
func (p *page) writeCharts(x *lookup.Indicator, list []*series, alone func()) {
	from := p.Len()
	charts := shownPanels(list, p.of.axisFrom(x))
	class := "charts"
	if len(list) > 1 {
		class += " several" // areas to choose from
	}
	past := ""
	if p.pastOf(x) != nil {
		past = pastAddress(x)
	}
	p.Fill(viewForm, markup.With("class", class), markup.With("past", past), markup.With("series", x.Address()+"series.json"),
		markup.With("world", p.Asset("world.json")), markup.With("embed", embedAddress(x)),
		markup.By("turns", func() {
			p.writeAreaChanges(list, func(t *areaChange) bool {
				return slices.ContainsFunc(charts, func(c panel) bool { return t.isOfAny(c.shown) })
			})
		}),
		markup.By("alone", alone), markup.By("key", func() { p.writeKey(from) }),
		markup.Each("charts", charts, func(c panel) { p.drawChart(&c, x.Title) }),
		markup.When(len(charts) > 0 && len(charts[0].shown) > 0, "readout", func() { p.writeReadout(&charts[0]) }))
}

// writeAsOf writes how recent the values in list are, and their sources.
func (p *page) writeAsOf(x *lookup.Indicator, list []*series) {
	first, last := verifiedBetween(list)
	defined := x.Entity != nil && (x.Entity.Title != x.Title || x.Entity.Measure != nil)
	follow := ""
	if p.Base != "" { // otherwise there are no feeds
		follow = layout.Address(layout.FeedPath(x.Feed(), frame.FeedFormats[0].Suffix))
	}
	p.Fill(asOfForm, markup.ShowIf("defined", defined), markup.With("follow", follow),
		markup.By("date", func() { p.WriteDate(lastChanged(list)) }),
		markup.With("verified", strings.ToLower(p.Words.Verified)),
		markup.By("checked", func() {
			p.WriteDate(first)
			if first != last {
				p.HTML("–")
				p.WriteDate(last)
			}
		}),
		markup.By("license", func() { p.WriteLicense(p.Settings.License) }))
}

// writeFigureCounts writes the number of figures, and the number of figures with remarks.
func (p *page) writeFigureCounts(list []*series) {
	var t frame.Tally
	count, corrected := 0, 0
	areas := map[string]bool{}
	var first, last *observation
	for s, v := range each(list) {
		areas[s.areaKey] = true
		if first == nil || v.at < first.at {
			first = v
		}
		if last == nil || v.at > last.at {
			last = v
		}
		count++
		t[v.standing]++
		if v.happened != nil && len(v.happened.Corrections) > 0 && v.standing != standing.Retracted {
			corrected++
		}
	}
	p.Fill(figureCountsForm, markup.With("figures", p.Words.Counted(p.Words.CountedFigures, count)),
		markup.When(len(areas) > 1, "areas", func() {
			p.Text(p.Words.Comma + p.Words.Counted(p.Words.CountedAreas, len(areas)))
		}),
		markup.When(first != nil && first.TimePeriod != last.TimePeriod, "periods", func() {
			p.Text(p.Words.Comma + p.Words.When(first.TimePeriod) + "–" + p.Words.When(last.TimePeriod))
		}),
		markup.By("tally", func() { p.WriteTally(&t) }),
		markup.When(corrected > 0, "corrected", func() { p.Text(" · " + p.Words.Counted(p.Words.FiguresCorrected, corrected)) }))
}

// writeBoundaries writes the claim boundaries of the values, without duplicates, with their areas.
func (p *page) writeBoundaries(list []*series) {
	const most = 12
	var statements []string
	areas := map[string][]string{}
	for s, o := range each(list) {
		if o.limits == "" {
			continue
		}
		if _, ok := areas[o.limits]; !ok {
			statements = append(statements, o.limits)
		}
		if known := areas[o.limits]; len(known) == 0 || known[len(known)-1] != s.area {
			areas[o.limits] = append(known, s.area)
		}
	}
	if len(statements) == 0 {
		return
	}
	p.Fill(boundariesForm,
		markup.Each("statements", statements[:min(len(statements), most)], func(statement string) {
			if len(statements) == 1 {
				p.WriteSummary(statement)
				return
			}
			of := strings.Join(slices.Compact(areas[statement]), ", ")
			p.Fill(areasBoundaryForm, markup.By("statement", func() { p.WritePublisherText(statement) }),
				markup.With("areas", words.Truncate(of, 200)))
		}),
		markup.By("more", func() { p.WriteAndMore(len(statements) - most) }))
}

// sourceLinks returns the sources of the values in list without duplicates.
func sourceLinks(list []*series) (all []record.SourceLink) {
	seen := map[record.SourceLink]bool{}
	for _, o := range each(list) {
		for _, l := range o.SourceLinks {
			l.Locator, l.Quote = "", nil
			if !seen[l] && len(all) < frame.Shown {
				seen[l] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// hasHistory reports whether any value in list has changed since its first version.
func hasHistory(list []*series) bool {
	for _, o := range each(list) {
		if o.happened != nil {
			return true
		}
	}
	return false
}

// verifiedBetween returns the first and the last verification date of the values in list.
func verifiedBetween(list []*series) (first, last record.Date) {
	for _, o := range each(list) {
		if first == "" || o.VerificationDate < first {
			first = o.VerificationDate
		}
		last = max(last, o.VerificationDate)
	}
	return first, last
}

// lastChanged returns the date of the last change to a value in list.
func lastChanged(list []*series) (day record.Date) {
	for _, o := range each(list) {
		day = max(day, o.UpdatedDate, o.PublishedDate)
	}
	return day
}
