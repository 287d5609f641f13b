package amend

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/base/schema"
)

// Row is a row of a table of records, with the texts of its cells by column number.
type Row struct {
	Line  int32 // its first line
	ID    string
	Cells []string
	// Corrected maps members that were corrected before to the last sentence about them.
	Corrected map[string]string
}

// Rows reads the names of a table's columns, and its rows in order.
func Rows(fsys fs.FS, path string) (columns []string, rows []Row, err error) {
	of, err := openFile(fsys, path)
	if err != nil {
		return nil, nil, err
	}
	return readRows(of)
}

func readRows(of oneFile) (columns []string, rows []Row, err error) {
	unreadable := fmt.Errorf("cannot read the records in %s: run stele check first", of.path)
	t := &table{data: of.data}
	if _, err := t.readColumns(); err != nil {
		return nil, nil, unreadable
	}
	at := map[string]int{}
	for i, name := range t.columns {
		at[name] = i
	}
	r := new(input.Reader)
	for b := range of.readBatches() {
		for i := range r.Items(b) {
			switch {
			case i.Source == nil || i.Source.Path != of.path:
				continue
			case i.Tree == nil:
				return nil, nil, unreadable
			}
			own, id := valueAt(i.Own, 0), strings.Clone(i.Tree.Text("id"))
			row := Row{Line: i.Own.Nodes[0].At.Line, ID: id, Cells: make([]string, len(t.columns))}
			visitChanges(&own, nil, nil, func(path []string, text string) {
				if n, known := at[strings.Join(path, ".")]; known {
					row.Cells[n] = strings.Clone(text)
				}
			})
			if c := i.Tree.Find(0, "corrections"); c >= 0 {
				list := valueAt(i.Tree, c)
				row.Corrected = lastCorrections(&list)
			}
			rows = append(rows, row)
		}
	}
	return t.columns, rows, nil
}

// lastCorrections returns the members that a list of corrections names, each with the summary of
// its last correction.
func lastCorrections(list *value) map[string]string {
	if len(list.members) == 0 {
		return nil
	}
	named := map[string]string{}
	for _, m := range list.members {
		fields, _ := m.value.lookUp([]string{"fields"})
		summary, _ := m.value.lookUp([]string{"summary"})
		for _, f := range fields.members {
			named[strings.Clone(f.value.text)] = strings.Clone(summary.text)
		}
	}
	return named
}

// PlanRows plans to change the cells in set, by the first lines of their rows, and to add rows to
// the table at path. Each changed row gets the correction or source update in c. PlanRows reads the
// result again and checks that nothing else differs.
func PlanRows(fsys fs.FS, path string, set map[int32][]Setting, added []map[string]string, c Change) ([]File, error) {
	before, err := readState(fsys, path, func(_ string, line int32) bool { return set[line] != nil })
	if err != nil {
		return nil, err
	}
	c.inCells = true
	files, err := before.changeRecords(fsys, c, func(r *written) (value, error) {
		return r.setCells(set[r.own.Nodes[0].At.Line]), nil
	})
	if err != nil || len(added) == 0 {
		return files, err
	}
	f := &files[0]
	beside := before.beside
	if len(files) > 1 {
		beside = files[1].New
	}
	columns, was, err := readRows(oneFile{fsys, path, f.New, beside})
	if err != nil {
		return nil, err
	}
	f.New = (&table{data: f.New}).appendRows(added)
	all, is, err := readRows(oneFile{fsys, path, f.New, beside})
	if err != nil {
		return nil, err
	}
	if len(is) != len(was)+len(added) || !slices.Equal(all[:len(columns)], columns) {
		return nil, fmt.Errorf("%s: %w", path, errUnclear)
	}
	for i, row := range is {
		for n, name := range all {
			want := ""
			if i >= len(was) {
				want = added[i-len(was)][name]
			} else if n < len(columns) {
				want = was[i].Cells[n]
			}
			if row.Cells[n] != want {
				return nil, fmt.Errorf("%s, line %d, %s: %w", path, row.Line, name, errUnclear)
			}
		}
	}
	return files, nil
}

// setCells returns the record with the texts in set in its cells. An empty text removes the member.
func (r *written) setCells(set []Setting) value {
	v := valueAt(r.own, 0)
	for _, s := range set {
		path := strings.Split(s.Path, ".")
		switch _, there := v.lookUp(path); {
		case s.Value == "" && there:
			v = v.withoutPath(path)
			for n := len(path) - 1; n > 0; n-- { // an empty object is missing
				if outer, _ := v.lookUp(path[:n]); len(outer.members) == 0 {
					v = v.withoutPath(path[:n])
				}
			}
		case s.Value == "":
		case s.Value == "[]" && path[len(path)-1] == "0":
			v = v.withValueAt(path[:len(path)-1], value{typ: schema.Array})
		default:
			v = v.withValueAt(path, value{typ: schema.Cell, text: s.Value})
		}
	}
	return v
}

// appendRows returns the text of the table with rows added, with the same line endings.
func (t *table) appendRows(rows []map[string]string) []byte {
	ends, err := t.readColumns()
	if err != nil {
		return nil // reading it shows that nothing was added
	}
	for _, row := range rows {
		for name, text := range row {
			if text != "" && !slices.Contains(t.columns, name) && !slices.Contains(t.added, name) {
				t.added = append(t.added, name)
			}
		}
	}
	slices.Sort(t.added)
	data, err := applySplices(t.data, t.addColumns(ends))
	if err != nil {
		return nil
	}
	eol := "\n"
	if end := bytes.IndexByte(data, '\n'); end > 0 && data[end-1] == '\r' {
		eol = "\r\n"
	}
	b := bytes.NewBuffer(data)
	if len(data) > 0 && !bytes.HasSuffix(data, []byte("\n")) {
		b.WriteString(eol)
	}
	for _, row := range rows {
		for i, name := range slices.Concat(t.columns, t.added) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoteCell(row[name], nil))
		}
		b.WriteString(eol)
	}
	return b.Bytes()
}
