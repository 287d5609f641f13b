package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// openODS opens a workbook of LibreOffice: a zip of XML, as OASIS OpenDocument describes it.
func openODS(f *source, o Options) (*Table, error) {
	files, err := openZip(f)
	if err != nil {
		return nil, err
	}
	part := files["content.xml"]
	if part == nil {
		return nil, errors.New("it is not a workbook of LibreOffice: it has no content.xml")
	}
	var sheets []string
	var hidden []bool // for each sheet
	folded := map[string]bool{}
	style := ""
	err = readPart(part, maxSheet, func(_ *parser, e xml.StartElement) error {
		switch {
		case e.Name.Space == "style" && e.Name.Local == "style":
			style = attribute(e, "style:name")
		case e.Name.Space == "style" && e.Name.Local == "table-properties":
			folded[style] = attribute(e, "table:display") == "false"
		case e.Name.Space == "table" && e.Name.Local == "table":
			sheets = append(sheets, attribute(e, "table:name"))
			hidden = append(hidden, folded[attribute(e, "table:style-name")])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := &Table{Format: "ods"}
	wanted, err := t.choose(sheets, hidden, o.Sheet)
	if err != nil {
		return nil, err
	}
	t.readRows(part, func(yield func(Row, error) bool) visitor { return readODS(wanted, yield) })
	return t, nil
}

// readODS yields the rows of a sheet.
func readODS(wanted int, yield func(Row, error) bool) visitor {
	at, columns, copies := -1, 0, 0
	var row Row
	var hidden []bool // for each column
	return func(d *parser, e xml.StartElement) error {
		switch {
		case e.Name.Space != "table":
		case e.Name.Local == "table":
			if at++; at > wanted {
				return errEnough
			}
		case e.Name.Local == "table-column" && at == wanted:
			n := repeated(e, "table:number-columns-repeated")
			hidden = hide(hidden, strconv.Itoa(columns+1), strconv.Itoa(columns+n), isHidden(e))
			columns = min(columns+n, maxColumns)
		case e.Name.Local == "table-row" && at == wanted:
			times := repeated(e, "table:number-rows-repeated")
			row.Cells, row.Hidden = row.Cells[:0], isHidden(e)
			if err := readODSRow(d, &row, row.Line+1); err != nil {
				return err
			}
			if len(row.Cells) == 0 { // the rest of a sheet is often one row, a million times
				row.Line = min(row.Line+times, maxRows)
				return nil
			}
			if copies += (times - 1) * len(row.Cells); times > maxRows-row.Line || copies > maxCopies {
				return fmt.Errorf("row %d is there %d times: %w", row.Line+1, times, ErrLimit)
			}
			row.hide(hidden)
			for range times {
				row.Line++
				if !yield(row, nil) {
					return errEnough
				}
			}
		}
		return nil
	}
}

func isHidden(e xml.StartElement) bool {
	v := attribute(e, "table:visibility")
	return v == "collapse" || v == "filter"
}

// repeated is how often an element is there: at most as often as anything can be.
func repeated(e xml.StartElement, name string) int {
	n, err := strconv.ParseUint(attribute(e, name), 10, 64)
	if err != nil || n < 1 {
		if errors.Is(err, strconv.ErrRange) {
			return maxRows + 1
		}
		return 1
	}
	return int(min(n, maxRows+1))
}

// readODSRow reads a row without the empty cells at its end.
func readODSRow(d *parser, row *Row, line int) error {
	empty := 0
	return d.inside("table-row", func(token xml.Token) error {
		e, is := token.(xml.StartElement)
		if !is || e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
			return nil
		}
		times := repeated(e, "table:number-columns-repeated")
		c, err := readODSCell(d, e)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %w", line, len(row.Cells)+empty+1, err)
		}
		if c.Text == "" {
			empty = min(empty+times, maxColumns)
			return nil
		}
		if len(row.Cells)+empty+times > maxColumns {
			return fmt.Errorf("row %d has more than %d columns: %w", line, maxColumns, ErrLimit)
		}
		row.Cells = append(row.Cells, make([]Cell, empty)...)
		empty = 0
		for range times {
			row.Cells = append(row.Cells, c)
		}
		return nil
	})
}

// readODSCell reads a cell to its end. A note that is stuck to it is not part of its text.
func readODSCell(d *parser, start xml.StartElement) (Cell, error) {
	var text cellText
	paragraphs, inside, note := 0, 0, 0
	err := d.inside(start.Name.Local, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			switch {
			case e.Name.Local == "annotation":
				note++
			case note > 0:
			case e.Name.Local == "p":
				inside++
				if paragraphs++; paragraphs > 1 {
					return text.add("\n")
				}
			case e.Name.Local == "s":
				return text.add(strings.Repeat(" ", min(repeated(e, "text:c"), 1000)))
			case e.Name.Local == "tab":
				return text.add("\t")
			case e.Name.Local == "line-break":
				return text.add("\n")
			}
		case xml.EndElement:
			switch {
			case e.Name.Local == "annotation":
				note--
			case note == 0 && e.Name.Local == "p":
				inside--
			}
		case xml.CharData:
			if inside > 0 && note == 0 {
				return text.add(string(e))
			}
		}
		return nil
	})
	return odsCell(start, text.String()), err
}

func odsCell(e xml.StartElement, text string) Cell {
	switch attribute(e, "office:value-type") {
	case "float", "currency":
		return numberCell(attribute(e, "office:value"), general, epoch1900)
	case "percentage":
		return numberCell(attribute(e, "office:value"), percent, epoch1900)
	case "date":
		date, time, timed := strings.Cut(attribute(e, "office:date-value"), "T")
		if timed && strings.Trim(time, "0:.") != "" {
			return Cell{Text: date + " with a time of day", Kind: Fault}
		}
		return Cell{Text: shownDate(date, text), Kind: Date}
	case "time":
		return Cell{Text: text + ", a time of day", Kind: Fault}
	case "boolean":
		return Cell{Text: attribute(e, "office:boolean-value")}
	}
	if strings.HasPrefix(text, "#") && attribute(e, "calcext:value-type") == "error" {
		return Cell{Text: text, Kind: Fault}
	}
	return Cell{Text: text}
}

// shownDate is a date as its cell shows it: a year or a month, where no day is shown.
func shownDate(date, shown string) string {
	if len(date) != len("2006-01-02") {
		return date
	}
	if shown == date[:4] {
		return shown
	}
	for _, n := range strings.FieldsFunc(shown, func(r rune) bool { return r < '0' || r > '9' }) {
		if strings.TrimLeft(n, "0") == strings.TrimLeft(date[8:], "0") {
			return date
		}
	}
	return date[:7]
}
