// Package areaimport converts tables of areas that statistics offices publish into the two tables
// of a scheme: the Code History Database of ONS, Klass of Statistics Norway, the NUTS workbooks of
// Eurostat and the relationship files of the US Census. It decides by codes and days only, and asks
// about changes whose kind does not follow from these. It does not read prose.
package areaimport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
)

// Result is a scheme, and the questions about its tables that a person must answer.
type Result struct {
	areas.Scheme
	Questions []string

	sheet string          // the sheet that is read, if the file has several
	seen  map[string]bool // changes
	known map[string]int  // indexes of the codes of NUTS
	ended [][2]string     // codes of NUTS without a successor in their row, and questions about them
}

// columns maps the names of a table's columns, in lower case, to their indexes.
type columns map[string]int

// formats are the known tables, each with the columns that identify it.
var formats = []struct {
	needs []string
	read  func(*Result, columns, *sheet.Table, string) error
}{
	{[]string{"geogcd", "geogcd_p", "oper_date"}, readPairs("geogcd_p", "geogcd", "oper_date")},
	{[]string{"geogcd", "geognm", "oper_date", "term_date"}, readCodes("geogcd", "geognm", "entitycd", "parentcd", "oper_date", "term_date", 0)},
	{[]string{"oldcode", "newcode", "changeoccurred"}, readPairs("oldcode", "newcode", "changeoccurred")},
	{[]string{"code", "name", "validfrom", "validto"}, readCodes("code", "name", "level", "parentcode", "validfrom", "validto", -1)},
	{[]string{"editions", "old_code", "new_code", "explanation"}, (*Result).readNUTS},
	{[]string{"arealand_part"}, (*Result).readCensus},
}

// AddFile reads the known tables in the file at path. date is the day of the changes in formats
// that do not contain days.
func (r *Result) AddFile(ctx context.Context, path, date string) error {
	t, err := sheet.Open(ctx, path, sheet.Options{})
	if err != nil {
		return err
	}
	if len(t.Sheets) < 2 {
		return errors.Join(r.add(t, date), t.Close())
	}
	found := false
	for _, name := range t.Sheets {
		part, err := sheet.Open(ctx, path, sheet.Options{Sheet: name})
		if err == nil {
			r.sheet = name + ", "
			err = errors.Join(r.add(part, date), part.Close())
		}
		if err != nil && !errors.Is(err, errUnknown) {
			return errors.Join(err, t.Close())
		}
		found = found || err == nil
	}
	if r.sheet = ""; !found {
		err = errUnknown
	}
	return errors.Join(err, t.Close())
}

var errUnknown = errors.New("unknown table of areas (known: ONS Code History Database, Klass, NUTS, Census relationship file)")

// nutsCode matches the columns of codes in Eurostat's workbooks.
var nutsCode = regexp.MustCompile(`^code (20\d\d)$`)

// findNUTS finds the columns of a sheet in one of Eurostat's workbooks. It returns the sheet's
// editions, such as 2016-2021, or "" for other sheets.
func (c columns) findNUTS() string {
	var editions []string
	for name, i := range maps.Clone(c) {
		if m := nutsCode.FindStringSubmatch(name); m != nil {
			editions = append(editions, m[1])
		}
		if first, ok := c["explanation"]; strings.HasPrefix(name, "explanation") && (!ok || i < first) {
			c["explanation"] = i
		}
	}
	_, label := c["label"]
	if _, explained := c["explanation"]; len(editions) != 2 || !label || !explained {
		return ""
	}
	slices.Sort(editions)
	c["old_code"], c["new_code"] = c["code "+editions[0]], c["code "+editions[1]]
	return strings.Join(editions, "-")
}

func (r *Result) add(t *sheet.Table, date string) error {
	for row, err := range t.Rows() {
		if err != nil {
			return err
		}
		at := columns{}
		for i, c := range row.Cells {
			at[strings.ToLower(strings.TrimSpace(c.Text))] = i
		}
		if editions := at.findNUTS(); editions != "" {
			return r.readNUTS(at, t, editions)
		}
		for _, f := range formats {
			if !slices.ContainsFunc(f.needs, func(name string) bool { _, ok := at[name]; return !ok }) {
				return f.read(r, at, t, date)
			}
		}
		break
	}
	return errUnknown
}

// eachRow calls add with each row after the header.
func eachRow(t *sheet.Table, add func(sheet.Row)) error {
	first := true
	for row, err := range t.Rows() {
		if err != nil {
			return err
		}
		if !first {
			add(row)
		}
		first = false
	}
	return nil
}

// cell returns the text of row in the column called name, or "".
func (c columns) cell(row sheet.Row, name string) string {
	if i, ok := c[name]; ok {
		return strings.TrimSpace(row.At(i).Text)
	}
	return ""
}

// isoDay returns the day in text as YYYY-MM-DD, or "".
func isoDay(text string) string {
	text, _, _ = strings.Cut(strings.ReplaceAll(text, "T", " "), " ")
	if parts := strings.Split(text, "/"); len(parts) == 3 { // ONS writes the day first
		text = parts[2] + "-" + parts[1] + "-" + parts[0]
	}
	if !areas.IsDay(text) {
		return ""
	}
	return text
}

// readCodes returns a function that reads a table of codes with these columns. It adds days to the
// last day of each code, because Klass gives the day after it.
func readCodes(
	code, name, level, parent, from, to string, days int,
) func(*Result, columns, *sheet.Table, string) error {
	return func(r *Result, at columns, t *sheet.Table, _ string) error {
		err := eachRow(t, func(row sheet.Row) {
			c := areas.Code{
				Code: at.cell(row, code), Name: at.cell(row, name), Level: at.cell(row, level),
				Parent: at.cell(row, parent),
				From:   isoDay(at.cell(row, from)), To: isoDay(at.cell(row, to)),
			}
			if c.To != "" {
				c.To = areas.AddDays(c.To, days)
			}
			if welsh := at.cell(row, "geognmw"); welsh != "" {
				c.Names = areas.Names{{Language: "cy", Text: welsh}}
			}
			if c.Code != "" {
				r.Codes = append(r.Codes, c)
			}
		})
		first := ""
		for _, c := range r.Codes {
			if first == "" || c.From != "" && c.From < first {
				first = c.From
			}
		}
		for i := range r.Codes { // the table begins then, and not the areas
			if r.Codes[i].From == first {
				r.Codes[i].From = ""
			}
		}
		return err
	}
}

// readPairs returns a function that reads predecessors and successors from these columns.
func readPairs(from, to, date string) func(*Result, columns, *sheet.Table, string) error {
	return func(r *Result, at columns, t *sheet.Table, _ string) error {
		return eachRow(t, func(row sheet.Row) {
			on := isoDay(at.cell(row, date))
			r.addChange(areas.Change{Date: on, From: at.cell(row, from), To: at.cell(row, to), Line: row.Line})
		})
	}
}

// addChange adds c if it is new.
func (r *Result) addChange(c areas.Change) {
	if key := c.Date + " " + c.From + " " + c.To; c.From != "" && c.To != "" && c.From != c.To && !r.seen[key] {
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[key] = true
		r.Changes = append(r.Changes, c)
	}
}

// nutsDays maps editions of NUTS to their first days.
var nutsDays = map[string]string{
	"2010": "2012-01-01", "2013": "2015-01-01", "2016": "2018-01-01", "2021": "2021-01-01", "2024": "2024-01-01",
}

var nutsFormula = regexp.MustCompile(`^([A-Z]{2}\w{1,4})\s*=\s*(?:ex-)?([A-Z]{2}\w{1,4}(?:\s*\+\s*(?:ex-)?[A-Z]{2}\w{1,4})*)$`)

// nutsArea returns the NUTS code, and adds it if it is new.
func (r *Result) nutsArea(code, name string) *areas.Code {
	i, ok := r.known[code]
	if !ok {
		if i = len(r.Codes); r.known == nil {
			r.known = map[string]int{}
		}
		r.known[code] = i
		level := strconv.Itoa(max(0, len(code)-len("FR")))
		r.Codes = append(r.Codes, areas.Code{Code: code, Name: name, Level: level})
	}
	return &r.Codes[i]
}

// readNUTS reads formulas such as FRC=FR26+FR43, and adds questions about all other rows. Rows may
// name their editions.
func (r *Result) readNUTS(at columns, t *sheet.Table, editions string) error {
	return eachRow(t, func(row sheet.Row) {
		editions := cmp.Or(at.cell(row, "editions"), editions)
		_, edition, _ := strings.Cut(editions, "-")
		date, old, now := nutsDays[edition], at.cell(row, "old_code"), at.cell(row, "new_code")
		if old == now { // only the name changed
			return
		}
		if date == "" {
			r.addQuestion(row.Line, "unknown edition "+strconv.Quote(editions))
			return
		}
		if old != "" {
			r.nutsArea(old, at.cell(row, "label")).To = areas.AddDays(date, -1)
		}
		if now != "" {
			r.nutsArea(now, at.cell(row, "label")).From = date
		}
		formula := nutsFormula.FindStringSubmatch(at.cell(row, "explanation"))
		if formula == nil || formula[1] != now {
			r.addQuestion(row.Line, fmt.Sprintf("%s: the explanation %q is not a formula such as NEW=OLD+OLD", cmp.Or(now, old), at.cell(row, "explanation")))
			if last := len(r.Questions) - 1; now == "" {
				r.ended = append(r.ended, [2]string{old, r.Questions[last]})
			}
			return
		}
		from := strings.Split(formula[2], "+")
		kind := areas.Recode
		if len(from) > 1 {
			kind = areas.Merge
		}
		for _, f := range from {
			f = strings.TrimPrefix(strings.TrimSpace(f), "ex-")
			if old != "" && old != f && len(from) == 1 {
				r.addQuestion(row.Line, fmt.Sprintf("the formula names the predecessor %s, but the row names %s", f, old))
				return
			}
			r.addChange(areas.Change{Date: date, From: f, To: now, Kind: kind, Line: row.Line})
		}
	})
}

// readCensus reads a relationship file, which lists overlaps with their land areas.
func (r *Result) readCensus(at columns, t *sheet.Table, date string) error {
	find := func(begin, end string) string {
		for name := range at {
			if strings.HasPrefix(name, begin) && strings.HasSuffix(name, end) {
				return name
			}
		}
		return ""
	}
	before, after := find("geoid_", "_10"), find("geoid_", "_20")
	if before == "" || after == "" || date == "" {
		return errors.New("a relationship file needs the columns GEOID_…_10 and GEOID_…_20, and the day of the changes: --date 2022-06-01")
	}
	whole, seen := strings.Replace(before, "geoid_", "arealand_", 1), map[string]bool{}
	add := func(c areas.Code) {
		if !seen[c.Code] {
			seen[c.Code] = true
			r.Codes = append(r.Codes, c)
		}
	}
	return eachRow(t, func(row sheet.Row) {
		old, now := at.cell(row, before), at.cell(row, after)
		name := func(of string) string {
			return cmp.Or(at.cell(row, strings.Replace(of, "geoid_", "namelsad_", 1)), at.cell(row, of))
		}
		add(areas.Code{Code: old, Name: name(before), To: areas.AddDays(date, -1)})
		add(areas.Code{Code: now, Name: name(after), From: date})
		part, err1 := strconv.ParseFloat(at.cell(row, "arealand_part"), 64)
		all, err2 := strconv.ParseFloat(at.cell(row, whole), 64)
		c := areas.Change{Date: date, From: old, To: now, Kind: areas.Part, Line: row.Line}
		if err1 != nil || err2 != nil || all <= 0 {
			r.addQuestion(row.Line, fmt.Sprintf("%s to %s: the land area is missing", old, now))
		} else if part > 0 {
			c.Share, c.Basis = areas.Share(strconv.FormatFloat(part/all, 'f', 4, 64)), "land area"
		}
		if part > 0 || err1 != nil {
			r.addChange(c)
		}
	})
}

func (r *Result) addQuestion(line int, text string) {
	r.Questions = append(r.Questions, fmt.Sprintf("%sline %d: %s", r.sheet, line, text))
}

// isSplit reports whether all areas to which the predecessor goes on the day of c begin on that day
// and have no other predecessor.
func (r *Result) isSplit(c *areas.Change) bool {
	return !slices.ContainsFunc(r.ChangesFrom(c.From), func(other *areas.Change) bool {
		to := r.Code(other.To)
		return other.Date == c.Date && (to == nil || to.From != c.Date || len(r.ChangesTo(other.To)) > 1)
	})
}

// Decide sets the kinds of changes that codes and days determine, and asks about the others.
func (r *Result) Decide() {
	r.BuildIndex()
	for _, x := range r.ended { // another row may name the successor
		if len(r.ChangesFrom(x[0])) > 0 {
			r.Questions = slices.DeleteFunc(r.Questions, func(q string) bool { return q == x[1] })
		}
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		from, to := r.Code(c.From), r.Code(c.To)
		if c.Kind != "" || from == nil || to == nil {
			continue
		}
		on := func(other *areas.Change) bool { return other.Date != c.Date }
		after := len(slices.DeleteFunc(r.ChangesFrom(c.From), on))
		before := len(slices.DeleteFunc(r.ChangesTo(c.To), on))
		ends, begins := from.To == areas.AddDays(c.Date, -1), to.From == c.Date
		switch {
		case !ends:
			c.Kind = areas.Part
		case after == 1 && before == 1 && begins && from.Name == to.Name:
			c.Kind = areas.Recode
		case after == 1 && (before > 1 || !begins):
			c.Kind = areas.Merge
		case after > 1 && r.isSplit(c):
			c.Kind = areas.Split
		default:
			r.addQuestion(c.Line, fmt.Sprintf("%s (%s) to %s (%s): choose the kind: recode, boundary, merge, split or part", c.From, from.Name, c.To, to.Name))
		}
	}
}
