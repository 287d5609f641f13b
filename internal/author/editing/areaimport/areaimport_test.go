package areaimport

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
	"stele/internal/testkit/must"
)

const tables = "../../judging/check/testdata/areas/"

func read(t *testing.T, name string) [][]string {
	t.Helper()
	return must.Get(csv.NewReader(bytes.NewReader(must.Get(os.ReadFile(tables + name + ".csv"))(t))).ReadAll())(t)
}

func (r *Result) addText(t *testing.T, text, date string) error {
	t.Helper()
	table := must.Get(sheet.Read(t.Context(), "table.csv", strings.NewReader(text), int64(len(text)), sheet.Options{}))(t)
	return r.add(table, date)
}

// TestOffices writes real tables as ONS and Klass publish them, without kinds, and imports them.
// Each change has its kind again, or is asked about. In merges, one area may be the same as the
// successor, which codes and days do not show.
func TestOffices(t *testing.T) {
	for _, office := range []struct {
		codes, changes, codeHead, changeHead string
		later                                int // days from the last day to the one in the table
		asked                                int
	}{
		{"norway-fylke", "norway-fylke-changes", "code,name,level,parentCode,validFrom,validTo", "changeOccurred,oldCode,newCode", 1, 6},
		{"gss-england", "gss-england-changes", "GEOGCD,GEOGNM,ENTITYCD,PARENTCD,OPER_DATE,TERM_DATE", "OPER_DATE,GEOGCD_P,GEOGCD", 0, 6},
	} {
		codes, changes := office.codeHead+"\n", office.changeHead+"\n"
		for _, row := range read(t, office.codes)[1:] {
			if row[5] != "" {
				row[5] = areas.AddDays(row[5], office.later)
			}
			codes += strings.Join(row, ",") + "\n"
		}
		kinds := map[string]string{}
		for _, row := range read(t, office.changes)[1:] {
			changes += strings.Join(row[:3], ",") + "\n"
			kinds[row[1]+" "+row[2]+" "+row[0]] = row[3]
		}
		r := &Result{}
		must.Do(t, r.addText(t, codes, ""))
		must.Do(t, r.addText(t, changes, ""))
		r.Decide()
		asked := 0
		for _, c := range r.Changes {
			switch want := kinds[c.From+" "+c.To+" "+c.Date]; {
			case c.Kind == "":
				asked++
			case c.Kind != want && !(c.Kind == areas.Merge && (want == areas.Recode || want == areas.Boundary)):
				t.Errorf("%s: %s to %s is %s, want %s", office.codes, c.From, c.To, c.Kind, want)
			}
		}
		if asked != len(r.Questions) || asked != office.asked || len(r.Changes) != len(kinds) {
			t.Errorf("%s: %d of %d changes are asked about: %q", office.codes, asked, len(r.Changes), r.Questions)
		}
	}
}

// TestNUTS reads formulas only: a formula that contradicts its row is a question.
func TestNUTS(t *testing.T) {
	r := &Result{}
	must.Do(t, r.addText(t, string(must.Get(os.ReadFile(tables+"nuts-changes-as-published.csv"))(t)), ""))
	r.Decide()
	kinds := map[string]string{}
	for _, c := range r.Changes {
		kinds[c.From+" "+c.To] = c.Kind
	}
	for pair, want := range map[string]string{"FR26 FRC": "merge", "FR24 FRB0": "recode", "ITG25 ITG2D": "merge", "FR25 FRD1": "", "NO061 NO064": ""} {
		if kinds[pair] != want {
			t.Errorf("%s is %q, want %q", pair, kinds[pair], want)
		}
	}
	if !strings.Contains(strings.Join(r.Questions, "\n"), "line 30: the formula names the predecessor FRFR25, but the row names FR25") {
		t.Errorf("%q", r.Questions)
	}
}

// TestNUTSWorkbook writes a workbook with the headers of Eurostat, and imports what its sheets say
// about codes.
func TestNUTSWorkbook(t *testing.T) {
	book := sheet.Book{Title: "NUTS", Day: "2026-01-01"}
	book.AddText("Version", []sheet.Line{{Text: "Original"}})
	for _, part := range []struct {
		name, editions, rows string
	}{
		{"Overview", "Country|NUTS level", "BE|one region name slightly changed"},
		{"Detailed", "Code 2016|Code 2021|Country", "BE|BE|Belgique"},
		{"Two", "Code 2013|Code 2016|Label|Change|Explanation (new = old)", "FR24|FRB0|Centre|recoded and relabelled|FRB0=FR24\nIE01||Border|discontinued|"},
		{
			"Three", "Code 2016|Code 2021|Label|Change|Explanation (new = old)",
			"BE324||Mouscron|discontinued; merged with ex-BE327|\nBE327||Tournai|discontinued|\n|BE328|Tournai-Mouscron|new; merge|BE328 = ex-BE327 + ex-BE324\nBE100|BE100|Bruxelles|renamed|",
		},
	} {
		g := sheet.NewGrid(part.name)
		for _, name := range strings.Split(part.editions, "|") {
			g.AddColumn(sheet.GridColumn{Name: name, Kind: sheet.Text, Width: 10, Used: true})
		}
		for row := range strings.SplitSeq(part.rows, "\n") {
			g.AddRow()
			for i, cell := range strings.Split(row, "|") {
				g.Set(i, cell)
			}
		}
		book.AddTable(g)
	}
	path := filepath.Join(t.TempDir(), "nuts.xlsx")
	must.Do(t, os.WriteFile(path, must.Get(book.Append(nil))(t), 0o644))
	r := &Result{}
	must.Do(t, r.AddFile(t.Context(), path, ""))
	r.Decide()
	got := ""
	for _, c := range r.Changes {
		got += c.Date + " " + c.From + " " + c.To + " " + c.Kind + "\n"
	}
	if want := "2018-01-01 FR24 FRB0 recode\n2021-01-01 BE324 BE328 merge\n2021-01-01 BE327 BE328 merge\n"; got != want {
		t.Errorf("the changes are\n%s, want\n%s", got, want)
	}
	if c := r.Code("BE328"); c == nil || c.From != "2021-01-01" || c.Level != "3" || r.Code("FR24").To != "2017-12-31" {
		t.Errorf("%+v", r.Codes)
	}
	if all := strings.Join(r.Questions, "\n"); len(r.Questions) != 1 || !strings.HasPrefix(all, `Two, line 3: IE01: the explanation "" is not a formula such as NEW=OLD+OLD`) {
		t.Errorf("the questions are %s", all)
	}
}

// TestNUTSColumns: of two columns of explanations, the first one is always read.
func TestNUTSColumns(t *testing.T) {
	for range 50 {
		c := columns{"code 2016": 0, "code 2021": 1, "label": 2, "explanation of change": 3, "explanation of name": 4}
		if editions := c.findNUTS(); editions != "2016-2021" || c["explanation"] != 3 {
			t.Fatalf("%q, %v", editions, c)
		}
	}
}

func TestCensus(t *testing.T) {
	r := &Result{}
	text := "GEOID_COUNTY_10|NAMELSAD_COUNTY_10|AREALAND_COUNTY_10|GEOID_COUNTY_20|NAMELSAD_COUNTY_20|AREALAND_PART\n" +
		"09001|Fairfield County|1000|09120|Greater Bridgeport Planning Region|250\n09001|Fairfield County|1000|09190|Western Connecticut Planning Region|750\n"
	if err := r.addText(t, text, ""); err == nil {
		t.Error("a file without a day is read")
	}
	must.Do(t, r.addText(t, text, "2022-06-01"))
	r.Decide()
	if len(r.Codes) != 3 || r.Code("09001").To != "2022-05-31" || r.Changes[1].Share != "0.7500" || r.Changes[1].Basis != "land area" {
		t.Errorf("%+v", r)
	}
	if err := r.addText(t, "a,b\n1,2\n", ""); err == nil {
		t.Error("an unknown table is read")
	}
}
