package sheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stele/internal/base/sheet"
	"stele/internal/testkit/must"
)

// read is a table as text: a line for each row, its number first, bars between cells.
func read(name, content string, o sheet.Options) (string, error) {
	table, err := sheet.Read(context.Background(), name, strings.NewReader(content), int64(len(content)), o)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for row, err := range table.Rows() {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprint(&b, row.Line)
		if row.Hidden {
			b.WriteByte('-')
		}
		for _, c := range row.Cells {
			if c.Hidden {
				b.WriteByte('-')
			}
			mark := map[sheet.Kind]string{sheet.Number: "n", sheet.Date: "d", sheet.Fault: "!"}[c.Kind]
			fmt.Fprintf(&b, "|%s%s", mark, c.Text)
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

func TestCSV(t *testing.T) {
	for name, test := range map[string]struct{ content, want string }{
		"commas":       {"a,b\n1,\"x, \"\"y\"\"\"\n", "1|a|b\n2|1|x, \"y\"\n"},
		"semicolons":   {"\ufeffcountry;value\nFrance;1,5\nItaly;2,5\n", "1|country|value\n2|France|1,5\n3|Italy|2,5\n"},
		"tabs":         {"a\tb\r\n1\t2,5\r\n", "1|a|b\n2|1|2,5\n"},
		"bars":         {"a|b\n1|2\n", "1|a|b\n2|1|2\n"},
		"sep":          {"sep=;\na;b\n1;2\n", "2|a|b\n3|1|2\n"},
		"old Mac":      {"a,b\r1,2\r", "1|a|b\n2|1|2\n"},
		"windows-1252": {"a,b\nC\xf4te d\x92Ivoire,2\n", "1|a|b\n2|Côte d’Ivoire|2\n"},
		"UTF-16":       {"\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "1|a|b\n2|1|é\n"},
		"big-endian":   {"\xfe\xff\x00a\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n", "1|a|b\n2|1|é\n"},
		"no mark":      {"a\x00,\x00b\x00\n\x001\x00,\x00\xe9\x00\n\x00", "1|a|b\n2|1|é\n"},
		"title rows":   {"Some title\n\na,b,c\n1,2,3\n4,5,6\n", "1|Some title\n3|a|b|c\n4|1|2|3\n5|4|5|6\n"},
		"line break":   {"a,b\n\"x\ny\",2\n3,4\n", "1|a|b\n2|x\ny|2\n4|3|4\n"},
		"one column":   {"a\n1\n", "1|a\n2|1\n"},
		"empty":        {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read("table.csv", test.content, sheet.Options{})
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestUTF16: any UTF-16 is read as unicode/utf16 decodes it, and a byte-order mark says the order.
func TestUTF16(t *testing.T) {
	unit := rapid.SampledFrom([]uint16{0xd83d, 0xde00, 0xdbff, 0xdc00, 0xfffe, 'a', ',', '\n'})
	rapid.Check(t, func(t *rapid.T) {
		units := append(rapid.SliceOfN(unit, 0, 20).Draw(t, "units"), make([]uint16, rapid.IntRange(0, 3000).Draw(t, "more"))...)
		content, o := "\xff\xfe", sheet.Options{Encoding: rapid.SampledFrom([]string{"utf-16", "utf-16le", "utf-16be"}).Draw(t, "asked"), Delimiter: ","}
		for _, u := range units {
			content += string([]byte{byte(u), byte(u >> 8)})
		}
		text := string(utf16.Decode(units))
		if rapid.Bool().Draw(t, "odd") {
			content, text = content+"a", text+"\ufffd"
		}
		got, err1 := read("table.csv", content, o)
		want, err2 := read("table.csv", text, sheet.Options{Encoding: "utf-8", Delimiter: ","})
		if got != want || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Fatalf("%q (%v), want %q (%v)", got, err1, want, err2)
		}
	})
}

func TestOptionsAndErrors(t *testing.T) {
	csv := "a,b\n1,2\n"
	for name, test := range map[string]struct {
		file, content string
		o             sheet.Options
		want          string
	}{
		"ending":      {"table.doc", "", sheet.Options{}, `unknown table format ".doc"`},
		"old Excel":   {"table.xls", "", sheet.Options{}, "as .xlsx or .csv"},
		"encoding":    {"table.csv", csv, sheet.Options{Encoding: "latin"}, `unknown encoding "latin"`},
		"delimiter":   {"table.csv", csv, sheet.Options{Delimiter: "ab"}, `invalid delimiter "ab"`},
		"quotes":      {"table.csv", "a,b\n1,\"2\n", sheet.Options{}, "line 2, character 6: unclosed quotation mark"},
		"no UTF-8":    {"table.csv", "a,b\n1,\xff\n", sheet.Options{Encoding: "utf-8"}, "line 2, cell 2 is not valid utf-8"},
		"no zip":      {"table.xlsx", csv, sheet.Options{}, "not an Excel workbook"},
		"a password":  {"table.xlsx", "\xd0\xcf\x11\xe0 x", sheet.Options{}, "has a password or an old format"},
		"no JSON":     {"table.json", `"a"`, sheet.Options{}, "row 1 is not an object"},
		"no list":     {"table.json", `{"a":1}`, sheet.Options{Path: "a"}, "a is not a list of rows"},
		"no path":     {"table.json", `{"a":[]}`, sheet.Options{Path: "b"}, "b not found"},
		"no object":   {"table.json", `[1]`, sheet.Options{}, "row 1 is not an object"},
		"cut off":     {"table.json", `[{"a":1}`, sheet.Options{}, "EOF"},
		"a long row":  {"table.csv", "a,b\n1,\"" + strings.Repeat("x\n", 34<<20), sheet.Options{}, "a row is too large"},
		"a long text": {"table.json", `[{"a":"` + strings.Repeat("x", 70<<20), sheet.Options{}, "a value is too large"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(test.file, test.content, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v with %q, want %q", err, got, test.want)
			}
		})
	}
}

// TestWorkbooks reads the same workbook as openpyxl wrote it, and as LibreOffice wrote it.
func TestWorkbooks(t *testing.T) {
	want := `1|Tuberculosis, estimates
3|Country|Year|Value|Share|Day|Month|Note|Error
4|Côte d'Ivoire|n2024|n0.3|n95.5|d2024-05-01|d2024-05|first line
second  line|!#DIV/0!
5|France|n2024|n123456789012|n100|d1900-03-01|d2024-12|<5
6|Italy|2024|n-0.00000015|n0.5||| a b 
`
	for _, name := range []string{"openpyxl.xlsx", "libreoffice.xlsx"} {
		t.Run(name, func(t *testing.T) {
			wanted := want
			if name == "openpyxl.xlsx" { // it writes formulas without their results
				wanted = strings.Replace(wanted, "#DIV/0!", "a formula without its result: open it in a spreadsheet program and save it", 1)
			}
			data, err := os.ReadFile(filepath.Join("testdata", name))
			must.Do(t, err)
			got, err := read(name, string(data), sheet.Options{Sheet: "Data & more"})
			got = strings.NewReplacer("|\n", "\n", "||||\n", "\n", "2|\n", "").Replace(got)
			wanted = strings.ReplaceAll(wanted, "|\n", "\n")
			if diff := cmp.Diff(wanted, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if _, err := read(name, string(data), sheet.Options{Sheet: "x"}); err == nil ||
				!strings.Contains(err.Error(), `unknown sheet "x" (known: Cover, Data & more)`) {
				t.Errorf("a sheet that is not there: %v", err)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	want := "0|a|b.c|d|e\n1|n1.50|x||\n2|n12345678901234567890||true|[1,2]\n"
	for name, o := range map[string]struct {
		file, content string
		o             sheet.Options
	}{
		"list":   {"t.json", `[{"a":1.50,"b":{"c":"x"}},{"a":12345678901234567890,"d":true,"e":[1,2],"b":{"c":null}}]`, sheet.Options{}},
		"path":   {"t.json", `{"x":{"a":[1,{"a":2}]},"value":[{"page":1},[{"a":1.50,"b":{"c":"x"}},{"a":12345678901234567890,"d":true,"e":[1,2]}]]}`, sheet.Options{Path: "value.1"}},
		"ndjson": {"t.ndjson", "{\"a\":1.50,\"b\":{\"c\":\"x\"}}\n{\"a\":12345678901234567890,\"d\":true,\"e\":[1,2]}\n", sheet.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(o.file, o.content, o.o)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestCSVRoundTrip: whatever the cells hold, they are read as they were written.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		by := rapid.SampledFrom([]string{",", ";", "\t", "|"}).Draw(rt, "by")
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a-z0-9,;.é" ]{0,8}`), 3, 3), 1, 20).Draw(rt, "rows")
		var content, want strings.Builder
		for i, row := range rows {
			fmt.Fprint(&want, i+1)
			for j, c := range row {
				if j > 0 {
					content.WriteString(by)
				}
				fmt.Fprintf(&content, `"%s"`, strings.ReplaceAll(c, `"`, `""`))
				want.WriteString("|" + c)
			}
			content.WriteString("\n")
			want.WriteString("\n")
		}
		got, err := read("t.csv", content.String(), sheet.Options{Delimiter: by})
		if err != nil || got != want.String() {
			rt.Fatalf("%v: %s, want %s", err, got, want.String())
		}
	})
}

// xlsx is a workbook with one sheet.
func xlsx(t testing.TB, content string) string {
	return packed(t, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[&lt;5]&quot;few&quot;;0"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
		"xl/sheet.xml":               content,
	})
}

func packed(t testing.TB, parts map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range parts {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		must.Do(t, err)
	}
	must.Do(t, z.Close())
	return b.String()
}

// TestBombs: a workbook that is small only as long as it is packed is given up early, before what
// it stands for is made.
func TestBombs(t *testing.T) {
	for name, test := range map[string]struct{ file, content string }{
		"spaces":   {"t.xlsx", xlsx(t, "<sheetData>"+strings.Repeat(" ", 32<<20))},
		"comment":  {"t.xlsx", xlsx(t, "<sheetData><!--"+strings.Repeat("ab", 16<<20))},
		"merged":   {"t.xlsx", xlsx(t, `<sheetData><row r="1"><c><v>1</v></c></row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>`)},
		"last row": {"t.xlsx", xlsx(t, `<sheetData><row r="9223372036854775807"><c><v>1</v></c></row></sheetData>`)},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(test.file, test.content, sheet.Options{})
			if !errors.Is(err, sheet.ErrLimit) || len(got) > 100 {
				t.Errorf("%d bytes of rows, %v", len(got), err)
			}
		})
	}
}

// TestEnded: nobody waits for a table that is no longer wanted.
func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	content := xlsx(t, "<sheetData>"+strings.Repeat("<row><c><v>1</v></c></row>", 1_000_000))
	table, err := sheet.Read(ctx, "t.xlsx", strings.NewReader(content), int64(len(content)), sheet.Options{})
	must.Do(t, err)
	n := 0
	for _, err = range table.Rows() {
		if n++; n == 10 {
			cancel()
		}
	}
	if n != 11 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, %v", n, err)
	}
}

// TestOtherPrograms: a workbook is read whatever the prefixes of its namespaces and the names of
// its parts are, in the strict form too; merged cells have the text of their first cell.
func TestOtherPrograms(t *testing.T) {
	const office = "http://purl.oclc.org/ooxml/officeDocument/relationships/"
	content := packed(t, map[string]string{
		"_rels/.rels":              `<Relationships><Relationship Id="a" Type="` + office + `officeDocument" Target="/book/main.xml"/></Relationships>`,
		"book/main.xml":            `<x:workbook xmlns:x="x" xmlns:rel="r"><x:sheets><x:sheet name="a" rel:id="s1"/></x:sheets></x:workbook>`,
		"book/_rels/main.xml.rels": `<p:Relationships xmlns:p="p"><p:Relationship Id="s1" Type="` + office + `worksheet" Target="sheets/one.xml"/><p:Relationship Id="s2" Type="` + office + `sharedStrings" Target="../texts.xml"/></p:Relationships>`,
		"texts.xml":                `<x:sst xmlns:x="x"><x:si><x:t>Cases</x:t></x:si></x:sst>`,
		"book/sheets/one.xml":      `<x:worksheet xmlns:x="x"><x:sheetData><x:row r="1"><x:c r="A1"/><x:c r="B1" t="s"><x:v>0</x:v></x:c></x:row><x:row r="2"><x:c r="A2" t="inlineStr"><x:is><x:t>France</x:t></x:is></x:c><x:c r="B2"><x:v>1</x:v></x:c></x:row><x:row r="3"><x:c r="B3"><x:v>2</x:v></x:c></x:row></x:sheetData><x:mergeCells count="2"><x:mergeCell ref="B1:C1"/><x:mergeCell ref="A2:A3"/></x:mergeCells></x:worksheet>`,
	})
	table, err := sheet.Read(t.Context(), "t.xlsx", strings.NewReader(content), int64(len(content)), sheet.Options{})
	must.Do(t, err)
	var got strings.Builder
	for row, err := range table.Rows() {
		must.Do(t, err)
		for _, c := range row.Cells {
			fmt.Fprintf(&got, "|%s %v", c.Text, c.Merged)
		}
	}
	if want := "| false|Cases false|Cases true|France false|1 false|France true|2 false"; got.String() != want {
		t.Errorf("%s, want %s", got.String(), want)
	}
}

// TestOddCells: digits are those that people see; times and errors are faults of their cell, and
// what is hidden is known.
func TestOddCells(t *testing.T) {
	for name, test := range map[string]struct{ file, content, want string }{
		"noise": {"t.xlsx", xlsx(t, `<row><c><v>67.900000000000006</v></c><c><v>0.10000000000000001</v></c><c><v>123456789012345678</v></c><c s="1"><v>0.95499999999999996</v></c><c><v>1.50</v></c></row>`), "1|n67.9|n0.1|n123456789012346000|n95.5|n1.50\n"},
		"times": {
			"t.xlsx", xlsx(t, `<row><c s="2"><v>45000.5</v></c><c s="2"><v>0</v></c><c t="e"><v>#REF!</v></c><c><v>abc</v></c><c s="3"><v>3</v></c></row>`),
			"1|!2023-03-15 with a time of day|!\"0\", shown as a day that never existed|!#REF!|!\"abc\", which is not a number|!a number that its format hides\n",
		},
		"notes": {"t.xlsx", xlsx(t, `<row><c t="inlineStr"><is><r><t>1234</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>1</t></r><r><t>!</t></r></is></c></row>`), "1|1234¹!\n"},
		"hidden": {
			"t.xlsx", xlsx(t, `<cols><col min="2" max="3" hidden="1"/></cols><row><c><v>1</v></c><c><v>2</v></c><c><v>3</v></c><c><v>4</v></c></row><row hidden="1"><c><v>5</v></c></row>`),
			"1|n1-|n2-|n3|n4\n2-|n5\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(test.file, test.content, sheet.Options{})
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "t.csv", func(_ testing.TB, s string) string { return s }, "a;b\n1,5;\"x\"\n", "\xff\xfea\x00,\x00", "sep=\n", "a\n\"")
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "t.json", func(_ testing.TB, s string) string { return s }, `[{"a":{"b":1}},{"c":null}]`, `{"a":[{"b":[1]}]}`)
}

// FuzzXLSX is about what stands in a sheet, not about zips, so that it is fast.
func FuzzXLSX(f *testing.F) {
	fuzz(f, "t.xlsx", xlsx, `<cols><col min="1" max="9223372036854775807" hidden="1"/></cols><row r="9223372036854775806"><c r="XFD1" t="s"><v>9</v></c></row>`,
		`<row><c t="inlineStr"><is><t>_x000D_</t><rPh><t>x</t></rPh></is></c><c s="2"><v>60</v></c><c s="1"><v>1e-400</v></c><c t="d"><v>2024-01-01T10:00</v></c></row>`)
}

// fuzz reads the first rows of anything: they come in order and within the limits, and no cell has
// text that is not UTF-8.
func fuzz(f *testing.F, name string, file func(testing.TB, string) string, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, content string) {
		content = file(t, content)
		table, err := sheet.Read(t.Context(), name, strings.NewReader(content), int64(len(content)), sheet.Options{})
		if err != nil {
			return
		}
		n, last := 0, -1
		for row, err := range table.Rows() {
			if err != nil || n == 500 {
				return
			}
			if n++; row.Line <= last || row.Line > 1<<20 && !strings.HasSuffix(name, "n") || len(row.Cells) > 1<<14 {
				t.Errorf("row %d after %d has %d cells", row.Line, last, len(row.Cells))
			}
			last = row.Line
			for _, c := range row.Cells {
				if !utf8.ValidString(c.Text) {
					t.Errorf("%q is not UTF-8", c.Text)
				}
			}
		}
	})
}
