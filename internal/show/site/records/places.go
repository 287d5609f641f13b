package records

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/workbook"
	"stele/internal/trust/standing"
	"stele/record"
)

// The pages of places, and their list.
var (
	placeForm = markup.Parse(`
		<article>{crumbs}
			<header class="opening">
				<p class="kicker">{=Place}</p>
				<h1{lang}>{name}</h1>
				<p class="meta">{count}</p>
			</header>
			{figures}{values}{cite}
		</article>`)
	placeValuesForm = markup.Parse(`
		<section id="values"><h2>{=PlaceValues}</h2>{table}
			<p>{count}{?files} · {files}{/}{?changed} · {=LastChanged} {changed}{/}</p>
			{?sources}<h3>{=Sources}</h3><ul>{sources}</ul>{/}
		</section>`)
	placesForm    = markup.Parse(`{crumbs}{heading}<nav class="letters" aria-label="{=Places}">{letters}</nav>{groups}`)
	placesOfForm  = markup.Parse(`<p class="meta">{=Newest}: <a href="{address}"{lang}>{title}</a></p>`)
	letterForm    = markup.Parse(`<a href="{at}">{letter}</a> `)
	lettersForm   = markup.Parse(`<section id="{letter}"><h2>{letter}</h2><ul class="tally areas-list">{places}</ul></section>`)
	placeLinkForm = markup.Parse(`
		<li><a href="{address}"{lang}>{name}</a> <span class="count">{count}</span>{?newest}<span class="quiet"{lang}>{newest}</span>{/}</li>`)
)

// worldKey is the world among areas.
const worldKey = "001"

// placeFiles are the files with all figures of a place.
func placeFiles(place *lookup.Place) []render.Download {
	path := lookup.PlacesFolder + place.Key
	return []render.Download{{Path: path + ".csv", Format: "CSV"}, {Path: path + workbook.Suffix, Format: workbook.Format}}
}

// WritePlaces makes a page for each place, which leads to its entity where there is one; a list of
// all; and, where areas have files, one with all figures of each.
func (s *Room) WritePlaces() error {
	for _, place := range s.Places {
		if place.Entity == "" {
			s.Pages = append(s.Pages, place.Address())
		}
	}
	if len(s.Places) == 0 {
		return nil
	}
	err := s.Each(len(s.Places), func(i int) string { return layout.Indexed(lookup.PlacesFolder + s.Places[i].Key + "/") },
		func(p *page, i int) error { return p.place(s.Places[i]) })
	if s.figures.AreaFiles() {
		path := func(i int) string { return placeFiles(s.Places[i/2])[i%2].Path }
		err = errors.Join(err, s.Out.Each(2*len(s.Places), path,
			func(i int, b []byte) ([]byte, error) {
				p := s.Borrow()
				defer s.GiveBack(p)
				if i%2 == 1 {
					return p.placeBook(b, s.Places[i/2])
				}
				return p.placeCSV(b, s.Places[i/2])
			}))
	}
	return errors.Join(err, s.Put(layout.Indexed(lookup.PlacesFolder), (*page).places))
}

// place writes the page of a place.
func (p *page) place(place *lookup.Place) error {
	if place.Entity != "" {
		p.Lead(frame.Head{Title: place.Name, Moved: place.Address()}, place.Name)
		return nil
	}
	k := record.KindNamed(record.KindHealthcareStatistic)
	a := about{figures: place.Figures, ids: map[string][]string{}, seen: map[string]bool{}}
	p.addCiting(&a, place.Figures)
	c := p.CiteIndicator(place.Key, place.Name, p.Records.AsOf(k), "")
	p.Open(frame.Head{
		Title: place.Name, Description: p.Words.PlaceText, Section: "/" + lookup.PlacesFolder,
		Alternate: k.Collection.Path, Wide: true, Feeds: k.Folder(), Scripts: []string{"record.js"}, Cite: &c,
	})
	p.Fill(placeForm, markup.By("crumbs", func() { p.placeCrumbs(place.Name) }), markup.With("name", place.Name),
		markup.By("count", func() { p.placeCount(place) }), markup.By("figures", func() { p.about(&a) }),
		markup.By("values", func() { p.placeValues(place) }), markup.By("cite", func() { p.CiteSection(&c) }))
	p.Close()
	return nil
}

// placeCount says how many figures there are of a place.
func (p *page) placeCount(place *lookup.Place) {
	values := 0
	for _, f := range place.Figures {
		values += len(f.Records)
	}
	p.Text(p.Words.Counted(p.Words.CountedIndicators, len(place.Figures)))
	p.Text(p.Words.Comma)
	p.Text(p.Words.Counted(p.Words.CountedFigures, values))
}

// placeValue is the newest value of an indicator in a place, and in the world.
type placeValue struct {
	lookup.Figures
	name, here, world string
}

// placeValues writes the newest value of each indicator in a place and in the world, where to
// compare it with others, where all of it can be had, and what it rests on.
func (p *page) placeValues(place *lookup.Place) {
	var list []placeValue
	var sources []string
	var changed record.Date
	for _, f := range place.Figures {
		v, e, err := p.placeValue(place, f)
		if err != nil {
			p.Fail(err)
			return
		}
		list, changed = append(list, v), max(changed, e.UpdatedDate)
		for _, l := range e.SourceLinks {
			if id := string(l.SourceID); id != "" && !slices.Contains(sources, id) {
				sources = append(sources, strings.Clone(id))
			}
		}
	}
	p.Fill(placeValuesForm, markup.By("table", func() { p.placeTable(place, list) }),
		markup.By("count", func() { p.placeCount(place) }),
		markup.When(p.of.figures.AreaFiles(), "files", func() { p.DownloadLinks(placeFiles(place)) }),
		markup.When(changed != "", "changed", func() { p.Date(changed) }),
		markup.When(len(sources) > 0, "sources", func() {
			for _, id := range sources {
				p.Fill(frame.ItemForm, markup.By("item", func() { p.Link(id) }))
			}
		}))
}

// placeValue reads the newest values of an indicator, and what the last of them rests on.
func (p *page) placeValue(place *lookup.Place, f lookup.Figures) (v placeValue, e *record.Envelope, err error) {
	v.Figures = f
	if v.name, _, err = p.IndicatorName(f.Indicator); err != nil {
		return v, nil, err
	}
	if v.here, err = p.Latest(f.Indicator, f.Records); err != nil {
		return v, nil, err
	}
	if i := slices.Index(f.Areas, worldKey); i >= 0 && place.Key != worldKey {
		if v.world, err = p.Latest(f.Indicator, f.OfArea[i]); err != nil {
			return v, nil, err
		}
	}
	rec, err := p.Read(record.KindNamed(record.KindHealthcareStatistic), int(f.Records[len(f.Records)-1]))
	if err != nil {
		return v, nil, err
	}
	return v, rec.Common(), nil
}

// placeTable writes the values of a place beside those of the world.
func (p *page) placeTable(place *lookup.Place, list []placeValue) {
	columns := []frame.Column{
		{Name: p.Words.Indicator, Head: true},
		{Name: place.Name, Named: true, Theirs: true, Label: true},
		{Name: p.Words.World, Named: true, Theirs: true},
		{Name: p.Words.CompareAreas},
	}
	compared := "?areas=" + place.Key
	if place.Key != worldKey {
		compared += "*" + worldKey
	}
	p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
		for _, v := range list {
			t.Row("", func() {
				p.Fill(frame.ReferenceForm, markup.With("address", v.Address()), markup.With("title", v.name))
			}, p.Cell(v.here), p.Cell(v.world), func() {
				if len(v.Areas) > 1 {
					p.Anchor(v.Address()+compared, p.Words.Chart)
				}
			})
		}
	})
}

// placeColumns are those of the file of a place.
var placeColumns = []string{
	"indicator", "indicator_name", "area_code", "area_name", "time_period", "dimensions", "value", "less_than", "greater_than",
	"code", "lower", "upper", "unit", "unit_label", "obs_status", "standing", "id", "version", "verification_date",
	"sources", "note",
}

// placeCSV appends all figures of a place, one in each row.
func (p *page) placeCSV(b []byte, place *lookup.Place) ([]byte, error) {
	out := bytes.NewBuffer(b)
	w := csv.NewWriter(out)
	w.Write(placeColumns) // errors stay until Flush
	err := p.eachFigure(place, func(st *record.HealthcareStatistic, i int, name string, _ *record.Measure) error {
		is := p.Records.Standing(record.KindNamed(record.KindHealthcareStatistic), i).Standing
		return w.Write(placeCells(st, name, place, is))
	})
	w.Flush()
	return out.Bytes(), errors.Join(err, w.Error())
}

// placeBook appends the same as a workbook.
func (p *page) placeBook(b []byte, place *lookup.Place) ([]byte, error) {
	book := workbook.New(p.Records, place.Name, p.Base+place.Address())
	err := p.eachFigure(place, func(st *record.HealthcareStatistic, i int, name string, m *record.Measure) error {
		return book.Add(st, i, workbook.Of{Indicator: name, AreaCode: place.Key, AreaName: place.Name, Measure: m})
	})
	if err != nil {
		return nil, err
	}
	return book.Append(b)
}

// eachFigure reads the figures of a place, each with its number, and the name of its indicator and
// what describes that, or nil.
func (p *page) eachFigure(
	place *lookup.Place, use func(*record.HealthcareStatistic, int, string, *record.Measure) error,
) error {
	for _, f := range place.Figures {
		name, _, err := p.IndicatorName(f.Indicator)
		if err != nil {
			return err
		}
		entity, err := p.IndicatorEntity(f.Indicator)
		if err != nil {
			return err
		}
		var measure *record.Measure
		if entity != nil {
			measure = entity.Measure
		}
		for _, i := range f.Records {
			rec, err := p.Read(record.KindNamed(record.KindHealthcareStatistic), int(i))
			if err == nil {
				err = use(rec.(*record.HealthcareStatistic), int(i), name, measure)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// placeCells are the cells of a row. Figures of what was retracted, or that nothing supports any
// more, are left empty, as in the files of indicators.
func placeCells(st *record.HealthcareStatistic, name string, place *lookup.Place, is standing.Standing) []string {
	figures := []record.Number{st.Value, st.LessThan, st.GreaterThan, record.Number(st.Code), st.Lower, st.Upper}
	var dimensions, sources []string
	for _, d := range st.Dimensions {
		dimensions = append(dimensions, d.Name+"="+d.Text)
	}
	for _, l := range st.SourceLinks {
		sources = append(sources, string(l.URL))
	}
	row := []string{
		st.Indicator, name, place.Key, place.Name, string(st.TimePeriod), strings.Join(dimensions, "; "),
	}
	for _, f := range figures {
		if is.Lost() {
			f = ""
		}
		row = append(row, string(f))
	}
	return append(row, st.Unit, st.UnitLabel, string(st.ObsStatus), is.String(), string(st.ID),
		strconv.FormatInt(st.Version, 10), string(st.VerificationDate), strings.Join(sources, " "), st.Note)
}

// places writes the list of all places by the letters that they begin with, each with the newest
// value of the indicator that most places have.
func (p *page) places() error {
	p.Open(frame.Head{
		Title: p.Words.Places, Description: p.Words.PlacesText, Section: "/" + lookup.PlacesFolder, Wide: true,
	})
	var groups [][]*lookup.Place
	for _, place := range p.Places {
		if n := len(groups); n == 0 || letterOf(groups[n-1][0]) != letterOf(place) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], place)
	}
	common := p.commonIndicator()
	name, _, err := p.IndicatorName(common)
	if err != nil {
		return err
	}
	p.Fill(placesForm, markup.By("crumbs", func() { p.placeCrumbs("") }),
		markup.By("heading", func() {
			p.Heading(p.Words.Places, p.Words.PlacesText, func() {
				p.Fill(placesOfForm, markup.With("address", common.Address()), markup.With("title", name))
			})
		}),
		markup.Each("letters", groups, func(g []*lookup.Place) {
			p.Fill(letterForm, markup.With("at", "#"+letterOf(g[0])), markup.With("letter", letterOf(g[0])))
		}),
		markup.Each("groups", groups, func(g []*lookup.Place) {
			p.Fill(lettersForm, markup.With("letter", letterOf(g[0])), markup.Each("places", g, func(place *lookup.Place) {
				p.placeLink(place, common)
			}))
		}))
	p.Close()
	return nil
}

// commonIndicator is the one that most places have; a share, which can be compared, before others.
func (p *page) commonIndicator() *lookup.Indicator {
	k := record.KindNamed(record.KindHealthcareStatistic)
	share := func(x *lookup.Indicator) int {
		data, err := p.Raw(k, int(x.Records[0]))
		p.Fail(err)
		if lookup.TextOf(data, `"unit":"`) == "percent" {
			return 1
		}
		return 0
	}
	return slices.MaxFunc(p.Indicators, func(a, b *lookup.Indicator) int {
		return cmp.Or(share(a)-share(b), len(a.Areas)-len(b.Areas))
	})
}

// letterOf is the first letter of the name of a place.
func letterOf(place *lookup.Place) string {
	for _, r := range place.Name {
		return string(r)
	}
	return "–"
}

// placeLink leads to a place, with its newest value of an indicator.
func (p *page) placeLink(place *lookup.Place, common *lookup.Indicator) {
	newest := ""
	if i := slices.Index(common.Areas, place.Key); i >= 0 {
		var err error
		newest, err = p.Latest(common, common.OfArea[i])
		p.Fail(err)
	}
	p.Fill(placeLinkForm, markup.With("address", place.Address()), markup.With("name", place.Name),
		markup.Number("count", len(place.Figures)), markup.With("newest", newest))
}

func (p *page) placeCrumbs(name string) { p.CrumbsTo("/"+lookup.PlacesFolder, p.Words.Places, name) }
