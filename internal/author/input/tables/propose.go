package tables

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"stele/internal/author/settings/places"
	"stele/internal/base/sheet"
)

// column is what was seen of a column.
type column struct {
	name                           string
	filled, countries, periods     int
	split                          bool // whether years are named by two
	numbers, commas, groups, blank int
	words                          map[string]int // up to a number of different texts
	odd                            map[string]int // texts in a column of numbers that are none
}

// manyWords is how many different texts of a column are kept.
const manyWords = 5000

var (
	yearName  = regexp.MustCompile(`^(1[5-9]|20|21)\d\d$`)
	decimals  = regexp.MustCompile(`^-?\d+,\d+%?$`)
	thousands = regexp.MustCompile(`^-?\d{1,3}([,. '\x{00a0}\x{202f}])\d{3}([,. '\x{00a0}\x{202f}]\d{3})*([.,]\d+)?$`)
	numberish = regexp.MustCompile(`^[-−+]?[\d.,' \x{00a0}\x{202f}]*\d[\d.,]*\s*%?$`)
)

// Propose looks at a table and writes a map for it, with comments, for a person to correct.
func Propose(t *sheet.Table, file string, o sheet.Options) (string, error) {
	names, header, err := head(t)
	if err != nil {
		return "", err
	}
	p := &proposal{file: file, table: t, options: o, header: header}
	for i, name := range names {
		if name == "" {
			name = fmt.Sprintf("column %d", i+1)
		}
		p.columns = append(p.columns, &column{name: name, words: map[string]int{}, odd: map[string]int{}})
	}
	for row, err := range t.Rows() {
		if err != nil {
			return "", err
		}
		for i, c := range p.columns {
			if row.Line > header {
				c.look(row.At(i))
			}
		}
	}
	return p.write(), nil
}

// head finds the header of a table: of the first rows the one with the most names, where names are
// texts or years.
func head(t *sheet.Table) (names []string, line int, err error) {
	most, seen := 0, 0
	for row, err := range t.Rows() {
		if err != nil {
			return nil, 0, err
		}
		n := 0
		for _, c := range row.Cells {
			if text := trim(c.Text); text != "" && (!numberish.MatchString(text) || yearName.MatchString(text)) {
				n++
			}
		}
		if n > most {
			names, line, most = texts(row), row.Line, n
		}
		if seen++; seen == 30 || row.Line == 0 {
			break
		}
	}
	if most == 0 {
		return nil, 0, errors.New("no row of the table names its columns")
	}
	return names, line, nil
}

// look notes what a cell holds.
func (c *column) look(cell sheet.Cell) {
	text := trim(cell.Text)
	if text == "" {
		return
	}
	c.filled++
	if len(c.words) < manyWords {
		c.words[text]++
	}
	if _, found := places.Country(text); found {
		c.countries++
	}
	if isSplit(text) {
		c.periods++
		c.split = true
	} else if p, err := new(Layout).period(text); err == nil && (len(p) != 4 || yearName.MatchString(p)) {
		c.periods++
	}
	switch {
	case cell.Kind == sheet.Number:
		c.numbers++
	case thousands.MatchString(text):
		c.numbers++
		c.groups++
	case decimals.MatchString(text):
		c.numbers++
		c.commas++
	case numberish.MatchString(text):
		c.numbers++
	default:
		if len(text) <= 5 && strings.IndexFunc(text, unicode.IsDigit) < 0 { // such as n/a or ..
			c.blank++
		}
		if len(c.odd) < manyWords {
			c.odd[text]++
		}
	}
}

func (c *column) mostly(n int) bool { return c.filled > 0 && n*10 >= c.filled*8 }

// figures reports whether a column has numbers, wherever it has a value.
func (c *column) figures() bool { return c.numbers > 0 && c.numbers*10 >= (c.filled-c.blank)*8 }

// proposal is a map in the making.
type proposal struct {
	file    string
	table   *sheet.Table
	options sheet.Options
	header  int
	columns []*column
	taken   []string
	b       strings.Builder
}

func (p *proposal) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format+"\n", args...)
}

func (p *proposal) write() string {
	p.line("# How %s becomes records. Correct it, save it as map.yaml, and run", p.file)
	p.line("#   stele import %s --map map.yaml", p.file)
	if len(p.table.Notes) > 0 {
		p.line("# Found: %s.", strings.Join(p.table.Notes, ", "))
	}
	if len(p.table.Sheets) > 1 {
		p.line("# Sheets: %s.", strings.Join(p.table.Sheets, ", "))
	}
	values := p.values()
	p.layout(values)
	p.members(values)
	p.series(values)
	p.rest(values)
	return p.b.String()
}

// values are the columns of figures.
func (p *proposal) values() (found []*column) {
	area, time := p.area(), p.time()
	for _, c := range p.columns {
		if c != area && c != time && c.figures() && !c.mostly(c.countries) {
			found = append(found, c)
		}
	}
	return found
}

// area is the column that names countries in the way that is surest: by the code of three letters.
func (p *proposal) area() *column {
	var best *column
	rank := func(c *column) int {
		for word := range c.words {
			if len(word) != 3 || strings.ToUpper(word) != word {
				return c.countries
			}
		}
		return 2 * c.countries
	}
	for _, c := range p.columns {
		if c.countries*2 >= c.filled && c.countries > 0 && (best == nil || rank(c) > rank(best)) {
			best = c
		}
	}
	return best
}

func (p *proposal) time() *column {
	for _, c := range p.columns {
		if c.mostly(c.periods) && !c.mostly(c.countries) {
			return c
		}
	}
	return nil
}

// layout writes how the file is read.
func (p *proposal) layout(values []*column) {
	p.line("table:")
	for _, o := range [][2]string{{"sheet", p.options.Sheet}, {"path", p.options.Path}} {
		if o[1] != "" {
			p.line("  %s: %s", o[0], quote(o[1]))
		}
	}
	if p.header > 0 {
		p.line("  header: %d", p.header)
	}
	commas, groups := 0, map[string]int{}
	odd := map[string]int{}
	for _, c := range values {
		commas += c.commas
		for word, n := range c.words {
			if m := thousands.FindStringSubmatch(word); m != nil {
				groups[m[1]] += n
			}
		}
		for text, n := range c.odd {
			odd[text] += n
		}
	}
	sign := ""
	if len(groups) > 0 {
		sign = slices.MaxFunc(slices.Sorted(maps.Keys(groups)), func(a, b string) int {
			return cmp.Compare(groups[a], groups[b])
		})
	}
	switch {
	case commas > 0 && sign != ",":
		p.line("  decimal: \",\"")
	case sign == ".":
		p.line("  decimal: \",\" # 1.234 is taken for 1234; delete both lines if it is less than two")
	}
	if sign != "" {
		p.line("  thousands: %s", quote(sign))
	}
	if time := p.time(); time != nil && time.split {
		p.line("  year: 04-01 # the day on which a year such as 2016/17 begins; correct it")
	}
	p.missing(odd)
}

// missing writes what stands where there is no value, and names what else is no number.
func (p *proposal) missing(odd map[string]int) {
	var none, other []string
	for _, text := range slices.Sorted(maps.Keys(odd)) {
		letters := strings.IndexFunc(text, unicode.IsDigit) < 0
		if letters && len(text) <= 20 {
			none = append(none, quote(text))
		} else {
			other = append(other, text)
		}
	}
	if len(none) > 0 {
		p.line("  missing: [%s] # no record is made where one of these stands", strings.Join(none[:min(len(none), 20)], ", "))
	}
	for _, text := range other[:min(len(other), 5)] {
		p.line("  # %s is no number.", quote(text))
	}
}

// members writes the columns that are not figures.
func (p *proposal) members(values []*column) {
	area, time := p.area(), p.time()
	p.line("columns:")
	if area != nil {
		p.take("ref_area", area)
		name := area
		for _, c := range p.columns {
			if c != area && c.countries > 0 && c.named("country", "name", "entity", "location", "area") {
				name = c
			}
		}
		p.take("x_area_name", name)
	} else {
		p.line("  # ref_area: the column of countries or areas; none was found")
	}
	if time != nil {
		p.take("time_period", time)
	}
	for _, c := range p.columns {
		if !slices.Contains(values, c) && !slices.Contains(p.taken, c.name) && c.dimension() {
			p.take("dimensions."+slug(c.name), c)
		}
	}
	p.areas(area)
}

// dimension reports whether a column divides the values: by a few words that differ, none of them
// countries.
func (c *column) dimension() bool {
	return len(c.words) > 1 && len(c.words) <= 60 && c.countries*2 < c.filled
}

func (c *column) named(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(c.name), w) })
}

func (p *proposal) take(member string, c *column) {
	p.line("  %s: %s", member, quote(c.name))
	p.taken = append(p.taken, c.name)
}

// areas writes the names that stand for no country.
func (p *proposal) areas(c *column) {
	if c == nil {
		return
	}
	begun := false
	for _, text := range slices.Sorted(maps.Keys(c.words)) {
		if _, found := places.Country(text); found {
			continue
		}
		if !begun {
			p.line("areas: # what is no country of ISO 3166; confirm each")
			begun = true
		}
		if r, found := places.Region(text); found {
			p.line("  %s: {ref_area_scheme: un_m49, ref_area: %q} # %s, if the table means the same", quote(text), r.Code, r.Name)
			continue
		}
		hint := ""
		if near := places.Suggest(text); near != "" {
			hint = "; perhaps " + near
		}
		p.line("  %s: {ref_area_scheme: entity, ref_area: ent-%s} # write an entity record, or a code%s", quote(text), slug(text), hint)
	}
}

// series writes a series for each column of figures, with the columns of its interval.
func (p *proposal) series(values []*column) {
	p.line("series:")
	var years []*column
	for _, c := range values {
		if yearName.MatchString(c.name) {
			years = append(years, c)
		}
	}
	if len(years) > 2 {
		p.line("  - folder: values # the name of the indicator")
		p.line("    values: '(?P<time_period>\\d{4})' # %s to %s", years[0].name, years[len(years)-1].name)
		for _, c := range years {
			p.taken = append(p.taken, c.name)
		}
	}
	for _, c := range values {
		if slices.Contains(p.taken, c.name) {
			continue
		}
		lower, upper := p.ends(c, values)
		p.line("  - folder: %s", slug(c.name))
		p.line("    value: %s", quote(c.name))
		p.taken = append(p.taken, c.name)
		if lower != nil && upper != nil {
			p.line("    columns: {lower: %s, upper: %s}", quote(lower.name), quote(upper.name))
			p.taken = append(p.taken, lower.name, upper.name)
		}
	}
}

// ends are the columns that hold the interval of another: those with its name and a word for low
// and high.
func (p *proposal) ends(c *column, values []*column) (lower, upper *column) {
	for _, other := range values {
		switch rest, found := strings.CutPrefix(strings.ToLower(other.name), strings.ToLower(c.name)); {
		case !found || slices.Contains(p.taken, other.name):
		case slices.Contains([]string{"lo", "low", "lower", "lb", "lower bound", "lci"}, strings.Trim(rest, " _-.")):
			lower = other
		case slices.Contains([]string{"hi", "high", "upper", "ub", "upper bound", "uci"}, strings.Trim(rest, " _-.")):
			upper = other
		}
	}
	return lower, upper
}

// rest writes the columns that are not taken.
func (p *proposal) rest([]*column) {
	begun := false
	for _, c := range p.columns {
		if slices.Contains(p.taken, c.name) {
			continue
		}
		if !begun {
			p.line("ignore: # columns that are not taken")
			begun = true
		}
		p.line("  - %s", quote(c.name))
	}
}

func quote(text string) string { return strconv.Quote(text) }

// slug is a name in lower case, with hyphens for what is no letter or digit of ASCII.
func slug(name string) string {
	s := strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	return cmp.Or(s, "values")
}
