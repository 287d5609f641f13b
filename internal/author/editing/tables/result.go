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

// Values are the records of a folder, each with the members that the table gives it.
type Values struct {
	Path  string // of the file, below the publisher's folder
	Rows  []map[string]string
	lines []int // of the table that was read, one for each row
	set   map[string]bool
	// owned are the members that the map can fill, whether a row has them or not. One that ends in
	// a dot stands for all inside.
	owned    map[string]bool
	defaults []*yaml.Node
	title    string // of the series
	id       string // the ID of its records as the map makes it; only of other kinds than statistics
}

// Result is what a table gives.
type Result struct {
	Files   []*Values // in the order of the map's series
	Figures int
	Missing int // cells without a value
	Omitted int // figures with a mark that leaves them out
	// Rows are all below the heading: those that are Written and those that are Ignored. Cells are
	// theirs that have a text: figures, what these are about, and those that are skipped.
	Rows, Written                   int
	Cells, Measured, About, Skipped int
	// Ignored are how many rows were not taken, by the words for which; Without how many records
	// lack a member because its cell is empty, though it has words.
	Ignored map[string]int
	Without map[string]int
}

// balance makes sure that every row and cell was taken, counted or named.
func (r *Result) balance() error {
	ignored := 0
	for _, n := range r.Ignored {
		ignored += n
	}
	switch {
	case r.Rows != r.Written+ignored || r.Cells != r.Measured+r.About+r.Skipped:
		return fmt.Errorf("of %d rows %d are accounted for, and of %d cells %d: nothing was written", r.Rows, r.Written+ignored, r.Cells, r.Measured+r.About+r.Skipped)
	case r.Figures == 0:
		return fmt.Errorf("no record was made of its %d rows: name the rows and columns of its figures in the map", r.Rows)
	}
	return nil
}

// Fault is a place of a table that cannot be taken.
type Fault struct {
	Line   int
	More   int // further lines with the same fault
	Column string
	Err    error
	last   int // the last of them
}

func (f Fault) Error() string {
	place := fmt.Sprintf("line %d", f.Line)
	if f.More > 0 {
		place += fmt.Sprintf(" and %d more", f.More)
	}
	if f.Column != "" {
		place += fmt.Sprintf(", column %q", f.Column)
	}
	return fmt.Sprintf("%s: %v", place, f.Err)
}

// Faults are all that was found, up to a number. What is the same in many lines is one.
type Faults []Fault

// maxFaults is how many different faults are listed; then nothing more is read.
const maxFaults = 100

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// fault notes a fault: once for a row, and once for all rows where it is the same.
func (c *converter) fault(row sheet.Row, column string, err error) {
	if row.Sheet != "" {
		err = fmt.Errorf("sheet %q: %w", row.Sheet, err)
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

// add adds a record to its file.
func (c *converter) add(s *seriesIn, members map[string]string, row sheet.Row) {
	named := ""
	folder := inBraces.ReplaceAllStringFunc(s.Folder, func(name string) string {
		text := trim(row.At(c.at[name[1:len(name)-1]]).Text)
		named += text + "\x00"
		return slug(text)
	})
	if !folderName.MatchString(folder) {
		c.fault(row, "", fmt.Errorf("%q gives no name of a folder: write a series for it, with where and folder", strings.TrimRight(named, "\x00")))
		return
	}
	if other, known := c.folders[folder]; known && other != named && named != "" {
		c.fault(row, "", fmt.Errorf("%q and %q would both be the folder %s: write a series for each, with where and folder",
			strings.TrimRight(other, "\x00"), strings.TrimRight(named, "\x00"), folder))
		return
	}
	c.folders[folder] = named
	if err := existed(members["ref_area"], record.Period(members["time_period"])); err != nil {
		c.fault(row, "", err)
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
		c.private(member, text, row)
	}
	v.Rows, v.lines = append(v.Rows, members), append(v.lines, row.Line)
	c.result.Figures++
}

// private names a text with a secret, or with what concerns a person, before anything is written.
func (c *converter) private(member, text string, row sheet.Row) {
	key := member + "\x00" + text
	if c.Table.Personal || c.looked[key] || member == "value" || member == "ref_area" || member == "time_period" {
		return
	}
	if code, message := c.looker.Private(member, text); code != "" {
		c.fault(row, "", fmt.Errorf("%s: %s (%s). Take it out of the table, or name its column in ignore. If it may be public for ever, write personal: true below table", code, message, member))
	}
	if len(c.looked) < manyWords {
		c.looked[key] = true
	}
}

// first are the columns that come first, in this order, where a file has them.
var first = []string{"id", "indicator", "ref_area_scheme", "ref_area", "time_period", "vintage", "value", "less_than", "greater_than", "code", "lower", "upper", "obs_status"}

// header are the columns that a new file has: those that are listed come first, those that are set
// last.
func (v *Values) header() []string {
	rank := func(member string) int {
		switch i := slices.Index(first, member); {
		case i >= 0:
			return i
		case v.set[member]:
			return len(first) + 1
		}
		return len(first)
	}
	return slices.SortedFunc(maps.Keys(v.members()), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
}

// members are those that some row has.
func (v *Values) members() map[string]bool {
	found := map[string]bool{}
	for _, row := range v.Rows {
		for member := range row {
			found[member] = true
		}
	}
	return found
}

// owns reports whether the map can fill a member.
func (v *Values) owns(member string) bool {
	outer, _, inside := strings.Cut(member, ".")
	return v.owned[member] || inside && v.owned[outer+"."] || strings.HasPrefix(member, "x_") && v.owned["x_"] ||
		member == "ref_area_scheme" && v.owned["ref_area"]
}

// key is the same for rows that are about the same, whatever the order of their columns: by their
// ID, or by indicator, area, period, vintage and dimensions.
func key(members map[string]string) string {
	if id := members["id"]; id != "" {
		return id
	}
	s := record.HealthcareStatistic{ // in whatever unit
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

// key is what tells a row from others. Records of other kinds than statistics have an ID, which the
// map may make of their members.
func (v *Values) key(members map[string]string) string {
	if members["id"] != "" || v.id == "" {
		return key(members)
	}
	return inBraces.ReplaceAllStringFunc(v.id, func(name string) string { return members[name[1:len(name)-1]] })
}

// idTemplate is the ID that a series gives its records: by a column, a set value or its defaults.
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

// twice finds rows that are about the same.
func (c *converter) twice(v *Values) {
	seen := map[string]int{}
	for i, row := range v.Rows {
		k := v.key(row)
		if line, found := seen[k]; found && k != "" {
			c.fault(sheet.Row{Line: v.lines[i]}, "", fmt.Errorf("it is about the same as line %d: area, period, dimensions and vintage do not differ. Name a column that tells them apart in columns, as dimensions.…, or one of the rows in ignore", line))
		}
		seen[k] = v.lines[i]
	}
}
