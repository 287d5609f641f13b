package tables

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"stele/internal/author/reading/settings/places"
	"stele/internal/base/fold"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet"
)

// Proposal is a map for a table, with comments, for a person to correct.
type Proposal struct {
	Map       string
	Questions []Question
}

// column is what was seen of a column.
type column struct {
	name           string
	hidden         bool
	filled, faults int
	tally
	split   bool           // whether years are named by two
	words   map[string]int // up to a number of different texts
	odd     map[string]int // texts in a column of numbers that are none
	known   map[string]tally
	sampled map[string]bool
	reading reading
	seen    map[string][]sample // by indicator: the first, the smallest, the largest
	unread  error               // why a figure cannot be read
}

// tally is what a text counts for.
type tally struct{ countries, periods, numbers, blank int }

// sample is a cell, and the number that it is read as.
type sample struct {
	text, number string
	value        *big.Rat
}

// manyWords is how many different texts of a column are kept.
const manyWords = 5000

var (
	yearName  = regexp.MustCompile(`^(1[5-9]|20|21)\d\d$`)
	yearFirst = regexp.MustCompile(`^((1[5-9]|20|21)\d\d)\b`)
	spacedOut = regexp.MustCompile(`\d([ '\x{00a0}\x{202f}’])\d{3}`)
	totals    = regexp.MustCompile(`(?i)^(grand |sub-?)?(total|totals|all|sum|gesamt|insgesamt|summe|ensemble|totale|totaal|suma|todos|المجموع|الإجمالي)\b`)
	measures  = regexp.MustCompile(`(?i)\b(indicators?|indikator|indicateur|indicador|measures?|variables?|metric|series)\b`)
	areaName  = regexp.MustCompile(`(?i)country|name|entity|location|area`)
	codeHead  = regexp.MustCompile(`(?i)(^|[ _-])(m49|iso|code|id|rank)([ _-]|$)`)
)

// Propose looks at a table and writes a map for it.
//
// A second call with the answers to the questions of the first gives a map with these in it, and
// asks nothing twice.
func Propose(
	open func(sheet.Options) (*sheet.Table, error), file string, o sheet.Options, answers ...Answers,
) (*Proposal, error) {
	t, err := openTable(open, &o)
	if err != nil {
		return nil, err
	}
	p := &proposal{file: file, table: t, options: o, by: t.Delimiter, answers: Answers{}}
	for _, a := range answers {
		maps.Copy(p.answers, a)
	}
	if err := errors.Join(p.look(), t.Close()); err != nil {
		return nil, err
	}
	p.write()
	return &Proposal{p.b.String(), p.questions}, nil
}

// openTable opens a file, and of a workbook the first sheet that is a table.
func openTable(open func(sheet.Options) (*sheet.Table, error), o *sheet.Options) (*sheet.Table, error) {
	t, err := open(*o)
	if err != nil || len(t.Sheets) < 2 || o.Sheet != "" || t.Sheet == "" {
		return t, err
	}
	sheets := t.Sheets
	o.Sheet = t.Sheet
	for _, name := range sheets {
		at := *o
		at.Sheet = name
		other, err := open(at)
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
		wide := 0
		for row, err := range other.Rows() {
			if err != nil || row.Line > 200 {
				break // what is wrong with it comes when it is read
			}
			if filled(row) > 2 {
				wide++
			}
		}
		if wide > 1 {
			o.Sheet = name
			return other, t.Close()
		}
		if err := other.Close(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func filled(row sheet.Row) (n int) {
	for _, c := range row.Cells {
		if trim(c.Text) != "" {
			n++
		}
	}
	return n
}

// proposal is a map in the making.
type proposal struct {
	file      string
	table     *sheet.Table
	options   sheet.Options
	by        rune
	header    []int
	names     []string
	columns   []*column
	layout    Layout
	end       string // how the first row after the last begins
	hidden    int    // rows
	taken     []string
	questions []Question
	answers   Answers
	// indicators is the column whose words are indicators; -1 where there is none.
	indicators int
	b          strings.Builder
}

func (p *proposal) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// ask writes a question, and keeps it.
func (p *proposal) ask(format string, args ...any) {
	q := fmt.Sprintf(format, args...)
	p.questions = append(p.questions, Question{ID: fmt.Sprint("question ", len(p.questions)+1), Kind: AskTable, Text: q})
	p.line("  # Question: %s", q)
}

// look reads the table twice: what its cells allow, and what its figures are then.
func (p *proposal) look() error {
	names, err := p.head()
	if err != nil {
		return err
	}
	p.names = names
	for i, name := range names {
		name = cmp.Or(name, unnamed(i))
		p.columns = append(p.columns, &column{
			name: name, words: map[string]int{}, odd: map[string]int{},
			known: map[string]tally{}, sampled: map[string]bool{}, seen: map[string][]sample{},
		})
	}
	last, after := 0, ""
	if err := p.rows(0, func(row sheet.Row) {
		_, country := places.Country(firstText(row))
		switch n := filled(row); {
		case n > 1 || len(p.columns) < 3 || country:
			last, after = row.Line, ""
		case n == 1 && after == "":
			after = firstText(row)
		}
		if row.Hidden {
			p.hidden++
		}
	}); err != nil {
		return err
	}
	if err := p.rows(last, func(row sheet.Row) {
		for i, c := range p.columns {
			c.look(row.At(i), row.Line)
		}
	}); err != nil {
		return err
	}
	if err := p.persons(); err != nil {
		return err
	}
	p.end = p.beginning(after)
	p.findLayout()
	p.indicators = p.measure()
	return p.rows(last, func(row sheet.Row) {
		word := ""
		if p.indicators >= 0 {
			word = trim(row.At(p.indicators).Text)
		}
		for i, c := range p.columns {
			c.sample(&p.layout, row.At(i), p.by, word)
		}
	})
}

// rows visits those below the header, up to a last one if there is one.
func (p *proposal) rows(last int, visit func(sheet.Row)) error {
	for row, err := range p.table.Rows() {
		if err != nil {
			return err
		}
		if row.Line > slices.Max(p.header) && (last == 0 || row.Line <= last) && firstText(row) != "" {
			visit(row)
		}
	}
	return nil
}

// beginning is how a note begins: its first word, unless other rows begin so.
func (p *proposal) beginning(note string) string {
	word, _, _ := strings.Cut(note, " ")
	if len(word) < 4 {
		return note
	}
	for _, c := range p.columns {
		for text := range c.words {
			if strings.HasPrefix(text, word) {
				return note
			}
		}
	}
	return word
}

// head finds the header of a table: of the first rows the one with the most names, where names are
// texts or years, and the one above it where cells were merged.
func (p *proposal) head() ([]string, error) {
	most, seen := 0, 0
	var above, names, before []string
	lineBefore := 0
	for row, err := range p.table.Rows() {
		if err != nil {
			return nil, err
		}
		n := 0
		for _, c := range row.Cells {
			text := trim(c.Text)
			if yearFirst.MatchString(text) || strings.IndexFunc(text, unicode.IsLetter) >= 0 && c.Kind == sheet.Text {
				n++
			}
		}
		next := len(p.header) == 1 && row.Line == lineBefore+1 && lineBefore == p.header[0] && n == filled(row)
		if n > most || n > 1 && next && merged(names, texts(row)) {
			above, names, most, p.header = before, texts(row), max(n, most), []int{row.Line}
			if n > 0 && lineBefore == row.Line-1 && merged(above, names) {
				p.header = []int{row.Line - 1, row.Line}
			}
		}
		before, lineBefore = texts(row), row.Line
		if seen++; seen == 30 || row.Line == 0 {
			break
		}
	}
	if most == 0 {
		return nil, errors.New("no row of the table names its columns")
	}
	if len(p.header) == 2 {
		names = joinNames([][]string{above, names})
	}
	return names, nil
}

// merged reports whether a row of heads stands above another: it names groups of columns, so that
// names below are repeated, or missing where it has one.
func merged(above, below []string) bool {
	n, gaps := 0, false
	for i, name := range above {
		if name != "" {
			n++
		} else if i > 0 && i < len(below) && below[i] != "" {
			gaps = true
		}
	}
	seen := map[string]bool{}
	for i, name := range below {
		if name != "" && seen[name] || name == "" && i < len(above) && above[i] != "" {
			return n > 1 && gaps
		}
		seen[name] = true
	}
	return false
}

// look notes what a cell holds.
func (c *column) look(cell sheet.Cell, line int) {
	c.hidden = c.hidden || cell.Hidden
	text := trim(cell.Text)
	if text == "" {
		return
	}
	c.filled++
	if cell.Kind == sheet.Fault {
		c.faults++
	}
	if len(c.words) < manyWords || c.words[text] > 0 {
		c.words[text]++
	}
	t, known := c.known[text]
	if !known { // most cells of a large table say what others do
		if t = c.judge(text, cell, line); len(c.known) < manyWords {
			c.known[text] = t
		}
	}
	c.countries, c.periods = c.countries+t.countries, c.periods+t.periods
	c.numbers, c.blank = c.numbers+t.numbers, c.blank+t.blank
}

// judge says what a text counts for that was not seen before.
func (c *column) judge(text string, cell sheet.Cell, line int) (t tally) {
	// figures may be the digits of a country too
	if _, found := places.Country(text); found && !yearFirst.MatchString(c.name) {
		t.countries = 1
	}
	if isSplit(text) {
		t.periods, c.split = 1, true
	} else if at, err := new(Layout).period(text); err == nil && (len(at) != 4 || yearName.MatchString(at)) {
		t.periods = 1
	}
	switch {
	case cell.Kind == sheet.Number || couldBe(text):
		t.numbers = 1
		c.reading.look(new(Layout), cell, line)
	case strings.IndexFunc(text, unicode.IsDigit) < 0 && len(text) <= 5: // such as n/a or ..
		t.blank = 1
		c.odd[text]++
	case len(c.odd) < manyWords:
		c.odd[text]++
	}
	return t
}

// couldBe reports whether a text is a number in some writing: with a bound, an interval, a mark.
func couldBe(text string) bool {
	if strings.Trim(text, "0123456789") == "" {
		return true
	}
	for _, decimal := range []string{".", ","} {
		for _, group := range []string{"", " ", "'", map[string]string{".": ",", ",": "."}[decimal]} {
			l := &Layout{Decimal: decimal, Thousands: group}
			if m := marked.FindStringSubmatch(text); m != nil && m[1] != "%" && len(m[1]) <= 4 {
				l.Marks = map[string]map[string]string{m[1]: {}}
			}
			if _, ok, err := l.value(sheet.Cell{Text: text}); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// sample keeps the first figure of an indicator, the smallest and the largest, as they are read.
func (c *column) sample(l *Layout, cell sheet.Cell, by rune, indicator string) {
	key := indicator + "\x00" + cell.Text
	if !c.figures() || c.sampled[key] || len(c.seen) > manyWords {
		return
	}
	if len(c.sampled) < manyWords {
		c.sampled[key] = true
	}
	at := *l
	at.Marks = map[string]map[string]string{}
	if m := marked.FindStringSubmatch(trim(cell.Text)); m != nil && m[1] != "%" {
		at.Marks[m[1]] = map[string]string{}
	}
	if at.Decimal = c.reading.decimal(l, by); at.Decimal == "" {
		return
	}
	v, ok, err := at.value(cell)
	if err != nil && c.unread == nil && couldBe(trim(cell.Text)) {
		c.unread = err
	}
	n, isNumber := new(big.Rat).SetString(v.number)
	if !ok || err != nil || !isNumber || v.bound != "" || len(v.number) > 60 {
		return
	}
	s := sample{trim(cell.Text), v.number, n}
	switch seen := c.seen[indicator]; {
	case seen == nil:
		c.seen[strings.Clone(indicator)] = []sample{s, s, s}
	case n.Cmp(seen[1].value) < 0:
		seen[1] = s
	case n.Cmp(seen[2].value) > 0:
		seen[2] = s
	}
}

// samples are the figures of a column as people write them and as they are read.
func (c *column) samples(indicator string) string {
	var parts []string
	for _, s := range c.seen[indicator] {
		if part := s.text + " → " + s.number; !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

func (c *column) mostly(n int) bool { return c.filled > 0 && n*10 >= c.filled*8 }

// figures reports whether a column has numbers, wherever it has a value.
func (c *column) figures() bool { return c.numbers > 0 && c.numbers*10 >= (c.filled-c.blank)*8 }

// dimension reports whether a column divides the values: by a few words that differ, none of them
// countries.
func (c *column) dimension() bool {
	return len(c.words) > 1 && len(c.words) <= 60 && c.countries*2 < c.filled && c.faults == 0
}

// open reports whether a column may be taken without anybody's word.
func (c *column) open() bool { return !c.hidden && !AboutPersons(c.name) }

// coded reports whether a column has codes, or ranks: no figures, and nothing that divides them.
func (c *column) coded() bool { return codeHead.MatchString(c.name) }

// persons refuses a table with a row for each person.
func (p *proposal) persons() error {
	for _, c := range p.columns {
		ones := func(v *column) bool { return v.words["1"]+v.words["0"] == v.filled && v.filled > 0 }
		differ := c.filled > 1 && len(c.words) == c.filled && !contacts.MatchString(c.name)
		if AboutPersons(c.name) && (differ || !c.figures() && slices.ContainsFunc(p.columns, ones)) {
			return onePerson(c.name)
		}
	}
	return nil
}

// values are the columns of figures.
func (p *proposal) values() (found []*column) {
	area, time := p.area(), p.time()
	for _, c := range p.columns {
		if c != area && c != time && c.figures() && !c.mostly(c.countries) && c.open() && !c.coded() {
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
		if c.countries*2 >= c.filled && c.countries > 0 && c.open() && (best == nil || rank(c) > rank(best)) {
			best = c
		}
	}
	return best
}

func (p *proposal) time() *column {
	for _, c := range p.columns {
		if c.mostly(c.periods) && !c.mostly(c.countries) && c.open() && !yearFirst.MatchString(c.name) {
			return c
		}
	}
	return nil
}

// findLayout finds how numbers are written, as far as cells show it.
func (p *proposal) findLayout() {
	groups := map[string]int{}
	for _, c := range p.values() {
		decimal := c.reading.decimal(&Layout{}, p.by)
		if decimal == "," {
			p.layout.Decimal = ","
		}
		for word, n := range c.words {
			if m := spacedOut.FindStringSubmatch(word); m != nil {
				groups[signs.Replace(m[1])] += n
			}
			other := map[string]string{".": ",", ",": "."}[decimal]
			if other != "" && strings.Contains(word, other) && numerals[decimal].MatchString(signs.Replace(word)) {
				groups[other] += n
			}
		}
	}
	if len(groups) > 0 {
		p.layout.Thousands = slices.MaxFunc(slices.Sorted(maps.Keys(groups)), func(a, b string) int {
			return cmp.Compare(groups[a], groups[b])
		})
	}
}

func (p *proposal) write() {
	p.line("# How %s becomes records. Correct it, save it as map.yaml, and run", p.file)
	p.line("#   stele import %s --map map.yaml", p.file)
	others := slices.DeleteFunc(slices.Clone(p.table.Sheets), func(s string) bool {
		return s == p.table.Sheet || slices.Contains(p.table.Notes, "rows at "+s)
	})
	for _, found := range [][2]string{
		{"Found", strings.Join(p.table.Notes, ", ")},
		{"Other sheets", strings.Join(others, ", ")},
		{"Hidden sheets, which are not taken", strings.Join(p.table.Hidden, ", ")},
	} {
		if found[1] != "" {
			p.line("# %s: %s.", found[0], found[1])
		}
	}
	if name := p.ready(); name != "" {
		p.ask("is it from that service? The map %[1]s comes with Stele and fits: stele import %[2]s --map %[1]s", name, p.file)
	}
	values := p.values()
	p.writeTable(values)
	p.members(values)
	p.series(values)
	p.rest()
	p.line("defaults: # what all these records share, for the _defaults.yaml of folders that are new")
	p.line("  summary: \"\"    # what a record says, in a sentence")
	p.line("  unit: \"\"       # such as percent, persons, per_100000; a series can have defaults too")
	p.line("  unit_label: \"\"")
	p.line("  claim_boundary: {statement: \"\"} # what a figure does not reach")
	p.line("  source_links: [{url: \"\", role: primary}]")
}

// ready is the map that comes with Stele and names all columns of the table; empty if none does.
func (p *proposal) ready() string {
	for _, name := range Ready() {
		m, err := OpenMap(name)
		c := &converter{Map: m, at: map[string]int{}}
		if names := slices.Clone(p.names); err == nil && c.begin(names) == nil {
			return name
		}
	}
	return ""
}

// writeTable writes how the file is read.
func (p *proposal) writeTable(values []*column) {
	p.line("table:")
	for _, o := range [][2]string{{"sheet", p.options.Sheet}, {"path", p.options.Path}} {
		if o[1] != "" {
			p.line("  %s: %s", o[0], quote(o[1]))
		}
	}
	switch {
	case len(p.header) == 2:
		p.line("  header: [%d, %d] # heads stand in two rows", p.header[0], p.header[1])
	default:
		p.line("  header: %d", max(p.header[0], 1))
	}
	if p.end != "" {
		p.line("  end: %s # rows from here on are notes; they are counted, and not taken", quote(p.end))
	}
	if p.hidden > 0 {
		p.line("  # %d rows are hidden in the workbook; they are not taken unless you write hidden: true", p.hidden)
	}
	if p.layout.Decimal != "" {
		p.line("  decimal: %s", quote(p.layout.Decimal))
	}
	if p.layout.Thousands != "" {
		p.line("  thousands: %s", quote(p.layout.Thousands))
	}
	odd, marks := map[string]int{}, map[string]string{}
	for _, c := range values {
		if err := c.reading.question(&p.layout, p.by); err != nil {
			p.ask("%q: %s", c.name, err)
		} else if c.unread != nil {
			p.ask("%q: %s", c.name, c.unread)
		}
		for text, n := range c.odd {
			odd[text] += n
		}
		for text := range c.words {
			if m := marked.FindStringSubmatch(text); m != nil && m[1] != "%" && !unicode.IsDigit(rune(m[1][0])) {
				marks[m[1]] = text
			}
		}
	}
	if time := p.time(); time != nil && time.split {
		p.ask("on which day does a year such as 2016/17 begin? For April write year: 04-01")
	}
	for _, mark := range slices.Sorted(maps.Keys(marks)) {
		p.ask("what does %q mean in %q? Write it in marks: {%s: {obs_status: P}}, or {%s: {note: …}}", mark, marks[mark], quote(mark), quote(mark))
	}
	p.missing(odd)
}

// missing writes what stands where there is no value, and names what else is not a number.
func (p *proposal) missing(odd map[string]int) {
	var none, other []string
	for _, text := range slices.Sorted(maps.Keys(odd)) {
		if strings.IndexFunc(text, unicode.IsDigit) < 0 && len(text) <= 20 {
			none = append(none, quote(text))
		} else {
			other = append(other, text)
		}
	}
	if len(none) > 0 {
		p.line("  missing: [%s] # no record is made where one of these stands", strings.Join(none[:min(len(none), 20)], ", "))
	}
	for _, text := range other[:min(len(other), 5)] {
		p.ask("%s is not a number: mend it in the table", quote(text))
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
			if c != area && c.countries > 0 && c.open() && areaName.MatchString(c.name) {
				name = c
			}
		}
		p.take("x_area_name", name)
	} else {
		p.ask("which column names countries or areas? Write it as ref_area: \"…\", or below each series set: {ref_area_scheme: iso3166, ref_area: FRA}")
	}
	if time != nil {
		p.take("time_period", time)
	} else if !slices.ContainsFunc(values, func(c *column) bool { return yearFirst.MatchString(c.name) }) {
		p.ask("which column has the year or period? Write it as time_period: \"…\", or write time_period in set of each series")
	}
	for _, c := range p.columns {
		left := !slices.Contains(values, c) && !slices.Contains(p.taken, c.name)
		if left && c.open() && c.dimension() && !measures.MatchString(c.name) && !c.coded() {
			member := "dimensions." + slug(c.name)
			if slug(c.name) == "unit" {
				member = "unit"
			}
			p.take(member, c)
			if area == nil {
				p.sums(c)
			}
		}
	}
	p.areas(area)
}

// sums asks for rows of a column that may be areas which nobody knows, whether they are totals.
func (p *proposal) sums(c *column) {
	for _, text := range slices.Sorted(maps.Keys(c.words)) {
		if totals.MatchString(text) {
			p.ask("is %q in %q the sum of other rows? Then write ignore: [{%[2]q: [%[1]q]}], or add it there", text, c.name)
		}
	}
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
		if _, found := places.Country(text); found || totals.MatchString(text) {
			continue
		}
		if !begun {
			p.line("areas: # what is not a country of ISO 3166; confirm each")
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
		p.line("  %s: {ref_area_scheme: entity, ref_area: ent-%s} # write an entity record, or a code%s", quote(text), cmp.Or(slug(text), "…"), hint)
	}
}

// series writes a series for each column of figures, with the columns of its interval, and for each
// word of a column of indicators.
func (p *proposal) series(values []*column) {
	p.line("series:")
	var years []*column
	for _, c := range values {
		if yearFirst.MatchString(c.name) {
			years = append(years, c)
		}
	}
	if len(values) == 0 {
		p.ask("which column has figures? None was found; what is ignored below says why")
	}
	folders := map[string]bool{}
	if len(years) > 1 {
		rest := ""
		if slices.ContainsFunc(years, func(c *column) bool { return !yearName.MatchString(c.name) }) {
			rest = ".*"
		}
		for _, c := range years {
			p.taken = append(p.taken, c.name)
		}
		pattern := fmt.Sprintf("values: '(?P<time_period>\\d{4})%s'", rest)
		p.each(years[0], "", folders, pattern)
	}
	for _, c := range values {
		if slices.Contains(p.taken, c.name) {
			continue
		}
		lower, upper := p.ends(c, values)
		p.taken = append(p.taken, c.name)
		lines := "value: " + quote(c.name)
		if lower != nil && upper != nil {
			lines += fmt.Sprintf("\n    columns: {lower: %s, upper: %s}", quote(lower.name), quote(upper.name))
			p.taken = append(p.taken, lower.name, upper.name)
		}
		p.each(c, c.name, folders, lines)
	}
}

// measure is the column whose words are indicators, or -1.
func (p *proposal) measure() int {
	return slices.IndexFunc(p.columns, func(c *column) bool {
		few := len(c.words) > 0 && len(c.words) <= 30
		return measures.MatchString(c.name) && few && c.open() && !c.figures() && c != p.area() && c != p.time()
	})
}

// each writes the series of a column of figures: one, or one for each indicator.
func (p *proposal) each(of *column, name string, folders map[string]bool, lines string) {
	write := func(name, word, where string) {
		folder := cmp.Or(slug(name), "values")
		for n := 2; folders[folder]; n++ {
			folder = fmt.Sprintf("%s-%d", cmp.Or(slug(name), "values"), n)
		}
		folders[folder] = true
		p.line("  - folder: %s # the code of the indicator", folder)
		if samples := of.samples(word); samples != "" {
			p.line("    # read as: %s", samples)
		}
		p.line("    %s%s", lines, where)
	}
	if p.indicators < 0 {
		write(name, "", "")
		return
	}
	by := p.columns[p.indicators]
	p.taken = append(p.taken, by.name)
	for _, word := range slices.Sorted(maps.Keys(by.words)) {
		write(word, word, fmt.Sprintf("\n    where: {%s: %s}", quote(by.name), quote(word)))
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

// rest writes the columns that are not taken, and rows that are totals.
func (p *proposal) rest() {
	var lines []string
	for _, c := range p.columns {
		if slices.Contains(p.taken, c.name) {
			continue
		}
		why := ""
		switch {
		case c.hidden:
			why = " # hidden in the workbook"
		case AboutPersons(c.name):
			why = " # " + string(codes.PersonalText) + ": it seems to be about single persons"
		case c.numbers > 0 && !c.figures():
			odd := slices.Sorted(maps.Keys(c.odd))
			why = fmt.Sprintf(" # %d of its %d cells are not numbers, such as %s", c.filled-c.numbers, c.filled, quote(odd[0]))
		}
		lines = append(lines, "  - "+quote(c.name)+why)
	}
	if area := p.area(); area != nil {
		var words []string
		for _, text := range slices.Sorted(maps.Keys(area.words)) {
			if _, found := places.Country(text); !found && totals.MatchString(text) {
				words = append(words, quote(text))
			}
		}
		if len(words) > 0 {
			lines = append(lines, fmt.Sprintf("  - {%s: [%s]} # rows that are totals", quote(area.name), strings.Join(words, ", ")))
		}
	}
	if len(lines) > 0 {
		p.line("ignore: # what is not taken; rows are counted\n%s", strings.Join(lines, "\n"))
	}
}

func quote(text string) string { return strconv.Quote(text) }

// slug is a name in lower case and without accents, with hyphens for what is not a letter or digit
// of ASCII; empty where nothing is left.
func slug(name string) string {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	s := strings.Join(strings.FieldsFunc(fold.Accents(name), other), "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	return s
}
