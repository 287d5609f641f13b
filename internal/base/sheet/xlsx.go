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

// Limits of a workbook's part, expanded: maxPacked times its packed size, plus anySize. Sheets are
// streamed; shared texts are kept in memory.
const (
	maxSheet  = 8 << 30
	maxTexts  = 128 << 20
	maxPart   = 64 << 20 // of parts that describe the workbook
	maxPacked = 200
	anySize   = 1 << 20
)

// maxUnpacked returns the greatest expanded size of a part whose packed size is packed bytes. Real
// workbooks never compress as much.
func maxUnpacked(packed uint64) int64 { return anySize + int64(min(packed, 1<<40))*maxPacked }

// workbook is an Excel file: a zip archive of XML files, as in ECMA-376.
type workbook struct {
	files  map[string]*zip.File
	texts  []string // shared texts, which cells refer to by index
	styles []numberFormat
	epoch  epoch
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
	part, err := w.chooseSheet(t, o.Sheet)
	if err != nil {
		return nil, err
	}
	merged, err := readMerged(part)
	if err != nil {
		return nil, err
	}
	t.rows = func(yield func(Row, error) bool) {
		yield = merged.fillRows(yield)
		if err := readPart(part, maxSheet, w.readSheet(yield)); err != nil && !errors.Is(err, errEnough) {
			yield(Row{}, err)
		}
	}
	return t, nil
}

// chooseSheet returns the named sheet, or the first visible one, and sets the sheets of t.
func (w *workbook) chooseSheet(t *Table, name string) (*zip.File, error) {
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
		return nil, errors.New("the workbook has no visible sheet")
	case chosen == nil:
		return nil, fmt.Errorf("unknown sheet %q (known: %s)", name, strings.Join(slices.Concat(t.Sheets, t.Hidden), ", "))
	case w.files[chosen.target] == nil:
		return nil, fmt.Errorf("sheet %q is missing from the file", chosen.name)
	}
	t.Sheet, t.Notes = chosen.name, []string{fmt.Sprintf("sheet %q", chosen.name)}
	return w.files[chosen.target], nil
}

// errEnough stops reading when no more rows are wanted.
var errEnough = errors.New("enough rows")

func openZip(f *source) (map[string]*zip.File, error) {
	z, err := zip.NewReader(f, f.size)
	if begin := make([]byte, 4); err != nil {
		if _, e := f.ReadAt(begin, 0); e == nil && string(begin) == "\xd0\xcf\x11\xe0" {
			return nil, errors.New("the workbook has a password or an old format: save it as .xlsx without a password")
		}
		return nil, fmt.Errorf("not an Excel workbook: %w", err)
	}
	files := map[string]*zip.File{}
	for _, part := range z.File {
		files[strings.TrimPrefix(part.Name, "/")] = part
	}
	return files, nil
}

// visitor is called for each start element.
type visitor func(*parser, xml.StartElement) error

// readPart calls at for each start element of a part, except those that at itself reads. A nil part
// has no elements.
func readPart(part *zip.File, limit int64, at visitor) error {
	if part == nil {
		return nil
	}
	r, err := part.Open()
	if err != nil {
		return err
	}
	defer r.Close() // it was only read
	limit = min(limit, maxUnpacked(part.CompressedSize64))
	p := &parser{limit: &limitedReader{Reader: r, left: limit, what: part.Name}}
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

// parser reads XML tokens of limited size.
type parser struct {
	d     *xml.Decoder
	limit *limitedReader
}

func (p *parser) token() (xml.Token, error) {
	p.limit.leftInRow = 2 * maxCell
	return p.d.RawToken()
}

// visitUntil calls visit for each token up to the end element called end.
func (p *parser) visitUntil(end string, visit func(xml.Token) error) error {
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

// cellText collects the text of a cell.
type cellText struct{ strings.Builder }

func (t *cellText) add(text string) error {
	if t.WriteString(text); t.Len() > maxCell {
		return fmt.Errorf("the text of a cell is %w", ErrLimit)
	}
	return nil
}

// attribute returns the value of an attribute without a namespace.
func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if name == a.Name.Local && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// relationID returns the value of the id attribute with a namespace, whatever its prefix.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// relation is a reference from one part to another.
type relation struct{ kind, target string }

// relations returns the references of a part, by ID and by the last word of their type, which is
// the same in the strict form of the format.
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
		return fmt.Errorf("not an Excel workbook: %s is missing", name)
	}
	targets, parts, err := w.relations(name)
	if err != nil {
		return err
	}
	err = readPart(book, maxPart, func(_ *parser, e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			if isSet(attribute(e, "date1904")) {
				w.epoch = epoch1904
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
		text, err := readText(d, "si")
		w.texts = append(w.texts, text)
		return err
	})
}

func (w *workbook) readStyles(part *zip.File) error {
	custom, inCells := map[string]string{}, false
	return readPart(part, maxPart, func(_ *parser, e xml.StartElement) error {
		switch e.Name.Local {
		case "numFmt":
			custom[attribute(e, "numFmtId")] = attribute(e, "formatCode")
		case "cellXfs", "cellStyleXfs":
			inCells = e.Name.Local == "cellXfs"
		case "cellStyles", "dxfs":
			inCells = false
		case "xf":
			if inCells {
				id := attribute(e, "numFmtId")
				w.styles = append(w.styles, numberFormatOf(id, custom[id]))
			}
		}
		return nil
	})
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")

// readText returns the text up to the end element called end, without phonetic hints.
func readText(d *parser, end string) (string, error) {
	var b cellText
	inText, raised, hint := false, false, 0
	err := d.visitUntil(end, func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			switch inText = e.Name.Local == "t"; e.Name.Local {
			case "rPh":
				hint++
			case "r":
				raised = false
			case "vertAlign":
				raised = attribute(e, "val") == "superscript"
			}
		case xml.EndElement:
			if inText = false; e.Name.Local == "rPh" {
				hint--
			}
		case xml.CharData:
			if text := string(e); inText && hint == 0 && raised { // a note: its digits are not part of the figure
				return b.add(superscripts.Replace(text))
			} else if inText && hint == 0 {
				return b.add(text)
			}
		}
		return nil
	})
	return unescapeXLSX(b.String()), err
}

// unescapeXLSX replaces escapes in text such as _x000D_ with their characters.
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

// readSheet returns a visitor that yields the rows of a sheet. Files leave out empty rows and
// cells; the numbers of the others show their positions.
func (w *workbook) readSheet(yield func(Row, error) bool) visitor {
	var row Row
	var hidden [maxColumns]bool
	return func(d *parser, e xml.StartElement) error {
		switch e.Name.Local {
		default:
			return nil
		case "col":
			first, _ := strconv.Atoi(attribute(e, "min")) // 0 if it is not a number
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
			return fmt.Errorf("row number %d is %w", row.Line, ErrLimit)
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
	return d.visitUntil("row", func(token xml.Token) error {
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
			return fmt.Errorf("row %d: column number %d is %w", row.Line, at+1, ErrLimit)
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

// columnOf returns the column in a cell name: 0 for A1, 27 for AB7, maxColumns if it has none.
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

// readCell reads a cell up to its end element.
func (w *workbook) readCell(d *parser, start xml.StartElement) (Cell, error) {
	var value cellText
	inValue, formula := false, false
	err := d.visitUntil("c", func(token xml.Token) error {
		switch e := token.(type) {
		case xml.StartElement:
			formula = formula || e.Name.Local == "f"
			if inValue = e.Name.Local == "v"; e.Name.Local == "is" {
				text, err := readText(d, "is")
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
	return w.newCell(attribute(start, "t"), value.String(), attribute(start, "s"))
}

func (w *workbook) newCell(kind, value, style string) (Cell, error) {
	switch {
	case value == "":
		return Cell{}, nil
	case kind == "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(w.texts) {
			return Cell{}, fmt.Errorf("the shared text %q is missing from the file", value)
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
	return numberCell(value, format, w.epoch), nil
}
