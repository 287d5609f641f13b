package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// table is the wide table, turned into one series of observations for each indicator.
type table struct {
	sha256 string // of the file
	rows   int
	series [][]observation // in the order of indicators, each in the order of the file
}

// observation is one value of an indicator.
type observation struct {
	area  area
	year  string
	value string // a JSON number, in the digits of the table
}

// The columns that say what a row is about. Every other column is an indicator.
const (
	areaColumn = "Entity"
	yearColumn = "Year"
)

var (
	yearForm   = regexp.MustCompile(`^[0-9]{4}$`)
	numberForm = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

func readTable(content []byte) (*table, error) {
	r := csv.NewReader(bytes.NewReader(content))
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	header = slices.Clone(header)
	if err := checkHeader(header); err != nil {
		return nil, err
	}
	t := &table{sha256: fmt.Sprintf("%x", sha256.Sum256(content)), series: make([][]observation, len(indicators))}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err // it names the line
		}
		if err := t.addRow(header, row); err != nil {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// checkHeader wants exactly the columns that are known: a column that is passed over would be data
// lost in silence.
func checkHeader(header []string) error {
	for i, name := range header {
		switch {
		case slices.Contains(header[:i], name):
			return fmt.Errorf("line 1: column %q stands there twice", name)
		case name != areaColumn && name != yearColumn && indicatorOf(name) < 0:
			return fmt.Errorf("line 1: column %q is unknown; indicators.go lists those that are known", name)
		}
	}
	wanted := []string{areaColumn, yearColumn}
	for _, ind := range indicators {
		wanted = append(wanted, ind.Column)
	}
	for _, name := range wanted {
		if !slices.Contains(header, name) {
			return fmt.Errorf("line 1: column %q is missing", name)
		}
	}
	return nil
}

func (t *table) addRow(header, row []string) error {
	name, year := row[slices.Index(header, areaColumn)], row[slices.Index(header, yearColumn)]
	where, ok := areas[name]
	if !ok {
		return fmt.Errorf("unknown area name %q; areas.go lists those that are known", name)
	}
	if !yearForm.MatchString(year) {
		return fmt.Errorf("%q is not a year of four digits", year)
	}
	for i, cell := range row {
		n := indicatorOf(header[i])
		if n < 0 || cell == "" { // an empty cell is a value that the table does not have
			continue
		}
		value, err := jsonNumber(cell)
		if err != nil {
			return fmt.Errorf("column %q: %w", header[i], err)
		}
		t.series[n] = append(t.series[n], observation{where, year, value})
	}
	t.rows++
	return nil
}

// jsonNumber keeps the digits of a cell. The table writes .9, to which JSON wants a zero.
func jsonNumber(cell string) (string, error) {
	number := cell
	if strings.HasPrefix(cell, ".") {
		number = "0" + cell
	}
	if !numberForm.MatchString(number) {
		return "", fmt.Errorf("%q is not a number", cell)
	}
	return number, nil
}

// values counts the observations.
func (t *table) values() (n int) {
	for _, series := range t.series {
		n += len(series)
	}
	return n
}

// mentions reports whether there is an observation for an area of that code.
func (t *table) mentions(code string) bool {
	for _, series := range t.series {
		if slices.ContainsFunc(series, func(o observation) bool { return o.area.code == code }) {
			return true
		}
	}
	return false
}
