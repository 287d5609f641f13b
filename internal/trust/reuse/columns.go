package reuse

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/base/sheet"
	"stele/record"
)

// Map says which columns hold what. It can be given to compare by it again.
type Map struct {
	Columns map[string][]string `json:"columns"`         // by the keys of things
	Dates   string              `json:"dates,omitempty"` // how days are written, where not as 2026-11-14
}

// ParseMap reads a map, or a report that has one.
func ParseMap(data []byte) (*Map, error) {
	var m struct {
		Map
		Tables []Compared `json:"tables"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if len(m.Tables) == 1 && m.Tables[0].Map != nil {
		m.Map = *m.Tables[0].Map
	}
	for key := range m.Columns {
		if _, err := thingOf(key); err != nil {
			return nil, err
		}
	}
	if len(m.Columns["id"]) != 1 {
		return nil, errors.New(`the map names no column with the IDs: write {"columns": {"id": ["…"], …}}`)
	}
	return &m.Map, nil
}

// columns is which column of a table holds what.
type columns struct {
	names []string
	id    int
	ids   []int // others that repeat the ID
	of    [things][]int
	dates dateForm
	// open are the columns that may hold a thing, or something else
	open  [things][]int
	named [things]bool // found by name: no value agreed
	bare  bool         // the table has no row of names
}

// The names that columns have, without regard to case and signs. What follows after the name of
// what is nested is the name of a part of it.
var columnNames = [things][]string{
	ID:          {"id", "recordid", "identifier"},
	Links:       {"sourcelinks", "sources", "sourcelink", "source", "sourceurl", "sourceurls", "url", "urls", "link", "links"},
	Version:     {"version", "recordversion", "versionfield"},
	Verified:    {"verificationdate", "verified", "verifiedon", "dateverified", "lastverified"},
	Boundary:    {"claimboundary", "boundary"},
	Updates:     {"sourceupdates", "sourceupdate"},
	Corrections: {"corrections", "correction"},
	Labels:      {"evidencelabel", "decisionlabel", "label", "labels"},
}

// nameOf is the thing that a column is named after, with or without the names of what it lies in
// before its own.
func nameOf(column string) (Thing, bool) {
	for rest := strings.ToLower(column); ; {
		if t, found := named(rest); found {
			return t, true
		}
		_, after, found := strings.Cut(rest, ".")
		if !found {
			return 0, false
		}
		rest = after
	}
}

func named(column string) (Thing, bool) {
	folded := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, column)
	for _, t := range All {
		nested := t == Links || t == Boundary || t == Updates || t == Corrections
		for _, name := range columnNames[t] {
			if folded == name || nested && len(name) > len("source") && strings.HasPrefix(folded, name) {
				return t, true
			}
		}
	}
	return 0, false
}

// score is how well the cells of a column fit a thing.
type score struct {
	compared, agree, near int
	published             int // rows of records that have the thing
}

func (s score) fits() bool { return s.agree+s.near > 0 && 2*(s.agree+s.near) >= s.compared }

// survey looks for the columns.
type survey struct {
	p      *Published
	names  []string
	scores [][things]score
	dates  [][dateForms]int
	// by column, in how many rows a date is that of another event than the verification
	other  []score
	values []map[string]bool // a few of those that agree with versions
}

const (
	surveyed = 20_000 // rows that are looked at; after them only what is still missing
	few      = 4
)

// findColumns finds out which column holds what.
func findColumns(p *Published, t *sheet.Table) (*columns, error) {
	c := new(columns)
	var head [][]string
	for row, err := range t.Rows() {
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(row.Cells))
		for i, cell := range row.Cells {
			cells[i] = cell.Text
		}
		if head = append(head, cells); len(head) == surveyed {
			break
		}
	}
	if len(head) == 0 {
		return nil, nil
	}
	p.of = nodes
	if many := c.findID(p, head); !ofNodes(head) {
		p.of = records
		if others := new(columns); others.findID(p, head) >= many {
			c = others
		} else {
			p.of = nodes
		}
	}
	if c.id < 0 {
		return nil, nil
	}
	return c, c.findThings(p, t)
}

// ofNodes reports whether a table calls its records nodes of the graph.
func ofNodes(rows [][]string) bool {
	n := 0
	for _, row := range rows {
		if slices.Contains(row, record.KindGraphNode) {
			n++
		}
	}
	return 2*n > len(rows)
}

// findID finds the column that has the most IDs of the release, each counted once.
func (c *columns) findID(p *Published, rows [][]string) (most int) {
	c.id = -1
	width := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	known := make([]map[string]bool, width)
	for n, row := range rows {
		for i, cell := range row {
			if len(cell) > 200 || !p.find(strings.TrimSpace(cell)).there() {
				continue
			}
			if known[i] == nil {
				known[i] = map[string]bool{}
			}
			known[i][cell] = true
			c.bare = c.bare || n == 0
		}
	}
	for i, ids := range known {
		if len(ids) > most {
			c.id, most = i, len(ids)
		}
	}
	c.names = make([]string, width)
	for i := range c.names {
		c.names[i] = fmt.Sprintf("column %d", i+1)
		if !c.bare && i < len(rows[0]) && strings.TrimSpace(rows[0][i]) != "" {
			c.names[i] = strings.TrimSpace(rows[0][i])
		}
	}
	return most
}

// findThings compares cells with what was published.
func (c *columns) findThings(p *Published, t *sheet.Table) error {
	s := &survey{p: p, names: c.names}
	s.scores = make([][things]score, len(c.names))
	s.dates = make([][dateForms]int, len(c.names))
	s.other = make([]score, len(c.names))
	s.values = make([]map[string]bool, len(c.names))
	var f fields
	n := 0
	for row, err := range t.Rows() {
		if err != nil {
			return err
		}
		at := p.find(strings.TrimSpace(row.At(c.id).Text))
		if !at.there() || n >= surveyed && !s.missing(at) {
			continue
		}
		n++
		if err := p.load(at, &f); err != nil {
			return err
		}
		for i := range c.names {
			if cell := row.At(i).Text; i != c.id && !empty(cell) {
				s.compare(i, cell, &f)
				s.compareID(i, cell, &f)
			}
		}
	}
	c.of[ID] = []int{c.id}
	for i := range c.names {
		if s.scores[i][ID].fits() {
			c.ids = append(c.ids, i)
		}
	}
	s.decide(c)
	return nil
}

// missing reports whether a record has a thing that no column fits so far.
func (s *survey) missing(at place) bool {
	for _, t := range All[1:] {
		if at.has(t) && !slices.ContainsFunc(s.scores, func(of [things]score) bool { return of[t].agree > 0 }) {
			return true
		}
	}
	return false
}

// compare counts how a cell fits the things of a record.
func (s *survey) compare(i int, cell string, f *fields) {
	of := &s.scores[i]
	of[Version].published++
	if v := number(cell); v != "" {
		of[Version].compared++
		n, published := len(v), f.things[Version]
		if v != "0" && (n < len(published) || n == len(published) && v <= published) {
			of[Version].agree++
			if s.values[i] == nil {
				s.values[i] = map[string]bool{}
			}
			if len(s.values[i]) < few {
				s.values[i][v] = true
			}
		}
	}
	s.compareDate(i, cell, f)
	if f.things[Labels] != "" {
		of[Labels].compared++
		of[Labels].published++
		if text(cell) == f.things[Labels] {
			of[Labels].agree++
		}
	}
	for _, t := range []Thing{Links, Boundary, Updates, Corrections} {
		of[t].compared++
		if f.things[t] == "" {
			continue
		}
		of[t].published++
		if cell == f.things[t] {
			of[t].agree++
			continue
		}
		switch m := compareParts(t, []string{cell}, f.things[t]); {
		case m.common > 0 && len(m.extra) == 0:
			of[t].agree++
		case 2*m.common > len(cell) || m.cut || m.mojibake:
			of[t].near++
		}
	}
}

// compareID counts how often a cell repeats the ID of its row.
func (s *survey) compareID(i int, cell string, f *fields) {
	s.scores[i][ID].compared++
	if strings.TrimSpace(cell) == f.things[ID] {
		s.scores[i][ID].agree++
	}
}

func (s *survey) compareDate(i int, cell string, f *fields) {
	if len(cell) > 40 {
		return
	}
	is, other := false, false
	for form := range dateForms {
		day := form.date(cell)
		if day == "" {
			continue
		}
		if day == f.things[Verified] {
			s.dates[i][form]++
			is = true
		}
		other = other || day == f.updated || day == f.published
	}
	s.scores[i][Verified].compared++
	s.scores[i][Verified].published++
	s.other[i].compared++
	if is {
		s.scores[i][Verified].agree++
	}
	if other {
		s.other[i].agree++
	}
}

// decide gives each column to the thing that it fits best.
func (s *survey) decide(c *columns) {
	for i, name := range c.names {
		best, fits := s.best(i)
		is, found := nameOf(name)
		switch {
		case i == c.id || !fits:
		case found && is == best:
			c.of[best] = append(c.of[best], i)
		case s.doubtful(i, best, name):
			c.open[best] = append(c.open[best], i)
		default:
			c.of[best] = append(c.of[best], i)
		}
	}
	s.settle(c)
	s.byName(c)
	for _, i := range c.of[Verified] {
		for form := range dateForms {
			if s.dates[i][form] > s.dates[i][c.dates] {
				c.dates = form
			}
		}
	}
}

// best is the thing that a column fits best; among equals the one that it is named after, or else
// one that no other column fits better: an entry on a source's update has the source's address too.
func (s *survey) best(i int) (best Thing, fits bool) {
	of := s.scores[i]
	for _, t := range All[1:] {
		if !of[t].fits() {
			continue
		}
		equal := fits && !better(of[t], of[best]) && !better(of[best], of[t])
		if !fits || better(of[t], of[best]) || equal && s.outdone(i, best) && !s.outdone(i, t) {
			best, fits = t, true
		}
	}
	if is, found := nameOf(s.names[i]); found && of[is].fits() && !better(of[best], of[is]) {
		best = is
	}
	return best, fits
}

// outdone reports whether another column fits a thing in more rows.
func (s *survey) outdone(i int, t Thing) bool {
	return slices.ContainsFunc(s.scores, func(of [things]score) bool { return of[t].agree > s.scores[i][t].agree })
}

// better reports whether one score says more than another.
func better(a, b score) bool {
	return (a.agree+a.near)*max(1, b.compared) > (b.agree+b.near)*max(1, a.compared)
}

// doubtful reports whether a column that is not named after a thing may as well hold something
// else: a small number that is the same in all rows, or a date of something else.
func (s *survey) doubtful(i int, t Thing, name string) bool {
	switch t {
	case Version:
		return len(s.values[i]) < 2
	case Verified:
		return s.other[i].agree >= s.scores[i][Verified].agree || otherDate(name)
	}
	return false
}

// otherDate reports whether a name is that of another date.
func otherDate(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "updated") || strings.Contains(name, "published") || strings.Contains(name, "modified")
}

// settle decides between columns that fit the same thing.
func (s *survey) settle(c *columns) {
	for _, t := range All[1:] {
		ofName := slices.DeleteFunc(slices.Clone(c.of[t]), func(i int) bool {
			is, found := nameOf(c.names[i])
			return !found || is != t
		})
		switch {
		case len(ofName) > 0:
			c.of[t] = ofName
		case t == Version || t == Verified:
			if len(c.of[t]) > 1 {
				c.open[t], c.of[t] = append(c.open[t], c.of[t]...), nil
			}
		default:
			// parts of it may lie in several: the one that fits most rows, and those that never
			// have anything else
			most := 0
			for _, i := range c.of[t] {
				most = max(most, s.scores[i][t].agree+s.scores[i][t].near)
			}
			c.of[t] = slices.DeleteFunc(c.of[t], func(i int) bool {
				of := s.scores[i][t]
				return of.agree+of.near < min(most, of.compared)
			})
		}
	}
}

// byName takes the columns for what no column fits that are named after it. Where the name is not
// the very one of the member, records must have such a thing.
func (s *survey) byName(c *columns) {
	for _, t := range All[1:] {
		if len(c.of[t]) > 0 {
			c.open[t] = nil
			continue
		}
		for i, name := range c.names {
			is, found := nameOf(name)
			compared := s.scores[i][t].published > 0
			exact := strings.HasPrefix(strings.ToLower(name), t.Key()) ||
				t == Labels && strings.HasSuffix(strings.ToLower(name), "_label")
			if found && is == t && i != c.id && (compared || exact) {
				c.of[t] = append(c.of[t], i)
				c.named[t] = c.named[t] || compared
			}
		}
	}
}

// given takes the columns from a map.
func given(m *Map, names []string) (*columns, error) {
	c := &columns{id: -1, names: names}
	for key, list := range m.Columns {
		t, err := thingOf(key)
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			i := slices.Index(names, name)
			if i < 0 {
				return nil, fmt.Errorf("there is no column %q, which the map names; there are %s", name, strings.Join(names, ", "))
			}
			c.of[t] = append(c.of[t], i)
		}
		slices.Sort(c.of[t])
	}
	c.id = c.of[ID][0]
	if m.Dates != "" {
		form := slices.Index(dateFormNames[:], m.Dates)
		if form < 0 {
			return nil, fmt.Errorf("%q is not a way to write days: write %s", m.Dates, strings.Join(dateFormNames[1:], ", "))
		}
		c.dates = dateForm(form)
	}
	return c, nil
}

// asMap is the map by which the columns are found again.
func (c *columns) asMap() *Map {
	m := &Map{Columns: map[string][]string{}, Dates: dateFormNames[c.dates]}
	for _, t := range All {
		for _, i := range c.of[t] {
			m.Columns[t.Key()] = append(m.Columns[t.Key()], c.names[i])
		}
	}
	return m
}
