package bulk

import (
	"bufio"
	"encoding/csv"
	"io"

	"stele/internal/render"
	"stele/record"
)

// writeCSV writes a table as RFC 4180 describes it, in UTF-8, with line feeds and without a
// byte-order mark.
//
// Values stand there as they are, also those that a spreadsheet would take for a formula: whoever
// reads the file with a program must find what was published, and a sign put before them would be
// part of the value for ever. The README beside the files tells how to open them in a spreadsheet.
func writeCSV(w io.Writer, e render.Records, k *record.Kind) error {
	table := csv.NewWriter(bufio.NewWriterSize(w, 256<<10))
	fields := header(k)
	if err := table.Write(fields); err != nil {
		return err
	}
	for r, err := range rows(e, k) {
		if err != nil {
			return err
		}
		for i, c := range r.cells {
			text, err := c.text()
			if err != nil {
				return err
			}
			fields[i] = string(text)
		}
		if err := table.Write(fields); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

// header is the first row of a table.
func header(k *record.Kind) []string {
	var names []string
	for _, c := range Columns(k) {
		names = append(names, c.Name)
	}
	return names
}
