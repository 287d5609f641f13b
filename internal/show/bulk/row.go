package bulk

import (
	"fmt"
	"strconv"
	"time"

	"stele/internal/base/jsonline"
	"stele/internal/trust/standing"
	"stele/record"
)

// row reads the records of a kind into cells, one record after another in the same memory.
type row struct {
	columns []Column
	cells   []cell // of the record that was read last, by column
	number  map[string]int
}

// cell is the JSON of a member as its author wrote it; empty where the record does not have the
// member, or has null.
type cell []byte

func newRow(k *record.Kind) *row {
	r := &row{columns: Columns(k), number: map[string]int{}}
	for i, c := range r.columns {
		r.number[c.Name] = i
	}
	for _, name := range []string{standingColumn, sinceColumn, extraColumn} {
		delete(r.number, name) // it is no member
	}
	r.cells = make([]cell, len(r.columns))
	return r
}

// read takes a record apart. The cells point into its line, but for that of the publisher's own
// members.
func (r *row) read(line []byte) error {
	clear(r.cells)
	var extra []byte
	next := 0 // members stand in the order of columns for the most part
	for m, err := range jsonline.Members(line) {
		if err != nil {
			return err
		}
		if next == len(r.columns) || r.columns[next].Name != string(m.Name) {
			known := false
			if next, known = r.number[string(m.Name)]; !known {
				if extra == nil {
					extra = []byte{'{'}
				}
				extra = jsonline.AppendMember(extra, string(m.Name), m.Value)
				continue
			}
		}
		if m.Value[0] != 'n' { // null
			r.cells[next] = m.Value
		}
		next++
	}
	if len(extra) > 0 {
		r.cells[len(r.cells)-1] = append(extra, '}')
	}
	return nil
}

// standingCells are the cells of all standings. Many rows share them.
var standingCells = func() (cells [len(standing.Words)]cell) {
	for i, v := range standing.Words {
		cells[i] = cell(`"` + v.Word + `"`)
	}
	return cells
}()

// stands fills in what the release says of the record that was read last.
func (r *row) stands(s standing.Entry) {
	at := len(r.cells) - 3
	r.cells[at] = standingCells[s.Standing]
	if s.Standing != standing.Stands {
		r.cells[at+1] = cell(`"` + s.Since.String() + `"`)
	}
}

// text is the content of a text, and everything else as it stands in the JSON.
func (c cell) text() ([]byte, error) { return jsonline.Unquote(c) }

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
