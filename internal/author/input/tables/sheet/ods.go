package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// openODS opens a workbook of LibreOffice: a zip of XML, as OASIS OpenDocument describes it.
func openODS(f *os.File, o Options) (*Table, error) {
	files, err := openZip(f)
	if err != nil {
		return nil, err
	}
	part := files["content.xml"]
	if part == nil {
		return nil, errors.New("it is no workbook of LibreOffice: it has no content.xml")
	}
	var sheets []string
	err = readPart(part, maxSheet, func(d *xml.Decoder) error {
		return elements(d, func(e xml.StartElement) error {
			if e.Name.Space == "table" && e.Name.Local == "table" {
				sheets = append(sheets, attribute(e, "name"))
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	wanted, err := pick(sheets, o.Sheet)
	if err != nil {
		return nil, err
	}
	t := &Table{Format: "ods", Sheets: sheets, Notes: []string{fmt.Sprintf("sheet %q", sheets[wanted])}}
	t.rows = func(yield func(Row, error) bool) {
		err := readPart(part, maxSheet, func(d *xml.Decoder) error { return readODS(d, wanted, yield) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(Row{}, err)
		}
	}
	return t, nil
}

// readODS yields the rows of a sheet.
func readODS(d *xml.Decoder, wanted int, yield func(Row, error) bool) error {
	at, line := -1, 0
	var row Row
	return elements(d, func(e xml.StartElement) error {
		switch {
		case e.Name.Space != "table":
		case e.Name.Local == "table":
			if at++; at > wanted {
				return errEnough
			}
		case e.Name.Local == "table-row" && at == wanted:
			times := repeated(e, "number-rows-repeated")
			row.Cells = row.Cells[:0]
			if err := readODSRow(d, &row, line+1); err != nil {
				return err
			}
			if len(row.Cells) == 0 { // the rest of a sheet is often one row, a million times
				line += times
				return nil
			}
			if line+times > maxRows {
				return fmt.Errorf("row %d is there %d times: %w", line+1, times, ErrLimit)
			}
			for range times {
				line++
				row.Line = line
				if !yield(row, nil) {
					return errEnough
				}
			}
		}
		return nil
	})
}

func repeated(e xml.StartElement, name string) int {
	if n, err := strconv.Atoi(attribute(e, name)); err == nil && n > 1 {
		return n
	}
	return 1
}

// readODSRow reads a row without the empty cells at its end.
func readODSRow(d *xml.Decoder, row *Row, line int) error {
	empty := 0
	for {
		token, err := d.RawToken()
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
				empty += times
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
func readODSCell(d *xml.Decoder, start xml.StartElement) (Cell, error) {
	var text strings.Builder
	paragraphs, inside, note := 0, 0, 0
	for {
		token, err := d.RawToken()
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
				return odsCell(start, text.String())
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

func odsCell(e xml.StartElement, text string) (Cell, error) {
	switch attributeIn(e, "office", "value-type") {
	case "float", "currency":
		return numberCell(attribute(e, "value"), general, epoch1900)
	case "percentage":
		return numberCell(attribute(e, "value"), percent, epoch1900)
	case "date":
		date, time, timed := strings.Cut(attribute(e, "date-value"), "T")
		if timed && strings.Trim(time, "0:") != "" {
			return Cell{}, fmt.Errorf("%q has a time of day, where a date is wanted", date+"T"+time)
		}
		return Cell{shownDate(date, text), Date}, nil
	case "boolean":
		return Cell{Text: attribute(e, "boolean-value")}, nil
	}
	if strings.HasPrefix(text, "#") && attributeIn(e, "calcext", "value-type") == "error" {
		return Cell{text, Fault}, nil
	}
	return Cell{Text: text}, nil
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
