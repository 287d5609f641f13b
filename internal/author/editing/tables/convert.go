package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/schema"
	"stele/internal/base/sheet"
	"stele/internal/base/suggest"
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
}

// Result is what a table gives.
type Result struct {
	Files   []*Values // in the order of the map's series
	Figures int
	Missing int // cells without a value
	// Ignored are how many rows were not taken, by the words for which; Without how many records
	// lack a member because its cell is empty, though it has words.
	Ignored map[string]int
	Without map[string]int
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

// converter turns rows into records.
type converter struct {
	*Map
	by      rune // the delimiter of the file
	names   []string
	unnamed map[int]bool // columns without a head that the map does not mention
	at      map[string]int
	series  []*seriesIn
	values  []int // the columns of figures
	reading map[int]*reading
	layouts map[int]*Layout // how the numbers of a column are read, where not as the table's
	area    int             // the column of areas; -1 where there is none
	result  *Result
	files   map[string]*Values
	folders map[string]string // the words that a folder was named after
	faults  Faults
	known   map[string]int // the fault of a column and text
}

// seriesIn is a series in a table: where its cells are.
type seriesIn struct {
	*Series
	members []cellOf // by their names
	found   []match
	where   map[int]string
	owned   map[string]bool
}

// cellOf is a member, and the column that it is taken from.
type cellOf struct {
	member string
	column int
}

// match is a column of values, and what its name says.
type match struct {
	column int
	groups []cellText
}

type cellText struct{ member, text string }

// Read reads the table in a file.
func (m *Map) Read(ctx context.Context, path string) (*Result, error) {
	t, err := sheet.Open(ctx, path, m.Table.Options)
	if err != nil {
		return nil, err
	}
	result, err := m.Convert(t)
	return result, errors.Join(err, t.Close())
}

// Convert reads a table. If any place of it cannot be taken, the error is of type Faults.
func (m *Map) Convert(t *sheet.Table) (*Result, error) {
	c := &converter{
		Map: m, by: t.Delimiter, at: map[string]int{}, files: map[string]*Values{}, folders: map[string]string{},
		known: map[string]int{}, reading: map[int]*reading{}, layouts: map[int]*Layout{},
		result: &Result{Ignored: map[string]int{}, Without: map[string]int{}},
	}
	if len(t.Sheets) > 1 && m.Table.Sheet == "" && m.Table.Path == "" && t.Sheet != "" {
		return nil, fmt.Errorf("it has the sheets %s: write below table in the map which one, sheet: %q", strings.Join(t.Sheets, ", "), t.Sheet)
	}
	rows, names, err := m.header(t)
	if err != nil {
		return nil, err
	}
	if err := c.begin(names); err != nil {
		return nil, err
	}
	if err := errors.Join(c.survey(rows), c.lines(rows)); err != nil {
		return nil, err
	}
	if len(c.faults) > 0 {
		return nil, c.faults
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
	hidden := map[int]bool{}
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
			for i, cell := range row.Cells {
				hidden[i] = hidden[i] || cell.Hidden
			}
		}
	}
	if len(above) == 0 {
		return nil, nil, fmt.Errorf("there is no row %d, which the map names as the header", last)
	}
	names = joinNames(above)
	for i, name := range names {
		if hidden[i] && !m.Table.Hidden && name != "" && !slices.Contains(m.Ignore.columns, name) {
			return nil, nil, fmt.Errorf("the column %q is hidden in the workbook: name it in ignore; or, if it may be published, write hidden: true below table", name)
		}
	}
	return func(yield func(sheet.Row, error) bool) {
		for row, err := range t.Rows() {
			if err == nil && (row.Line <= last || firstText(row) == "") {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}, names, nil
}

// ends reports whether a row is the one after the last.
func (l *Layout) ends(row sheet.Row) bool {
	return l.End != "" && strings.HasPrefix(firstText(row), l.End)
}

// unnamed is what a map calls a column that has no head.
func unnamed(i int) string { return fmt.Sprintf("column %d", i+1) }

// firstText is what the first cell says that says something; nothing where the row is empty.
func firstText(row sheet.Row) string {
	for _, c := range row.Cells {
		if text := trim(c.Text); text != "" {
			return text
		}
	}
	return ""
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
	c.names, c.unnamed = names, map[int]bool{}
	for i, name := range names {
		if name == "" {
			c.unnamed[i], names[i] = true, unnamed(i)
			name = names[i]
		}
		if _, twice := c.at[name]; twice {
			return fmt.Errorf("the column %q is there twice: the map cannot tell them apart. If heads stand in two rows, name both, header: [1, 2]", name)
		}
		c.at[name] = i
	}
	taken := map[string]bool{}
	for column := range c.Ignore.rows {
		taken[column] = true
	}
	for i := range c.Series {
		s, err := c.find(&c.Series[i], taken)
		if err != nil {
			return err
		}
		c.series = append(c.series, s)
	}
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if _, found := c.at[name]; !found {
			near := suggest.To(name, names)
			if near != "" {
				near = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("the table has no column %q%s", name, near)
		}
	}
	c.area = -1
	if at, found := c.at[c.Columns["ref_area"]]; found {
		c.area = at
	}
	var left []string
	for i, name := range names {
		switch {
		case taken[name] || slices.Contains(c.Ignore.columns, name):
			delete(c.unnamed, i)
		case !c.unnamed[i]:
			left = append(left, strconv.Quote(name))
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("columns that the map does not name: %s. Add each to columns, to a series, or to ignore", strings.Join(left, ", "))
	}
	return c.persons(taken)
}

// find finds the columns of a series, and marks those that it takes.
func (c *converter) find(s *Series, taken map[string]bool) (*seriesIn, error) {
	in := &seriesIn{Series: s, where: map[int]string{}, owned: c.owned(s)}
	of := present(c.Columns, c.names)
	maps.Copy(of, present(s.Columns, c.names))
	for _, column := range of {
		taken[column] = true
	}
	for column, word := range s.Where {
		taken[column] = true
		in.where[c.at[column]] = word
	}
	for _, column := range inBraces.FindAllString(s.Folder, -1) {
		taken[column[1:len(column)-1]] = true
	}
	for _, member := range slices.Sorted(maps.Keys(of)) {
		in.members = append(in.members, cellOf{member, c.at[of[member]]})
	}
	in.found = c.valueColumns(s)
	if s.Value != "" {
		taken[s.Value] = true
	}
	if len(in.found) == 0 && s.Values != "" {
		return nil, fmt.Errorf("series %s: no column fits the pattern %s", s.Folder, s.Values)
	}
	for _, m := range in.found {
		if m.column >= 0 {
			taken[c.names[m.column]] = true
			if !slices.Contains(c.values, m.column) {
				c.values = append(c.values, m.column)
			}
		}
	}
	return in, nil
}

// owned are the members that a series can fill.
func (c *converter) owned(s *Series) map[string]bool {
	all := map[string]bool{}
	for _, from := range append(slices.Collect(maps.Values(c.Table.Marks)), c.Columns, s.Columns, s.Set) {
		for member := range from {
			all[member] = true
			m := record.KindNamed(c.Kind).Shape().Member(member)
			if m != nil && (m.Shape.Type == schema.Object || m.Shape.Type == schema.Array) {
				all[member+"."] = true
			}
		}
	}
	if s.pattern != nil {
		for _, group := range s.pattern.SubexpNames() {
			all[memberOf(group)] = true
		}
	}
	if s.pattern != nil || s.Value != "" {
		for _, member := range []string{"value", "less_than", "greater_than", "code", "lower", "upper"} {
			all[member] = true
		}
	}
	all["x_"] = all[otherMembers]
	return all
}

func (c *converter) valueColumns(s *Series) (found []match) {
	switch {
	case s.Value != "":
		return []match{{column: c.at[s.Value]}}
	case s.pattern == nil:
		return []match{{column: -1}}
	}
	for i, name := range c.names {
		groups := s.pattern.FindStringSubmatch(name)
		if groups == nil || slices.Contains(c.Ignore.columns, name) {
			continue
		}
		m := match{column: i}
		for g, group := range s.pattern.SubexpNames() {
			if group != "" {
				m.groups = append(m.groups, cellText{memberOf(group), groups[g]})
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

// survey looks at all figures before the first is taken, so that no cell is read without the others
// of its column.
func (c *converter) survey(rows func(func(sheet.Row, error) bool)) error {
	for _, i := range c.values {
		c.reading[i] = &reading{}
	}
	for _, s := range c.series {
		for _, m := range s.members {
			if slices.Contains(numbers, m.member) {
				c.reading[m.column] = &reading{}
			}
		}
		if s.As == "code" {
			for _, m := range s.found {
				delete(c.reading, m.column)
			}
		}
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if c.Table.ends(row) {
			break
		}
		if c.ignores(row) != "" {
			continue
		}
		for i, r := range c.reading {
			r.look(&c.Table, row.At(i), row.Line)
		}
	}
	for i, r := range c.reading {
		l := c.Table
		if err := r.question(&c.Table, c.by); err != nil {
			c.fault(sheet.Row{Line: max(r.openLine, r.plainLine)}, c.names[i], err)
		}
		l.Decimal = cmp.Or(r.decimal(&c.Table, c.by), ".")
		c.layouts[i] = &l
	}
	slices.SortFunc(c.faults, func(a, b Fault) int { return strings.Compare(a.Column, b.Column) })
	return nil
}

// ignores says why a row is not taken; nothing if it is.
func (c *converter) ignores(row sheet.Row) string {
	if row.Hidden && !c.Table.Hidden {
		return "hidden"
	}
	if text := trim(row.At(c.area).Text); c.area >= 0 {
		if a, known := c.Areas[text]; known && a.Code == "" {
			return strconv.Quote(text)
		}
	}
	for _, column := range slices.Sorted(maps.Keys(c.Ignore.rows)) {
		text := trim(row.At(c.at[column]).Text)
		for _, word := range c.Ignore.rows[column] {
			begin, some := strings.CutSuffix(word, "…")
			if text == word || some && begin != "" && strings.HasPrefix(text, begin) {
				return strconv.Quote(word)
			}
		}
	}
	return ""
}

// row takes the values of a row, each by the first series that it belongs to.
func (c *converter) row(row sheet.Row) {
	if c.result.Ignored[afterEnd] > 0 || c.Table.ends(row) {
		c.result.Ignored[afterEnd]++
		return
	}
	if why := c.ignores(row); why != "" {
		c.result.Ignored[why]++
		return
	}
	done, before := map[int]bool{}, c.result.Figures
	for _, s := range c.series {
		if !s.applies(row) {
			continue
		}
		for _, m := range s.found {
			if m.column >= 0 && done[m.column] {
				continue
			}
			done[m.column] = true
			c.take(s, m, row)
		}
	}
	for _, i := range c.values {
		if text := trim(row.At(i).Text); text != "" && !done[i] && !slices.Contains(c.Table.Missing, text) {
			c.fault(row, c.names[i], errors.New("no series takes the row"+c.words(row)+": add a series, or name the row in ignore"))
		}
	}
	if text := trim(row.At(c.area).Text); c.area >= 0 && c.result.Figures == before && c.Columns["ref_area_scheme"] == "" {
		if err := c.areaOf(map[string]string{}, text); err != nil { // a note, or a total without figures
			c.fault(row, c.names[c.area], err)
		}
	}
	for i, cell := range row.Cells {
		if trim(cell.Text) != "" && (i >= len(c.names) || c.unnamed[i]) {
			c.fault(row, "", fmt.Errorf("%q stands in cell %d, whose column has no name: give it one, or name it %q in ignore", cell.Text, i+1, unnamed(i)))
		}
	}
}

// afterEnd is what rows are counted under that stand after the last one.
const afterEnd = "after the end"

// words are those that series ask for, as a row has them.
func (c *converter) words(row sheet.Row) (said string) {
	seen := map[int]bool{}
	for _, s := range c.series {
		for _, i := range slices.Sorted(maps.Keys(s.where)) {
			if !seen[i] {
				said += fmt.Sprintf(", whose %q is %q", c.names[i], trim(row.At(i).Text))
			}
			seen[i] = true
		}
	}
	return said
}

func (s *seriesIn) applies(row sheet.Row) bool {
	for i, word := range s.where {
		if trim(row.At(i).Text) != word {
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
		c.known[of] = len(c.faults)
		c.faults = append(c.faults, Fault{Line: row.Line, Column: column, Err: err, last: row.Line})
	case known && c.faults[i].last != row.Line:
		c.faults[i].More++
		c.faults[i].last = row.Line
	}
}

// take makes a record of one value of a row.
func (c *converter) take(s *seriesIn, m match, row sheet.Row) {
	members := map[string]string{}
	if m.column >= 0 {
		there, err := c.figure(members, s, m.column, row.At(m.column))
		if err != nil {
			c.fault(row, c.names[m.column], err)
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
	for _, from := range s.members {
		c.member(members, from, row.At(from.column), row)
	}
	for _, g := range m.groups {
		c.member(members, cellOf{g.member, m.column}, sheet.Cell{Text: g.text}, row)
	}
	if members["lower"] == "" && members["upper"] == "" { // what is set is for those that have one
		delete(members, "interval")
		delete(members, "level")
	}
	c.add(s, members, row)
}

// figure fills the members of what a cell says: a value, with its interval, a bound or a code. It
// reports whether there is one.
func (c *converter) figure(members map[string]string, s *seriesIn, column int, cell sheet.Cell) (bool, error) {
	if s.As == "code" && cell.Kind != sheet.Fault {
		text := trim(cell.Text)
		if text == "" || slices.Contains(c.Table.Missing, text) {
			return false, nil
		}
		var err error
		members["code"], err = c.word("code", text)
		return true, err
	}
	v, there, err := cmp.Or(c.layouts[column], &c.Table).value(cell)
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
func (c *converter) empty(members map[string]string, s *seriesIn, row sheet.Row) bool {
	if record.ObsStatus(members["obs_status"]).CanBeEmpty() && members["obs_status"] != "" {
		return true
	}
	for _, from := range s.members {
		text := trim(row.At(from.column).Text)
		switch from.member {
		case "less_than", "greater_than", "code":
			if text != "" {
				return true
			}
		case "obs_status":
			if word, err := c.word(from.member, text); text != "" && err == nil && record.ObsStatus(word).CanBeEmpty() {
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
	word, known := words[text]
	switch {
	case known:
		return word, nil
	case text == "":
		c.result.Without[member]++
		return "", nil
	}
	return "", fmt.Errorf("%q is not among the words of %s: add it there", text, member)
}

// member fills a member from a cell.
func (c *converter) member(members map[string]string, from cellOf, cell sheet.Cell, row sheet.Row) {
	member, column := from.member, c.names[from.column]
	text, err := c.word(member, trim(cell.Text))
	switch {
	case err != nil:
	case cell.Kind == sheet.Fault:
		err = faulty(text)
	case member == "ref_area" && c.Columns["ref_area_scheme"] == "":
		err = c.areaOf(members, text)
	case text == "":
	case member == "time_period" && cell.Kind == sheet.Date && yearHead.MatchString(column) && len(text) == len(time.DateOnly):
		err = fmt.Errorf("%s is a day below a head that says years: give the cells a format of numbers in the workbook", text)
	case member == "time_period" || member == "vintage":
		members[member], err = c.Table.period(text)
	case slices.Contains(numbers, member):
		members[member], err = cmp.Or(c.layouts[from.column], &c.Table).plain(cell)
	case text[0] == '{' || text[0] == '[':
		err = c.unfold(members, member, text)
	case from.column == c.area && c.Areas[text].Name != "":
		members[member] = c.Areas[text].Name
	default:
		members[member] = text
		if member == "x_area_name" && from.column != c.area && c.area >= 0 {
			err = c.agrees(text, trim(row.At(c.area).Text))
		}
	}
	if err != nil {
		c.fault(row, column, err)
	}
}

// agrees makes sure that two columns name one country, where both do.
func (c *converter) agrees(name, area string) error {
	a, known1 := places.Country(name)
	b, known2 := places.Country(area)
	if _, stated := c.Areas[area]; known1 && known2 && !stated && a.Code != b.Code {
		return fmt.Errorf("%q is %s, and %q in column %q is %s: mend it in the table, or take only one of the columns", name, a.Code, area, c.names[c.area], b.Code)
	}
	return nil
}

// yearHead is in heads below which a workbook may show a year as a day, where its cell has the
// format of a date.
var yearHead = regexp.MustCompile(`(?i)\b(year|jahr|année|annee|año|anno|ano|rok|år)\b`)

// numbers are the members that are numbers, besides the value.
var numbers = []string{"less_than", "greater_than", "lower", "upper", "level", "numerator", "denominator"}

// areaOf fills scheme and code.
func (c *converter) areaOf(members map[string]string, text string) error {
	if a, known := c.Areas[text]; known {
		members["ref_area_scheme"], members["ref_area"] = a.Scheme, a.Code
		return nil
	}
	p, found := places.Country(text)
	if !found {
		hint := "write in areas what it stands for; if the row is a total or a note, name it in ignore"
		if r, isRegion := places.Region(text); isRegion {
			hint = fmt.Sprintf("if it is that of UN M49, write in areas %q: {ref_area_scheme: un_m49, ref_area: %q}", text, r.Code)
		} else if near := places.Suggest(text); near != "" {
			hint += fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("%q is not a country of ISO 3166: %s", text, hint)
	}
	members["ref_area_scheme"], members["ref_area"] = string(record.SchemeISO3166), p.Code
	return nil
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
	v := c.files[folder]
	if v == nil {
		v = &Values{
			Path: path.Join("records", record.KindNamed(c.Kind).Folder(), folder, "values.csv"),
			set:  map[string]bool{}, owned: map[string]bool{}, defaults: []*yaml.Node{&c.Defaults, &s.Defaults},
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
		}
	}
	v.Rows, v.lines = append(v.Rows, members), append(v.lines, row.Line)
	c.result.Figures++
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
	var parts []string
	for member, text := range members {
		switch {
		case text == "" || member == "ref_area_scheme":
			continue
		case member == "ref_area":
			text = record.AreaScheme(members["ref_area_scheme"]).Key(text)
		case member != "time_period" && member != "vintage" && member != "indicator" && !strings.HasPrefix(member, "dimensions."):
			continue
		}
		parts = append(parts, member+"\x00"+text+"\x00")
	}
	slices.Sort(parts)
	return strings.Join(parts, "")
}

// twice finds rows that are about the same.
func (c *converter) twice(v *Values) {
	seen := map[string]int{}
	for i, row := range v.Rows {
		k := key(row)
		if line, found := seen[k]; found && k != "" {
			c.fault(sheet.Row{Line: v.lines[i]}, "", fmt.Errorf("it is about the same as line %d: area, period, dimensions and vintage do not differ. Name a column that tells them apart in columns, as dimensions.…, or one of the rows in ignore", line))
		}
		seen[k] = v.lines[i]
	}
}
