package areas

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// Document is the published file of a scheme.
type Document struct {
	Kind    string   `json:"kind" doc:"area_scheme."`
	Scheme  string   `json:"scheme" doc:"The name that statistics give in ref_area_scheme."`
	Title   string   `json:"title" doc:"The name of the scheme for readers."`
	License string   `json:"license" doc:"The SPDX identifier of the licence."`
	Notice  string   `json:"notice" doc:"What readers must know."`
	Checks  []Check  `json:"checks" doc:"The checks that the tables passed."`
	Codes   []Code   `json:"codes" doc:"The codes with their days, sorted by code."`
	Changes []Change `json:"changes" doc:"The changes, sorted by day, predecessor and successor."`
}

// Check is a check that the tables of a scheme passed.
type Check struct {
	Code  string `json:"code" doc:"The code of the finding that did not occur."`
	Title string `json:"title" doc:"What the check looks for."`
}

func init() {
	schema.Define(reflect.TypeFor[Names](), schema.Shape{Type: schema.Object, Open: true})
	schema.Define(reflect.TypeFor[Share](), schema.Shape{Type: schema.Digits})
}

// MarshalJSON writes an object.
func (n Names) MarshalJSON() ([]byte, error) { return schema.AppendTerms(nil, reflect.ValueOf(n)), nil }

// UnmarshalJSON reads an object of texts and keeps the order of its members.
func (n *Names) UnmarshalJSON(data []byte) error {
	for m, err := range jsonline.Members(data) {
		var text []byte
		if err == nil {
			text, err = jsonline.Unquote(m.Value)
		}
		if err != nil {
			return err
		}
		*n = append(*n, Name{string(m.Name), string(text)})
	}
	return nil
}

// MarshalJSON writes a number.
func (s Share) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// UnmarshalJSON reads a number.
func (s *Share) UnmarshalJSON(data []byte) error {
	*s = Share(data)
	return nil
}

// AppendJSON appends the document of the scheme to b, with a code or a change on each line.
func (s *Scheme) AppendJSON(b []byte, head Document) ([]byte, error) {
	head.Kind, head.Scheme, head.Title = "area_scheme", s.Name, s.Title
	first, err := jsonline.Marshal(head, "")
	if err != nil {
		return nil, err
	}
	first, _, _ = bytes.Cut(first, []byte(`"codes":null`))
	b = append(b, first...)
	b = appendLines(append(b, `"codes":[`...), s.Codes)
	b = appendLines(append(b, `],"changes":[`...), s.Changes)
	return append(b, "]}\n"...), nil
}

func appendLines[T any](b []byte, rows []T) []byte {
	shape := schema.ShapeOf[T]()
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(schema.AppendMembers(append(b, "\n{"...), shape, reflect.ValueOf(&rows[i]).Elem()), '}')
	}
	return append(b, '\n')
}

// Parse reads the published document of a scheme.
func Parse(data []byte) (*Scheme, *Document, error) {
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, nil, fmt.Errorf("areas: %w", err)
	}
	s := &Scheme{Name: d.Scheme, Title: d.Title, Codes: d.Codes, Changes: d.Changes}
	s.BuildIndex()
	return s, &d, nil
}

// ParseArea reads a code from the published document of a scheme, with its changes and the codes of
// its predecessors and successors. It does not decode the other rows, of which there may be many.
func ParseArea(data []byte, code string) (*Scheme, error) {
	s, wanted, quoted := new(Scheme), map[string]bool{code: true}, []byte(`"`+code+`"`)
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte(`{"date":`)) || !bytes.Contains(line, quoted) {
			continue
		}
		c, err := parseLine[Change](line)
		if err != nil {
			return nil, err
		}
		if c.From == code || c.To == code {
			s.Changes = append(s.Changes, c)
			wanted[c.From], wanted[c.To] = true, true
		}
	}
	for line := range bytes.Lines(data) {
		rest, isCode := bytes.CutPrefix(line, []byte(`{"code":"`))
		if name, _, _ := bytes.Cut(rest, []byte(`"`)); !isCode || !wanted[string(name)] {
			continue
		}
		c, err := parseLine[Code](line)
		if err != nil {
			return nil, err
		}
		s.Codes = append(s.Codes, c)
	}
	s.BuildIndex()
	return s, nil
}

// parseLine parses a line of a document, which contains a code or a change.
func parseLine[T any](line []byte) (row T, err error) {
	if err = json.Unmarshal(bytes.TrimRight(line, ",\n"), &row); err != nil {
		err = fmt.Errorf("areas: %w", err)
	}
	return row, err
}

// Languages returns the languages in which codes have names besides Name, in the order of the first
// code that has each.
func (s *Scheme) Languages() (list []string) {
	seen := map[string]bool{}
	for i := range s.Codes {
		for _, n := range s.Codes[i].Names {
			if !seen[n.Language] {
				seen[n.Language] = true
				list = append(list, n.Language)
			}
		}
	}
	return list
}

// CSV returns the tables as publishers write them: the codes, and the changes.
func (s *Scheme) CSV() (codes, changes []byte) {
	return encodeTable(s.codeRows()), encodeTable(s.changeRows())
}

// codeRows returns the codes below their header.
func (s *Scheme) codeRows() [][]string {
	languages, header := s.Languages(), []string{"code", "name", "level", "parent", "valid_from", "valid_to"}
	for _, tag := range languages {
		header = append(header, "name_"+tag)
	}
	rows := [][]string{header}
	for i := range s.Codes {
		rows = append(rows, s.Codes[i].cells(languages))
	}
	return rows
}

// changeRows returns the changes below their header.
func (s *Scheme) changeRows() [][]string {
	rows := [][]string{{"date", "from_code", "to_code", "kind", "share", "basis", "note"}}
	for i := range s.Changes {
		rows = append(rows, s.Changes[i].cells())
	}
	return rows
}

// JoinedCSV returns both tables in one, with a first column that names the table of each row: code,
// change, or check for the checks that the tables passed.
func (s *Scheme) JoinedCSV(checks []Check) []byte {
	codes, changes := s.codeRows(), s.changeRows()
	before, after := make([]string, len(changes[0])), make([]string, len(codes[0]))
	rows := [][]string{slices.Concat([]string{"table"}, changes[0], codes[0])}
	for _, cells := range codes[1:] {
		rows = append(rows, slices.Concat([]string{"code"}, before, cells))
	}
	for _, cells := range changes[1:] {
		rows = append(rows, slices.Concat([]string{"change"}, cells, after))
	}
	for _, c := range checks {
		row := slices.Concat([]string{"check"}, before, after)
		copy(row[1+len(before):], []string{c.Code, c.Title})
		rows = append(rows, row)
	}
	return encodeTable(rows)
}

func (c *Code) cells(languages []string) []string {
	cells := []string{c.Code, c.Name, c.Level, c.Parent, c.From, c.To}
	for _, tag := range languages {
		text := ""
		for _, n := range c.Names {
			if n.Language == tag {
				text = n.Text
			}
		}
		cells = append(cells, text)
	}
	return cells
}

func (c *Change) cells() []string {
	return []string{c.Date, c.From, c.To, c.Kind, string(c.Share), c.Basis, c.Note}
}

func encodeTable(rows [][]string) []byte {
	var b bytes.Buffer
	csv.NewWriter(&b).WriteAll(rows) // a Buffer never fails
	return b.Bytes()
}
