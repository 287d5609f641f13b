package tables

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/base/sheet"
	"stele/record"
)

// Values are the records of a folder, each with the members from the table.
type Values struct {
	Path  string // path of the file, in the publisher's folder
	Rows  []map[string]string
	lines []int // lines of the table, one for each row
	set   map[string]bool
	// owned has the members that the map can fill, even if a row lacks them. A name that ends with
	// a dot means all members below it.
	owned    map[string]bool
	defaults []*yaml.Node
	title    string // of the series
	id       string // template of record IDs; only for other kinds than statistics
}

// Result contains the records of a table.
type Result struct {
	Files   []*Values // in the order of the map's series
	Figures int
	Missing int // cells without a value
	Omitted int // figures that a mark leaves out
	// Rows counts all rows below the heading: those that are Written and those that are Ignored.
	// Cells counts their non-empty cells: figures, cells that describe them, and skipped cells.
	Rows, Written                   int
	Cells, Measured, About, Skipped int
	// Ignored counts the ignored rows by reason. Without counts the records that lack a member
	// because its cell is empty.
	Ignored map[string]int
	Without map[string]int
}

// checkAllCellsCounted returns an error unless every row and cell was used, counted or named.
func (r *Result) checkAllCellsCounted() error {
	ignored := 0
	for _, n := range r.Ignored {
		ignored += n
	}
	switch {
	case r.Rows != r.Written+ignored || r.Cells != r.Measured+r.About+r.Skipped:
		return fmt.Errorf("nothing was written: only %[2]d of %[1]d rows and %[4]d of %[3]d cells are accounted for", r.Rows, r.Written+ignored, r.Cells, r.Measured+r.About+r.Skipped)
	case r.Figures == 0:
		return fmt.Errorf("none of the %d rows gave a record: name the rows and columns of figures in the map", r.Rows)
	}
	return nil
}

// Fault is a cell or row of a table that cannot be used.
type Fault struct {
	Line   int
	More   int // number of further lines with the same fault
	Column string
	Err    error
	last   int // the last of them
}

func (f Fault) Error() string { return f.phrase().String() }

func (f Fault) phrase() Phrase {
	place := say("fault line", f.Line)
	if f.More > 0 {
		place = say("fault lines", f.Line, f.More)
	}
	if f.Column != "" {
		place = say("fault column", place, f.Column)
	}
	return say("fault", place, f.Err)
}

// Faults lists the different faults of a table. A fault in several lines is listed once.
type Faults []Fault

// maxFaults is the maximum number of different faults after which reading stops.
const maxFaults = 100

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// addFault records a fault in a row. It records the same fault in several rows only once.
func (c *converter) addFault(row sheet.Row, column string, err error) {
	if row.Sheet != "" {
		err = say("fault sheet", row.Sheet, err)
	}
	of := column + "\x00" + err.Error()
	i, known := c.known[of]
	switch {
	case !known && len(c.faults) < maxFaults:
		c.known[of] = len(c.faults)
		c.faults = append(c.faults, Fault{Line: row.Line, Column: column, Err: err, last: row.Line})
	case known && c.faults[i].last != row.Line:
		c.faults[i].More++
		c.faults[i].last = row.Line
	}
}

func (c *converter) addRecord(s *seriesIn, members map[string]string, row sheet.Row) {
	named := ""
	folder := inBraces.ReplaceAllStringFunc(s.Folder, func(name string) string {
		text := trimSpace(row.At(c.at[name[1:len(name)-1]]).Text)
		named += text + "\x00"
		return slug(text)
	})
	if !folderName.MatchString(folder) {
		c.addFault(row, "", fmt.Errorf("cannot make a folder name from %q: add a series for it, with where and folder", strings.TrimRight(named, "\x00")))
		return
	}
	if other, known := c.folders[folder]; known && other != named && named != "" {
		c.addFault(row, "", fmt.Errorf("%q and %q give the same folder %s: add a series for each, with where and folder",
			strings.TrimRight(other, "\x00"), strings.TrimRight(named, "\x00"), folder))
		return
	}
	c.folders[folder] = named
	if err := checkExisted(members["ref_area"], record.Period(members["time_period"])); err != nil {
		c.addFault(row, "", err)
	}
	v := c.files[folder]
	if v == nil {
		v = &Values{
			Path: path.Join("records", record.KindNamed(c.Kind).Folder(), folder, "values.csv"),
			set:  map[string]bool{}, owned: map[string]bool{}, title: s.Title,
			defaults: []*yaml.Node{&c.Defaults, &s.Defaults},
		}
		if c.Kind != record.KindHealthcareStatistic {
			v.id = c.idTemplate(s.Series)
		}
		c.files[folder] = v
		c.result.Files = append(c.result.Files, v)
	}
	for member := range s.Set {
		v.set[member] = true
	}
	maps.Copy(v.owned, s.owned)
	for member, text := range members {
		if text == "" {
			delete(members, member)
			continue
		}
		c.checkPrivate(member, text, row)
	}
	v.Rows, v.lines = append(v.Rows, members), append(v.lines, row.Line)
	c.result.Figures++
}

// checkPrivate records a fault for a text with a secret or personal data, before anything is
// written.
func (c *converter) checkPrivate(member, text string, row sheet.Row) {
	key := member + "\x00" + text
	if c.Table.Personal || c.looked[key] || member == "value" || member == "ref_area" || member == "time_period" {
		return
	}
	if code, message := c.looker.CheckPrivate(member, text); code != "" {
		c.addFault(row, "", say("fault private", string(code), message, member))
	}
	if len(c.looked) < manyWords {
		c.looked[key] = true
	}
}

// first lists the columns that come first in a file, in this order.
var first = []string{"id", "indicator", "ref_area_scheme", "ref_area", "time_period", "vintage", "value", "less_than", "greater_than", "code", "lower", "upper", "obs_status"}

// columnNames returns the columns of a new file: those in first, then others, then those from set.
func (v *Values) columnNames() []string {
	rank := func(member string) int {
		switch i := slices.Index(first, member); {
		case i >= 0:
			return i
		case v.set[member]:
			return len(first) + 1
		}
		return len(first)
	}
	return slices.SortedFunc(maps.Keys(v.memberNames()), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
}

func (v *Values) memberNames() map[string]bool {
	found := map[string]bool{}
	for _, row := range v.Rows {
		for member := range row {
			found[member] = true
		}
	}
	return found
}

func (v *Values) canFill(member string) bool {
	outer, _, inside := strings.Cut(member, ".")
	return v.owned[member] || inside && v.owned[outer+"."] || strings.HasPrefix(member, "x_") && v.owned["x_"] ||
		member == "ref_area_scheme" && v.owned["ref_area"]
}

// rowKey returns a key that is equal for rows about the same thing, regardless of the order of
// their columns: their ID, or indicator, area, period, vintage and dimensions.
func rowKey(members map[string]string) string {
	if id := members["id"]; id != "" {
		return id
	}
	s := record.HealthcareStatistic{ // in any unit
		Indicator: members["indicator"], RefArea: members["ref_area"], TimePeriod: record.Period(members["time_period"]),
		RefAreaScheme: record.AreaScheme(members["ref_area_scheme"]), Vintage: record.Period(members["vintage"]),
	}
	for member, text := range members {
		if name, ok := strings.CutPrefix(member, "dimensions."); ok && text != "" {
			s.Dimensions = append(s.Dimensions, record.Term{Name: name, Text: text})
		}
	}
	if s.Indicator == "" && s.RefArea == "" && s.TimePeriod == "" && s.Vintage == "" && s.Dimensions == nil {
		return ""
	}
	return s.Key()
}

// rowKey returns a key that identifies a row. Records of kinds other than statistics have an ID,
// which the map may build from their members.
func (v *Values) rowKey(members map[string]string) string {
	if members["id"] != "" || v.id == "" {
		return rowKey(members)
	}
	return inBraces.ReplaceAllStringFunc(v.id, func(name string) string { return members[name[1:len(name)-1]] })
}

// idTemplate returns the template of the IDs of a series: from a column, a set value or its
// defaults.
func (c *converter) idTemplate(s *Series) string {
	for _, given := range []string{s.Set["id"], s.Columns["id"], c.Columns["id"]} {
		if given != "" {
			return given
		}
	}
	for _, n := range []*yaml.Node{&s.Defaults, &c.Defaults} {
		if id := nodeAt(n, []string{"id"}, false); id != nil {
			return id.Value
		}
	}
	return ""
}

// reportDuplicates finds rows about the same thing.
func (c *converter) reportDuplicates(v *Values) {
	seen := map[string]int{}
	for i, row := range v.Rows {
		k := v.rowKey(row)
		if line, found := seen[k]; found && k != "" {
			c.addFault(sheet.Row{Line: v.lines[i]}, "", say("fault duplicate", line))
		}
		seen[k] = v.lines[i]
	}
}
