package bulk

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"stele/record"
)

// row reads the records of a kind into cells, one record after another in the same memory.
type row struct {
	columns []Column
	cells   []cell // of the record that was read last, by column
	size    int    // of its JSON
	number  map[string]int
	decoder *jsontext.Decoder
	extra   []byte
}

// cell is the JSON of a member as its author wrote it; empty where the record does not have the
// member, or has null.
type cell []byte

func newRow(k *record.Kind) *row {
	r := &row{columns: Columns(k), number: map[string]int{}, decoder: jsontext.NewDecoder(new(bytes.Buffer))}
	for i, c := range r.columns {
		r.number[c.Name] = i
	}
	delete(r.number, extraColumn) // it is no member
	r.cells = make([]cell, len(r.columns))
	return r
}

// read takes a record apart. The cells point into its line.
func (r *row) read(line []byte) error {
	clear(r.cells)
	r.size = len(line)
	r.extra = r.extra[:0]
	// The build made sure that no name stands twice.
	r.decoder.Reset(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true))
	if _, err := r.decoder.ReadToken(); err != nil {
		return err
	}
	for r.decoder.PeekKind() != jsontext.KindEndObject {
		name, err := r.decoder.ReadToken()
		if err != nil {
			return err
		}
		member := name.String()
		value, err := r.decoder.ReadValue()
		if err != nil {
			return err
		}
		if i, known := r.number[member]; !known {
			r.addExtra(member, value)
		} else if value.Kind() != jsontext.KindNull {
			end := r.decoder.InputOffset()
			r.cells[i] = line[end-int64(len(value)) : end]
		}
	}
	if len(r.extra) > 0 {
		r.extra = append(r.extra, '}')
		r.cells[len(r.cells)-1] = r.extra
	}
	return nil
}

func (r *row) addExtra(name string, value []byte) {
	separator := byte(',')
	if len(r.extra) == 0 {
		separator = '{'
	}
	r.extra, _ = jsontext.AppendQuote(append(r.extra, separator), name) // the name was read as valid text
	r.extra = append(append(r.extra, ':'), value...)
}

// text is the content of a member that holds text.
func (r *row) text(member string) (string, error) {
	text, err := r.cells[r.number[member]].text()
	return string(text), err
}

// text is the content of a text, and everything else as it stands in the JSON.
func (c cell) text() ([]byte, error) {
	switch {
	case len(c) == 0 || c[0] != '"':
		return c, nil
	case bytes.IndexByte(c, '\\') < 0:
		return c[1 : len(c)-1], nil
	}
	return jsontext.AppendUnquote(nil, c)
}

func (c cell) integer() (int64, error) { return strconv.ParseInt(string(c), 10, 64) }

// number is the nearest number that a computer has for the digits.
func (c cell) number() (float64, error) { return strconv.ParseFloat(string(c), 64) }

func (c cell) boolean() bool { return c[0] == 't' }

// days counts the days from 1970-01-01.
func (c cell) days() (int32, error) {
	t, err := time.Parse(`"`+time.DateOnly+`"`, string(c))
	if err != nil {
		return 0, fmt.Errorf("%s is not a date", c)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}
