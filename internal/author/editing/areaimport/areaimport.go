// Package areaimport converts tables of areas that statistics offices publish into the two tables
// of a scheme: the Code History Database of ONS, Klass of Statistics Norway, the NUTS workbooks of
// Eurostat and the relationship files of the US Census. It decides by codes and days only, and asks
// about changes whose kind does not follow from these. It does not read prose.
package areaimport

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
)

// Result is the scheme, and the questions that a person must answer in its tables.
type Result struct {
	areas.Scheme
	Questions []string

	seen map[string]bool // changes
}

// columns finds the columns of a table by their names.
type columns map[string]int

// formats are the known tables, by the columns that each must have.
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

// Add reads a table. Date is the day of the changes in formats that do not contain days.
func (r *Result) Add(t *sheet.Table, date string) error {
	for row, err := range t.Rows() {
		if err != nil {
			return err
		}
		at := columns{}
		for i, c := range row.Cells {
			at[strings.ToLower(strings.TrimSpace(c.Text))] = i
		}
		for _, f := range formats {
			if !slices.ContainsFunc(f.needs, func(name string) bool { _, ok := at[name]; return !ok }) {
				return f.read(r, at, t, date)
			}
		}
		break
	}
	return errors.New("unknown table of areas (known: ONS Code History Database, Klass, NUTS, Census relationship file)")
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

// cell returns the text of a row in a column, or "".
func (c columns) cell(row sheet.Row, name string) string {
	if i, ok := c[name]; ok {
		return strings.TrimSpace(row.At(i).Text)
	}
	return ""
}

// isoDay returns a day as YYYY-MM-DD, or "".
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

// readCodes reads a table of codes. The last day is moved by some days, because Klass gives the day
// after it.
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

// readPairs reads a table of predecessors and successors.
func readPairs(from, to, date string) func(*Result, columns, *sheet.Table, string) error {
	return func(r *Result, at columns, t *sheet.Table, _ string) error {
		return eachRow(t, func(row sheet.Row) {
			on := isoDay(at.cell(row, date))
			r.addChange(areas.Change{Date: on, From: at.cell(row, from), To: at.cell(row, to), Line: row.Line})
		})
	}
}

// addChange adds a change once.
func (r *Result) addChange(c areas.Change) {
	if key := c.Date + " " + c.From + " " + c.To; c.From != "" && c.To != "" && c.From != c.To && !r.seen[key] {
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[key] = true
		r.Changes = append(r.Changes, c)
	}
}

// nutsDays are the days from which editions of NUTS apply.
var nutsDays = map[string]string{
	"2010": "2012-01-01", "2013": "2015-01-01", "2016": "2018-01-01", "2021": "2021-01-01", "2024": "2024-01-01",
}

var nutsFormula = regexp.MustCompile(`^([A-Z]{2}\w{1,4})\s*=\s*(?:ex-)?([A-Z]{2}\w{1,4}(?:\s*\+\s*(?:ex-)?[A-Z]{2}\w{1,4})*)$`)

// readNUTS reads formulas such as FRC=FR26+FR43, and asks about all other rows.
func (r *Result) readNUTS(at columns, t *sheet.Table, _ string) error {
	known := map[string]int{}
	code := func(code, level, name string) *areas.Code {
		i, ok := known[code]
		if !ok {
			i = len(r.Codes)
			known[code] = i
			r.Codes = append(r.Codes, areas.Code{Code: code, Name: name, Level: level})
		}
		return &r.Codes[i]
	}
	return eachRow(t, func(row sheet.Row) {
		_, edition, _ := strings.Cut(at.cell(row, "editions"), "-")
		date, old, now := nutsDays[edition], at.cell(row, "old_code"), at.cell(row, "new_code")
		if date == "" {
			r.addQuestion(row.Line, "unknown edition "+strconv.Quote(at.cell(row, "editions")))
			return
		}
		if old == now { // only the name changed
			return
		}
		if old != "" {
			code(old, at.cell(row, "level"), at.cell(row, "label")).To = areas.AddDays(date, -1)
		}
		if now != "" {
			code(now, at.cell(row, "level"), at.cell(row, "label")).From = date
		}
		formula := nutsFormula.FindStringSubmatch(at.cell(row, "explanation"))
		if formula == nil || formula[1] != now {
			r.addQuestion(row.Line, fmt.Sprintf("%s: no formula such as NEW=OLD+OLD: %q", cmp.Or(now, old), at.cell(row, "explanation")))
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
				r.addQuestion(row.Line, fmt.Sprintf("the formula says %s, and the row says %s", f, old))
				return
			}
			r.addChange(areas.Change{Date: date, From: f, To: now, Kind: kind, Line: row.Line})
		}
	})
}

// readCensus reads a relationship file: overlaps with their land area.
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
	r.Questions = append(r.Questions, fmt.Sprintf("line %d: %s", line, text))
}

// isSplit reports whether all areas that a predecessor goes to on a day begin then, and have no
// other predecessor.
func (r *Result) isSplit(c *areas.Change) bool {
	return !slices.ContainsFunc(r.Changed(c.From), func(other *areas.Change) bool {
		to := r.Code(other.To)
		return other.Date == c.Date && (to == nil || to.From != c.Date || len(r.Formed(other.To)) > 1)
	})
}

// Decide fills in the kinds of changes that follow from codes and days, and asks about the others.
func (r *Result) Decide() {
	r.Index()
	for i := range r.Changes {
		c := &r.Changes[i]
		from, to := r.Code(c.From), r.Code(c.To)
		if c.Kind != "" || from == nil || to == nil {
			continue
		}
		on := func(other *areas.Change) bool { return other.Date != c.Date }
		after := len(slices.DeleteFunc(r.Changed(c.From), on))
		before := len(slices.DeleteFunc(r.Formed(c.To), on))
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
			r.addQuestion(c.Line, fmt.Sprintf("%s (%s) to %s (%s): write the kind: recode, boundary, merge, split or part", c.From, from.Name, c.To, to.Name))
		}
	}
	slices.SortFunc(r.Codes, func(a, b areas.Code) int { return strings.Compare(a.Code, b.Code) })
	slices.SortStableFunc(r.Changes, func(a, b areas.Change) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
}
