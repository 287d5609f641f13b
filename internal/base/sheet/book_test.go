package sheet_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"stele/internal/base/sheet"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
)

// texts are what cells must not change: what spreadsheets would compute, what XML cannot have, what
// looks like the escapes of workbooks, and other scripts.
var texts = []string{
	"=1+1", "+1", "-1", "@SUM(A1)", "=HYPERLINK(\"https://example.org\")", "001", "2004", "1/2", " around ", "a\nb", "<b>&amp;\"'",
	"\x01\x1f\r\uffff", "_x0041_", "_x005F_x0041_", "التغطية", "麻疹", "😀", "TRUE", "#REF!",
}

// numbers are shown as they were written; of what a spreadsheet would round, the digits stand
// beside.
var numbers = []string{
	"0.050", "12.50", "-3", "0", "100000000000000000000", "86", "0.1", "1234567890.12", "99999999999999.9",
	"12345678901234567", "0.12345678901234567",
}

// example is a workbook that has all of them.
func example(t *testing.T) []byte {
	t.Helper()
	b := &sheet.Book{Title: "Figures & <marks>", Creator: "A", Language: "ar", Day: "2026-11-15"}
	b.AddText("Cover", []sheet.Line{{Text: "=Title", Level: 1}, {Text: strings.Repeat("é", 40_000)}})
	g := sheet.NewGrid("Figures")
	for i, c := range []sheet.GridColumn{
		{Name: "text", Width: 70}, {Name: "Text"}, {Name: "value", Kind: sheet.Number}, {Name: "day", Kind: sheet.Date}, {Name: "never"},
	} {
		c.Order = i
		g.AddColumn(c)
	}
	for i := range max(len(texts), len(numbers)) {
		g.AddRow()
		if i < len(texts) {
			g.Set(0, texts[i])
		}
		if i < len(numbers) {
			g.Set(2, numbers[i])
		}
		g.Set(3, []string{"2026-11-15", "1900-02-28", "1900-03-01"}[i%3])
	}
	g.Set(g.AddColumn(sheet.GridColumn{Name: "dim_\x01" + strings.Repeat("x", 300), Order: -1}), "f")
	g.Set(1, "last")
	b.AddTable(g)
	return must.Get(b.Append(nil))(t)
}

// TestBookThatCompressesWell: readers take what a workbook is expanded to, however well it
// compresses.
func TestBookThatCompressesWell(t *testing.T) {
	b := &sheet.Book{Title: "T", Creator: "A", Language: "en", Day: "2026-11-15"}
	g := sheet.NewGrid("Figures")
	g.AddColumn(sheet.GridColumn{Name: "note"})
	want := map[string]bool{"note": true}
	for i := range 1000 {
		text := strings.Repeat("a", 32_000) + strconv.Itoa(i)
		want[text] = true
		g.AddRow()
		g.Set(0, text)
	}
	b.AddTable(g)
	data := must.Get(b.Append(nil))(t)
	table := must.Get(sheet.Read(t.Context(), "a.xlsx", bytes.NewReader(data), int64(len(data)), sheet.Options{}))(t)
	for row, err := range table.Rows() {
		must.Do(t, err)
		delete(want, row.At(0).Text)
	}
	if len(want) > 0 {
		t.Errorf("%d texts are not read again", len(want))
	}
}

// TestBook: what goes into a workbook is read from it again, and nothing in it is computed.
func TestBook(t *testing.T) {
	data := example(t)
	if !bytes.Equal(data, example(t)) {
		t.Error("the same content gives other bytes")
	}
	for _, part := range must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t).File {
		r := must.Get(part.Open())(t)
		text := string(must.Get(io.ReadAll(r))(t))
		for _, bad := range []string{"<f>", "<f ", "xternal", "mergeCell"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s computes, leads elsewhere or merges: it has %s", part.Name, bad)
			}
		}
	}
	o := sheet.Options{Sheet: "Figures"}
	table := must.Get(sheet.Read(t.Context(), "a.xlsx", bytes.NewReader(data), int64(len(data)), o))(t)
	n := -1
	for row, err := range table.Rows() {
		must.Do(t, err)
		if n++; n == 0 {
			got := fmt.Sprint(row.At(1).Text, row.At(2).Text, row.At(3).Text, row.At(4).Text, len(row.Cells))
			if got != "textText 2valuevalue_text6" {
				t.Errorf("the columns are %s", got)
			}
			continue
		}
		if n <= len(texts) && row.At(1).Text != texts[n-1] {
			t.Errorf("%q became %q", texts[n-1], row.At(1).Text)
		}
		if n <= len(numbers) {
			if row.At(4).Text != numbers[n-1] {
				t.Errorf("%s became %s", numbers[n-1], row.At(4).Text)
			}
			if long := n > 9; row.At(3).Kind != sheet.Number || row.At(3).Text != numbers[n-1] && !long {
				t.Errorf("the number %s became %v", numbers[n-1], row.At(3))
			}
		}
		if day := row.At(5); day.Text != []string{"2026-11-15", "1900-02-28", "1900-03-01"}[(n-1)%3] {
			t.Errorf("row %d has the day %v", n, day)
		}
	}
	cover := must.Get(read("a.xlsx", string(data), sheet.Options{Sheet: "Cover"}))(t)
	if !strings.HasPrefix(cover, "1|=Title\n2|ééé") || !strings.HasSuffix(cover, "é … [longer than a cell can be]\n") || len([]rune(cover)) > 32_767+40 {
		t.Errorf("the cover is %.80q … %q", cover, cover[len(cover)-80:])
	}
}

// TestLargeBook: a table that is longer than a sheet is refused, and loses no row.
func TestLargeBook(t *testing.T) {
	g := sheet.NewGrid("Figures")
	for range 1 << 20 {
		g.AddRow()
	}
	b := &sheet.Book{}
	b.AddTable(g)
	if _, err := b.Append(nil); err == nil || !strings.Contains(err.Error(), "1048576") {
		t.Errorf("it was written: %v", err)
	}
}

// TestLongLibreOffice opens a workbook and shows texts, numbers and days as they were written.
func TestLongLibreOffice(t *testing.T) {
	long.Only(t)
	office := process.Install(t, "LibreOffice", func(io.Writer) (string, error) { return exec.LookPath("soffice") })
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "a.xlsx"), example(t), 0o600))
	// separated by commas, quoted, in UTF-8, as shown, all sheets
	said, err := exec.Command(office, "--headless", "-env:UserInstallation=file://"+dir+"/profile", "--convert-to",
		"csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,true,false,false,-1", "--outdir", dir, filepath.Join(dir, "a.xlsx")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	file := must.Get(os.Open(filepath.Join(dir, "a-Figures.csv")))(t)
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())(t)
	for i, text := range texts {
		if got := rows[i+1][1]; got != text && !strings.ContainsAny(text, "\x01\n") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for i, number := range numbers[:9] {
		if got := rows[i+1][3]; got != number {
			t.Errorf("%s is shown as %s", number, got)
		}
	}
	if rows[1][5] != "2026-11-15" {
		t.Errorf("a day is shown as %s", rows[1][5])
	}
}
