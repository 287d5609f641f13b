package input

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"stele/internal/author/reading/input/scrutiny"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
	"stele/internal/base/suggest"
	"stele/record"
)

// The columns of the tables of a scheme. The codes may also have columns such as name_cy.
var (
	codeColumns   = []string{"code", "name", "level", "parent", "valid_from", "valid_to"}
	changeColumns = []string{"date", "from_code", "to_code", "kind", "share", "basis", "note"}
)

// The limits of a table of areas.
const (
	maxAreaTable     = 32 << 20 // bytes
	maxAreaRows      = 250_000
	maxAreaChanges   = 500 // from or to one code
	mostAreaProblems = 1000
)

// schemeName is the form of the names of schemes.
var schemeName = schema.ShapeOf[record.AreaScheme]().Format

// checkAreaSchemes checks the names of schemes and the paths of their tables.
func (c *settingsCheck) checkAreaSchemes() {
	for _, s := range c.Areas {
		wrong := func(message, fix string, steps ...any) {
			c.reportInvalid(message, fix, append([]any{"areas"}, steps...)...)
		}
		if !record.AreaScheme(s.Name).Own() {
			wrong("scheme "+strconv.Quote(s.Name)+" is built in", "choose another name, such as gss", s.Name)
		} else if message, fix := schemeName.Problem(s.Name); message != "" {
			wrong(message, fix, s.Name)
		}
		for member, file := range map[string]string{"codes": s.Codes, "changes": s.Changes} {
			if file != "" && (path.Ext(file) != ".csv" || !fs.ValidPath(file) || strings.HasPrefix(file, "records/")) {
				wrong(strconv.Quote(file)+" cannot be a table of areas", "name a CSV file in this folder outside records, such as areas/"+s.Name+".csv", s.Name, member)
			}
		}
	}
}

// ReadAreas reads the tables of the schemes in the settings, and writes their files to sum. Rows
// with problems are left out.
func ReadAreas(fsys fs.FS, list settings.AreaSchemes, sum io.Writer) ([]*areas.Scheme, []schema.Problem) {
	var schemes []*areas.Scheme
	var problems []schema.Problem
	for _, set := range list {
		if set.Codes == "" || set.Changes == "" || !fs.ValidPath(set.Codes) || !fs.ValidPath(set.Changes) {
			continue // already reported
		}
		s := &areas.Scheme{Name: set.Name, Title: set.Title, CodesFile: set.Codes, ChangesFile: set.Changes}
		r := &areaReader{
			fsys: fsys, sum: sum, texts: map[string]string{}, seen: map[string]int{}, changes: map[string]int{},
		}
		r.readTable(set.Codes, codeColumns, func(row areaRow) { r.addCode(s, row) })
		r.seen = map[string]int{}
		r.readTable(set.Changes, changeColumns, func(row areaRow) { r.addChange(s, row) })
		s.BuildIndex()
		schemes, problems = append(schemes, s), append(problems, r.problems...)
	}
	return schemes, problems
}

// areaReader reads the tables of a scheme.
type areaReader struct {
	fsys     fs.FS
	sum      io.Writer
	file     string
	texts    map[string]string // the texts of cells, each once
	seen     map[string]int    // by key of a row: its line
	changes  map[string]int    // by code: the number of its changes
	looker   scrutiny.Looker
	problems []schema.Problem
}

// areaRow is a row of a table. Its cells follow the expected columns.
type areaRow struct {
	line  int
	cells []string
	names []areas.Name
}

func (r *areaReader) report(line int, value, message, fix string) {
	p := newProblem(codes.MalformedAreas, r.file, schema.Pos{Line: int32(line)}, message, fix)
	p.Value = schema.Shorten(value)
	r.problems = append(r.problems, *p)
}

// readTable reads a CSV file and calls add with each row.
func (r *areaReader) readTable(file string, columns []string, add func(areaRow)) {
	r.file = file
	data, problem := readUpTo(r.fsys, file, maxAreaTable, newProblem(codes.TooLarge, file, schema.Pos{},
		fmt.Sprintf("the table is larger than %d MiB", maxAreaTable>>20), "remove codes that no statistic uses"))
	if problem == nil {
		problem = checkText(file, data, 1)
	}
	if problem != nil {
		r.problems = append(r.problems, *problem)
		return
	}
	r.sum.Write(data) // a hash never fails
	r.readRows(csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, utf8BOM))), columns, add)
}

// readRows calls add with the rows of a CSV file that have as many cells as the header.
func (r *areaReader) readRows(c *csv.Reader, columns []string, add func(areaRow)) {
	c.FieldsPerRecord, c.ReuseRecord = -1, true
	header, err := c.Read()
	if err != nil && !errors.Is(err, io.EOF) {
		r.report(1, "", "the header cannot be read: "+err.Error(), "")
		return
	}
	header = slices.Clone(header)
	at := r.columnPositions(header, columns)
	if at == nil {
		return
	}
	for n := 1; ; n++ {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		line, _ := c.FieldPos(0)
		if n > maxAreaRows || len(r.problems) >= mostAreaProblems {
			r.report(line, "", fmt.Sprintf("the table was read only up to here, because it has more than %d rows or %d problems", maxAreaRows, mostAreaProblems),
				"correct the problems above, or remove codes that no statistic uses")
			return
		}
		switch {
		case err != nil:
			r.problems = append(r.problems, *newProblem(codes.MalformedCSV, r.file, schema.Pos{}, err.Error(), "correct the quotation marks"))
			return
		case len(cells) != len(header):
			r.report(line, cells[0], fmt.Sprintf("the row has %d cells, the header has %d", len(cells), len(header)),
				"write a comma for each empty cell, and quotation marks around a cell that contains a comma")
			continue
		}
		row := areaRow{line: line, cells: make([]string, len(columns))}
		for i, column := range at {
			row.cells[i] = r.parseCell(cells[column])
		}
		for i, name := range header {
			if tag, ok := strings.CutPrefix(name, "name_"); ok && cells[i] != "" {
				row.names = append(row.names, areas.Name{Language: tag, Text: r.parseCell(cells[i])})
			}
		}
		r.problems = append(r.problems, r.looker.CheckRow(r.file, line, header, cells)...)
		add(row)
	}
}

// parseCell returns text. Equal texts share their memory.
func (r *areaReader) parseCell(text string) string {
	text = strings.TrimSpace(text)
	known, ok := r.texts[text]
	if !ok {
		known = strings.Clone(text)
		r.texts[known] = known
	}
	return known
}

// columnPositions returns the positions of columns in header, or nil if header has a problem.
func (r *areaReader) columnPositions(header, columns []string) []int {
	at := make([]int, len(columns))
	for i, name := range columns {
		if at[i] = slices.Index(header, name); at[i] < 0 {
			r.report(1, "", "column "+name+" is missing", "name the columns "+strings.Join(columns, ","))
			return nil
		}
	}
	for i, name := range header {
		tag, isName := strings.CutPrefix(name, "name_")
		switch {
		case slices.Contains(header[:i], name):
			r.report(1, name, "duplicate column "+name, "delete one of the two columns")
			return nil
		case isName && !areas.IsLanguage(tag):
			r.report(1, name, "column "+name+" does not end with a language tag",
				"write the tag of the language, such as name_cy or name_nb")
			return nil
		}
	}
	return at
}

// checkUnique reports whether row is the first with key, and otherwise adds a problem.
func (r *areaReader) checkUnique(row areaRow, key, what string) bool {
	if line, ok := r.seen[key]; ok {
		r.report(row.line, key, "duplicate "+what+"; the first is in line "+strconv.Itoa(line), "delete one of the two rows")
		return false
	}
	r.seen[key] = row.line
	return true
}

// codeProblem returns the problem of a code and its remedy, or two empty texts. Codes follow the
// rules of IDs, because they are parts of paths too.
func codeProblem(code string) (message, fix string) {
	if len(code) > areas.MaxCode {
		return fmt.Sprintf("the code has more than %d characters", areas.MaxCode), "write a shorter code"
	}
	message, fix = record.ID(code).Problem()
	return strings.Replace(message, "the ID", "the code", 1), strings.Replace(fix, "id-", "area-", 1)
}

// addCode adds the code in row to s, or reports its problem.
func (r *areaReader) addCode(s *areas.Scheme, row areaRow) {
	c := areas.Code{
		Code: row.cells[0], Name: row.cells[1], Level: row.cells[2], Parent: row.cells[3],
		From: row.cells[4], To: row.cells[5], Names: row.names, Line: row.line,
	}
	wrong := func(message, fix string) { r.report(row.line, c.Code, message, fix) }
	problem, fix := codeProblem(c.Code)
	switch {
	case c.Code == "" || c.Name == "":
		wrong("code or name is missing", "write both")
	case problem != "":
		wrong("code "+strconv.Quote(c.Code)+" is invalid: "+problem, cmp.Or(fix, "use letters, digits, dots, _ and -"))
	case c.From != "" && !areas.IsDay(c.From):
		wrong(c.Code+": valid_from is "+strconv.Quote(c.From), "write the first day as YYYY-MM-DD, or leave the cell empty if the day is unknown")
	case c.To != "" && !areas.IsDay(c.To):
		wrong(c.Code+": valid_to is "+strconv.Quote(c.To), "write the last day as YYYY-MM-DD, or leave the cell empty if the code is still valid")
	case c.From != "" && c.To != "" && c.From > c.To:
		wrong(c.Code+" begins on "+c.From+", after its last day "+c.To, "correct one of the two dates")
	case c.Parent == c.Code:
		wrong(c.Code+" is its own parent", "write the code of the larger area")
	case r.checkUnique(row, strings.ToLower(c.Code), "code "+c.Code):
		s.Codes = append(s.Codes, c)
	}
}

// addChange adds the change in row to s, or reports its problem.
func (r *areaReader) addChange(s *areas.Scheme, row areaRow) {
	c := areas.Change{
		Date: row.cells[0], From: row.cells[1], To: row.cells[2], Kind: row.cells[3],
		Share: areas.Share(row.cells[4]), Basis: row.cells[5], Note: row.cells[6], Line: row.line,
	}
	wrong := func(message, fix string) { r.report(row.line, c.From+c.To, message, fix) }
	share, err := strconv.ParseFloat(row.cells[4], 64)
	switch {
	case !slices.Contains(areas.Kinds, c.Kind):
		fix := "write one of " + strings.Join(areas.Kinds, ", ")
		if near := suggest.Closest(c.Kind, areas.Kinds); near != "" {
			fix = "did you mean " + near + "?"
		}
		wrong("unknown kind "+strconv.Quote(c.Kind), fix)
	case !areas.IsDay(c.Date):
		wrong("date is "+strconv.Quote(c.Date), "write the first day after the change as YYYY-MM-DD")
	case (c.From == "") != (c.Kind == areas.New):
		wrong("from_code is "+strconv.Quote(c.From)+", but kind is "+c.Kind, "write the predecessor, or set kind to new if there is none")
	case (c.To == "") != (c.Kind == areas.Gone):
		wrong("to_code is "+strconv.Quote(c.To)+", but kind is "+c.Kind, "write the successor, or set kind to gone if there is none")
	case c.Share != "" && (err != nil || share < 0 || share > 1 || strings.Trim(row.cells[4], "0123456789.") != ""):
		wrong("share is "+strconv.Quote(row.cells[4]), "write a number between 0 and 1, such as 0.25")
	case (c.Share == "") != (c.Basis == ""):
		wrong("share and basis must both be present or both be empty", "write the units that the share counts into basis, such as census tracts 2020; or delete both")
	case c.Kind == areas.Boundary && c.Note == "":
		wrong("boundary from "+c.From+" to "+c.To+" has no note", "explain in note why the difference is trivial, such as 12 dwellings")
	case r.changes[c.From] >= maxAreaChanges || r.changes[c.To] >= maxAreaChanges:
		wrong(fmt.Sprintf("%s or %s has more than %d changes", c.From, c.To, maxAreaChanges), "delete changes that no statistic needs")
	case r.checkUnique(row, c.Date+" "+c.From+" "+c.To, "change from "+c.From+" to "+c.To+" on "+c.Date):
		s.Changes = append(s.Changes, c)
		for _, code := range []string{c.From, c.To} {
			if code != "" {
				r.changes[code]++
			}
		}
	}
}
