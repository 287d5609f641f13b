package records

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/workbook"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the pages of places and of their list.
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
	placesForm    = markup.Parse(`{crumbs}{heading}{box}<nav class="letters" aria-label="{=Places}">{links}</nav>{groups}`)
	placesOfForm  = markup.Parse(`<p class="meta">{=PlaceValues}: <a href="{address}"{lang}>{title}</a></p>`)
	regionLink    = markup.Parse(`<a href="{at}">{name}</a> `)
	regionForm    = markup.Parse(`<section class="narrow" id="{id}"><h2>{name}</h2><ul class="tally areas-list">{places}</ul></section>`)
	placeLinkForm = markup.Parse(`
		<li><a href="{address}"{lang}>{name}</a> <span class="count">{count}</span>{?newest}<span class="quiet"{lang}>{newest}</span>{/}</li>`)
)

// placeFiles returns the files that contain all figures of place.
func placeFiles(place *lookup.Place) []render.Download {
	path := lookup.PlacesFolder + place.Key
	files := []render.Download{{Path: path + ".csv", Format: "CSV"}, {Path: path + workbook.Suffix, Format: workbook.Format}}
	if place.Count() > workbook.Most {
		return files[:1]
	}
	return files
}

// WritePlaces writes a page for each place (or a redirect to its entity), a list of all places and,
// if areas have files, the files with all figures of each place.
func (s *Section) WritePlaces() error {
	for _, place := range s.Places {
		if place.Entity == "" && place.Scheme == "" {
			s.Pages = append(s.Pages, place.Address())
		}
	}
	if len(s.Places) == 0 {
		return nil
	}
	pathOf := func(i int) string { return layout.ResolveIndex(lookup.PlacesFolder + s.Places[i].Key + "/") }
	err := s.Each(len(s.Places), pathOf,
		func(p *page, i int) { p.writePlacePage(s.Places[i]) })
	if s.figures.AreaFiles() {
		var paths []string
		var of []*lookup.Place
		for _, place := range s.Places {
			for _, f := range placeFiles(place) {
				paths, of = append(paths, f.Path), append(of, place)
			}
		}
		path := func(i int) string { return paths[i] }
		err = errors.Join(err, s.EachFile(len(paths), path, func(p *page, i int, b []byte) []byte {
			if strings.HasSuffix(paths[i], workbook.Suffix) {
				return p.placeBook(b, of[i])
			}
			return p.placeCSV(b, of[i])
		}))
	}
	return errors.Join(err, s.Put(layout.ResolveIndex(lookup.PlacesFolder), (*page).writePlacesPage))
}

func (p *page) writePlacePage(place *lookup.Place) {
	if place.Entity != "" || place.Scheme != "" {
		p.Lead(frame.Head{Title: place.Name, Moved: place.Address()}, place.Name)
		return
	}
	k := record.KindNamed(record.KindHealthcareStatistic)
	a := about{figures: place.Figures, ids: map[string][]string{}, seen: map[string]bool{}}
	p.addCiting(&a, place.Figures)
	c := p.CitePlace(place.Key, place.Name, p.Records.AsOf(k))
	p.Open(frame.Head{
		Title: place.Name, Description: p.Words.PlaceText, Section: "/" + lookup.PlacesFolder,
		Alternate: k.Collection.Path, Wide: true, Feeds: k.Folder(), Scripts: []string{"record.js"}, Cite: &c,
	})
	p.Fill(placeForm, markup.By("crumbs", func() { p.writePlaceCrumbs(place.Name) }), markup.With("name", place.Name),
		markup.By("count", func() { p.writePlaceCounts(place) }), markup.By("figures", func() { p.writeAbout(&a) }),
		markup.By("values", func() { p.writePlaceValues(place) }), markup.By("cite", func() { p.WriteCitationSection(&c) }))
	p.Close()
}

// writePlaceCounts writes the number of figures of a place.
func (p *page) writePlaceCounts(place *lookup.Place) {
	p.Text(p.Words.Counted(p.Words.CountedIndicators, len(place.Figures)))
	p.Text(p.Words.Comma)
	p.Text(p.Words.Counted(p.Words.CountedFigures, place.Count()))
}

// comparedPlaces returns the places with figures to compare place with: its continent and the
// world.
func (p *page) comparedPlaces(place *lookup.Place) (list []*lookup.Place) {
	for _, key := range []string{place.Region, lookup.World} {
		has := func(f lookup.Figures) bool { return slices.Contains(f.Areas, key) }
		if key != place.Key && slices.ContainsFunc(place.Figures, has) {
			list = append(list, p.PlaceOf(key))
		}
	}
	return list
}

// writePlaceValues writes the latest value of each indicator in a place and in the world, links to
// comparisons and files, and the sources.
func (p *page) writePlaceValues(place *lookup.Place) {
	var sources []string
	var changed record.Date
	for _, f := range place.Figures {
		e := p.Statistic(int(f.Records[len(f.Records)-1])).Common()
		changed = max(changed, e.UpdatedDate)
		for _, l := range e.SourceLinks {
			if id := string(l.SourceID); id != "" && !slices.Contains(sources, id) {
				sources = append(sources, strings.Clone(id))
			}
		}
	}
	p.Fill(placeValuesForm, markup.By("table", func() { p.writePlaceTable(place) }),
		markup.By("count", func() { p.writePlaceCounts(place) }),
		markup.When(p.of.figures.AreaFiles(), "files", func() { p.WriteDownloadLinks(placeFiles(place)) }),
		markup.When(changed != "", "changed", func() { p.WriteDate(changed) }),
		markup.Each("sources", sources, func(id string) { p.WriteItem(func() { p.WriteLink(id) }) }))
}

// latestText returns the latest value of x in place as text, or "" if there is none.
func (p *page) latestText(x *lookup.Indicator, place *lookup.Place) string {
	if i := slices.Index(x.Areas, place.Key); i >= 0 {
		return p.of.figures.Latest(p.Page, x, i)
	}
	return ""
}

// writePlaceTable writes the latest values of place next to those of the places to compare it with.
func (p *page) writePlaceTable(place *lookup.Place) {
	columns := []frame.Column{{Name: p.Words.Indicator, Head: true}}
	places, compared := append([]*lookup.Place{place}, p.comparedPlaces(place)...), "?areas="+place.Key
	for i, of := range places {
		columns = append(columns, frame.Column{Name: of.Name, Named: true, Theirs: true, Label: true})
		if i > 0 {
			compared += "*" + of.Key
		}
	}
	columns = append(columns, frame.Column{Name: p.Words.CompareAreas})
	p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
		for _, f := range place.Figures {
			cells := []func(){func() {
				p.Fill(frame.ReferenceForm, markup.With("address", f.Address()), markup.With("title", f.Title))
			}}
			for _, of := range places {
				cells = append(cells, p.Cell(p.latestText(f.Indicator, of)))
			}
			t.Row("", append(cells, func() {
				if len(f.Areas) > 1 {
					p.WriteAnchor(f.Address()+compared, p.Words.Chart)
				}
			})...)
		}
	})
}

// placeColumns lists the columns of the CSV file of a place.
var placeColumns = []string{
	"indicator", "indicator_name", "area_code", "area_name", "time_period", "vintage", "dimensions", "value", "less_than", "greater_than",
	"code", "lower", "upper", "unit", "unit_label", "obs_status", "standing", "id", "version", "verification_date",
	"sources", "note",
}

// placeCSV appends all figures of a place, one per row.
func (p *page) placeCSV(b []byte, place *lookup.Place) []byte {
	out := bytes.NewBuffer(b)
	p.readPlace(place, out)
	return out.Bytes()
}

// placeBook appends all figures of a place as a workbook. Usually, its CSV was written just before.
func (p *page) placeBook(b []byte, place *lookup.Place) []byte {
	if p.bookOf != place || p.book == nil {
		p.readPlace(place, io.Discard)
	}
	b, err := p.book.Append(b)
	p.book = nil
	p.Fail(err)
	return b
}

// readPlace reads the figures of a place, writes them to out as CSV, and fills its workbook.
func (p *page) readPlace(place *lookup.Place, out io.Writer) {
	w := csv.NewWriter(out)
	w.Write(placeColumns) // Flush returns the error
	p.bookOf, p.book = place, nil
	if len(placeFiles(place)) > 1 {
		p.book = workbook.New(p.Records, place.Name, p.Base+place.Address())
	}
	for _, f := range place.Figures {
		of := workbook.Of{Indicator: f.Title, AreaCode: place.Code, AreaName: place.Name, Measure: f.Measure}
		for _, n := range f.Records {
			i := int(n)
			st, is := p.Statistic(i), p.Records.Standing(record.KindNamed(record.KindHealthcareStatistic), i).Standing
			w.Write(placeCells(st, f.Title, place, is))
			if p.book != nil {
				p.Fail(p.book.Add(st, i, of))
			}
		}
	}
	w.Flush()
	p.Fail(w.Error())
}

// placeCells returns the cells of the row of st. Figures that were retracted or lost their support
// are empty, as in the files of indicators.
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
		st.Indicator, name, place.Key, place.Name, string(st.TimePeriod), string(st.Vintage),
		strings.Join(dimensions, "; "),
	}
	for _, f := range figures {
		if is.IsLost() {
			f = ""
		}
		row = append(row, string(f))
	}
	return append(row, st.Unit, st.UnitLabel, string(st.ObsStatus), is.String(), string(st.ID),
		strconv.FormatInt(st.Version, 10), string(st.VerificationDate), strings.Join(sources, " "), st.Note)
}

// region is a continent with its places, or the group of areas that are not countries.
type region struct {
	id, name string
	places   []*lookup.Place
}

// regions returns the places by continent, sorted by name. Areas that are not countries come first.
func (p *page) regions() (list []*region) {
	for _, place := range p.Places {
		id := "in-" + place.Region
		i := slices.IndexFunc(list, func(r *region) bool { return r.id == id })
		if i < 0 {
			i = len(list)
			name := places.Name(record.SchemeUNM49, place.Region, p.Words.Tag)
			list = append(list, &region{id: id, name: cmp.Or(name, p.Words.Script["regions"])})
		}
		at := len(list[i].places)
		if place.Key == lookup.World {
			at = 0
		}
		list[i].places = slices.Insert(list[i].places, at, place)
	}
	slices.SortFunc(list, func(a, b *region) int {
		return cmp.Or(cmp.Compare(min(1, len(a.id)-3), min(1, len(b.id)-3)), strings.Compare(a.name, b.name))
	})
	return list
}

// writePlacesPage writes the list of all places by region, each with the latest value of the most
// common indicator.
func (p *page) writePlacesPage() {
	p.Open(frame.Head{
		Title: p.Words.Places, Description: p.Words.PlacesText, Section: "/" + lookup.PlacesFolder, Wide: true,
		Scripts: []string{"list.js"},
	})
	common := p.commonIndicator()
	regions := p.regions()
	p.Fill(placesForm, markup.By("crumbs", func() { p.writePlaceCrumbs("") }),
		markup.By("heading", func() {
			p.WriteHeading(p.Words.Places, p.Words.PlacesText, func() {
				p.Fill(placesOfForm, markup.With("address", common.Address()), markup.With("title", common.Title))
			})
		}),
		markup.By("box", func() { p.WriteFilterBox("search") }),
		markup.Each("links", regions, func(r *region) {
			p.Fill(regionLink, markup.With("at", "#"+r.id), markup.With("name", r.name))
		}),
		markup.Each("groups", regions, func(r *region) {
			p.Fill(regionForm, markup.With("id", r.id), markup.With("name", r.name),
				markup.Each("places", r.places, func(place *lookup.Place) { p.writePlaceLink(place, common) }))
		}))
	p.Close()
}

// commonIndicator returns the indicator with values for the most places, preferably a share,
// because shares are comparable.
func (p *page) commonIndicator() *lookup.Indicator {
	k := record.KindNamed(record.KindHealthcareStatistic)
	share := func(x *lookup.Indicator) int {
		if lookup.TextOf(p.Raw(k, int(x.Records[0])), `"unit":"`) == "percent" {
			return 1
		}
		return 0
	}
	return slices.MaxFunc(p.Indicators, func(a, b *lookup.Indicator) int {
		return cmp.Or(share(a)-share(b), len(a.Areas)-len(b.Areas))
	})
}

// writePlaceLink writes a link to place with its latest value of common.
func (p *page) writePlaceLink(place *lookup.Place, common *lookup.Indicator) {
	p.Fill(placeLinkForm, markup.With("address", place.Address()), markup.With("name", place.Name),
		markup.Number("count", len(place.Figures)), markup.With("newest", p.latestText(common, place)))
}

func (p *page) writePlaceCrumbs(name string) {
	p.WriteBreadcrumbsTo("/"+lookup.PlacesFolder, p.Words.Places, name)
}
