package bulk

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"stele/internal/base/jsonline"
	areatable "stele/internal/base/sheet/areas"
	"stele/internal/compile/render"
	"stele/internal/trust/standing"
	"stele/record"
)

// row splits the records of a kind into cells. It reuses the memory of its cells.
type row struct {
	columns []Column
	cells   []cell // of the last record, by column
	number  map[string]int

	hasNames     bool // whether there is a column of names of areas
	scheme, area int
	schemes      []*areatable.Scheme
	names        map[string]cell // by the JSON of scheme and code
}

// fillAreaName fills in the name of the area of the statistic that was read last.
func (r *row) fillAreaName() {
	scheme, code := r.cells[r.scheme], r.cells[r.area]
	key := string(scheme) + string(code)
	name, known := r.names[key]
	if !known {
		for _, s := range r.schemes {
			c := s.Code(strings.Trim(string(code), `"`)) // neither needs escapes
			if c != nil && string(scheme) == `"`+s.Name+`"` {
				name = jsonline.AppendText(nil, c.Name)
			}
		}
		r.names[key] = name
	}
	r.cells[len(r.cells)-4] = name
}

// cell is the JSON of a member as its author wrote it, or empty if the member is missing or null.
type cell []byte

func newRow(e render.Records, k *record.Kind) *row {
	r := &row{columns: columnsIn(e, k), number: map[string]int{}, schemes: e.Areas(), names: map[string]cell{}}
	for i, c := range r.columns {
		r.number[c.Name] = i
	}
	r.scheme, r.area = r.number["ref_area_scheme"], r.number["ref_area"]
	_, r.hasNames = r.number[nameColumn]
	for _, name := range []string{nameColumn, standingColumn, sinceColumn, extraColumn} {
		delete(r.number, name) // not a member
	}
	r.cells = make([]cell, len(r.columns))
	return r
}

// read splits line, a record, into cells. All cells except that of custom members refer to line.
func (r *row) read(line []byte) error {
	clear(r.cells)
	var extra []byte
	next := 0 // members are usually in the order of columns
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

// standingCells contains the cell of each standing, which rows share.
var standingCells = func() (cells [len(standing.Words)]cell) {
	for i, v := range standing.Words {
		cells[i] = cell(`"` + v.Word + `"`)
	}
	return cells
}()

// setStanding sets the cells of the record's standing.
func (r *row) setStanding(s standing.Entry) {
	at := len(r.cells) - 3
	r.cells[at] = standingCells[s.Standing]
	if s.Standing != standing.Stands {
		r.cells[at+1] = cell(`"` + s.Since.String() + `"`)
	}
}

// text returns the content of c if it is a JSON string, or otherwise its JSON.
func (c cell) text() ([]byte, error) { return jsonline.Unquote(c) }

func (c cell) integer() (int64, error) { return strconv.ParseInt(string(c), 10, 64) }

// number returns the float64 nearest to the number in c.
func (c cell) number() (float64, error) { return strconv.ParseFloat(string(c), 64) }

func (c cell) boolean() bool { return c[0] == 't' }

// days returns the number of days from 1970-01-01 to the date in c.
func (c cell) days() (int32, error) {
	t, err := time.Parse(`"`+time.DateOnly+`"`, string(c))
	if err != nil {
		return 0, fmt.Errorf("invalid date %s", c)
	}
	return int32(t.Unix() / (24 * 60 * 60)), nil
}
