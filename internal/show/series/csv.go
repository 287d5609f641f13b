package series

import (
	"encoding/csv"
	"io"
	"strconv"
)

// The CSV columns that are neither members of statistics nor dimensions.
const (
	areaName    = "area_name"
	areaCode    = "area_code"
	dimension   = "dim_" // prefix of dimensions, so that their names are unique
	standings   = "standing"
	corrections = "corrections"
	updates     = "source_updates"
	sourceList  = "sources"
	boundary    = "claim_boundary"
)

// field is a column of the CSV file.
type field struct {
	name string
	doc  string
	// numeric says that cells are numbers
	numeric bool
	text    func(r *row) string
}

// csvFields returns the columns of the CSV files: the subject of a value, the value, and the
// members that must be preserved with it. All files of an indicator have the same columns.
func (t *table) csvFields() []field {
	list := []field{
		{areaName, "The area of the value.", false, func(r *row) string { return t.areas[r.area].name }},
		{areaCode, "The code of the area; for countries, the three ISO 3166 letters.", false, func(r *row) string { return t.areas[r.area].code }},
	}
	if t.schemes {
		list[0].doc = "The name of the area in the period of the value."
		list = append(list, field{"area_scheme", "The publisher's area scheme that defines the code; empty for countries.", false, func(r *row) string { return t.areas[r.area].scheme }})
	}
	for i := range t.columns {
		c := &t.columns[i]
		if c.name == "id" {
			list = append(list, field{
				standings, "Whether the record is still valid. The figures of records that were retracted or have lost their support are empty.",
				false, func(r *row) string { return r.standing.Standing.String() },
			})
		}
		if !c.used {
			continue
		}
		list = append(list, field{c.name, c.doc, c.number, func(r *row) string {
			if c.figure && r.standing.Standing.IsLost() {
				return ""
			}
			return r.cells[i]
		}})
		if c.name == "code" {
			list = append(list, field{"code_label", "What the code means.", false, func(r *row) string {
				if r.cells[i] == "" || r.standing.Standing.IsLost() {
					return ""
				}
				return t.answerLabel(r.cells[i])
			}})
		}
		if c.name == "time_period" {
			list = append(list, t.dimensionFields()...)
		}
	}
	return append(list,
		field{corrections, "The number of corrections to the record, which the metadata lists.", true, func(r *row) string { return formatCount(len(r.corrections)) }},
		field{updates, "The number of source updates of the record, which the metadata lists.", true, func(r *row) string { return formatCount(len(r.updates)) }},
		field{sourceList, "The numbers of the record's sources in the metadata, separated by spaces.", false, func(r *row) string { return formatNumbers(r.sources) }},
		field{boundary, "The number of the record's claim boundary in the metadata.", true, func(r *row) string { return formatCount(int(r.boundary)) }})
}

func (t *table) dimensionFields() (list []field) {
	for i, name := range t.dimensions {
		list = append(list, field{dimension + name, "A dimension of the value: " + name + ".", false, func(r *row) string {
			if i < len(r.dimensions) {
				return r.dimensions[i]
			}
			return ""
		}})
	}
	return list
}

// formatCount formats n, or returns "" if n is 0.
func formatCount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func formatNumbers(list []int32) string {
	var b []byte
	for i, n := range list {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

// writeCSV writes the values to out as RFC 4180 CSV, in UTF-8 with line feeds.
func (p *part) writeCSV(out io.Writer) error {
	fields := p.csvFields()
	cells, w := make([]string, len(fields)), csv.NewWriter(out) // w keeps its errors
	for i, f := range fields {
		cells[i] = f.name
	}
	w.Write(cells)
	for _, r := range p.rows {
		for i, f := range fields {
			cells[i] = f.text(r)
		}
		w.Write(cells)
	}
	w.Flush()
	return w.Error()
}
