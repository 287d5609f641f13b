package sheet_test

import (
	"archive/zip"
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"stele/internal/author/input/tables/sheet"
)

// file writes a file and returns where it is.
func file(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read is a table as text: a line for each row, its number first, bars between cells.
func read(path string, o sheet.Options) (string, error) {
	table, err := sheet.Open(path, o)
	if err != nil {
		return "", err
	}
	defer table.Close()
	var b strings.Builder
	for row, err := range table.Rows() {
		if err != nil {
			return b.String(), err
		}
		fmt.Fprint(&b, row.Line)
		for _, c := range row.Cells {
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
		"title rows":   {"Some title\n\na,b,c\n1,2,3\n4,5,6\n", "1|Some title\n3|a|b|c\n4|1|2|3\n5|4|5|6\n"},
		"line break":   {"a,b\n\"x\ny\",2\n3,4\n", "1|a|b\n2|x\ny|2\n4|3|4\n"},
		"one column":   {"a\n1\n", "1|a\n2|1\n"},
		"empty":        {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(file(t, "table.csv", test.content), sheet.Options{})
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestOptionsAndErrors(t *testing.T) {
	csv := "a,b\n1,2\n"
	for name, test := range map[string]struct {
		file, content string
		o             sheet.Options
		want          string
	}{
		"ending":      {"table.doc", "", sheet.Options{}, `".doc" is no ending of a table`},
		"old Excel":   {"table.xls", "", sheet.Options{}, "save it as .xlsx"},
		"encoding":    {"table.csv", csv, sheet.Options{Encoding: "latin"}, `the encoding "latin" is unknown`},
		"delimiter":   {"table.csv", csv, sheet.Options{Delimiter: "ab"}, `"ab" is no delimiter`},
		"quotes":      {"table.csv", "a,b\n1,\"2\n", sheet.Options{}, "line 2, character 6: the quotation mark"},
		"no UTF-8":    {"table.csv", "a,b\n1,\xff\n", sheet.Options{Encoding: "utf-8"}, "line 2, cell 2 is not utf-8"},
		"no zip":      {"table.xlsx", csv, sheet.Options{}, "it is no workbook"},
		"no JSON":     {"table.json", `"a"`, sheet.Options{}, "row 1 is no object"},
		"no list":     {"table.json", `{"a":1}`, sheet.Options{Path: "a"}, "a is no list of rows"},
		"no path":     {"table.json", `{"a":[]}`, sheet.Options{Path: "b"}, "there is no b"},
		"no object":   {"table.json", `[1]`, sheet.Options{}, "row 1 is no object"},
		"cut off":     {"table.json", `[{"a":1}`, sheet.Options{}, "EOF"},
		"no Parquet":  {"table.parquet", csv, sheet.Options{}, "parquet"},
		"no database": {"table.sqlite", csv, sheet.Options{}, "not a database"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(file(t, test.file, test.content), test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v with %q, want %q", err, got, test.want)
			}
		})
	}
}

// TestWorkbooks reads the same workbook as openpyxl wrote it, and as LibreOffice wrote it in both
// formats.
func TestWorkbooks(t *testing.T) {
	want := `1|Tuberculosis, estimates
3|Country|Year|Value|Share|Day|Month|Note|Error
4|Côte d'Ivoire|n2024|n0.3|n95.5|d2024-05-01|d2024-05|first line
second  line|!#DIV/0!
5|France|n2024|n123456789012|n100|d1900-03-01|d2024-12|<5
6|Italy|2024|n-0.00000015|n0.5||| a b 
`
	for _, name := range []string{"openpyxl.xlsx", "libreoffice.xlsx", "figures.ods"} {
		t.Run(name, func(t *testing.T) {
			wanted := want
			if name == "openpyxl.xlsx" { // it writes formulas without what they give
				wanted = strings.Replace(wanted, "|!#DIV/0!", "|", 1)
			}
			got, err := read(filepath.Join("testdata", name), sheet.Options{Sheet: "Data & more"})
			got = strings.NewReplacer("|\n", "\n", "||||\n", "\n", "2|\n", "").Replace(got)
			wanted = strings.ReplaceAll(wanted, "|\n", "\n")
			if diff := cmp.Diff(wanted, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if _, err := read(filepath.Join("testdata", name), sheet.Options{Sheet: "x"}); err == nil ||
				!strings.Contains(err.Error(), `there is no sheet "x"; there are Cover, Data & more`) {
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
			got, err := read(file(t, o.file, o.content), o.o)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParquet(t *testing.T) {
	type row struct {
		Area  string   `parquet:"area"`
		Year  int32    `parquet:"year"`
		Value *float64 `parquet:"value,optional"`
		Day   int32    `parquet:"day,date"`
		Exact int64    `parquet:"exact,decimal(2:18)"`
	}
	value := 0.1
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteFile(path, []row{{"FRA", 2024, &value, 19844, -5}, {"ITA", 2025, nil, 0, 12345}}); err != nil {
		t.Fatal(err)
	}
	got, err := read(path, sheet.Options{})
	if diff := cmp.Diff("0|area|year|value|day|exact\n1|FRA|n2024|n0.1|d2024-05-01|n-0.05\n2|ITA|n2025||d1970-01-01|n123.45\n", got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c.sqlite")
	db, err := sql.Open("sqlite", filepath.Join(filepath.Dir(path), "x.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE other (x); CREATE TABLE "the ""data""" (area TEXT, value REAL, n INTEGER);
		INSERT INTO "the ""data""" VALUES ('FRA', 0.1, 9007199254740993), ('ITA', NULL, 2)`); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Close(), os.Rename(filepath.Join(filepath.Dir(path), "x.sqlite"), path)); err != nil {
		t.Fatal(err)
	}
	got, err := read(path, sheet.Options{Sheet: `the "data"`})
	if diff := cmp.Diff("0|area|value|n\n1|FRA|n0.1|n9007199254740993\n2|ITA||n2\n", got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
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
		got, err := read(file(t, "t.csv", content.String()), sheet.Options{Delimiter: by})
		if err != nil || got != want.String() {
			rt.Fatalf("%v: %s, want %s", err, got, want.String())
		}
	})
}

// TestBomb: a workbook that is small only as long as it is packed is given up early.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>`,
		"xl/sheet.xml":               "<sheetData>" + strings.Repeat(" ", 32<<20),
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := read(file(t, "t.xlsx", packed.String()), sheet.Options{})
	if !errors.Is(err, sheet.ErrLimit) {
		t.Errorf("%d bytes: %v", packed.Len(), err)
	}
}

// TestRepeatedRows: a row that a workbook has so many times that no program can show them is
// refused before they are made.
func TestRepeatedRows(t *testing.T) {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, err := z.Create("content.xml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, `<table:table table:name="a"><table:table-row table:number-rows-repeated="40000000">`+
		`<table:table-cell><text:p>x</text:p></table:table-cell></table:table-row></table:table>`); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := read(file(t, "t.ods", packed.String()), sheet.Options{}); !errors.Is(err, sheet.ErrLimit) || got != "" {
		t.Errorf("%d bytes of rows, %v", len(got), err)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a;b\n1,5;\"x\"\n"))
	f.Add([]byte("\xff\xfea\x00,\x00"))
	f.Add([]byte("sep=\n"))
	fuzz(f, "t.csv")
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`[{"a":{"b":1}},{"c":null}]`))
	fuzz(f, "t.json")
}

func FuzzXLSX(f *testing.F) { fuzzFile(f, "libreoffice.xlsx", "t.xlsx") }

func FuzzODS(f *testing.F) { fuzzFile(f, "figures.ods", "t.ods") }

func fuzzFile(f *testing.F, seed, name string) {
	data, err := os.ReadFile(filepath.Join("testdata", seed))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	fuzz(f, name)
}

// fuzz reads anything: it ends, with rows or an error, and no cell has text that is not UTF-8.
func fuzz(f *testing.F, name string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := read(file(t, name, string(data)), sheet.Options{})
		if err == nil && strings.ToValidUTF8(first, "") != first {
			t.Errorf("%q is not UTF-8", first)
		}
	})
}
