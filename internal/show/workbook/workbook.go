// Package workbook writes workbooks of figures for spreadsheets: a cover, notes, and one table with
// typed cells, following the UK Analysis Function's guidance on accessible spreadsheets. A row
// contains everything that must stay with a record, and marks have columns of their own. Figures
// that were retracted or lost their support are empty.
//
// Like all files of figures, a workbook changes only when its records do.
package workbook

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/base/sheet"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
)

// The suffix of workbooks, the common name of their format, and the maximum number of figures in
// one. Spreadsheets are slow with more figures.
const (
	Suffix = ".xlsx"
	Format = "Workbook (XLSX)"
	Most   = 100_000
)

// Book collects the contents of a workbook.
type Book struct {
	records    render.Records
	title      string
	page       string   // URL of the page with the same figures
	about      []string // introductory paragraphs
	book       sheet.Book
	figures    *sheet.Grid
	count      int
	dimensions map[string]int // their columns
	notes      [][2]string    // meanings of dimension codes
	statuses   map[string]bool
	standings  map[string]int
	sources    []string
	boundaries []string
	seen       map[string]bool
	example    bool // whether any figure is an example
	updated    record.Date
	releases   map[string]int // indexes of releases
	newest     int            // the latest release that added a figure
}

// Of describes the indicator and area of a figure.
type Of struct {
	Indicator          string // its name
	AreaCode, AreaName string
	Measure            *record.Measure
}

// column is a column of the table.
type column struct {
	name  string
	doc   string // unless it is a member of statistics
	kind  sheet.Kind
	width int
}

// columns lists the columns of the table except dimensions, in the order of cells. They have the
// same names as in CSV. The columns of limits have the names of their members.
var columns = []column{
	{"indicator", "", sheet.Text, 16},
	{"indicator_name", "The name of the indicator.", sheet.Text, 30},
	{"area_name", "The area of the figure.", sheet.Text, 24},
	{"area_code", "The code of the area; for countries, the three ISO 3166 letters.", sheet.Text, 10},
	{"time_period", "", sheet.Text, 12},
	{"vintage", "", sheet.Text, 10},
	{"value", "", sheet.Number, 12},
	{"less_than", "", sheet.Number, 10},
	{"greater_than", "", sheet.Number, 12},
	{"code", "", sheet.Text, 10},
	{"code_label", "What the code means.", sheet.Text, 24},
	{"lower", "", sheet.Number, 10},
	{"upper", "", sheet.Number, 10},
	{"numerator", "", sheet.Number, 12},
	{"denominator", "", sheet.Number, 12},
	{"unit", "", sheet.Text, 12},
	{"unit_label", "", sheet.Text, 24},
	{"obs_status", "", sheet.Text, 11},
	{"interval", "", sheet.Text, 12},
	{"level", "", sheet.Number, 10},
	{"note", "", sheet.Text, 40},
	{"illustrative", "", sheet.Text, 12},
	{"standing", "Whether the record is still valid. Figures of records that were retracted or lost their support are empty.", sheet.Text, 14},
	{"id", "", sheet.Text, 24},
	{"version", "", sheet.Number, 10},
	{"verification_date", "", sheet.Date, 17},
	{"license", "", sheet.Text, 12},
	{"source_links", "The URLs of the record's sources, one per line.", sheet.Text, 40},
	{"claim_boundary.statement", "The limits of the claim in words.", sheet.Text, 40},
	{"claim_boundary.population", "The people that the claim is about.", sheet.Text, 24},
	{"claim_boundary.place", "The places for which the claim is valid.", sheet.Text, 24},
	{"claim_boundary.period", "The period for which the claim is valid.", sheet.Text, 24},
	{"claim_boundary.excludes", "What the claim does not cover, one item per line.", sheet.Text, 24},
	{"source_updates", "Later changes to the sources, as JSON.", sheet.Text, 30},
	{"corrections", "Errors in the record that were corrected, as JSON.", sheet.Text, 30},
}

// The indexes of the columns with figures, and the constants of columns with dimensions.
const (
	figuresFrom, figuresTo = 6, 15
	dimensionsAt           = 5
	dimension              = "dim_" // prefix of their names, as in CSV
	mostDimensions         = 64
)

// New returns a workbook with a title, the URL of its page, and introductory paragraphs.
func New(e render.Records, title, page string, about ...string) *Book {
	b := &Book{
		records: e, title: title, page: page, about: about, dimensions: map[string]int{}, statuses: map[string]bool{},
		standings: map[string]int{}, seen: map[string]bool{}, releases: map[string]int{},
	}
	for i, p := range e.Releases() {
		b.releases[p.Release] = i
	}
	b.figures = sheet.NewGrid("Figures")
	for i, c := range columns {
		b.figures.AddColumn(sheet.GridColumn{
			Name: c.name, Kind: c.kind, Width: c.width, Order: 2 * i, Used: c.name == "value",
		})
	}
	return b
}

// Add adds st, the statistic with index i.
func (b *Book) Add(st *record.HealthcareStatistic, i int, of Of) error {
	kind := record.KindNamed(record.KindHealthcareStatistic)
	is := b.records.Standing(kind, i).Standing
	b.figures.AddRow()
	b.count++
	for n, text := range cells(st, &of, is) {
		if text != "" && !(is.IsLost() && figuresFrom <= n && n < figuresTo) {
			b.figures.Set(n, text)
		}
	}
	for _, d := range st.Dimensions {
		n, ok := b.dimensions[d.Name]
		if !ok && len(b.dimensions) < mostDimensions {
			n = b.figures.AddColumn(sheet.GridColumn{Name: dimension + d.Name, Width: 16, Order: 2*dimensionsAt - 1})
			b.dimensions[d.Name], ok = n, true
		}
		if ok {
			b.figures.Set(n, d.Text)
		}
	}
	b.statuses[string(st.ObsStatus)], b.example = true, b.example || st.Illustrative
	b.standings[is.String()]++
	b.updated = max(b.updated, st.UpdatedDate, st.PublishedDate)
	b.keepMeasure(st, of.Measure)
	for e, err := range b.records.EventsOf(kind, i).From(0) {
		if err != nil {
			return err
		}
		b.newest = max(b.newest, b.releases[e.Release])
		break // newest first
	}
	return nil
}

// keepMeasure collects data about st and its measure m for the cover and the notes.
func (b *Book) keepMeasure(st *record.HealthcareStatistic, m *record.Measure) {
	for _, l := range st.SourceLinks {
		if !b.seen[string(l.URL)] {
			b.seen[string(l.URL)] = true
			text := string(l.URL)
			if title := b.records.Title(string(l.SourceID)); title != "" {
				text = title + ", " + text
			}
			b.sources = append(b.sources, text)
		}
	}
	if l := st.ClaimBoundary; l != nil && !b.seen[l.Statement] {
		b.seen[l.Statement] = true
		b.boundaries = append(b.boundaries, l.Statement)
	}
	for _, d := range m.Dimensions {
		for _, c := range d.Codes {
			key := "\x00" + d.Name + "\x00" + c.Name + "\x00" + c.Text
			if st.Dimensions.Get(d.Name) == c.Name && !b.seen[key] {
				b.seen[key] = true
				b.notes = append(b.notes, [2]string{dimension + d.Name + ": " + c.Name, c.Text})
			}
		}
	}
}

// cells returns the cells of st, by column.
func cells(st *record.HealthcareStatistic, of *Of, is standing.Standing) []string {
	var limits record.ClaimBoundary
	if st.ClaimBoundary != nil {
		limits = *st.ClaimBoundary
	}
	links := make([]string, len(st.SourceLinks))
	for i, l := range st.SourceLinks {
		links[i] = string(l.URL)
	}
	answer, example := of.Measure.Codes.Get(st.Code), ""
	if st.Illustrative {
		example = "true"
	}
	return []string{
		st.Indicator, of.Indicator, of.AreaName, of.AreaCode, string(st.TimePeriod), string(st.Vintage),
		string(st.Value), string(st.LessThan), string(st.GreaterThan), st.Code, answer, string(st.Lower),
		string(st.Upper), string(st.Numerator), string(st.Denominator), st.Unit, st.UnitLabel,
		string(st.ObsStatus), string(st.Interval), string(st.Level), st.Note, example, is.String(), string(st.ID),
		strconv.FormatInt(st.Version, 10), string(st.VerificationDate), st.License, strings.Join(links, "\n"),
		limits.Statement, limits.Population, limits.Place, limits.Period, strings.Join(limits.Excludes, "\n"),
		list(st.SourceUpdates), list(st.Corrections),
	}
}

// list returns entries, which are corrections or source updates, as JSON, or "" if there are none.
func list[T any](entries []T) string {
	if len(entries) == 0 {
		return ""
	}
	data, err := jsonline.Marshal(entries, "")
	if err != nil { // cannot happen: they were read from JSON
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Append completes the workbook, and returns to with the workbook appended.
func (b *Book) Append(to []byte) ([]byte, error) {
	m := b.records.Release()
	b.book.Title, b.book.Creator, b.book.Language, b.book.Day = b.title, m.Publisher, m.Language, string(b.updated)
	b.book.AddText("Cover", b.coverLines())
	b.book.AddTable(b.notesGrid())
	b.book.AddTable(b.figures)
	return b.book.Append(to)
}

// mostNamed is the maximum number of sources, and of limits, on the cover.
const mostNamed = 20

func (b *Book) coverLines() []sheet.Line {
	m := b.records.Release()
	lines := []sheet.Line{{Text: b.title, Level: 1}}
	section := func(title, column string, texts ...string) {
		lines = append(lines, sheet.Line{Text: title, Level: 2})
		for _, text := range texts[:min(len(texts), mostNamed)] {
			lines = append(lines, sheet.Line{Text: text})
		}
		if n := len(texts) - mostNamed; n > 0 {
			lines = append(lines, sheet.Line{Text: "And " + strconv.Itoa(n) + " more, which are in the column " + column + " of the figures."})
		}
	}
	if b.example {
		lines = append(lines, sheet.Line{Text: "Examples, not findings."})
	}
	for _, text := range b.about {
		lines = append(lines, sheet.Line{Text: text})
	}
	if len(b.boundaries) > 0 {
		section("What the figures do not show", "claim_boundary.statement", b.boundaries...)
	}
	var standings []string
	for _, word := range slices.Sorted(maps.Keys(b.standings)) {
		standings = append(standings, strings.ReplaceAll(word, "_", " ")+": "+strconv.Itoa(b.standings[word]))
	}
	section("Standing of the figures", "standing", standings...)
	section("Sources", "source_links", b.sources...)
	came := b.records.Releases()[b.newest]
	section("Dates", "", "The figures last changed on "+string(b.updated)+".",
		"The latest figure was added by release "+came.Release+" of "+came.Date+".")
	rows := "The sheet Notes explains columns and marks. The sheet Figures contains one table, with " + strconv.Itoa(b.count) + " figures."
	section("Sheets", "", rows, "An empty cell means that there is no value; obs_status and standing say why a figure is missing.")
	section("Licence", "", m.License+", unless a figure names another in the column license.")
	section("Terms", "", render.PreserveSentence, strings.TrimSpace(m.Notice))
	section("Cite as", "", render.CitePart(m, b.title+", as of "+string(b.updated)))
	section("Publisher", "", m.Publisher, m.Contact)
	section("Latest figures", "", b.page)
	return slices.DeleteFunc(lines, func(l sheet.Line) bool { return l.Text == "" })
}

// notesGrid returns the sheet that explains columns, marks and codes.
func (b *Book) notesGrid() *sheet.Grid {
	g, shape := sheet.NewGrid("Notes"), record.KindNamed(record.KindHealthcareStatistic).Shape()
	g.AddColumn(sheet.GridColumn{Name: "column or mark", Width: 34})
	g.AddColumn(sheet.GridColumn{Name: "meaning", Width: 90, Order: 1})
	add := func(name, text string) {
		g.AddRow()
		g.Set(0, name)
		g.Set(1, text)
	}
	for i, c := range columns {
		if !b.figures.Used(i) {
			continue
		}
		if m := shape.Member(c.name); c.doc == "" && m != nil {
			c.doc = m.Doc
		}
		add(c.name, c.doc)
	}
	for _, name := range slices.Sorted(maps.Keys(b.dimensions)) {
		add(dimension+name, "A dimension of the figure: "+name+".")
	}
	for _, n := range b.notes {
		add(n[0], n[1])
	}
	for _, v := range schema.ListOf[record.ObsStatus]() {
		if b.statuses[v.Word] {
			add("obs_status: "+v.Word, v.Doc)
		}
	}
	for _, v := range standing.Words {
		if b.standings[v.Word] > 0 {
			add("standing: "+v.Word, v.Doc)
		}
	}
	return g
}
