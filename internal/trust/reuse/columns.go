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

// Map assigns the columns of a copy to the things that they contain, for another comparison.
type Map struct {
	Columns map[string][]string `json:"columns"`         // by the keys of things
	Dates   string              `json:"dates,omitempty"` // the date format, if not 2026-11-14
}

// ParseMap parses a map, or a report that contains one.
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
		if _, err := parseThing(key); err != nil {
			return nil, err
		}
	}
	if len(m.Columns["id"]) != 1 {
		return nil, errors.New(`the map has no column for IDs: add {"columns": {"id": ["…"], …}}`)
	}
	return &m.Map, nil
}

// columns assigns the columns of a table to the things that they contain.
type columns struct {
	names []string
	id    int
	ids   []int // other columns that repeat the ID
	of    [things][]int
	dates dateForm
}

// columnNames are the names of columns, ignoring case and punctuation. The first matching name
// counts. A longer name denotes a nested part.
var columnNames = [things][]string{
	Links:       {"sourcelinks", "sourcelink", "sourceurls", "sourceurl", "sources", "source"},
	Version:     {"version"},
	Verified:    {"verificationdate"},
	Boundary:    {"claimboundary"},
	Updates:     {"sourceupdates", "sourceupdate"},
	Corrections: {"corrections", "correction"},
	Labels:      {"evidencelabel", "decisionlabel", "labels"},
	Areas:       {"refarea", "areacode"},
}

// isNamed reports whether column is name, possibly after the names of parents.
func isNamed(column, name string) bool {
	nested := len(name) > len("sources") && name != "verificationdate" && name != "areacode" && !strings.HasSuffix(name, "label")
	for rest, found := strings.ToLower(column), true; found; _, rest, found = strings.Cut(rest, ".") {
		folded := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, rest)
		if folded == name || nested && strings.HasPrefix(folded, name) {
			return true
		}
	}
	return false
}

// sampleRows is the number of rows from which IDs and date formats are detected.
const sampleRows = 20_000

// findColumns returns the columns from m or, if m is nil, detects the column of IDs by its values
// and the others by their names. It returns nil for a table without IDs.
func findColumns(p *Published, t *sheet.Table, m *Map) (*columns, error) {
	var head [][]string
	for row, err := range t.Rows() {
		if err != nil {
			return nil, err
		}
		cells := make([]string, len(row.Cells))
		for i, cell := range row.Cells {
			cells[i] = strings.TrimSpace(cell.Text)
		}
		if head = append(head, cells); len(head) == sampleRows {
			break
		}
	}
	if len(head) == 0 {
		return nil, nil
	}
	c, rows, only := &columns{names: head[0]}, head[1:], -1
	if m != nil {
		if err := c.useMap(m); err != nil {
			return nil, err
		}
		only = c.id
	}
	p.set = nodes
	id, many := findIDColumn(p, rows, only)
	if !areNodes(head) {
		p.set = records
		if other, more := findIDColumn(p, rows, only); more >= many {
			id = other
		} else {
			p.set = nodes
		}
	}
	if c.id = id; id < 0 {
		return nil, nil
	}
	if m == nil {
		c.findNamed()
		c.findRepeated(rows)
	}
	if m != nil && m.Dates != "" {
		return c, nil
	}
	return c, c.findDates(p, rows)
}

// areNodes reports whether most rows are nodes of the graph.
func areNodes(rows [][]string) bool {
	n := 0
	for _, row := range rows {
		if slices.Contains(row, record.KindGraphNode) {
			n++
		}
	}
	return 2*n > len(rows)
}

// findIDColumn returns the column with the most distinct IDs of the release, or -1, and the number
// of these IDs.
func findIDColumn(p *Published, rows [][]string, only int) (id, count int) {
	known := map[int]map[string]bool{}
	for _, row := range rows {
		for i, cell := range row {
			if only >= 0 && i != only || len(cell) > 200 || !p.find(cell).exists() {
				continue
			}
			if known[i] == nil {
				known[i] = map[string]bool{}
			}
			known[i][cell] = true
		}
	}
	id = -1
	for i, ids := range known {
		if len(ids) > count || len(ids) == count && i < id {
			id, count = i, len(ids)
		}
	}
	return id, count
}

// findRepeated finds the columns that repeat the ID in most rows.
func (c *columns) findRepeated(rows [][]string) {
	for i := range c.names {
		same, filled := 0, 0
		for _, row := range rows {
			if max(i, c.id) < len(row) && row[i] != "" {
				filled++
				if row[i] == row[c.id] {
					same++
				}
			}
		}
		if i != c.id && same > 0 && 2*same >= filled {
			c.ids = append(c.ids, i)
		}
	}
}

// findNamed finds the columns of the other things by name.
func (c *columns) findNamed() {
	c.of[ID] = []int{c.id}
	for _, t := range All[1:] {
		for i, column := range c.names {
			if _, ok := c.groupColumn(t, column); ok && t.isGroup() {
				c.of[t] = append(c.of[t], i)
			}
		}
		for _, name := range columnNames[t] {
			for i, column := range c.names {
				if i != c.id && isNamed(column, name) {
					c.of[t] = append(c.of[t], i)
				}
			}
			if len(c.of[t]) > 0 && t != Labels {
				break
			}
		}
	}
}

// findDates chooses the date format with which most dates match the published ones.
func (c *columns) findDates(p *Published, rows [][]string) error {
	var agree [dateForms]int
	var f fields
	for _, i := range c.of[Verified] {
		for _, row := range rows {
			if max(i, c.id) >= len(row) {
				continue
			}
			at := p.find(row[c.id])
			if !at.exists() {
				continue
			}
			if err := p.load(at, &f); err != nil {
				return err
			}
			for form := range dateForms {
				if form.parse(row[i]) == f.things[Verified] {
					agree[form]++
				}
			}
		}
	}
	for form := range dateForms {
		if agree[form] > agree[c.dates] {
			c.dates = form
		}
	}
	return nil
}

func (c *columns) useMap(m *Map) error {
	for key, list := range m.Columns {
		t, err := parseThing(key)
		if err != nil {
			return err
		}
		for _, name := range list {
			found := len(c.of[t])
			for i, column := range c.names {
				if column == name || strings.HasPrefix(column, name+".") {
					c.of[t] = append(c.of[t], i)
				}
			}
			if found == len(c.of[t]) {
				return fmt.Errorf("unknown column %q in the map (known: %s)", name, strings.Join(c.names, ", "))
			}
		}
		slices.Sort(c.of[t])
	}
	c.id = c.of[ID][0]
	if m.Dates != "" {
		form := slices.Index(dateFormNames[:], m.Dates)
		if form < 0 {
			return fmt.Errorf("unknown date format %q (known: %s)", m.Dates, strings.Join(dateFormNames[1:], ", "))
		}
		c.dates = dateForm(form)
	}
	return nil
}

func (c *columns) toMap() *Map {
	m := &Map{Columns: map[string][]string{}, Dates: dateFormNames[c.dates]}
	for _, t := range All {
		for _, i := range c.of[t] {
			m.Columns[t.Key()] = append(m.Columns[t.Key()], c.names[i])
		}
	}
	return m
}
