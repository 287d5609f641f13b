package bulk

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/record"
)

// tidyPath is the slim table of statistics: a row for each value, what it is about first, in flat
// columns that every program can group and draw, and what must stay with it last.
const tidyPath = layout.BulkFolder + "statistics-tidy.csv"

// The columns of the slim table, before and behind those of the dimensions.
var (
	tidyFirst = []string{"area_name", "area_code", "time_period", "indicator", "indicator_name", "vintage"}
	tidyLast  = []string{
		"value", "less_than", "greater_than", "code", "code_label", "lower", "upper", "interval", "level", "numerator",
		"denominator", "unit", "unit_label", "obs_status", "note", "standing", "id", "version", "verification_date", "source_urls", "claim_boundary",
	}
)

// mostDimensions is how many dimensions have a column of their own. What has more is no table that
// people read.
const mostDimensions = 64

// dimensionPrefix begins the names of their columns, so that none is that of another column.
const dimensionPrefix = "dim_"

// tidy writes the slim table.
type tidy struct {
	*csv.Writer
	e          render.Records
	number     map[string]int // of cells
	areas      map[string]render.Area
	indicators map[string]*record.Entity // by ID; nil where there is none
	dimensions []string
	fields     []string
}

func newTidy(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	t := &tidy{
		Writer: csv.NewWriter(bufio.NewWriterSize(w, 256<<10)), e: e,
		number: map[string]int{}, indicators: map[string]*record.Entity{},
	}
	for i, c := range Columns(k) {
		t.number[c.Name] = i
	}
	var err error
	if t.areas, err = render.Areas(e); err != nil {
		return nil, err
	}
	if t.dimensions, err = dimensionsOf(e, k); err != nil {
		return nil, err
	}
	header := slices.Clone(tidyFirst)
	for _, name := range t.dimensions {
		header = append(header, dimensionPrefix+name)
	}
	return t, t.Write(append(header, tidyLast...))
}

// dimensionsOf are the names of the dimensions that statistics have, in order.
func dimensionsOf(e render.Records, k *record.Kind) ([]string, error) {
	names := map[string]bool{}
	for r, err := range rows(e, k) {
		if err != nil {
			return nil, err
		}
		c := r.cells[r.number["dimensions"]]
		if len(c) == 0 || len(names) >= mostDimensions {
			continue
		}
		for m, err := range jsonline.Members(c) {
			if err != nil {
				return nil, err
			}
			names[string(m.Name)] = true
		}
	}
	list := slices.Sorted(maps.Keys(names))
	return list[:min(len(list), mostDimensions)], nil
}

func (t *tidy) add(_ []byte, cells []cell) error {
	t.fields = t.fields[:0]
	name, code, err := t.area(cells)
	if err != nil {
		return err
	}
	indicator, answer, err := t.indicator(cells)
	if err != nil {
		return err
	}
	t.fields = append(t.fields, name, code)
	if err := t.texts(cells, tidyFirst[2:4]); err != nil {
		return err
	}
	t.fields = append(t.fields, indicator)
	if err := t.texts(cells, tidyFirst[5:]); err != nil {
		return err
	}
	if err := t.dims(cells[t.number["dimensions"]]); err != nil {
		return err
	}
	if err := t.texts(cells, tidyLast[:4]); err != nil {
		return err
	}
	t.fields = append(t.fields, answer)
	if err := t.texts(cells, tidyLast[5:len(tidyLast)-2]); err != nil {
		return err
	}
	var links []struct{ URL string }
	if err := json.Unmarshal(cells[t.number["source_links"]], &links); err != nil {
		return err
	}
	var urls []string
	for _, l := range links {
		urls = append(urls, l.URL)
	}
	boundary, err := t.boundary(cells)
	if err != nil {
		return err
	}
	return t.Write(append(t.fields, strings.Join(urls, " "), boundary.Statement))
}

// indicator is what the indicator of a value is called, and what its code means where it is a coded
// answer.
func (t *tidy) indicator(cells []cell) (name, answer string, err error) {
	id, err := cells[t.number["indicator_id"]].text()
	if err != nil || len(id) == 0 {
		return "", "", err
	}
	entity, known := t.indicators[string(id)]
	if !known {
		if entity, err = t.entity(string(id)); err != nil {
			return "", "", err
		}
		t.indicators[string(id)] = entity
	}
	code, err := cells[t.number["code"]].text()
	if err != nil || entity == nil {
		return "", "", err
	}
	if entity.Measure != nil && len(code) > 0 {
		answer = entity.Measure.Codes.Get(string(code))
	}
	return entity.Name, answer, nil
}

// entity reads the entity that has an ID; nil if there is none.
func (t *tidy) entity(id string) (*record.Entity, error) {
	k, i, ok := t.e.Find(id)
	if !ok {
		return nil, nil
	}
	data, err := t.e.Reader().Record(k, i)
	if err != nil {
		return nil, err
	}
	rec, err := new(record.Parser).Parse(k, data)
	entity, _ := rec.(*record.Entity)
	return entity, err
}

// texts adds cells as they are.
func (t *tidy) texts(cells []cell, names []string) error {
	for _, name := range names {
		text, err := cells[t.number[name]].text()
		if err != nil {
			return err
		}
		t.fields = append(t.fields, string(text))
	}
	return nil
}

// dims adds a cell for each dimension.
func (t *tidy) dims(c cell) error {
	from := len(t.fields)
	t.fields = append(t.fields, make([]string, len(t.dimensions))...)
	if len(c) == 0 {
		return nil
	}
	for m, err := range jsonline.Members(c) {
		if err != nil {
			return err
		}
		if i, ok := slices.BinarySearch(t.dimensions, string(m.Name)); ok {
			text, err := cell(m.Value).text()
			if err != nil {
				return err
			}
			t.fields[from+i] = string(text)
		}
	}
	return nil
}

// boundary reads where a value holds, and what it does not reach.
func (t *tidy) boundary(cells []cell) (b struct{ Statement, Place string }, err error) {
	if c := cells[t.number["claim_boundary"]]; len(c) > 0 {
		err = json.Unmarshal(c, &b)
	}
	return b, err
}

// area names the area of a value as the pages do, and gives countries the three letters of ISO
// 3166.
func (t *tidy) area(cells []cell) (name, code string, err error) {
	scheme, err := cells[t.number["ref_area_scheme"]].text()
	if err != nil {
		return "", "", err
	}
	text, err := cells[t.number["ref_area"]].text()
	if err != nil {
		return "", "", err
	}
	code = record.AreaScheme(scheme).Key(string(text))
	if string(scheme) == string(record.SchemeEntity) {
		return t.e.Title(code), code, nil
	}
	if a, ok := t.areas[code]; ok {
		return a.Name, code, nil
	}
	b, err := t.boundary(cells)
	if b.Place != "" {
		return b.Place, code, err
	}
	return cmp.Or(places.Name(record.AreaScheme(scheme), code, t.e.Settings().Language), code), code, err
}

func (*tidy) flush() error { return nil }

func (t *tidy) close() error {
	t.Flush()
	return t.Error()
}
