package tables

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"stele/internal/author/settings/places"
	"stele/internal/base/sheet"
	"stele/internal/base/suggest"
	"stele/record"
)

// Values are the records of a folder, as a table whose header names their members.
type Values struct {
	Path   string // of the file, below the publisher's folder
	Header []string
	Rows   [][]string
	lines  []int // of the table that was read, one for each row
	set    map[string]bool
}

// Result is what a table gives.
type Result struct {
	Files   []*Values // in the order of the map's series
	Rows    int       // that were read
	Missing int       // cells without a value
	LeftOut int       // rows of areas that the map leaves out
	Areas   map[string]places.Place
}

// Fault is a place of a table that cannot be taken.
type Fault struct {
	Line   int
	More   int // further lines with the same fault
	Column string
	Err    error
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

func (f Fault) Unwrap() error { return f.Err }

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

// converter turns rows into records.
type converter struct {
	*Map
	columns []string
	at      map[string]int
	result  *Result
	files   map[string]*Values
	faults  Faults
	known   map[string]int // the fault of a column and text
	// lastFault is the line in which a fault was last.
	lastFault map[string]int
	wide      [][]match // for each series, its columns of values
}

// match is a column of values, and what its name says.
type match struct {
	column int
	groups map[string]string
}

// Convert reads a table. If any place of it cannot be taken, the error is of type Faults.
func (m *Map) Convert(t *sheet.Table) (*Result, error) {
	c := &converter{
		Map: m, at: map[string]int{}, files: map[string]*Values{}, known: map[string]int{},
		lastFault: map[string]int{}, result: &Result{Areas: map[string]places.Place{}},
	}
	rows, names, err := m.header(t)
	if err != nil {
		return nil, err
	}
	if err := c.begin(names); err != nil {
		return nil, err
	}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		c.row(row)
		if len(c.faults) >= maxFaults {
			break
		}
	}
	for _, v := range c.result.Files {
		v.finish()
		if c.Kind == record.KindHealthcareStatistic {
			c.twice(v)
		}
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	return c.result, nil
}

// header reads the names of columns, and leaves the rows after them.
func (m *Map) header(t *sheet.Table) (rows func(func(sheet.Row, error) bool), names []string, err error) {
	last := slices.Max(m.Table.Header)
	var above [][]string
	for row, err := range t.Rows() {
		if err != nil {
			return nil, nil, err
		}
		if row.Line == 0 { // the file names its columns itself
			last, above = 0, append(above, texts(row))
			break
		}
		if row.Line > last {
			break
		}
		if slices.Contains(m.Table.Header, row.Line) {
			above = append(above, texts(row))
		}
	}
	if len(above) == 0 {
		return nil, nil, fmt.Errorf("there is no row %d, which the map names as the header", last)
	}
	return func(yield func(sheet.Row, error) bool) {
		for row, err := range t.Rows() {
			switch {
			case err == nil && (row.Line <= last || empty(row)):
				continue
			case err == nil && m.Table.End != "" && strings.HasPrefix(trim(row.At(0).Text), m.Table.End):
				return
			}
			if !yield(row, err) {
				return
			}
		}
	}, joinNames(above), nil
}

func empty(row sheet.Row) bool {
	return !slices.ContainsFunc(row.Cells, func(c sheet.Cell) bool { return trim(c.Text) != "" })
}

func texts(row sheet.Row) []string {
	list := make([]string, len(row.Cells))
	for i, c := range row.Cells {
		list[i] = strings.Join(strings.Fields(trim(c.Text)), " ")
	}
	return list
}

// joinNames makes one name of several rows. In all but the last, a name reaches to the next one, as
// where cells were merged.
func joinNames(rows [][]string) []string {
	var names []string
	for n, row := range rows {
		reaching := ""
		for i := range max(len(row), len(names)) {
			if i == len(names) {
				names = append(names, "")
			}
			name := ""
			if i < len(row) {
				name = row[i]
			}
			if n < len(rows)-1 {
				if name == "" {
					name = reaching
				}
				reaching = name
			}
			if names[i] != "" && name != "" {
				name = " / " + name
			}
			names[i] += name
		}
	}
	return names
}

// begin finds the columns that the map names.
func (c *converter) begin(names []string) error {
	c.columns = names
	c.withoutMissing(names)
	for i, name := range names {
		if _, twice := c.at[name]; twice && name != "" {
			return fmt.Errorf("the column %q is there twice: the map cannot tell them apart", name)
		}
		c.at[name] = i
	}
	for _, name := range c.used() {
		if _, found := c.at[name]; !found {
			near := suggest.To(name, names)
			if near != "" {
				near = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("the table has no column %q%s", name, near)
		}
	}
	taken := append(c.used(), c.Ignore...)
	for _, s := range c.Series {
		found := c.valueColumns(s)
		if len(found) == 0 && s.Values != "" {
			return fmt.Errorf("series %s: no column fits the pattern %s", s.Folder, s.Values)
		}
		for _, m := range found {
			if m.column >= 0 {
				taken = append(taken, names[m.column])
			}
		}
		c.wide = append(c.wide, found)
	}
	for _, name := range names {
		if name != "" && !slices.Contains(taken, name) {
			return fmt.Errorf("the map does not name the column %q: add it to columns, to a series, or to ignore", name)
		}
	}
	return nil
}

func (c *converter) valueColumns(s Series) (found []match) {
	switch {
	case s.Value != "":
		return []match{{column: c.at[s.Value]}}
	case s.pattern == nil:
		return []match{{column: -1}}
	}
	for i, name := range c.columns {
		groups := s.pattern.FindStringSubmatch(name)
		if groups == nil {
			continue
		}
		m := match{i, map[string]string{}}
		for g, group := range s.pattern.SubexpNames() {
			if group != "" {
				m.groups[memberOf(group)] = groups[g]
			}
		}
		found = append(found, m)
	}
	return found
}

// memberOf is the member that a group of a pattern fills: one of a statistic, or a dimension.
func memberOf(group string) string {
	switch group {
	case "time_period", "ref_area", "unit", "indicator", "obs_status":
		return group
	}
	if strings.HasPrefix(group, "x_") {
		return group
	}
	return "dimensions." + group
}

// row takes the values of a row, each by the first series that it belongs to.
func (c *converter) row(row sheet.Row) {
	if a, known := c.Areas[trim(row.At(c.areaColumn()).Text)]; known && a.Code == "" {
		c.result.LeftOut++
		return
	}
	c.result.Rows++
	done := map[int]bool{}
	for i, s := range c.Series {
		if !c.applies(s, row) {
			continue
		}
		for _, m := range c.wide[i] {
			if m.column >= 0 && done[m.column] {
				continue
			}
			done[m.column] = true
			c.take(s, m, row)
		}
	}
	for i, cell := range row.Cells {
		if trim(cell.Text) != "" && (i >= len(c.columns) || c.columns[i] == "") {
			c.fault(row, "", fmt.Errorf("%q stands in cell %d, whose column has no name", cell.Text, i+1))
		}
	}
}

// areaColumn is the column of areas; -1 where there is none.
func (c *converter) areaColumn() int {
	if at, found := c.at[c.Columns["ref_area"]]; found {
		return at
	}
	return -1
}

func (c *converter) applies(s Series, row sheet.Row) bool {
	for column, word := range s.Where {
		if trim(row.At(c.at[column]).Text) != word {
			return false
		}
	}
	return true
}

// fault notes a fault: once for a row, and once for all rows where it is the same.
func (c *converter) fault(row sheet.Row, column string, err error) {
	of := column + "\x00" + err.Error()
	i, known := c.known[of]
	switch {
	case !known && len(c.faults) < maxFaults:
		c.known[of], c.lastFault[of] = len(c.faults), row.Line
		c.faults = append(c.faults, Fault{Line: row.Line, Column: column, Err: err})
	case known && c.lastFault[of] != row.Line:
		c.faults[i].More++
		c.lastFault[of] = row.Line
	}
}

// take makes a record of one value of a row.
func (c *converter) take(s Series, m match, row sheet.Row) {
	members := map[string]string{}
	if m.column >= 0 {
		there, err := c.figure(members, s, row.At(m.column))
		if err != nil {
			c.fault(row, c.columns[m.column], err)
			return
		}
		if !there && !c.empty(members, s, row) {
			c.result.Missing++
			return
		}
	}
	for member, text := range s.Set {
		if _, set := members[member]; !set {
			members[member] = text
		}
	}
	for _, from := range []map[string]string{c.Columns, s.Columns} {
		for _, member := range slices.Sorted(maps.Keys(from)) {
			c.member(members, member, row.At(c.at[from[member]]), from[member], row)
		}
	}
	for member, word := range m.groups {
		c.member(members, member, sheet.Cell{Text: word}, c.columns[m.column], row)
	}
	if members["lower"] == "" && members["upper"] == "" { // what is set is for those that have one
		delete(members, "interval")
		delete(members, "level")
	}
	c.add(s, members, row)
}

// figure fills the members of what a cell says: a value, with its interval, a bound or a code. It
// reports whether there is one.
func (c *converter) figure(members map[string]string, s Series, cell sheet.Cell) (there bool, err error) {
	if s.As == "code" && cell.Kind != sheet.Fault {
		text := trim(cell.Text)
		if there = text != "" && !slices.Contains(c.Table.Missing, text); there {
			members["code"], err = c.word("code", text)
		}
		return there, err
	}
	v, there, err := c.Table.value(cell)
	maps.Copy(members, v.set)
	if there {
		members[cmp.Or(v.bound, "value")] = v.number
	}
	if v.lower != "" {
		members["lower"], members["upper"] = v.lower, v.upper
	}
	return there, err
}

// empty reports whether a row without a value is one all the same: it has a figure in another
// column, or a status that says why there is none.
func (c *converter) empty(members map[string]string, s Series, row sheet.Row) bool {
	if record.ObsStatus(members["obs_status"]).CanBeEmpty() && members["obs_status"] != "" {
		return true
	}
	for _, from := range []map[string]string{c.Columns, s.Columns} {
		for _, member := range []string{"less_than", "greater_than", "code", "obs_status"} {
			text := trim(row.At(c.at[from[member]]).Text)
			if from[member] == "" || text == "" {
				continue
			}
			if word, err := c.word(member, text); member != "obs_status" || err == nil && record.ObsStatus(word).CanBeEmpty() {
				return true
			}
		}
	}
	return members["less_than"] != "" || members["greater_than"] != "" || members["code"] != ""
}

// word is what a text stands for in a member.
func (c *converter) word(member, text string) (string, error) {
	words := c.Words[member]
	if words == nil {
		return text, nil
	}
	if word, known := words[text]; known {
		return word, nil
	}
	return "", fmt.Errorf("%q is not among the words of %s: add it there", text, member)
}

// member fills a member from a cell.
func (c *converter) member(members map[string]string, member string, cell sheet.Cell, column string, row sheet.Row) {
	text, err := c.word(member, trim(cell.Text))
	if err != nil {
		c.fault(row, column, err)
		return
	}
	switch {
	case cell.Kind == sheet.Fault:
		err = fmt.Errorf("the spreadsheet shows the error %s: mend it there", text)
	case member == "ref_area" && c.Columns["ref_area_scheme"] == "":
		err = c.area(members, text)
	case text == "":
	case member == "time_period" || member == "vintage":
		members[member], err = c.Table.period(text)
	case slices.Contains(numbers, member):
		members[member], err = c.Table.plain(cell)
	case text[0] == '{' || text[0] == '[':
		err = c.unfold(members, member, text)
	case column == c.Columns["ref_area"] && c.Areas[text].Name != "":
		members[member] = c.Areas[text].Name
	default:
		members[member] = text
	}
	if err != nil {
		c.fault(row, column, err)
	}
}

// numbers are the members that are numbers, besides the value.
var numbers = []string{"less_than", "greater_than", "lower", "upper", "level", "numerator", "denominator"}

// area fills scheme and code.
func (c *converter) area(members map[string]string, text string) error {
	if a, known := c.Areas[text]; known {
		members["ref_area_scheme"], members["ref_area"] = a.Scheme, a.Code
		return nil
	}
	p, found := places.Country(text)
	if !found {
		hint := "write in areas what it stands for"
		if r, isRegion := places.Region(text); isRegion {
			hint = fmt.Sprintf("if it is that of UN M49, write in areas %q: {ref_area_scheme: un_m49, ref_area: %q}", text, r.Code)
		} else if near := places.Suggest(text); near != "" {
			hint += fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("%q is no country of ISO 3166: %s", text, hint)
	}
	members["ref_area_scheme"], members["ref_area"] = string(record.SchemeISO3166), p.Code
	c.result.Areas[text] = p
	return nil
}

// add adds a record to its file. A column that no record had before comes after those that are
// there.
func (c *converter) add(s Series, members map[string]string, row sheet.Row) {
	folder := inBraces.ReplaceAllStringFunc(s.Folder, func(name string) string {
		return slug(row.At(c.at[name[1:len(name)-1]]).Text)
	})
	v := c.files[folder]
	if v == nil {
		v = &Values{Path: path.Join("records", record.KindNamed(c.Kind).Folder(), folder, "values.csv"), set: map[string]bool{}}
		c.files[folder] = v
		c.result.Files = append(c.result.Files, v)
	}
	for member := range s.Set {
		v.set[member] = true
	}
	cells := make([]string, len(v.Header))
	known := 0
	for i, member := range v.Header {
		text, has := members[member]
		if cells[i] = text; has {
			known++
		}
	}
	if known < len(members) {
		for _, member := range slices.Sorted(maps.Keys(members)) {
			if !slices.Contains(v.Header, member) {
				v.Header, cells = append(v.Header, member), append(cells, members[member])
			}
		}
	}
	v.Rows, v.lines = append(v.Rows, cells), append(v.lines, row.Line)
}

// first are the columns that come first, in this order, where a file has them.
var first = []string{"id", "indicator", "ref_area_scheme", "ref_area", "time_period", "vintage", "value", "less_than", "greater_than", "code", "lower", "upper", "obs_status"}

// rank is where a column belongs: first those that are listed, last those that are set.
func (v *Values) rank(member string) int {
	switch i := slices.Index(first, member); {
	case i >= 0:
		return i
	case v.set[member]:
		return len(first) + 1
	}
	return len(first)
}

// finish brings columns into their order.
func (v *Values) finish() {
	header := slices.SortedFunc(slices.Values(v.Header), func(a, b string) int {
		return cmp.Or(cmp.Compare(v.rank(a), v.rank(b)), strings.Compare(a, b))
	})
	from := make([]int, len(header))
	for i, member := range header {
		from[i] = slices.Index(v.Header, member)
	}
	for n, row := range v.Rows {
		cells := make([]string, len(header))
		for i, at := range from {
			if at < len(row) {
				cells[i] = row[at]
			}
		}
		v.Rows[n] = cells
	}
	v.Header = header
}

// key is the same for rows that are about the same: area, period, vintage, dimensions and unit.
func key(header, row []string) string {
	var b strings.Builder
	scheme := record.AreaScheme("")
	for i, member := range header {
		text := row[i]
		switch {
		case text == "":
			continue
		case member == "ref_area_scheme":
			scheme = record.AreaScheme(text)
			continue
		case member == "ref_area":
			text = scheme.Key(text)
		case member != "id" && member != "time_period" && member != "vintage" && member != "unit" && member != "indicator" && !strings.HasPrefix(member, "dimensions."):
			continue
		}
		b.WriteString(member)
		b.WriteByte(0)
		b.WriteString(text)
		b.WriteByte(0)
	}
	return b.String()
}

// twice finds rows that are about the same.
func (c *converter) twice(v *Values) {
	seen := map[string]int{}
	for i, row := range v.Rows {
		k := key(v.Header, row)
		if line, found := seen[k]; found && k != "" {
			c.fault(sheet.Row{Line: v.lines[i]}, "", fmt.Errorf("it is about the same as line %d: area, period, dimensions and vintage do not differ", line))
		}
		seen[k] = v.lines[i]
	}
}
