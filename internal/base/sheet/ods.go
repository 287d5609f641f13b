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
	err = readPart(part, maxSheet, func(d *parser) error {
		return elements(d, func(e xml.StartElement) error {
			switch {
			case e.Name.Space == "style" && e.Name.Local == "style":
				style = attributeIn(e, "style", "name")
			case e.Name.Space == "style" && e.Name.Local == "table-properties":
				folded[style] = attribute(e, "display") == "false"
			case e.Name.Space == "table" && e.Name.Local == "table":
				sheets = append(sheets, attribute(e, "name"))
				hidden = append(hidden, folded[attribute(e, "style-name")])
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	t := &Table{Format: "ods"}
	wanted, err := t.choose(sheets, hidden, o.Sheet)
	if err != nil {
		return nil, err
	}
	t.readRows(part, func(d *parser, yield func(Row, error) bool) error { return readODS(d, wanted, yield) })
	return t, nil
}

// readODS yields the rows of a sheet.
func readODS(d *parser, wanted int, yield func(Row, error) bool) error {
	at, columns, copies := -1, 0, 0
	var row Row
	var hidden []bool // for each column
	return elements(d, func(e xml.StartElement) error {
		switch {
		case e.Name.Space != "table":
		case e.Name.Local == "table":
			if at++; at > wanted {
				return errEnough
			}
		case e.Name.Local == "table-column" && at == wanted:
			n := repeated(e, "number-columns-repeated")
			hidden = hide(hidden, strconv.Itoa(columns+1), strconv.Itoa(columns+n), isHidden(e))
			columns = min(columns+n, maxColumns)
		case e.Name.Local == "table-row" && at == wanted:
			times := repeated(e, "number-rows-repeated")
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
			for i := range row.Cells {
				row.Cells[i].Hidden = i < len(hidden) && hidden[i]
			}
			for range times {
				row.Line++
				if !yield(row, nil) {
					return errEnough
				}
			}
		}
		return nil
	})
}

func isHidden(e xml.StartElement) bool {
	v := attribute(e, "visibility")
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
	for {
		token, err := d.token()
		if err != nil {
			return unexpected(err)
		}
		switch e := token.(type) {
		case xml.EndElement:
			if e.Name.Local == "table-row" {
				return nil
			}
		case xml.StartElement:
			if e.Name.Local != "table-cell" && e.Name.Local != "covered-table-cell" {
				continue
			}
			times := repeated(e, "number-columns-repeated")
			c, err := readODSCell(d, e)
			if err != nil {
				return fmt.Errorf("row %d, column %d: %w", line, len(row.Cells)+empty+1, err)
			}
			if c.Text == "" {
				empty = min(empty+times, maxColumns)
				continue
			}
			if len(row.Cells)+empty+times > maxColumns {
				return fmt.Errorf("row %d has more than %d columns: %w", line, maxColumns, ErrLimit)
			}
			for ; empty > 0; empty-- {
				row.Cells = append(row.Cells, Cell{})
			}
			for range times {
				row.Cells = append(row.Cells, c)
			}
		}
	}
}

// readODSCell reads a cell to its end. A note that is stuck to it is not part of its text.
func readODSCell(d *parser, start xml.StartElement) (Cell, error) {
	var text strings.Builder
	paragraphs, inside, note := 0, 0, 0
	for {
		token, err := d.token()
		if err != nil {
			return Cell{}, unexpected(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch {
			case e.Name.Local == "annotation":
				note++
			case note > 0:
			case e.Name.Local == "p":
				if inside++; paragraphs > 0 {
					text.WriteByte('\n')
				}
				paragraphs++
			case e.Name.Local == "s":
				text.WriteString(strings.Repeat(" ", min(repeated(e, "c"), 1000)))
			case e.Name.Local == "tab":
				text.WriteByte('\t')
			case e.Name.Local == "line-break":
				text.WriteByte('\n')
			}
		case xml.EndElement:
			switch {
			case e.Name.Local == "annotation":
				note--
			case note > 0:
			case e.Name.Local == "p":
				inside--
			case e.Name.Local == start.Name.Local:
				return odsCell(start, text.String()), nil
			}
		case xml.CharData:
			if inside > 0 && note == 0 {
				text.Write(e)
			}
		}
		if text.Len() > maxCell {
			return Cell{}, fmt.Errorf("the text of a cell is %w", ErrLimit)
		}
	}
}

func odsCell(e xml.StartElement, text string) Cell {
	switch attributeIn(e, "office", "value-type") {
	case "float", "currency":
		return numberCell(attribute(e, "value"), general, epoch1900)
	case "percentage":
		return numberCell(attribute(e, "value"), percent, epoch1900)
	case "date":
		date, time, timed := strings.Cut(attribute(e, "date-value"), "T")
		if timed && strings.Trim(time, "0:.") != "" {
			return Cell{Text: date + " with a time of day", Kind: Fault}
		}
		return Cell{Text: shownDate(date, text), Kind: Date}
	case "time":
		return Cell{Text: text + ", a time of day", Kind: Fault}
	case "boolean":
		return Cell{Text: attribute(e, "boolean-value")}
	}
	if strings.HasPrefix(text, "#") && attributeIn(e, "calcext", "value-type") == "error" {
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
