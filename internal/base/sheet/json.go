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

// objects are the rows of a JSON file. Their columns are named after the members, those of inner
// objects with a dot between.
type objects struct {
	file    *source
	path    []string
	form    form
	columns []string
	at      map[string]int
}

// form is how rows lie in a file.
type form int

const (
	list    form = iota // one after the other, in brackets
	lines               // without brackets: NDJSON
	members             // as the members of an object
	single              // there is one, and it is all
)

func openJSON(f *source, o Options) (*Table, error) {
	s := &objects{file: f}
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
		return s.table("json")
	}
	found, err := s.search()
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
	t, err := s.table("json")
	if err == nil && len(s.path) > 0 {
		t.Notes = append(t.Notes, "rows at "+place(s.path))
		for _, other := range found {
			if other.form == list && s.form == list {
				t.Sheets = append(t.Sheets, strings.Join(other.path, "."))
			}
		}
	}
	return t, err
}

func openNDJSON(f *source, _ Options) (*Table, error) {
	s := &objects{file: f, form: lines}
	return s.table("ndjson")
}

// found is where rows lie in a JSON file.
type found struct {
	path []string
	form form
	rows int
}

// search finds the rows of a file in any wrapping: lists of objects, and objects that are the
// members of one. What has several objects one after the other is NDJSON under another name, and
// else the file is one row.
func (s *objects) search() (all []found, err error) {
	err = s.seek(func(d *jsontext.Decoder) error {
		if err := search(d, nil, &all); err != nil {
			return err
		}
		if d.PeekKind() == '{' {
			all = []found{{form: lines}}
		}
		return nil
	})
	if err == nil && len(all) == 0 {
		all = []found{{form: single}}
	}
	return all, err
}

// maxWrapping is how deep the rows of a file may lie.
const maxWrapping = 6

func search(d *jsontext.Decoder, path []string, all *[]found) error {
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
			err = search(d, append(slices.Clone(path), step), all)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case kind == '[' && rows > 0 && others == 0:
		*all = append(*all, found{path, list, rows})
	case kind == '{' && rows > 1 && others == 0:
		*all = append(*all, found{path, members, rows})
	}
	_, err := d.ReadToken()
	return err
}

// seek calls a function with a decoder before the value at the path.
func (s *objects) seek(at func(*jsontext.Decoder) error) error {
	limit := &ahead{Reader: bufio.NewReaderSize(s.file.reader(), 1<<16)}
	d := jsontext.NewDecoder(limit)
	limit.decoder = d
	if err := follow(d, s.path); err != nil {
		return err
	}
	return at(d)
}

// ahead reads for a decoder, and fails where a single value is longer than any that is read.
type ahead struct {
	io.Reader
	decoder *jsontext.Decoder
	read    int64
}

func (a *ahead) Read(p []byte) (int, error) {
	if a.decoder != nil && a.read-a.decoder.InputOffset() > maxRow {
		return 0, fmt.Errorf("a value is %w", ErrLimit)
	}
	n, err := a.Reader.Read(p)
	a.read += int64(n)
	return n, err
}

func (s *objects) table(format string) (*Table, error) {
	s.at = map[string]int{}
	if err := s.each(s.learn); err != nil {
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
		err := s.each(func(d *jsontext.Decoder) error {
			row.Line++
			row.Cells = append(row.Cells[:0], make([]Cell, len(s.columns))...)
			if err := s.fill(d, "", row.Cells); err != nil {
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

// each calls a function with the decoder before each object.
func (s *objects) each(object func(*jsontext.Decoder) error) error {
	return s.seek(func(d *jsontext.Decoder) error {
		if s.form == list && d.PeekKind() != '[' {
			return fmt.Errorf("%s is not a list of rows: name the path that leads to one, such as value or data.rows", place(s.path))
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

func place(path []string) string {
	if len(path) == 0 {
		return "the file"
	}
	return strings.Join(path, ".")
}

// follow leads a decoder to the value at a path.
func follow(d *jsontext.Decoder, path []string) error {
	for i, step := range path {
		missing := fmt.Errorf("there is no %s", place(path[:i+1]))
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		n := -1
		if token.Kind() == '[' {
			if n, err = strconv.Atoi(step); err != nil || n < 0 {
				return fmt.Errorf("%s is a list: write a place in it, such as 0, not %s", place(path[:i]), step)
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

// learn notes the members of an object as columns.
func (s *objects) learn(d *jsontext.Decoder) error {
	return s.members(d, "", func(name string, d *jsontext.Decoder) error {
		if _, known := s.at[name]; !known {
			if len(s.columns) == maxColumns {
				return fmt.Errorf("there are more than %d columns: %w", maxColumns, ErrLimit)
			}
			s.at[name] = len(s.columns)
			s.columns = append(s.columns, name)
		}
		return d.SkipValue()
	})
}

// members calls a function for each member that is no object, with the decoder before its value.
func (s *objects) members(d *jsontext.Decoder, prefix string, member func(string, *jsontext.Decoder) error) error {
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
			err = s.members(d, name+".", member)
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

func (s *objects) fill(d *jsontext.Decoder, prefix string, cells []Cell) error {
	return s.members(d, prefix, func(name string, d *jsontext.Decoder) error {
		c, err := jsonCell(d)
		if at, known := s.at[name]; known && err == nil {
			cells[at] = c
		}
		return err
	})
}

// jsonCell reads a value. A list is its JSON text.
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
