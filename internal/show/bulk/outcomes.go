package bulk

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/base/sheet"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
	"stele/release"
)

// OutcomesPath is the table of outcomes as CSV, and OutcomesBookPath as a workbook.
const (
	OutcomesPath     = layout.BulkFolder + "outcomes.csv"
	OutcomesBookPath = layout.BulkFolder + "outcomes.xlsx"
)

// outcomeDownloads returns the tables of outcomes, which are made with CSV.
func outcomeDownloads(m *release.Manifest) []download {
	k := record.KindNamed(record.KindEvidence)
	if is := m.Kind(k.Name); is == nil || is.Count > maxOfKind {
		return nil
	}
	of := func(path, format string, open func(io.Writer, render.Records, *record.Kind) (rowWriter, error)) download {
		d := render.Download{Path: path, Format: format, MediaType: layout.SendingOf(path).MediaType, Kind: k}
		return download{d, CSV, open}
	}
	return []download{
		of(OutcomesPath, "CSV, by outcome", newOutcomes),
		of(OutcomesBookPath, "Workbook, by outcome", newOutcomesBook),
	}
}

// outcomeColumns are the columns of a table of outcomes. The last of them are what must stay with a
// record, in the cells that the table of evidence has.
var outcomeColumns = []sheet.GridColumn{
	{Name: "id", Width: 28},
	{Name: "version", Kind: sheet.Number, Width: 8},
	{Name: "title", Width: 40},
	{Name: "outcome", Width: 30},
	{Name: "population", Width: 30},
	{Name: "intervention", Width: 30},
	{Name: "comparator", Width: 24},
	{Name: "time", Width: 16},
	{Name: "measure", Width: 16},
	{Name: "measure_code", Width: 14},
	{Name: "value", Kind: sheet.Number, Width: 10},
	{Name: "lower", Kind: sheet.Number, Width: 10},
	{Name: "upper", Kind: sheet.Number, Width: 10},
	{Name: "interval", Width: 12},
	{Name: "level", Kind: sheet.Number, Width: 8},
	{Name: "participants", Kind: sheet.Number, Width: 12},
	{Name: "studies", Kind: sheet.Number, Width: 8},
	{Name: "size", Width: 10},
	{Name: "risk", Kind: sheet.Number, Width: 6},
	{Name: "risk_label", Width: 16},
	{Name: "risk_source_id", Width: 24},
	{Name: "assumed", Kind: sheet.Number, Width: 10},
	{Name: "per", Kind: sheet.Number, Width: 10},
	{Name: "corresponding", Kind: sheet.Number, Width: 14},
	{Name: "corresponding_lower", Kind: sheet.Number, Width: 18},
	{Name: "corresponding_upper", Kind: sheet.Number, Width: 18},
	{Name: "evidence_label", Width: 14},
	{Name: "scheme", Width: 10},
	{Name: "assessed_by", Width: 12},
	{Name: "start", Width: 10},
	{Name: "reasons", Width: 60},
	{Name: "label_basis", Width: 40},
	{Name: "effect", Width: 40},
	{Name: "claim_boundary", Width: 40},
	{Name: "source_links", Width: 40},
	{Name: "verification_date", Kind: sheet.Date, Width: 16},
	{Name: "source_updates", Width: 30},
	{Name: "corrections", Width: 30},
	{Name: "illustrative", Width: 12},
	{Name: "license", Width: 12},
	{Name: "standing", Width: 14},
}

// copied are the columns whose cells are those of the table of evidence.
const copied = 31

// outcomeRows makes the rows of a table of outcomes.
type outcomeRows struct {
	at     []int // the cells of the copied columns
	write  func(row []string) error
	newest record.Date // on which one of the records changed
}

func newOutcomeRows(k *record.Kind, write func([]string) error) outcomeRows {
	number := map[string]int{}
	for i, c := range Columns(k) {
		number[c.Name] = i
	}
	o := outcomeRows{write: write}
	for _, c := range outcomeColumns[copied:] {
		o.at = append(o.at, number[c.Name])
	}
	return o
}

// add writes a row for each assumed risk of a piece of evidence, or one if it has none. Evidence
// without an outcome has no row, and neither has evidence that was retracted or lost its support.
func (o *outcomeRows) add(line []byte, cells []cell) error {
	var e record.Evidence
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	o.newest = max(o.newest, e.UpdatedDate)
	is, err := cells[o.at[len(o.at)-1]].text()
	if err != nil || standing.Parse(string(is)).Lost() || e.Effect == nil && e.Comparison == nil {
		return err
	}
	row := outcomeCells(&e)
	for i, at := range o.at {
		text, err := cells[at].text()
		if err != nil {
			return err
		}
		row[copied+i] = string(text)
	}
	if e.Effect == nil || len(e.Effect.Risks) == 0 {
		return o.write(row)
	}
	for i, r := range e.Effect.Risks {
		copy(row[18:], []string{
			strconv.Itoa(i + 1), r.Label, string(r.SourceID), string(r.Assumed), strconv.FormatInt(r.Per, 10),
			string(r.Corresponding), string(r.Lower), string(r.Upper),
		})
		if err := o.write(row); err != nil {
			return err
		}
	}
	return nil
}

// outcomeCells returns a row for e without its risks and the copied cells.
func outcomeCells(e *record.Evidence) []string {
	var x record.EffectSize
	var c record.Comparison
	var b record.LabelBasis
	if e.Effect != nil {
		x = *e.Effect
	}
	if e.Comparison != nil {
		c = *e.Comparison
	}
	if e.LabelBasis != nil {
		b = *e.LabelBasis
	}
	row := make([]string, len(outcomeColumns))
	copy(row, []string{
		string(e.ID), strconv.FormatInt(e.Version, 10), e.Title,
		c.Outcome, c.Population, c.Intervention, c.Comparator, c.Time,
		x.Measure, string(x.Code()), string(x.Value), string(x.Lower), string(x.Upper),
		string(x.Interval), string(x.Level), counted(x.Participants), counted(x.Studies), string(x.Size),
	})
	copy(row[26:], []string{string(e.EvidenceLabel), b.Scheme, string(b.AssessedBy), string(b.Start), b.Reasons()})
	return row
}

// counted returns a number that is 0 if it is unknown.
func counted(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// outcomesCSV is the table of outcomes as CSV.
type outcomesCSV struct {
	outcomeRows
	w *csv.Writer
}

func newOutcomes(w io.Writer, _ render.Records, k *record.Kind) (rowWriter, error) {
	c := csv.NewWriter(w)
	var names []string
	for _, column := range outcomeColumns {
		names = append(names, column.Name)
	}
	return &outcomesCSV{newOutcomeRows(k, c.Write), c}, c.Write(names)
}

func (*outcomesCSV) flush() error { return nil }

func (o *outcomesCSV) close() error {
	o.w.Flush()
	return o.w.Error()
}

// outcomesBook is the table of outcomes as a workbook.
type outcomesBook struct {
	outcomeRows
	grid *sheet.Grid
	e    render.Records
	to   io.Writer
}

func newOutcomesBook(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	g := sheet.NewGrid("Outcomes")
	for i, c := range outcomeColumns {
		c.Order, c.Used = i, true
		g.AddColumn(c)
	}
	rows := newOutcomeRows(k, func(row []string) error {
		g.AddRow()
		for i, text := range row {
			if text != "" {
				g.Set(i, text)
			}
		}
		return nil
	})
	return &outcomesBook{rows, g, e, w}, nil
}

func (*outcomesBook) flush() error { return nil }

func (o *outcomesBook) close() error {
	m := o.e.Release()
	title := m.Title + ": outcomes"
	book := sheet.Book{Title: title, Creator: m.Publisher, Language: m.Language, Day: string(o.newest)}
	lines := []sheet.Line{{Text: title, Level: 1}, {Text: outcomesAbout}, {Text: render.PreserveSentence}}
	if notice := strings.TrimSpace(m.Notice); notice != "" {
		lines = append(lines, sheet.Line{Text: notice})
	}
	book.AddText("Cover", append(lines, sheet.Line{Text: "Licence: " + m.License + ", unless the column license names another."}))
	book.AddTable(o.grid)
	data, err := book.Append(nil)
	if err == nil {
		_, err = o.to.Write(data)
	}
	return err
}

// outcomesAbout says what a table of outcomes contains.
const outcomesAbout = "A row for each outcome that evidence reports, and for each assumed risk if there are several. " +
	"Figures are as the source printed them; an empty cell was not printed. " +
	"Evidence that was retracted or lost its support is left out."
