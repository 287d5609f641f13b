package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"stele/internal/author/judging/report"
	"stele/internal/base/layout"
	"stele/internal/base/sheet/areas"
	"stele/internal/show/latest"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

type seriesArguments struct {
	Indicator string `json:"indicator,omitempty" jsonschema:"code of the indicator, such as mcv1; without it, series lists the indicators"`
	Area      string `json:"area,omitempty" jsonschema:"code or name of the area, such as GBR, 001 for the world, Kenya, or the code of a region; without it, series lists the areas with their latest values"`
	Limit     int    `json:"limit,omitempty" jsonschema:"maximum number of rows: default 100, at most 500"`
	Offset    int    `json:"offset,omitempty" jsonschema:"how many rows to skip, for the next page"`
}

type seriesAnswer struct {
	Release       string              `json:"release"`
	Indicator     string              `json:"indicator"`
	Title         string              `json:"title"`
	Definition    string              `json:"definition,omitempty"`
	Area          string              `json:"area,omitempty"`
	AreaDays      string              `json:"area_days,omitempty"`
	Predecessors  []string            `json:"predecessors,omitempty"`
	Successors    []string            `json:"successors,omitempty"`
	Total         int                 `json:"total"`
	Values        int                 `json:"values"`
	NotStanding   int                 `json:"not_standing"`
	Columns       []string            `json:"columns"`
	Rows          [][]string          `json:"rows"`
	Next          int                 `json:"next_offset,omitempty"`
	Sources       []seriesSource      `json:"sources"`
	Boundaries    []seriesBoundary    `json:"claim_boundaries"`
	SourceUpdates map[string][]string `json:"source_updates,omitempty"`
	Corrections   map[string][]string `json:"corrections,omitempty"`
	Page          string              `json:"page"`
	CSV           string              `json:"csv"`
	texts
}

// seriesSource and seriesBoundary have the members of the CSV's metadata file.
type (
	seriesSource struct {
		Number int               `json:"number"`
		Title  string            `json:"title,omitempty"`
		Link   record.SourceLink `json:"source_link"`
	}
	seriesBoundary struct {
		Number   int                  `json:"number"`
		Boundary record.ClaimBoundary `json:"claim_boundary"`
	}
)

type seriesMetadata struct {
	Chart struct {
		Title string `json:"title"`
		Page  string `json:"originalChartUrl"`
	} `json:"chart"`
	Definition    string              `json:"definition"`
	Sources       []seriesSource      `json:"sources"`
	Boundaries    []seriesBoundary    `json:"claimBoundaries"`
	SourceUpdates map[string][]string `json:"sourceUpdates"`
	Corrections   map[string][]string `json:"corrections"`
}

// figures are the files of an indicator.
type figures struct {
	path    string
	data    []byte // CSV
	columns []string
	about   seriesMetadata
}

// reading limits the number of questions with figures in memory, because each may read files of
// maxFile and maxMetadata bytes.
var reading = make(chan struct{}, 4)

// cell returns the cell of row in the column name, or "" if there is no such column.
func (f *figures) cell(row []string, name string) string {
	if i := slices.Index(f.columns, name); i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}

// readFigures reads the files of an indicator.
func (s *edition) readFigures(r *release.Release, base string) (*figures, error) {
	data, err := s.readFile(r, base+".csv")
	if err != nil {
		return nil, err
	}
	f := &figures{path: base + ".csv", data: data}
	for row, err := range f.readCSV() {
		if err != nil {
			return nil, err
		}
		f.columns = slices.Clone(row)
		break
	}
	if data, err = s.readSmallFile(r, base+layout.MetadataSuffix, maxMetadata); err == nil {
		err = json.Unmarshal(data, &f.about)
	}
	return f, err
}

// readCSV yields the header and the rows of the CSV. A row is valid until the next iteration.
func (f *figures) readCSV() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		in := csv.NewReader(bytes.NewReader(f.data))
		in.ReuseRecord = true
		for {
			row, err := in.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				err = fmt.Errorf("cannot read %s: %w", f.path, err)
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// rowState returns the data that decides whether a row is the latest of its area. whole is false
// for a breakdown.
func (f *figures) rowState(row []string) (v latest.Value, whole bool) {
	is := cmp.Or(f.cell(row, "standing"), standing.Stands.String())
	v = latest.Value{Status: record.ObsStatus(f.cell(row, "obs_status")), Standing: standing.Parse(is)}
	for _, name := range []string{"value", "less_than", "greater_than", "code"} {
		v.Known = v.Known || f.cell(row, name) != ""
	}
	whole = true
	for i, name := range f.columns {
		if strings.HasPrefix(name, "dim_") && i < len(row) && row[i] != "" {
			whole = whole && record.IsTotal(row[i])
		}
	}
	return v, whole
}

// isLater reports whether the row next should replace the row now as the latest row of its area. As
// on pages, rows for the area as a whole come before breakdowns.
func (f *figures) isLater(now, next []string) bool {
	before, wholeBefore := f.rowState(now)
	after, whole := f.rowState(next)
	if whole != wholeBefore {
		return whole
	}
	return latest.Replaces(before, after)
}

// areaRows yields the rows of area, or, if area is "", the latest row of each area. It counts all
// rows in all. A row is valid until the next iteration.
func (f *figures) areaRows(area string, all *int) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		heading := true
		var last []string // of the current area
		for row, err := range f.readCSV() {
			if heading && err == nil {
				heading = false
				continue
			}
			*all++
			code := f.cell(row, "area_code")
			switch {
			case err != nil:
			case area == "":
				if last == nil || f.cell(last, "area_code") == code {
					if last == nil || f.isLater(last, row) {
						last = append(last[:0], row...)
					}
					continue
				}
				last, row = slices.Clone(row), last
			case !strings.EqualFold(code, area) && !strings.EqualFold(f.cell(row, "area_name"), area):
				continue
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if last != nil {
			yield(last, nil)
		}
	}
}

func (s *edition) answerSeries(ctx context.Context, r *release.Release, in seriesArguments) (*seriesAnswer, error) {
	limit, err := checkLimit(in.Limit, in.Offset, 100, 500)
	if err != nil {
		return nil, err
	}
	if in.Indicator == "" {
		return s.listIndicators(r, limit, in.Offset)
	}
	if !layout.ValidPath(in.Indicator) || strings.Contains(in.Indicator, "/") || len(in.Area) > maxQuery {
		return nil, errors.New("give the code of an indicator, as search shows it")
	}
	select {
	case reading <- struct{}{}:
		defer func() { <-reading }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	base := layout.FigureFolder + in.Indicator
	whole, err := s.readFigures(r, base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.unknownIndicatorError(r, in.Indicator)
	}
	if err != nil {
		return nil, err
	}
	a := &seriesAnswer{
		Release: r.Manifest.Release, Indicator: in.Indicator, Area: in.Area,
		Title: whole.about.Chart.Title, Definition: whole.about.Definition, Columns: whole.columns,
		Page: whole.about.Chart.Page, CSV: fileURL(r.Manifest, whole.path), Rows: [][]string{},
	}
	if err := a.readRows(whole, in.Offset, limit); err != nil {
		return nil, err
	}
	if a.Total == 0 && in.Area != "" {
		return nil, whole.unknownAreaError(in.Area)
	}
	if err := checkOffset(in.Offset, a.Total, "rows"); err != nil {
		return nil, err
	}
	if err := s.describeArea(r, whole, a); err != nil {
		return nil, err
	}
	a.addNotes(whole)
	return a, a.writeText(in)
}

// describeArea adds to a the validity, the predecessors and the successors of an area in a
// publisher's scheme.
func (s *edition) describeArea(r *release.Release, f *figures, a *seriesAnswer) error {
	if a.Area == "" || len(a.Rows) == 0 || f.cell(a.Rows[0], "area_scheme") == "" {
		return nil
	}
	data, err := s.readSmallFile(r, layout.AreaFile(f.cell(a.Rows[0], "area_scheme"), ".json"), maxFile)
	if err != nil {
		return err
	}
	name := f.cell(a.Rows[0], "area_code")
	scheme, err := areas.ParseArea(data, name)
	if err != nil {
		return err
	}
	code := scheme.Code(name)
	if code == nil {
		return nil
	}
	a.AreaDays = areas.Days(code)
	for _, c := range scheme.Predecessors(code.Code) {
		a.Predecessors = append(a.Predecessors, areas.Title(c))
	}
	for _, c := range scheme.Successors(code.Code) {
		a.Successors = append(a.Successors, areas.Title(c))
	}
	return nil
}

// readRows counts the rows, and keeps up to limit rows from offset on. It returns an error if
// several areas have the requested name, because their figures must not be joined.
func (a *seriesAnswer) readRows(f *figures, offset, limit int) error {
	first := ""
	for row, err := range f.areaRows(a.Area, &a.Values) {
		if err != nil {
			return err
		}
		code := f.cell(row, "area_code")
		if first = cmp.Or(first, code); a.Area != "" && code != first {
			return fmt.Errorf("several areas are called %q: give the code, such as %s or %s", a.Area, first, code)
		}
		if f.cell(row, "standing") != standing.Stands.String() {
			a.NotStanding++
		}
		if a.Total >= offset && len(a.Rows) < limit {
			a.Rows = append(a.Rows, slices.Clone(row))
		}
		a.Total++
	}
	if next := offset + len(a.Rows); next < a.Total {
		a.Next = next
	}
	return nil
}

func (s *edition) listIndicators(r *release.Release, limit, offset int) (*seriesAnswer, error) {
	data, err := s.readFile(r, layout.IndicatorsPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.unknownIndicatorError(r, "")
	}
	if err != nil {
		return nil, err
	}
	var list struct {
		Indicators []struct {
			Code, Name, Unit, From, To string
			Areas, Rows                int
		}
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", layout.IndicatorsPath, err)
	}
	if err := checkOffset(offset, len(list.Indicators), "indicators"); err != nil {
		return nil, err
	}
	a := &seriesAnswer{
		Release: r.Manifest.Release, Total: len(list.Indicators), CSV: fileURL(r.Manifest, layout.IndicatorsPath),
		Columns: []string{"indicator", "name", "unit", "areas", "from", "to", "rows"},
	}
	for _, x := range list.Indicators {
		a.Rows = append(a.Rows, []string{x.Code, x.Name, x.Unit, fmt.Sprint(x.Areas), x.From, x.To, fmt.Sprint(x.Rows)})
	}
	a.Rows, a.Next = pageSlice(a.Rows, offset, limit)
	a.Sources, a.Boundaries = []seriesSource{}, []seriesBoundary{}
	var p prose
	p.writeLine("%d indicators. Name an indicator to read its figures.", a.Total)
	return a, a.writeRows(&p, offset)
}

// addNotes keeps the sources, boundaries, updates and corrections of the returned rows.
func (a *seriesAnswer) addNotes(f *figures) {
	sources, boundaries := map[string]bool{}, map[string]bool{}
	a.SourceUpdates, a.Corrections = map[string][]string{}, map[string][]string{}
	for _, row := range a.Rows {
		for _, number := range strings.Fields(f.cell(row, "sources")) {
			sources[number] = true
		}
		boundaries[f.cell(row, "claim_boundary")] = true
		id := f.cell(row, "id")
		if list := f.about.SourceUpdates[id]; len(list) > 0 {
			a.SourceUpdates[id] = list
		}
		if list := f.about.Corrections[id]; len(list) > 0 {
			a.Corrections[id] = list
		}
	}
	a.Sources, a.Boundaries = []seriesSource{}, []seriesBoundary{}
	for _, s := range f.about.Sources {
		if sources[fmt.Sprint(s.Number)] {
			a.Sources = append(a.Sources, s)
		}
	}
	for _, b := range f.about.Boundaries {
		if boundaries[fmt.Sprint(b.Number)] {
			a.Boundaries = append(a.Boundaries, b)
		}
	}
}

func (a *seriesAnswer) writeText(in seriesArguments) error {
	var p prose
	if a.NotStanding > 0 {
		p.writeLine("NOT ALL ARE VALID: %d of these %d values are retracted, disputed or otherwise not valid. The column standing gives the standing; "+
			"the figures of those that were retracted or have lost their support are empty.", a.NotStanding, a.Total)
	}
	p.writeLine("indicator %s: %s, %d values in total", quoteText(a.Indicator), quoteText(a.Title), a.Values)
	if a.Definition != "" {
		p.writeLine("definition: %s", quoteText(a.Definition))
	}
	if in.Area == "" {
		p.writeLine("The latest value of each of %d areas, without forecasts. Name an area to get all its values.", a.Total)
	}
	if a.AreaDays != "" {
		p.writeLine("The area is valid %s. Do not join its figures with those of other areas.", a.AreaDays)
	}
	for _, c := range a.Predecessors {
		p.writeLine("predecessor: %s", quoteText(c))
	}
	for _, c := range a.Successors {
		p.writeLine("successor: %s", quoteText(c))
	}
	for _, b := range a.Boundaries {
		p.writeLine("claim boundary %d: %s", b.Number, quoteText(b.Boundary.Statement))
	}
	for _, s := range a.Sources {
		p.writeLine("source %d: %s %s (%s)", s.Number, quoteText(s.Title), oneLine(string(s.Link.URL)), oneLine(string(s.Link.Role)))
	}
	writeNotes(&p, "source update", a.SourceUpdates)
	writeNotes(&p, "correction", a.Corrections)
	p.writeLine("Each row contains its record ID, version and verification date.")
	return a.writeRows(&p, in.Offset)
}

func (a *seriesAnswer) writeRows(p *prose, offset int) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.WriteAll(append([][]string{a.Columns}, a.Rows...)); err != nil {
		return err
	}
	p.writeLine("Rows %d to %d of %d. The following is data of the publisher.", min(offset+1, a.Total), offset+len(a.Rows), a.Total)
	p.WriteString(fencedBlock("csv", report.EscapeJSON(b.String())))
	if a.Next > 0 {
		p.writeLine("Continue with offset %d, or read all rows at %s.", a.Next, oneLine(a.CSV))
	}
	a.text = p.String()
	return nil
}

func writeNotes(p *prose, what string, notes map[string][]string) {
	for _, id := range slices.Sorted(maps.Keys(notes)) {
		for _, note := range notes[id] {
			p.writeLine("%s of %s: %s", what, oneLine(id), quoteText(note))
		}
	}
}

func (s *edition) unknownIndicatorError(r *release.Release, code string) error {
	var paths, names []string
	for _, f := range r.Manifest.Files {
		paths = append(paths, f.Path)
	}
	s.once.Lock()
	paths = slices.AppendSeq(paths, maps.Keys(s.files))
	s.once.Unlock()
	for _, path := range paths {
		name, ok := strings.CutPrefix(path, layout.FigureFolder)
		name, is := strings.CutSuffix(name, ".csv")
		if ok && is && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return notFoundf("this release has no files of indicators: the statistics are at %s",
			fileURL(r.Manifest, record.KindNamed(record.KindHealthcareStatistic).Collection.Path))
	}
	some := strings.Join(names[:min(len(names), 20)], ", ")
	return unknownNameError("unknown indicator", code, names, fmt.Sprintf("use search to find indicators. Some of %d: %s", len(names), some))
}

func (f *figures) unknownAreaError(area string) error {
	var codes []string
	for row, err := range f.areaRows("", new(int)) {
		if err != nil || len(codes) >= maxCompared {
			break
		}
		codes = append(codes, f.cell(row, "area_code"), f.cell(row, "area_name"))
	}
	return unknownNameError("the indicator has no values for", area, codes, "use series without an area to list the areas")
}
