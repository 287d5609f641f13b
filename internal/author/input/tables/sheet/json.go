package sheet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxNames is how many columns the objects of a file may have together.
const maxNames = maxColumns

// objects are the rows of a JSON file. Their columns are named after the members, those of inner
// objects with a dot between.
type objects struct {
	file    *os.File
	path    []string
	lines   bool // NDJSON
	columns []string
	at      map[string]int
}

func openJSON(f *os.File, o Options) (*Table, error) {
	s := &objects{file: f}
	if o.Path != "" {
		s.path = strings.Split(o.Path, ".")
	}
	return s.table("json")
}

func openNDJSON(f *os.File, _ Options) (*Table, error) {
	s := &objects{file: f, lines: true}
	return s.table("ndjson")
}

func (s *objects) table(format string) (*Table, error) {
	s.at = map[string]int{}
	if err := s.each(s.learn); err != nil {
		return nil, err
	}
	t := &Table{Format: format}
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
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	d := jsontext.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
	if !s.lines {
		if err := follow(d, s.path); err != nil {
			return err
		}
		if d.PeekKind() != '[' {
			return fmt.Errorf("%s is no list of rows: name the path that leads to one, such as value or data.rows", place(s.path))
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	}
	for n := 1; ; n++ {
		switch d.PeekKind() {
		case '{':
			if err := object(d); err != nil {
				return err
			}
		case ']':
			return nil
		default:
			_, err := d.ReadToken()
			if errors.Is(err, io.EOF) && s.lines {
				return nil
			}
			if err != nil {
				return err
			}
			return fmt.Errorf("row %d is no object", n)
		}
	}
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
			if len(s.columns) == maxNames {
				return fmt.Errorf("there are more than %d columns: %w", maxNames, ErrLimit)
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
		return Cell{string(v), Number}, err
	}
	token, err := d.ReadToken()
	if err != nil || token.Kind() == 'n' {
		return Cell{}, err
	}
	return Cell{Text: token.String()}, nil
}
