package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonRows are the rows of a JSON file. Columns are named after members; names of nested members
// are joined by dots.
type jsonRows struct {
	file    *source
	path    []string
	form    form
	columns []string
	at      map[string]int
}

// form says how a file contains its rows.
type form int

const (
	list    form = iota // as elements of a list
	lines               // without brackets: NDJSON
	members             // as the members of an object
	single              // the whole file is one row
)

func openJSON(f *source, o Options) (*Table, error) {
	s := &jsonRows{file: f}
	if o.Path != "" {
		s.path = strings.Split(o.Path, ".")
		if err := s.seek(func(d *jsontext.Decoder) error {
			if d.PeekKind() == '{' {
				s.form = members
			}
			return nil
		}); err != nil {
			return nil, err
		}
		return s.newTable("json")
	}
	found, err := s.findLocations()
	if err != nil {
		return nil, err
	}
	largest := found[0]
	for _, t := range found {
		if t.rows > largest.rows || t.rows == largest.rows && t.form == list {
			largest = t
		}
	}
	s.path, s.form = largest.path, largest.form
	t, err := s.newTable("json")
	if err == nil && len(s.path) > 0 {
		t.Notes = append(t.Notes, "rows at "+pathText(s.path))
		for _, other := range found {
			if other.form == list && s.form == list {
				t.Sheets = append(t.Sheets, strings.Join(other.path, "."))
			}
		}
	}
	return t, err
}

func openNDJSON(f *source, _ Options) (*Table, error) {
	s := &jsonRows{file: f, form: lines}
	return s.newTable("ndjson")
}

// location is a place in a JSON file that contains rows.
type location struct {
	path []string
	form form
	rows int
}

// findLocations finds all lists of objects, and all objects whose members are objects. A file with
// several objects is NDJSON. Otherwise the file is one row.
func (s *jsonRows) findLocations() (all []location, err error) {
	err = s.seek(func(d *jsontext.Decoder) error {
		if err := findIn(d, nil, &all); err != nil {
			return err
		}
		if d.PeekKind() == '{' {
			all = []location{{form: lines}}
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		all = []location{{form: single}}
	}
	return all, err
}

// maxWrapping is the greatest depth at which rows are searched.
const maxWrapping = 6

func findIn(d *jsontext.Decoder, path []string, all *[]location) error {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' || len(path) == maxWrapping {
		return d.SkipValue()
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	rows, others := 0, 0
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		step := strconv.Itoa(rows + others)
		if kind == '{' {
			name, err := d.ReadToken()
			if err != nil {
				return err
			}
			step = name.String()
		}
		if d.PeekKind() == '{' {
			rows++
		} else {
			others++
		}
		var err error
		if kind == '[' && rows > 0 || strings.Contains(step, ".") {
			err = d.SkipValue()
		} else {
			err = findIn(d, append(slices.Clone(path), step), all)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case kind == '[' && rows > 0 && others == 0:
		*all = append(*all, location{path, list, rows})
	case kind == '{' && rows > 1 && others == 0:
		*all = append(*all, location{path, members, rows})
	}
	_, err := d.ReadToken()
	return err
}

// seek calls do with a decoder positioned before the value at the path.
func (s *jsonRows) seek(do func(*jsontext.Decoder) error) error {
	limit := &valueReader{Reader: bufio.NewReaderSize(s.file.reader(), 1<<16)}
	d := jsontext.NewDecoder(limit)
	limit.decoder = d
	if err := descend(d, s.path); err != nil {
		return err
	}
	return do(d)
}

// valueReader reads for a decoder, and fails if a single value is too large.
type valueReader struct {
	io.Reader
	decoder *jsontext.Decoder
	read    int64
}

func (a *valueReader) Read(p []byte) (int, error) {
	if a.decoder != nil && a.read-a.decoder.InputOffset() > maxRow {
		return 0, fmt.Errorf("a value is %w", ErrLimit)
	}
	n, err := a.Reader.Read(p)
	a.read += int64(n)
	return n, err
}

func (s *jsonRows) newTable(format string) (*Table, error) {
	s.at = map[string]int{}
	if err := s.forEachRow(s.addColumns); err != nil {
		return nil, err
	}
	t := &Table{Format: format, Delimiter: ','}
	t.rows = func(yield func(Row, error) bool) {
		names := Row{}
		for _, c := range s.columns {
			names.Cells = append(names.Cells, Cell{Text: c})
		}
		if !yield(names, nil) {
			return
		}
		row := Row{}
		err := s.forEachRow(func(d *jsontext.Decoder) error {
			row.Line++
			row.Cells = append(row.Cells[:0], make([]Cell, len(s.columns))...)
			if err := s.fillCells(d, "", row.Cells); err != nil {
				return err
			}
			if !yield(row, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Row{}, err)
		}
	}
	return t, nil
}

// forEachRow calls object with the decoder before each row.
func (s *jsonRows) forEachRow(object func(*jsontext.Decoder) error) error {
	return s.seek(func(d *jsontext.Decoder) error {
		if s.form == list && d.PeekKind() != '[' {
			return fmt.Errorf("%s is not a list of rows: set the path of the list, such as value or data.rows", pathText(s.path))
		}
		if s.form == list || s.form == members {
			if _, err := d.ReadToken(); err != nil {
				return err
			}
		}
		for n := 1; ; n++ {
			if s.form == members && d.PeekKind() == '"' {
				if _, err := d.ReadToken(); err != nil {
					return err
				}
			}
			switch d.PeekKind() {
			case '{':
				if err := object(d); err != nil || s.form == single {
					return err
				}
			case ']', '}':
				return nil
			default:
				_, err := d.ReadToken()
				if errors.Is(err, io.EOF) && s.form == lines {
					return nil
				}
				if err != nil {
					return err
				}
				return fmt.Errorf("row %d is not an object", n)
			}
		}
	})
}

func pathText(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

// descend moves d to the value at path.
func descend(d *jsontext.Decoder, path []string) error {
	for i, step := range path {
		missing := fmt.Errorf("%s not found", pathText(path[:i+1]))
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		n := -1
		if token.Kind() == '[' {
			if n, err = strconv.Atoi(step); err != nil || n < 0 {
				return fmt.Errorf("%s is a list: use an index such as 0, not %s", pathText(path[:i]), step)
			}
		} else if token.Kind() != '{' {
			return missing
		}
		for at := 0; ; at++ {
			if k := d.PeekKind(); k == '}' || k == ']' {
				return missing
			}
			if n >= 0 && at == n {
				break
			}
			if n < 0 {
				name, err := d.ReadToken()
				if err != nil {
					return err
				}
				if name.String() == step {
					break
				}
			}
			if err := d.SkipValue(); err != nil {
				return err
			}
		}
	}
	return nil
}

// addColumns adds the members of an object as columns.
func (s *jsonRows) addColumns(d *jsontext.Decoder) error {
	return s.forEachMember(d, "", func(name string, d *jsontext.Decoder) error {
		if _, known := s.at[name]; !known {
			if len(s.columns) == maxColumns {
				return fmt.Errorf("more than %d columns: %w", maxColumns, ErrLimit)
			}
			s.at[name] = len(s.columns)
			s.columns = append(s.columns, name)
		}
		return d.SkipValue()
	})
}

// forEachMember calls member for each member that is not an object, with the decoder before its
// value.
func (s *jsonRows) forEachMember(
	d *jsontext.Decoder, prefix string, member func(string, *jsontext.Decoder) error,
) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := prefix + token.String()
		if d.PeekKind() == '{' {
			err = s.forEachMember(d, name+".", member)
		} else {
			err = member(name, d)
		}
		if err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func (s *jsonRows) fillCells(d *jsontext.Decoder, prefix string, cells []Cell) error {
	return s.forEachMember(d, prefix, func(name string, d *jsontext.Decoder) error {
		c, err := jsonCell(d)
		if at, known := s.at[name]; known && err == nil {
			cells[at] = c
		}
		return err
	})
}

// jsonCell reads a value as a cell. A list becomes its JSON text.
func jsonCell(d *jsontext.Decoder) (Cell, error) {
	switch d.PeekKind() {
	case '[':
		v, err := d.ReadValue()
		return Cell{Text: string(v)}, err
	case '0':
		v, err := d.ReadValue()
		return Cell{Text: string(v), Kind: Number}, err
	}
	token, err := d.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return Cell{}, err
	}
	return Cell{Text: token.String()}, nil
}
