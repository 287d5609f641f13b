package series

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/parallel/chunked"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/lookup"
	"stele/internal/trust/standing"
	"stele/record"
)

// table contains the values of an indicator: the shown columns and the JSON. Above a limit, they
// are moved to a scratch file, because an indicator may have a million values.
type table struct {
	w          *writer
	x          *lookup.Indicator
	columns    []column
	dimensions []string      // names, sorted
	stored     chunked.Texts // by row, sorted by area and time: the encoded row, and its JSON
	listed     []byte        // its lines in the list of parts
	keyed      bool          // whether all values name their area by its key
	areas      []area        // sorted by name
	schemes    bool          // whether some are in a publisher's scheme
	units      map[string]string
	sources    numbered // links to sources
	boundaries numbered // claim boundaries, without place and period if these are the value's own
	summary    summary
}

// area is an area with values.
type area struct {
	key, name string
	// The code, and the publisher's scheme that has it. In other schemes, the code is the key.
	code, scheme string
	from, to     int    // its rows
	head         []byte // the beginning of its records as JSON
	summary      summary
}

// numbered assigns a number, counted from 1, to each distinct text.
type numbered struct {
	texts  []string
	number map[string]int32
}

func (n *numbered) numberOf(text []byte) int32 {
	if i, ok := n.number[string(text)]; ok {
		return i
	}
	if n.number == nil {
		n.number = map[string]int32{}
	}
	n.texts = append(n.texts, string(text))
	n.number[n.texts[len(n.texts)-1]] = int32(len(n.texts))
	return int32(len(n.texts))
}

// column is a column of the table: a member of statistics.
type column struct {
	name   string
	doc    string
	used   bool // whether any value has it
	figure bool
	number bool
}

// tableMembers lists the members in tables, in order. The last are shown only if a value has them.
var tableMembers = []string{
	"time_period", "vintage", "value", "less_than", "greater_than", "code", "unit", "obs_status", "lower", "upper",
	"interval", "level", "numerator", "denominator", "note", "license", "illustrative", "id", "version", "verification_date",
}

// figures lists the members that are empty for retracted values.
var figures = []string{"value", "less_than", "greater_than", "code", "lower", "upper", "numerator", "denominator"}

// tableColumns returns the table members that the kind has.
func (w *writer) tableColumns() (list []column) {
	for _, name := range tableMembers {
		if m := w.kind.Shape().Member(name); m != nil {
			list = append(list, column{
				name: name, doc: m.Doc, used: m.Required || name == "value", figure: slices.Contains(figures, name),
				number: m.Shape.Type == schema.Digits || m.Shape.Integer,
			})
		}
	}
	return list
}

// readTable reads the values of an indicator.
func (w *writer) readTable(x *lookup.Indicator, scratch func() (*os.File, error)) (*table, error) {
	t := &table{w: w, x: x, columns: w.tableColumns(), units: map[string]string{}, keyed: true}
	memory := chunked.NewMemory(maxHeld, scratch) // closed with the table, which a preview keeps
	t.stored.UseMemory(memory)
	r := newRowReader(t)
	order := make([]int, len(x.Areas))
	firsts := make([]area, len(x.Areas))
	for i, numbers := range x.OfArea {
		firsts[i], order[i] = w.newArea(x.Areas[i], w.Statistic(int(numbers[0]))), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(firsts[a].name, firsts[b].name) })
	for _, i := range order {
		if err := r.readArea(firsts[i], x.OfArea[i]); err != nil {
			return nil, err
		}
	}
	t.dimensions = slices.Sorted(maps.Keys(r.dimensions))
	t.dimensions = t.dimensions[:min(len(t.dimensions), maxDimensions)]
	return t, errors.Join(w.Failed(), memory.Err())
}

// newArea returns an area with its key and the names in st, its first statistic. If a publisher's
// scheme defines the area, its name is the one that was valid in the statistic's period.
func (w *writer) newArea(key string, st *record.HealthcareStatistic) area {
	a := area{key: key, name: strings.Clone(w.AreaOf(st)), code: key}
	if scheme := w.SchemeOf(st); scheme != nil {
		a.code, a.scheme = strings.Clone(st.RefArea), scheme.Name
		if code := scheme.Code(st.RefArea); code != nil {
			a.name = code.NameIn(w.Settings().Language)
		}
	}
	return a
}

// readArea reads the values of area a, whose records have the given numbers.
func (r *rowReader) readArea(a area, numbers []int32) error {
	t, w := r.t, r.t.w
	r.rows, r.objects, r.bytes = r.rows[:0], r.objects[:0], r.bytes[:0]
	from := t.stored.Len() / 2
	a.from, a.to = from, from+len(numbers)
	t.areas, t.schemes = append(t.areas, a), t.schemes || a.scheme != ""
	for _, n := range numbers {
		if err := r.addRow(w.Raw(w.kind, int(n)), n); err != nil {
			return fmt.Errorf("%s: %w", w.ID(w.kind, int(n)), errors.Join(w.Failed(), err))
		}
	}
	period := t.columnIndex("time_period")
	slices.SortStableFunc(r.rows, func(a, b row) int { return strings.Compare(a.cells[period], b.cells[period]) })
	return r.keepArea(&t.areas[len(t.areas)-1])
}

// keepArea stores the rows of an area with the JSON of their records. Members that all of them
// share, typically three quarters of the JSON, are stored once.
func (r *rowReader) keepArea(of *area) error {
	t := r.t
	alike := newShared(r.objects[0])
	for _, o := range r.objects[1:] {
		if err := alike.intersect(o); err != nil {
			return err
		}
	}
	head, err := jsonline.Marshal(areaHead{of.scheme, of.code, of.name, len(r.rows)}, "")
	if err != nil {
		return err
	}
	head = alike.appendTo(append(head[:len(head)-2], ",\"shared\":"...))
	of.head = append(head, ",\"records\":["...)
	for i := range r.rows {
		row := &r.rows[i]
		r.text = row.appendTo(r.text[:0])
		t.stored.Add(string(r.text))
		if r.text, err = alike.appendRest(r.text[:0], r.objects[row.object]); err != nil {
			return err
		}
		t.stored.Add(string(r.text))
		of.summary.add(t.summarize(row, of.from+i))
	}
	t.summary.add(&of.summary)
	return nil
}

// summarize returns the summary of r, the row with index i.
func (t *table) summarize(r *row, i int) *summary {
	period := record.Period(t.cell(r, "time_period"))
	s := &summary{
		count: 1, updated: r.updated, first: period, last: period, example: t.cell(r, "illustrative") == "true",
		statuses: []string{t.cell(r, "obs_status")}, sources: r.sources,
	}
	if r.boundary > 0 {
		s.boundaries = []int32{r.boundary}
	}
	if r.standing.Standing != standing.Stands || len(r.corrections) > 0 || len(r.updates) > 0 {
		s.remarked = []int32{int32(i)}
	}
	return s
}

// columnIndex returns the index of the column with the given name, or -1.
func (t *table) columnIndex(name string) int {
	return slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })
}

// cell returns the cell of r in the column with the given name, or "".
func (t *table) cell(r *row, name string) string {
	if i := t.columnIndex(name); i >= 0 {
		return r.cells[i]
	}
	return ""
}

// answerLabel returns the meaning of an answer code.
func (t *table) answerLabel(code string) string { return cmp.Or(t.x.Measure.Codes.Get(code), code) }

// label returns the meaning of word, a value of the given dimension.
func (t *table) label(dimension, word string) string {
	for i := range t.x.Measure.Dimensions {
		if d := &t.x.Measure.Dimensions[i]; d.Name == dimension {
			return cmp.Or(d.Codes.Get(word), word)
		}
	}
	return word
}

// maxDimensions is the maximum number of dimensions that have their own column.
const maxDimensions = 64

// rowReader decodes records into rows.
type rowReader struct {
	t          *table
	number     map[string]int // of columns
	dimensions map[string]bool
	text       []byte
	// the rows and records of the current area, and the memory of the records
	rows    []row
	objects []object
	bytes   []byte
}

func newRowReader(t *table) *rowReader {
	r := &rowReader{t: t, number: map[string]int{}, dimensions: map[string]bool{}}
	for i, c := range t.columns {
		r.number[c.name] = i
	}
	return r
}

// copyRecord returns a copy of data, a record that is valid only until the next one is read.
func (r *rowReader) copyRecord(data []byte) []byte {
	const together = 256 << 10
	if cap(r.bytes)-len(r.bytes) < len(data) {
		r.bytes = make([]byte, 0, max(together, len(data))) // earlier slices stay valid
	}
	r.bytes = append(r.bytes, data...)
	return r.bytes[len(r.bytes)-len(data):]
}

// addRow adds a row for data, the record with the given number.
func (r *rowReader) addRow(data []byte, number int32) error {
	t, n := r.t, len(r.rows)
	r.rows, r.objects = slices.Grow(r.rows, 1)[:n+1], slices.Grow(r.objects, 1)[:n+1]
	v := &r.rows[n]
	*v = row{
		number: number, object: int32(n), standing: t.w.Standing(t.w.kind, int(number)),
		cells: slices.Grow(v.cells[:0], len(t.columns))[:len(t.columns)],
	}
	clear(v.cells)
	o, err := standingObject(r.objects[n], r.copyRecord(data), v.standing)
	if err != nil {
		return err
	}
	r.objects[n] = o
	for _, m := range o {
		if len(m.Value) > 0 && m.Value[0] != 'n' { // null
			if err := r.storeMember(v, string(m.Name), m.Value); err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
		}
	}
	if unit := t.cell(v, "unit"); t.units[unit] == "" {
		label, err := jsonline.Unquote(o.get("unit_label", len(o)))
		if err != nil {
			return err
		}
		t.units[unit] = string(label)
	}
	if limits := o.get("claim_boundary", len(o)); len(limits) > 0 && limits[0] == '{' {
		limits, err := specificBoundary(limits, t.areas[len(t.areas)-1].name, t.cell(v, "time_period"))
		if err != nil {
			return err
		}
		v.boundary = t.boundaries.numberOf(limits)
	}
	return nil
}

// storeMember stores the member with the given name and value in row.
func (r *rowReader) storeMember(row *row, name string, value []byte) (err error) {
	switch name {
	case "source_links":
		return row.storeLinks(r.t, value)
	case "corrections":
		row.corrections, err = formatNotes(value)
	case "source_updates":
		row.updates, err = formatNotes(value)
	case "dimensions":
		row.breakdown, err = breakdown(value)
		for pair := range slices.Chunk(row.breakdown, 2) {
			r.dimensions[pair[0]] = true
		}
	case "updated_date", "published_date":
		return row.storeDate(value)
	case "ref_area":
		text, err := jsonline.Unquote(value)
		r.t.keyed = r.t.keyed && string(text) == r.t.areas[len(r.t.areas)-1].code
		return err
	default:
		i, ok := r.number[name]
		if !ok {
			return nil
		}
		var text []byte
		if text, err = jsonline.Unquote(value); err == nil {
			row.cells[i], r.t.columns[i].used = string(text), true
		}
	}
	return err
}

// storeDate stores value, a date, if it is later than the row's date.
func (r *row) storeDate(value []byte) error {
	text, err := jsonline.Unquote(value)
	r.updated = max(r.updated, record.Date(text))
	return err
}

// storeLinks assigns numbers to the source links in list. Only the JSON contains their locators.
func (r *row) storeLinks(t *table, list []byte) error {
	for link, err := range jsonline.Elements(list) {
		if err == nil {
			link, err = withoutMembers(link, func(name string, _ []byte) bool { return name == "locator" || name == "quote" })
		}
		if err != nil {
			return err
		}
		r.sources = append(r.sources, t.sources.numberOf(link))
	}
	return nil
}

// breakdown returns the names and values of the dimensions in object, alternating.
func breakdown(object []byte) (list []string, err error) {
	for m, err := range jsonline.Members(object) {
		var text []byte
		if err == nil {
			text, err = jsonline.Unquote(m.Value)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, string(m.Name), string(text))
	}
	return list, nil
}

// specificBoundary returns a claim boundary without place and period if these only repeat those of
// the value, so that values with the same limits share one boundary.
func specificBoundary(boundary []byte, place, period string) ([]byte, error) {
	return withoutMembers(boundary, func(name string, value []byte) bool {
		return name == "place" && bytes.Equal(value, jsonline.AppendText(nil, place)) ||
			name == "period" && bytes.Equal(value, jsonline.AppendText(nil, period))
	})
}

// withoutMembers returns object without the members for which omit returns true.
func withoutMembers(object []byte, omit func(name string, value []byte) bool) ([]byte, error) {
	b := append(make([]byte, 0, len(object)), '{')
	for m, err := range jsonline.Members(object) {
		if err != nil {
			return nil, err
		}
		if name := string(m.Name); !omit(name, m.Value) {
			b = jsonline.AppendMember(b, name, m.Value)
		}
	}
	return append(b, '}'), nil
}

// formatNotes returns a sentence with date, type and summary for each element of list, which
// contains corrections or source updates.
func formatNotes(list []byte) (all []string, err error) {
	if string(list) == "[]" { // as in most records
		return nil, nil
	}
	var entries []struct{ Date, Type, Summary string }
	err = json.Unmarshal(list, &entries)
	for _, e := range entries {
		all = append(all, e.Date+", "+strings.ReplaceAll(e.Type, "_", " ")+": "+e.Summary)
	}
	return all, err
}

func (p *part) name() string {
	if p.area == nil {
		return p.x.Title
	}
	return p.x.Title + ", " + p.area.name
}

// filePath returns the path of the part's file with the given suffix.
func (p *part) filePath(suffix string) string {
	if p.area == nil {
		return p.x.File(suffix)
	}
	return p.x.AreaFile(p.area.key, suffix)
}

// pageURL returns the URL of the page that shows the part.
func (p *part) pageURL() string {
	if p.area != nil && p.x.HasAreaPages() {
		return p.w.absoluteURL(p.x.AreaAddress(p.area.key))
	}
	return p.w.absoluteURL(p.x.Address())
}

func (p *part) citation() string {
	return render.CitePart(p.w.Release(), p.name()+", as of "+string(p.updated))
}

// result describes the indicator for other renderers.
func (t *table) result() *Made {
	s := &t.summary
	m := &Made{Indicator: t.x, Updated: s.updated, From: s.first, To: s.last, Sizes: map[string]int64{}}
	if m.To.Valid() {
		m.LastDay = m.To.End()
	}
	_, m.Unit = t.unit()
	m.Countries = lookup.Countries(t.x.Areas...)
	return m
}
