package bulk

import (
	"bufio"
	"encoding/csv"
	"io"

	"stele/internal/compile/render"
	"stele/record"
)

// csvWriter writes a table as RFC 4180 describes it, in UTF-8, with line feeds and without a
// byte-order mark.
//
// Values stand there as they are, also those that a spreadsheet would take for a formula: whoever
// reads the file with a program must find what was published, and a sign put before them would be
// part of the value for ever. The README beside the files tells how to open them in a spreadsheet.
type csvWriter struct {
	*csv.Writer
	fields []string
}

func newCSV(w io.Writer, _ render.Records, k *record.Kind) (rowWriter, error) {
	c := &csvWriter{csv.NewWriter(bufio.NewWriterSize(w, 256<<10)), header(k)}
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

// header is the first row of a table.
func header(k *record.Kind) []string {
	var names []string
	for _, c := range Columns(k) {
		names = append(names, c.Name)
	}
	return names
}
