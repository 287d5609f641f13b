package sheet

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What a part of a workbook may have at most, unpacked: so many times what it has packed, besides
// some that any may have. A sheet is read as it comes; its texts are kept.
const (
	maxSheet  = 8 << 30
	maxTexts  = 128 << 20
	maxPart   = 64 << 20 // of what says how the workbook is made
	maxPacked = 200
	anySize   = 1 << 20
)

// mostUnpacked returns how many bytes a part may have that has so many packed. The compressor that
// writes workbooks packs nothing as small as this allows.
func mostUnpacked(packed uint64) int64 { return anySize + int64(min(packed, 1<<40))*maxPacked }

// workbook is a file of Excel: a zip of XML, as ECMA-376 describes it.
type workbook struct {
	files  map[string]*zip.File
	texts  []string // that cells refer to by number
	styles []numberFormat
	from   epoch
	sheets []bookSheet
}

type bookSheet struct {
	name, target string
	hidden       bool
}

func openXLSX(f *source, o Options) (*Table, error) {
	w := &workbook{}
	var err error
	if w.files, err = openZip(f); err != nil {
		return nil, err
	}
	if err := w.readParts(); err != nil {
		return nil, err
	}
	t := &Table{Format: "xlsx"}
	part, err := w.choose(t, o.Sheet)
	if err != nil {
		return nil, err
	}
	merged, err := readMerged(part)
	if err != nil {
		return nil, err
	}
	t.rows = func(yield func(Row, error) bool) {
		yield = merged.fill(yield)
		if err := readPart(part, maxSheet, w.readSheet(yield)); err != nil && !errors.Is(err, errEnough) {
			yield(Row{}, err)
		}
	}
	return t, nil
}

// choose says which sheet is read: that of a name, or the first that is not hidden.
func (w *workbook) choose(t *Table, name string) (*zip.File, error) {
	var chosen *bookSheet
	for i, s := range w.sheets {
		if s.hidden {
			t.Hidden = append(t.Hidden, s.name)
		} else {
			t.Sheets = append(t.Sheets, s.name)
		}
		if chosen == nil && (s.name == name || name == "" && !s.hidden) {
			chosen = &w.sheets[i]
		}
	}
	switch {
	case chosen == nil && name == "":
		return nil, errors.New("there is no table in it")
	case chosen == nil:
		return nil, fmt.Errorf("there is no sheet %q; there are %s", name, strings.Join(slices.Concat(t.Sheets, t.Hidden), ", "))
	case w.files[chosen.target] == nil:
		return nil, fmt.Errorf("the sheet %q is missing in the file", chosen.name)
	}
	t.Sheet, t.Notes = chosen.name, []string{fmt.Sprintf("sheet %q", chosen.name)}
	return w.files[chosen.target], nil
}

// errEnough says that no more rows are wanted.
var errEnough = errors.New("enough rows")

func openZip(f *source) (map[string]*zip.File, error) {
	z, err := zip.NewReader(f, f.size)
	if err != nil {
		return nil, fmt.Errorf("it is not a workbook: %w", err)
	}
	files := map[string]*zip.File{}
	for _, part := range z.File {
		files[strings.TrimPrefix(part.Name, "/")] = part
	}
	return files, nil
}

// visitor is called with an element that begins.
type visitor func(*parser, xml.StartElement) error

// readPart calls a function for each element of a part of a workbook that begins, and that it did
// not read itself. A part that is not there has none.
func readPart(part *zip.File, limit int64, at visitor) error {
	if part == nil {
		return nil
	}
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	limit = min(limit, mostUnpacked(part.CompressedSize64))
	p := &parser{limit: &bounded{Reader: r, left: limit, what: part.Name}}
	p.d = xml.NewDecoder(p.limit)
	for {
		token, err := p.token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if e, is := token.(xml.StartElement); is && err == nil {
			err = at(p, e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.Name, err)
		}
	}
}

// parser reads elements one by one, none of them without a limit.
type parser struct {
	d     *xml.Decoder
	limit *bounded
}

func (p *parser) token() (xml.Token, error) {
	p.limit.once = 2 * maxCell
	return p.d.RawToken()
}

// inside visits what stands in an element, up to its end.
func (p *parser) inside(end string, visit func(xml.Token) error) error {
	for {
		token, err := p.token()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if e, is := token.(xml.EndElement); is && e.Name.Local == end {
			return nil
		}
		if err := visit(token); err != nil {
			return err
		}
	}
}

// cellText is the text of a cell.
type cellText struct{ strings.Builder }

func (t *cellText) add(text string) error {
	if t.WriteString(text); t.Len() > maxCell {
		return fmt.Errorf("the text of a cell is %w", ErrLimit)
	}
	return nil
}

// attribute is the value of an attribute without a namespace.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if name == a.Name.Local && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// relationID is the value of the attribute id with a namespace, whatever its prefix is.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// relation is a part to which another refers.
type relation struct{ kind, target string }

// relations are the parts to which a part refers, by ID, and by the last word of their type, which
// is the same in the strict form of the format.
func (w *workbook) relations(part string) (byID map[string]relation, byKind map[string]string, err error) {
	byID, byKind = map[string]relation{}, map[string]string{}
	dir, name := path.Split(part)
	err = readPart(w.files[path.Join(dir, "_rels", name+".rels")], maxPart, func(_ *parser, e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		r := relation{path.Base(attribute(e, "Type")), attribute(e, "Target")}
		if rest, whole := strings.CutPrefix(r.target, "/"); whole {
			r.target = rest
		} else {
			r.target = path.Join(dir, r.target)
		}
		byID[attribute(e, "Id")] = r
		byKind[r.kind] = r.target
		return nil
	})
	return byID, byKind, err
}

func (w *workbook) readParts() error {
	_, root, err := w.relations("")
	if err != nil {
		return err
	}
	name := cmp.Or(root["officeDocument"], "xl/workbook.xml")
	book := w.files[name]
	if book == nil {
		return fmt.Errorf("it is not a workbook of Excel: it has no %s", name)
	}
	targets, parts, err := w.relations(name)
	if err != nil {
		return err
	}
	err = readPart(book, maxPart, func(_ *parser, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if isSet(attribute(e, "date1904")) {
				w.from = epoch1904
			}
		case "sheet":
			hidden := strings.Contains(strings.ToLower(attribute(e, "state")), "hidden")
			w.sheets = append(w.sheets, bookSheet{attribute(e, "name"), targets[relationID(e)].target, hidden})
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.readStyles(w.files[cmp.Or(parts["styles"], "xl/styles.xml")]); err != nil {
		return err
	}
	return readPart(w.files[cmp.Or(parts["sharedStrings"], "xl/sharedStrings.xml")], maxTexts, func(d *parser, e xml.StartElement) error {
		if e.Name.Local != "si" {
			return nil
		}
		text, err := richText(d, "si")
		w.texts = append(w.texts, text)
		return err
	})
}

func (w *workbook) readStyles(part *zip.File) error {
	own, inCells := map[string]string{}, false
	return readPart(part, maxPart, func(_ *parser, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			own[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs", "cellStyleXfs":
			inCells = e.Name.Local == "cellXfs"
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				w.styles = append(w.styles, formatOf(id, own[id]))
			}
		}
		return nil
	})
}

// richText is the text up to the end of an element, without hints on how to read it.
func richText(d *parser, end string) (string, error) {
	var b cellText
	inText, hint := false, 0
	err := d.inside(end, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			if inText = e.Name.Local == "t"; e.Name.Local == "rPh" {
				hint++
			}
		case xml.EndElement:
			if inText = false; e.Name.Local == "rPh" {
				hint--
			}
		case xml.CharData:
			if inText && hint == 0 {
				return b.add(string(e))
			}
		}
		return nil
	})
	return unescapeXLSX(b.String()), err
}

// unescapeXLSX puts characters in the place of _x000D_ and the like.
func unescapeXLSX(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		if rest := text[i:]; len(rest) >= 7 && rest[0] == '_' && rest[1] == 'x' && rest[6] == '_' {
			if n, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil {
				b.WriteRune(rune(n))
				i += 7
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// readSheet yields the rows of a sheet. Rows and cells that are empty are left out of the file;
// their numbers say where the others belong.
func (w *workbook) readSheet(yield func(Row, error) bool) visitor {
	var row Row
	var hidden [maxColumns]bool
	return func(d *parser, e xml.StartElement) error {
		switch e.Name.Local {
		default:
			return nil
		case "col":
			first, _ := strconv.Atoi(attribute(e, "min")) // 0 where it is not a number
			last, _ := strconv.Atoi(attribute(e, "max"))
			if first > 0 && (isSet(attribute(e, "hidden")) || attribute(e, "width") == "0") {
				for i := first - 1; i < min(last, maxColumns); i++ {
					hidden[i] = true
				}
			}
			return nil
		case "row":
		}
		last := row.Line
		row.Line, row.Cells, row.Hidden = last+1, row.Cells[:0], isSet(attribute(e, "hidden"))
		if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n > last {
			row.Line = n
		}
		if row.Line > maxRows {
			return fmt.Errorf("it has a row %d: %w", row.Line, ErrLimit)
		}
		if err := w.readRow(d, &row); err != nil {
			return err
		}
		for i := range row.Cells {
			row.Cells[i].Hidden = hidden[i]
		}
		if !yield(row, nil) {
			return errEnough
		}
		return nil
	}
}

func isSet(attribute string) bool { return attribute == "1" || attribute == "true" }

func (w *workbook) readRow(d *parser, row *Row) error {
	return d.inside("row", func(token xml.Token) error {
		e, is := token.(xml.StartElement)
		if !is || e.Name.Local != "c" {
			return nil
		}
		at := len(row.Cells)
		if ref := attribute(e, "r"); ref != "" {
			if at = columnOf(ref); at < len(row.Cells) {
				return fmt.Errorf("row %d: the cell %s is out of order", row.Line, ref)
			}
		}
		if at >= maxColumns {
			return fmt.Errorf("row %d has a cell in column %d: %w", row.Line, at+1, ErrLimit)
		}
		row.Cells = append(row.Cells, make([]Cell, at-len(row.Cells))...)
		c, err := w.readCell(d, e)
		if err != nil {
			return fmt.Errorf("row %d, column %d: %w", row.Line, at+1, err)
		}
		row.Cells = append(row.Cells, c)
		return nil
	})
}

// columnOf is the column of a cell's name: 0 of A1, 27 of AB7; maxColumns if it has none.
func columnOf(ref string) int {
	n := 0
	for i := 0; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z'; i++ {
		if n = n*26 + int(ref[i]-'A') + 1; n > maxColumns {
			break
		}
	}
	if n == 0 {
		return maxColumns
	}
	return n - 1
}

// readCell reads a cell to its end.
func (w *workbook) readCell(d *parser, start xml.StartElement) (Cell, error) {
	var value cellText
	inValue, formula := false, false
	err := d.inside("c", func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			formula = formula || e.Name.Local == "f"
			if inValue = e.Name.Local == "v"; e.Name.Local == "is" {
				text, err := richText(d, "is")
				if err != nil {
					return err
				}
				return value.add(text)
			}
		case xml.CharData:
			if inValue {
				return value.add(string(e))
			}
		case xml.EndElement:
			inValue = false
		}
		return nil
	})
	if err != nil {
		return Cell{}, err
	}
	if formula && value.Len() == 0 && attribute(start, "t") != "str" {
		return Cell{Text: "a formula without its result: open it in a spreadsheet program and save it", Kind: Fault}, nil
	}
	return w.cell(attribute(start, "t"), value.String(), attribute(start, "s"))
}

func (w *workbook) cell(kind, value, style string) (Cell, error) {
	switch {
	case value == "":
		return Cell{}, nil
	case kind == "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(w.texts) {
			return Cell{}, fmt.Errorf("it refers to text %q, which the file does not have", value)
		}
		return Cell{Text: w.texts[n]}, nil
	case kind == "str":
		return Cell{Text: unescapeXLSX(value)}, nil
	case kind == "inlineStr":
		return Cell{Text: value}, nil
	case kind == "e":
		return Cell{Text: value, Kind: Fault}, nil
	case kind == "b":
		return Cell{Text: map[string]string{"1": "true", "0": "false"}[value]}, nil
	case kind == "d":
		if day, time, timed := strings.Cut(value, "T"); !timed || strings.Trim(time, "0:.Z") == "" {
			return Cell{Text: day, Kind: Date}, nil
		}
		return Cell{Text: value + " with a time of day", Kind: Fault}, nil
	}
	var format numberFormat
	if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(w.styles) {
		format = w.styles[n]
	}
	return numberCell(value, format, w.from), nil
}
