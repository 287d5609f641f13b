package bulk

import (
	"bufio"
	"encoding/csv"
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// csvWriter writes a table as RFC 4180 CSV, in UTF-8, with line feeds and without a byte-order
// mark.
//
// Values are written unchanged, even if a spreadsheet would evaluate them as a formula: programs
// must read what was published, and an added prefix would become part of the value. The README next
// to the files says how to open them in a spreadsheet.
type csvWriter struct {
	*csv.Writer
	fields []string
}

func newCSV(w io.Writer, e render.Records, k *record.Kind) (rowWriter, error) {
	c := &csvWriter{csv.NewWriter(bufio.NewWriterSize(w, 256<<10)), header(e, k)}
	return c, c.Write(c.fields)
}

func (c *csvWriter) add(_ []byte, cells []cell) error {
	for i, cell := range cells {
		text, err := cell.text()
		if err != nil {
			return err
		}
		c.fields[i] = string(text)
	}
	return c.Write(c.fields)
}

func (*csvWriter) flush() error { return nil }

func (c *csvWriter) close() error {
	c.Flush()
	return c.Error()
}

// header returns the column names of k, the first row of its table.
func header(e render.Records, k *record.Kind) []string {
	var names []string
	for _, c := range columnsIn(e, k) {
		names = append(names, c.Name)
	}
	return names
}
