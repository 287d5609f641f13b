package sheet

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"stele/internal/base/compress"
)

// Book is an XLSX workbook to be written, in the format of ECMA-376: sheets of typed cells without
// formulas or macros. The same content gives the same bytes.
type Book struct {
	Title, Creator, Language string
	Day                      string // of the last change
	sheets                   []*Grid
}

// Grid is a sheet: either a table with column names in its first row, or lines of text.
type Grid struct {
	name    string // at most 20 ASCII letters; also the name of the table
	lines   []Line
	columns []GridColumn // nil if it has lines
	rows    [][]int32    // indexes in texts, by column
	texts   []string     // without duplicates; the first is empty
	index   map[string]int32
}

// GridColumn is a column of a table. Columns that are empty in all rows are left out unless Used is
// set.
type GridColumn struct {
	Name  string
	Kind  Kind // of its cells: Text, Number or Date
	Width int  // in characters
	Order int  // columns are sorted by this
	Used  bool
}

// Line is a line of text. Its level is 1 for a title, 2 for a heading and 0 otherwise.
type Line struct {
	Text  string
	Level int
}

// AddText adds a sheet of text.
func (b *Book) AddText(name string, lines []Line) {
	b.sheets = append(b.sheets, &Grid{name: name, lines: lines})
}

// AddTable adds a sheet with a table.
func (b *Book) AddTable(g *Grid) { b.sheets = append(b.sheets, g) }

// NewGrid returns an empty table.
func NewGrid(name string) *Grid {
	return &Grid{name: name, texts: []string{""}, index: map[string]int32{"": 0}}
}

func (g *Grid) AddColumn(c GridColumn) int {
	g.columns = append(g.columns, c)
	return len(g.columns) - 1
}

func (g *Grid) AddRow() { g.rows = append(g.rows, make([]int32, len(g.columns))) }

// Set sets the cell in column of the last row to text.
func (g *Grid) Set(column int, text string) {
	n, ok := g.index[text]
	if !ok {
		n, text = int32(len(g.texts)), strings.Clone(text)
		g.texts, g.index[text] = append(g.texts, text), n
	}
	row := &g.rows[len(g.rows)-1]
	*row = append(*row, make([]int32, max(column+1-len(*row), 0))...)
	(*row)[column] = n
	g.columns[column].Used = g.columns[column].Used || n > 0
}

// Used reports whether a column has a value in any row.
func (g *Grid) Used(column int) bool { return g.columns[column].Used }

// Limits of spreadsheets, except for the number of rows.
const (
	bookText    = 32_767 // UTF-16 units in a cell
	bookName    = 255    // characters in a column name
	maxDecimals = 15
	wrapAt      = 60 // columns of this width wrap their texts
)

// cutMark ends a text that was too long for a cell.
const cutMark = " … [longer than a cell can be]"

// Cell formats: indexes in styles.xml.
const (
	styleGeneral = iota
	styleTitle
	styleHeading
	styleLine
	styleText
	styleDate
	styleNumber // followed by one for each number of decimals
)

// Append appends the workbook as XLSX to to.
func (b *Book) Append(to []byte) ([]byte, error) {
	var out bytes.Buffer
	z := &bookWriter{zip: zip.NewWriter(&out)}
	var sheets []*Grid
	for _, g := range b.sheets {
		if len(g.rows) >= maxRows { // not counting column names
			return to, fmt.Errorf("sheet %s has %d rows: at most %d fit into a workbook", g.name, len(g.rows), maxRows-1)
		}
		sheets = append(sheets, g.withSortedColumns())
	}
	z.writeMetadata(b, sheets)
	for i, g := range sheets {
		z.writeSheet(g, i+1)
	}
	z.writeElements("xl/sharedStrings.xml", `<sst xmlns="`+mainSpace+`">`, "</sst>", len(z.shared), func(w *bytes.Buffer, i int) {
		w.WriteString(`<si><t xml:space="preserve">`)
		writeText(w, z.shared[i])
		w.WriteString(`</t></si>`)
	})
	if z.err == nil {
		z.err = z.zip.Close()
	}
	return append(to, out.Bytes()...), z.err
}

// withSortedColumns returns g with its columns in order, without empty columns, and with an
// additional text column for numbers that a spreadsheet would round.
func (g *Grid) withSortedColumns() *Grid {
	if g.columns == nil {
		return g
	}
	var order []int
	for i := range g.columns {
		if g.Used(i) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(g.columns[x].Order, g.columns[y].Order) })
	whole := &Grid{name: g.name, texts: g.texts}
	var from []int
	for _, i := range order {
		c := g.columns[i]
		whole.columns, from = append(whole.columns, c), append(from, i)
		rounds := func(row []int32) bool { return i < len(row) && !keepsDigits(g.texts[row[i]]) }
		if c.Kind == Number && slices.ContainsFunc(g.rows, rounds) {
			whole.columns, from = append(whole.columns, GridColumn{Name: c.Name + "_text", Width: 24}), append(from, i)
		}
	}
	makeUnique(whole.columns)
	for _, row := range g.rows {
		cells := make([]int32, len(from))
		for i, at := range from {
			if at < len(row) {
				cells[i] = row[at]
			}
		}
		whole.rows = append(whole.rows, cells)
	}
	return whole
}

// makeUnique changes column names so that they differ even without regard to case, and shortens
// those that are too long for a spreadsheet.
func makeUnique(columns []GridColumn) {
	seen := map[string]bool{}
	for i := range columns {
		name := []rune(strings.Join(strings.FieldsFunc(columns[i].Name, func(r rune) bool { return r < ' ' }), " "))
		base := string(name[:min(len(name), bookName-8)])
		columns[i].Name = base
		for n := 2; seen[strings.ToLower(columns[i].Name)]; n++ {
			columns[i].Name = base + " " + strconv.Itoa(n)
		}
		seen[strings.ToLower(columns[i].Name)] = true
	}
}

// keepsDigits reports whether a spreadsheet keeps all digits of a number.
func keepsDigits(number string) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number), "e")
	digits := strings.Trim(strings.ReplaceAll(strings.TrimLeft(mantissa, "+-"), ".", ""), "0")
	return number == "" || len(digits) <= significant && isNumber(number)
}

// isNumber reports whether text is a number that a spreadsheet can store.
func isNumber(text string) bool {
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && strings.Trim(text, "+-.0123456789eE") == "" && (n != 0 || strings.Trim(text, "+-.0") == "")
}

const (
	mainSpace     = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relationSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packageSpace  = "http://schemas.openxmlformats.org/package/2006/"
)

// bookWriter writes the parts of a workbook.
type bookWriter struct {
	zip         *zip.Writer
	shared      []string
	sharedIndex []int32 // by index of a text in the grid: its index in shared, counted from 1
	err         error
}

// writeElements writes a part that consists of head, count elements and foot.
func (z *bookWriter) writeElements(name, head, foot string, count int, element func(w *bytes.Buffer, i int)) {
	if z.err != nil {
		return
	}
	var packed, buffer bytes.Buffer
	var size uint64
	z.err = compress.Quick.Stream(&packed, func(w io.Writer) error {
		buffer.WriteString(xml.Header + head)
		for i := range count {
			element(&buffer, i)
			if buffer.Len() > 64<<10 {
				size += uint64(buffer.Len())
				if _, err := buffer.WriteTo(w); err != nil {
					return err
				}
			}
		}
		buffer.WriteString(foot)
		size += uint64(buffer.Len())
		_, err := buffer.WriteTo(w)
		return err
	})
	if z.err != nil {
		return
	}
	// The gzip output between its header and trailer has the format of a zip entry.
	const head0, end = 10, 8
	data := packed.Bytes()
	h := &zip.FileHeader{
		Name: name, Method: zip.Deflate, CRC32: binary.LittleEndian.Uint32(data[len(data)-end:]),
		CompressedSize64: uint64(len(data) - head0 - end), UncompressedSize64: size,
	}
	w, err := z.zip.CreateRaw(h)
	if err == nil {
		_, err = w.Write(data[head0 : len(data)-end])
	}
	z.err = err
}

func (z *bookWriter) writePart(name, text string) { z.writeElements(name, text, "", 0, nil) }

// writeSheet writes sheet n, counted from 1, and the definition of its table.
func (z *bookWriter) writeSheet(g *Grid, n int) {
	path := "xl/worksheets/sheet" + strconv.Itoa(n) + ".xml"
	head := `<worksheet xmlns="` + mainSpace + `" xmlns:r="` + relationSpace + `"><sheetViews><sheetView workbookViewId="0"`
	if n == 1 {
		head += ` tabSelected="1"`
	}
	if g.columns == nil {
		z.writeElements(path, head+`/></sheetViews><cols><col min="1" max="1" width="100" customWidth="1"/></cols><sheetData>`,
			"</sheetData></worksheet>", len(g.lines), func(w *bytes.Buffer, i int) {
				fmt.Fprintf(w, `<row r="%d"><c r="A%d" t="inlineStr" s="%d"><is><t xml:space="preserve">`, i+1, i+1,
					[]int{styleLine, styleTitle, styleHeading}[g.lines[i].Level])
				writeText(w, g.lines[i].Text)
				w.WriteString("</t></is></c></row>")
			})
		return
	}
	z.sharedIndex = make([]int32, len(g.texts))
	head += `><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`
	for i, c := range g.columns {
		head += fmt.Sprintf(`<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, max(c.Width, 10))
	}
	end := string(strconv.AppendInt(appendColumnLetters(nil, len(g.columns)-1), int64(len(g.rows)+1), 10))
	foot := `</sheetData><ignoredErrors><ignoredError sqref="A1:` + end + `" numberStoredAsText="1"/></ignoredErrors>`
	if len(g.rows) > 0 { // a table needs at least one
		foot += `<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`
	}
	z.writeElements(path, head+"</cols><sheetData>", foot+"</worksheet>", len(g.rows)+1, func(w *bytes.Buffer, i int) { z.writeRow(w, g, i) })
	if len(g.rows) == 0 {
		return
	}
	number := strconv.Itoa(n)
	z.writePart("xl/worksheets/_rels/sheet"+number+".xml.rels", `<Relationships xmlns="`+packageSpace+`relationships">`+
		`<Relationship Id="rId1" Type="`+relationSpace+`/table" Target="../tables/table`+number+`.xml"/></Relationships>`)
	z.writeElements("xl/tables/table"+number+".xml", fmt.Sprintf(`<table xmlns="%s" id="%d" name="%s" displayName="%s" ref="A1:%s" totalsRowShown="0">`+
		`<autoFilter ref="A1:%s"/><tableColumns count="%d">`, mainSpace, n, g.name, g.name, end, end, len(g.columns)),
		`</tableColumns><tableStyleInfo name="TableStyleLight1" showFirstColumn="0" showLastColumn="0" showRowStripes="0" showColumnStripes="0"/></table>`,
		len(g.columns), func(w *bytes.Buffer, i int) {
			fmt.Fprintf(w, `<tableColumn id="%d" name="`, i+1)
			writeText(w, g.columns[i].Name)
			w.WriteString(`"/>`)
		})
}

// appendColumnLetters appends the letters of column n, as in the cell name B7.
func appendColumnLetters(b []byte, n int) []byte {
	if n >= 26 {
		b = appendColumnLetters(b, n/26-1)
	}
	return append(b, byte('A'+n%26))
}

// writeRow writes row i; row 0 contains the column names.
func (z *bookWriter) writeRow(w *bytes.Buffer, g *Grid, i int) {
	b := w.AvailableBuffer()
	b = append(strconv.AppendInt(append(b, `<row r="`...), int64(i)+1, 10), `">`...)
	for n, c := range g.columns {
		at := func(style int) {
			b = strconv.AppendInt(appendColumnLetters(append(b, `<c r="`...), n), int64(i)+1, 10)
			b = strconv.AppendInt(append(b, `" s="`...), int64(style), 10)
		}
		if i == 0 {
			at(styleHeading)
			var name bytes.Buffer
			writeText(&name, c.Name)
			b = append(append(append(b, `" t="inlineStr"><is><t xml:space="preserve">`...), name.Bytes()...), "</t></is></c>"...)
			continue
		}
		text := g.rows[i-1][n]
		if text == 0 {
			continue
		}
		value, style := typedCell(g.texts[text], c.Kind)
		if style != styleText {
			at(style)
			b = append(append(append(b, `"><v>`...), value...), "</v></c>"...)
			continue
		}
		if c.Width >= wrapAt {
			style = styleLine
		}
		if z.sharedIndex[text] == 0 {
			z.shared = append(z.shared, g.texts[text])
			z.sharedIndex[text] = int32(len(z.shared))
		}
		at(style)
		b = append(strconv.AppendInt(append(b, `" t="s"><v>`...), int64(z.sharedIndex[text]-1), 10), "</v></c>"...)
	}
	w.Write(append(b, "</row>"...))
}

// typedCell returns text as a number or date, with the style that shows it as written. If it is
// neither, it returns text itself.
func typedCell(text string, kind Kind) (value string, style int) {
	switch {
	case kind == Number && isNumber(text):
		if strings.ContainsAny(text, "eE") {
			return text, styleGeneral
		}
		_, fraction, _ := strings.Cut(text, ".")
		return text, styleNumber + min(len(fraction), maxDecimals)
	case kind == Date:
		// Before March 1900, spreadsheets count a day that did not exist.
		if day, err := time.Parse(time.DateOnly, text); err == nil && text >= "1900-03-01" {
			return strconv.Itoa(int(day.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24)), styleDate
		}
	}
	return text, styleText
}

// writeText writes text as XML, shortened to the limit of a cell. Characters that XML does not
// allow are escaped as spreadsheets do.
func writeText(w *bytes.Buffer, text string) {
	if len(text) > bookText { // in bytes, which are at least as many as units
		units := 0
		for i, r := range text {
			if units += utf16.RuneLen(r); units > bookText-len(cutMark) {
				text = text[:i] + cutMark
				break
			}
		}
	}
	for i, r := range text {
		switch {
		case r == '&':
			w.WriteString("&amp;")
		case r == '<':
			w.WriteString("&lt;")
		case r == '>':
			w.WriteString("&gt;")
		case r == '"':
			w.WriteString("&#34;")
		case r < ' ' && r != '\t' && r != '\n', r == 0xFFFE, r == 0xFFFF:
			fmt.Fprintf(w, "_x%04X_", r)
		case r == '_' && unescapeXLSX(text[i:min(i+7, len(text))]) != text[i:min(i+7, len(text))]:
			w.WriteString("_x005F_") // otherwise it would look like an escape
		default:
			w.WriteRune(r)
		}
	}
}

// writeMetadata writes the parts that describe the workbook.
func (z *bookWriter) writeMetadata(b *Book, sheets []*Grid) {
	var types, list, relations strings.Builder
	for i, g := range sheets {
		n := i + 1
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, n, sheetType)
		if g.columns != nil && len(g.rows) > 0 {
			fmt.Fprintf(&types, `<Override PartName="/xl/tables/table%d.xml" ContentType="%stable+xml"/>`, n, sheetType)
		}
		fmt.Fprintf(&list, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, g.name, n, n)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n, relationSpace, n)
	}
	z.writePart("[Content_Types].xml", `<Types xmlns="`+packageSpace+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="`+sheetType+`sheet.main+xml"/>`+types.String()+
		`<Override PartName="/xl/styles.xml" ContentType="`+sheetType+`styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="`+sheetType+`sharedStrings+xml"/>`+
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`)
	z.writePart("_rels/.rels", `<Relationships xmlns="`+packageSpace+`relationships"><Relationship Id="rId1" Type="`+relationSpace+`/officeDocument" Target="xl/workbook.xml"/>`+
		`<Relationship Id="rId2" Type="`+packageSpace+`relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`)
	n := len(sheets)
	z.writePart("xl/workbook.xml", `<workbook xmlns="`+mainSpace+`" xmlns:r="`+relationSpace+`"><sheets>`+list.String()+`</sheets></workbook>`)
	z.writePart("xl/_rels/workbook.xml.rels", `<Relationships xmlns="`+packageSpace+`relationships">`+relations.String()+
		fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`, n+1, relationSpace)+
		fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/sharedStrings" Target="sharedStrings.xml"/></Relationships>`, n+2, relationSpace))
	z.writePart("xl/styles.xml", bookStyles())
	var core bytes.Buffer
	for _, p := range []struct{ tag, text string }{{"dc:title", b.Title}, {"dc:creator", b.Creator}, {"dc:language", b.Language}} {
		core.WriteString("<" + p.tag + ">")
		writeText(&core, p.text)
		core.WriteString("</" + p.tag + ">")
	}
	if _, err := time.Parse(time.DateOnly, b.Day); err == nil {
		core.WriteString(`<dcterms:modified xsi:type="dcterms:W3CDTF">` + b.Day + `T00:00:00Z</dcterms:modified>`)
	}
	z.writePart("docProps/core.xml", `<cp:coreProperties xmlns:cp="`+packageSpace+`metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"`+
		` xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">`+core.String()+`</cp:coreProperties>`)
}

const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml."

// bookStyles returns the cell formats. Texts have the text format, so that editing one does not
// turn it into a formula.
func bookStyles() string {
	const first = 164 // smaller numbers are reserved
	formats, cells := fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="yyyy\-mm\-dd"/>`, first), ""
	xf := func(format, font int, rest string) {
		cells += fmt.Sprintf(`<xf numFmtId="%d" fontId="%d" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"%s`, format, font, rest)
	}
	const wrapped = ` applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>`
	xf(0, 0, "/>")
	xf(49, 2, wrapped)
	xf(49, 1, wrapped)
	xf(49, 0, wrapped)
	xf(49, 0, "/>")
	xf(first, 0, "/>")
	for n := range maxDecimals + 1 {
		code := "0"
		if n > 0 {
			code += "." + strings.Repeat("0", n)
		}
		formats += fmt.Sprintf(`<numFmt numFmtId="%d" formatCode="%s"/>`, first+1+n, code)
		xf(first+1+n, 0, "/>")
	}
	font := func(size int, rest string) string {
		return fmt.Sprintf(`<font>%s<sz val="%d"/><name val="Arial"/></font>`, rest, size)
	}
	return fmt.Sprintf(`<styleSheet xmlns="%s"><numFmts count="%d">%s</numFmts><fonts count="3">%s</fonts>`+
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>`+
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>`+
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>`+
		`<cellXfs count="%d">%s</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
		mainSpace, maxDecimals+2, formats, font(12, "")+font(12, "<b/>")+font(16, "<b/>"), styleNumber+maxDecimals+1, cells)
}
