package bulk

import (
	"cmp"
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

// The paths of the table of outcomes as CSV and as a workbook.
const (
	OutcomesPath     = layout.BulkFolder + "outcomes.csv"
	OutcomesBookPath = layout.BulkFolder + "outcomes.xlsx"
)

// outcomeDownloads returns the downloads of the table of outcomes, which are created with CSV
// files.
func outcomeDownloads(m *release.Manifest) []download {
	k := record.KindNamed(record.KindEvidence)
	if is := m.Kind(k.Name); is == nil || is.Count > maxOfKind {
		return nil
	}
	book := render.Download{Path: OutcomesBookPath, Format: "Workbook, by outcome", Kind: k}
	table := render.Download{Path: OutcomesPath, Format: "CSV, by outcome", Kind: k}
	book.MediaType, table.MediaType = layout.SendingOf(book.Path).MediaType, layout.SendingOf(table.Path).MediaType
	return []download{{table, CSV, newOutcomes}, {book, CSV, newOutcomesBook}}
}

// outcomeColumns lists the columns of a table of outcomes; # marks numbers. The last columns are
// the members that must be preserved with a record, copied from the table of evidence.
var outcomeColumns = strings.Fields(`id #version title outcome population intervention comparator time
	measure measure_code #value #lower #upper interval #level #participants #studies size
	#risk risk_label risk_source_id #assumed #per #corresponding #corresponding_lower #corresponding_upper
	evidence_label scheme assessed_by start reasons
	label_basis effect claim_boundary source_links verification_date source_updates corrections illustrative license standing`)

// copied lists the columns whose cells are copied from the table of evidence.
const copied = 31

// outcomeRows creates the rows of a table of outcomes.
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
		o.at = append(o.at, number[c])
	}
	return o
}

// add writes a row for each assumed risk of a piece of evidence, or one row if it has no risks. It
// omits evidence without an outcome, and evidence that was retracted or lost its support.
func (o *outcomeRows) add(line []byte, cells []cell) error {
	var e record.Evidence
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	o.newest = max(o.newest, e.UpdatedDate)
	is, err := cells[o.at[len(o.at)-1]].text()
	if err != nil || standing.Parse(string(is)).IsLost() || e.Effect == nil && e.Comparison == nil {
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

// outcomeCells returns the cells for e that are neither risks nor copied.
func outcomeCells(e *record.Evidence) []string {
	x, c := cmp.Or(e.Effect, &record.EffectSize{}), cmp.Or(e.Comparison, &record.Comparison{})
	b := cmp.Or(e.LabelBasis, &record.LabelBasis{})
	row := make([]string, len(outcomeColumns))
	copy(row, []string{
		string(e.ID), strconv.FormatInt(e.Version, 10), e.Title,
		c.Outcome, c.Population, c.Intervention, c.Comparator, c.Time,
		x.Measure, string(x.Code()), string(x.Value), string(x.Lower), string(x.Upper),
		string(x.Interval), string(x.Level), formatCount(x.Participants), formatCount(x.Studies), string(x.Size),
	})
	copy(row[26:], []string{string(e.EvidenceLabel), b.Scheme, string(b.AssessedBy), string(b.Start), b.Reasons()})
	return row
}

// formatCount formats n, or returns "" if n is 0, which means unknown.
func formatCount(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// outcomesCSV writes the table of outcomes as CSV.
type outcomesCSV struct {
	outcomeRows
	w *csv.Writer
}

func newOutcomes(w io.Writer, _ render.Records, k *record.Kind) (rowWriter, error) {
	c := csv.NewWriter(w)
	names := strings.Fields(strings.ReplaceAll(strings.Join(outcomeColumns, " "), "#", ""))
	return &outcomesCSV{newOutcomeRows(k, c.Write), c}, c.Write(names)
}

func (o *outcomesCSV) close() error {
	o.w.Flush()
	return o.w.Error()
}

// outcomesBook writes the table of outcomes as a workbook.
type outcomesBook struct {
	outcomeRows
	grid *sheet.Grid
	e    render.Records
	to   io.Writer
}

func newOutcomesBook(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	g := sheet.NewGrid("Outcomes")
	for i, name := range outcomeColumns {
		c := sheet.GridColumn{Name: name, Width: 24, Order: i, Used: true}
		if n, ok := strings.CutPrefix(name, "#"); ok {
			c.Name, c.Kind, c.Width = n, sheet.Number, 12
		}
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

func (*outcomeRows) flush() error { return nil }

func (o *outcomesBook) close() error {
	m := o.e.Release()
	title := m.Title + ": outcomes"
	book := sheet.Book{Title: title, Creator: m.Publisher, Language: m.Language, Day: string(o.newest)}
	lines := []sheet.Line{{Text: title, Level: 1}, {Text: "Contains a row for each outcome that evidence reports, or for each assumed risk if an outcome has several. Figures are as the source printed them; an empty cell was not printed. Evidence that was retracted or lost its support is omitted."}, {Text: render.PreserveSentence}}
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
