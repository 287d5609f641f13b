package bulk

import (
	"bufio"
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"

	"stele/internal/build/render"
	"stele/record"
)

// csvWriter writes a table as RFC 4180 describes it, in UTF-8, with line feeds and without a
// byte-order mark.
//
// Values stand there as they are, also those that a spreadsheet would take for a formula: whoever
// reads the file with a program must find what was published, and a sign put before them would be
// part of the value for ever. The README beside the files tells how to open them in a spreadsheet.
//
// The library for CSV takes texts, and looks for what must be quoted in ways that suit any
// separator; most cells are JSON and full of quotation marks. This writes the same bytes.
type csvWriter struct{ *bufio.Writer }

func newCSV(w io.Writer, _ render.Records, k *record.Kind) (rowWriter, error) {
	c := csvWriter{bufio.NewWriterSize(w, 256<<10)}
	for i, name := range header(k) {
		c.field(i, []byte(name))
	}
	return c, c.WriteByte('\n')
}

func (c csvWriter) add(_ []byte, cells []cell) error {
	for i, cell := range cells {
		text, err := cell.text()
		if err != nil {
			return err
		}
		c.field(i, text)
	}
	return c.WriteByte('\n') // which tells of the errors before
}

// field writes field i of a row.
func (c csvWriter) field(i int, text []byte) {
	if i > 0 {
		c.WriteByte(',')
	}
	if !quotedField(text) {
		c.Write(text)
		return
	}
	c.WriteByte('"')
	for i := bytes.IndexByte(text, '"'); i >= 0; i = bytes.IndexByte(text, '"') {
		c.Write(text[:i+1])
		c.WriteByte('"')
		text = text[i+1:]
	}
	c.Write(text)
	c.WriteByte('"')
}

// quotedField reports whether a field stands in quotation marks: where it has what ends fields or
// rows, and where readers would cut something off, as the library for CSV does it.
func quotedField(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	for _, c := range text {
		if c == '"' || c == ',' || c == '\n' || c == '\r' {
			return true
		}
	}
	first, _ := utf8.DecodeRune(text)
	return unicode.IsSpace(first) || string(text) == `\.`
}

func (csvWriter) flush() error { return nil }

func (c csvWriter) close() error { return c.Flush() }

// header is the first row of a table.
func header(k *record.Kind) []string {
	var names []string
	for _, c := range Columns(k) {
		names = append(names, c.Name)
	}
	return names
}
