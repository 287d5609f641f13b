package figures

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the pages of areas and of their schemes.
var (
	areaOfSchemeForm = markup.Parse(`
		{crumbs}
		<header class="opening">
			<p class="kicker"><a href="{scheme}"{lang}>{title}</a></p>
			<h1{lang}>{name}</h1>
			{?other}<p class="meta"{lang}>{other}</p>{/}
		</header>
		<section class="facts"><dl>{facts}</dl></section>
		{?figures}<p class="quiet">{=AreaApart}</p>{figures}{/}`)
	areaFiguresForm = markup.Parse(`
		<section class="charts"><h2><a href="{address}"{lang}>{name}</a></h2>
			<div class="still wide" tabindex="0" role="region" aria-label="{name}">{charts}</div>
			<p class="quiet key"><span>{key}</span></p>
			{table}
		</section>`)
	schemeForm = markup.Parse(`
		{crumbs}{heading}
		<p><a href="{json}">JSON</a> · <a href="{csv}">CSV</a></p>
		<nav class="letters" aria-label="{=AreaChanges}">{years}</nav>
		{changes}
		<section id="areas"><h2>{=Places}</h2><ul class="tally areas-list">{list}</ul>{more}</section>`)
	yearChangesForm = markup.Parse(`<section class="narrow" id="y{year}"><h2>{year}</h2><ul class="turns">{list}</ul></section>`)
	schemeAreaForm  = markup.Parse(`<li><a href="{address}"{lang}>{name}</a> <span class="count">{code}</span></li>`)
)

// mostListed is the maximum number of areas on the page of a scheme. The search finds all of them.
const mostListed = 5000

// schemeArea is an area of a scheme.
type schemeArea struct {
	scheme *areas.Scheme
	code   *areas.Code
}

// WriteAreas writes a page for each area scheme and a page for each area.
func (s *Section) WriteAreas() error {
	var all []schemeArea
	for _, scheme := range s.Records.Areas() {
		for i := range scheme.Codes {
			all = append(all, schemeArea{scheme, &scheme.Codes[i]})
		}
	}
	for _, a := range all {
		s.Pages = append(s.Pages, lookup.AreaAddress(a.scheme.Name, a.code.Code))
	}
	err := s.Each(len(all), func(i int) string {
		return layout.ResolveIndex(lookup.AreaAddress(all[i].scheme.Name, all[i].code.Code)[1:])
	}, func(p *page, i int) { p.writeSchemeAreaPage(all[i]) })
	for _, scheme := range s.Records.Areas() {
		path := layout.ResolveIndex(layout.AreaFile(scheme.Name, "/"))
		err = errors.Join(err, s.Put(path, func(p *page) { p.writeSchemePage(scheme) }))
	}
	return err
}

// writeSchemeAreaPage writes the page of an area: its dates, its predecessors and successors, and
// its figures next to theirs.
func (p *page) writeSchemeAreaPage(a schemeArea) {
	name := p.AreaName(a.scheme, a.code)
	k := record.KindNamed(record.KindHealthcareStatistic)
	p.Open(frame.Head{
		Title: name, Description: a.scheme.Title, Section: "/" + lookup.PlacesFolder, Wide: true,
		Alternate: "/" + layout.AreaFile(a.scheme.Name, ".json"), Feeds: k.Folder(), Scripts: []string{"record.js"},
	})
	var other []string
	for _, n := range a.code.Names {
		if n.Text != a.code.Name && !slices.Contains(other, n.Text) {
			other = append(other, n.Text)
		}
	}
	indicators := p.areaIndicators(a)
	p.Fill(areaOfSchemeForm,
		markup.By("crumbs", func() { p.WriteBreadcrumbsTo("/"+layout.AreaFile(a.scheme.Name, "/"), a.scheme.Title, name) }),
		markup.With("scheme", "/"+layout.AreaFile(a.scheme.Name, "/")), markup.With("title", a.scheme.Title),
		markup.With("name", name), markup.With("other", strings.Join(other, p.Words.Comma)),
		markup.By("facts", func() { p.writeAreaFacts(a) }),
		markup.When(len(indicators) > 0, "figures", func() {
			for _, x := range indicators {
				p.writeAreaFigures(x, a)
			}
		}))
	p.Close()
}

// writeAreaFacts writes the code of an area, its dates, its parent and children, and its
// predecessors and successors.
func (p *page) writeAreaFacts(a schemeArea) {
	p.WriteEntry(p.Words.AreaCode, func() { p.WriteCode(a.code.Code) })
	p.WriteFact(p.Words.AreaLevel, a.code.Level)
	if a.code.From != "" || a.code.To != "" {
		p.WriteEntry(p.Words.AreaDays, func() {
			p.writeDay(a.code.From)
			p.HTML(" – ")
			p.writeDay(a.code.To)
		})
	}
	if a.code.Parent != "" {
		p.WriteEntry(p.Words.AreaParent, func() { p.writeAreaLink(a.scheme, a.code.Parent) })
	}
	children := a.scheme.Children(a.code.Code)
	frame.WriteList(p.Page, p.Words.AreaChildren, children, func(c *areas.Code) { p.writeAreaLink(a.scheme, c.Code) })
	told := func(changes []*areas.Change) (list []areaChange) {
		seen := map[string]bool{}
		for _, c := range changes {
			t := newAreaChange(a.scheme, c)
			if key := string(t.date) + strings.Join(t.keys, " "); !seen[key] {
				seen[key] = true
				list = append(list, t)
			}
		}
		return list
	}
	tell := func(t areaChange) {
		p.WriteDate(t.date)
		p.Text(": ")
		p.writeAreaChangeText(&t)
	}
	frame.WriteList(p.Page, p.Words.AreaBefore, told(a.scheme.ChangesTo(a.code.Code)), tell)
	frame.WriteList(p.Page, p.Words.AreaAfter, told(a.scheme.ChangesFrom(a.code.Code)), tell)
}

// writeDay writes day, or an ellipsis if it is unknown.
func (p *page) writeDay(day string) {
	if day == "" {
		p.Text("…")
		return
	}
	p.WriteDate(record.Date(day))
}

// related returns the keys of a, its predecessors and its successors.
func (a schemeArea) related() (keys []string) {
	list := append([]*areas.Code{a.code}, a.scheme.Predecessors(a.code.Code)...)
	for _, c := range append(list, a.scheme.Successors(a.code.Code)...) {
		keys = append(keys, record.AreaScheme(a.scheme.Name).Key(c.Code))
	}
	return keys
}

// areaIndicators returns the indicators that have figures of area a.
func (p *page) areaIndicators(a schemeArea) (list []*lookup.Indicator) {
	place := p.PlaceOf(record.AreaScheme(a.scheme.Name).Key(a.code.Code))
	if place == nil {
		return nil
	}
	for _, f := range place.Figures[:min(len(place.Figures), mostMultiples)] {
		list = append(list, f.Indicator)
	}
	return list
}

// writeAreaFigures writes the figures of x for a, its predecessors and its successors side by side.
func (p *page) writeAreaFigures(x *lookup.Indicator, a schemeArea) {
	var list []*series
	for _, key := range a.related() {
		if i := slices.Index(x.Areas, key); i >= 0 && len(list) < mostLines {
			list = append(list, p.seriesOfArea(x, i)...)
		}
	}
	list = slices.DeleteFunc(list, func(s *series) bool { return s.older })
	if len(list) == 0 {
		return
	}
	list = byUnit(list)[0]
	shown := list[:min(len(list), hues)]
	from := p.Len()
	chart := panel{all: shown, shown: shown, label: list[0].label, from: p.of.axisFrom(x)}
	p.Fill(areaFiguresForm, markup.With("address", x.Address()), markup.With("name", x.Title),
		markup.By("charts", func() { p.drawChart(&chart, x.Title) }),
		markup.By("key", func() { p.writeKey(from) }), markup.By("table", func() { p.writeSideBySide(list) }))
}

// writeSideBySide writes the values of several series with a column for each series.
func (p *page) writeSideBySide(list []*series) {
	type cellKey struct {
		series int
		period record.Period
	}
	columns, values := []frame.Column{{Name: p.Words.Period, Head: true}}, map[cellKey]*observation{}
	var periods []record.Period
	at := map[record.Period]float64{}
	for i, s := range list {
		columns = append(columns, frame.Column{Name: s.name(), Label: true, Named: true})
		for j := range s.values {
			o := &s.values[j]
			values[cellKey{i, o.TimePeriod}] = o
			if _, known := at[o.TimePeriod]; !known {
				periods, at[o.TimePeriod] = append(periods, o.TimePeriod), o.at
			}
		}
	}
	slices.SortFunc(periods, func(a, b record.Period) int {
		return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b))
	})
	p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
		for _, period := range periods {
			cells := []func(){func() { p.Text(p.Words.When(period)) }}
			for i := range list {
				o := values[cellKey{i, period}]
				if o == nil {
					cells = append(cells, nil)
					continue
				}
				cells = append(cells, func() {
					p.writeFigure(o)
					p.Text(p.withComma(p.Words.Remark(o.latestValue())))
				})
			}
			t.Row("", cells...)
		}
	})
}

// writeSchemePage writes the page of a scheme: its changes by year, and its areas.
func (p *page) writeSchemePage(s *areas.Scheme) {
	p.Open(frame.Head{
		Title: s.Title, Description: p.Words.AreaSchemeText, Section: "/" + lookup.PlacesFolder, Wide: true,
		Alternate: "/" + layout.AreaFile(s.Name, ".json"),
	})
	var years []string
	byYear, seen := map[string][]areaChange{}, map[string]bool{}
	for i := range s.Changes {
		t := newAreaChange(s, &s.Changes[i])
		year := s.Changes[i].Date[:4]
		key := s.Changes[i].Date + " " + strings.Join(t.keys, " ")
		if byYear[year] == nil {
			years = append(years, year)
		}
		if !seen[key] {
			seen[key] = true
			byYear[year] = append(byYear[year], t)
		}
	}
	slices.Sort(years)
	p.Fill(schemeForm, markup.By("crumbs", func() { p.WriteBreadcrumbsTo("/"+lookup.PlacesFolder, p.Words.Places, s.Title) }),
		markup.By("heading", func() {
			p.WriteHeading(s.Title, p.Words.AreaSchemeText, nil)
		}),
		markup.With("json", "/"+layout.AreaFile(s.Name, ".json")), markup.With("csv", "/"+layout.AreaFile(s.Name, ".csv")),
		markup.Each("years", years, func(year string) {
			p.WriteAnchor("#y"+year, p.Words.Localize(year))
			p.HTML(" ")
		}),
		markup.Each("changes", years, func(year string) {
			p.Fill(yearChangesForm, markup.With("year", year), markup.Each("list", byYear[year], func(t areaChange) {
				p.writeAreaChangeItem(&t, true)
			}))
		}),
		markup.By("more", func() { p.WriteAndMore(len(s.Codes) - mostListed) }),
		markup.Each("list", s.Codes[:min(len(s.Codes), mostListed)], func(c areas.Code) {
			p.Fill(schemeAreaForm, markup.With("address", lookup.AreaAddress(s.Name, c.Code)),
				markup.With("name", p.AreaName(s, &c)), markup.With("code", c.Code))
		}))
	p.Close()
}
