package tables_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/testkit/must"
)

// xlsxOf is a workbook with a sheet of these elements; cells with style 1 are per cent, 2 days.
func xlsxOf(t testing.TB, rows string) string {
	t.Helper()
	return zipped(t, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="a" r:id="r1"/><sheet name="b" state="hidden" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>`,
		"xl/styles.xml":              `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/sheet.xml":               rows,
	})
}

// row writes cells of a workbook: numbers as they are, all else as text.
func row(attributes string, cells ...string) string {
	var b strings.Builder
	b.WriteString("<row " + attributes + ">")
	for _, c := range cells {
		if style, number, styled := strings.Cut(c, ":"); styled {
			b.WriteString(`<c s="` + style + `"><v>` + number + `</v></c>`)
		} else {
			b.WriteString(`<c t="inlineStr"><is><t>` + c + `</t></is></c>`)
		}
	}
	return b.String() + "</row>"
}

// TestAsks: what cannot be known is asked, and what must not be published is refused, whether the
// map is somebody's or proposed ("").
func TestAsks(t *testing.T) {
	heads := row("", "Country", "Year", "A")
	by := "columns: {ref_area: Country, time_period: Year}\nseries: [{folder: a, value: A"
	for name, test := range map[string]struct{ file, content, mapping, want string }{
		"a comma between tabs":            {"t.tsv", "Country\tYear\tA\nFrance\t2021\t1,234\nItaly\t2021\t2,345\n", "", `1,234 in line 2 can be 1234 or 1.234`},
		"a point between semicolons":      {"t.csv", "Country;Year;A\nFrance;2021;1.234\nItaly;2021;2.345\n", "", `1.234 in line 2 can be 1.234 or 1234`},
		"text in a workbook":              {"t.xlsx", xlsxOf(t, heads+row("", "France", "2021", "1.234")+row("", "Italy", "2021", "2.345")), "", `1.234 in line 2 can be 1.234 or 1234`},
		"per cent beside a fraction":      {"t.xlsx", xlsxOf(t, heads+row("", "France", "0:2021", "1:0.95")+row("", "Italy", "0:2021", "0:0.93")), by + "}]", "95 is formatted as per cent in this column, but 0.93 is not"},
		"a year shown as a day":           {"t.xlsx", xlsxOf(t, heads+row("", "France", "2:2019", "0:5")), by + "}]", "1905-07-11 is a day in a column of years"},
		"a time that is taken":            {"t.xlsx", xlsxOf(t, heads+row("", "France", "0:2019", "2:45000.5")), by + "}]", `column "A": the workbook has 2023-03-15 with a time of day`},
		"a hidden column":                 {"t.xlsx", xlsxOf(t, `<cols><col min="3" max="3" hidden="1"/></cols>`+heads+row("", "France", "0:2019", "0:5")), by + "}]", `the column "A" is hidden in the workbook`},
		"persons":                         {"t.csv", "Patient,Date of birth,Country,Year,A\nJane Roe,1980-02-03,France,2019,4\n", "ignore: [Patient]\ncolumns: {ref_area: Country, time_period: Date of birth, dimensions.y: Year}\nseries: [{folder: a, value: A}]", `PRV02: the column "Date of birth"`},
		"bank cards":                      {"t.csv", "国家,年份,卡号,A\n法国,2019,6222020,5\n", "columns: {ref_area: 国家, time_period: 年份, dimensions.n: 卡号}\nseries: [{folder: a, value: A}]", `PRV02: the column "卡号"`},
		"names as a dimension":            {"t.csv", "Nachname,Country,Year,A\nRoe,France,2019,4\n", "columns: {ref_area: Country, time_period: Year, dimensions.n: Nachname}\nseries: [{folder: a, value: A}]", `PRV02: the column "Nachname"`},
		"points and commas in a column":   {"t.csv", "Country;Year;A\nFrance;2021;1,5\nItaly;2021;2.75\n", "", `"A": line 3 has 2.75 and line 2 has 1,5, which have different formats`},
		"one row a patient":               {"t.csv", "case_id,Country,Year,A\n7,France,2019,12.1\n8,Italy,2019,3.4\n", "ignore: [case_id]\n" + by + "}]", `PRV02: each row seems to be one person, because of the column "case_id"`},
		"one row a person":                {"t.csv", "MRN,Country,Year,A\n7,France,2019,1\n8,Italy,2019,1\n", "ignore: [MRN]\n" + by + "}]", "PRV02: each row seems to be one person"},
		"a word that no series takes":     {"t.csv", "Country,Year,Ind,A\nNorway,2020,X,1\nNorway,2020,Y,2\n", by + ", where: {Ind: X}}]", `line 3, column "A": no series matches the row, whose "Ind" is "Y"`},
		"one folder for two indicators":   {"t.csv", "Country,Year,Ind,A\nNorway,2020,Mortality rate attributed to unsafe water supply,1\nSpain,2020,Mortality rate attributed to unsafe water storage,2\n", strings.Replace(by, "folder: a", `folder: "{Ind}"`, 1) + "}]", "give the same folder mortality-rate-attributed-to-unsafe-wate"},
		"a folder without letters":        {"t.csv", "Country,Year,Ind,A\nNorway,2020,Смерти,1\n", strings.Replace(by, "folder: a", `folder: "{Ind}"`, 1) + "}]", `cannot make a folder name from "Смерти"`},
		"a note without figures":          {"t.csv", "Country,Year,A\nFrance,2019,5\nSource: a ministry,,\n", by + "}]", `line 3, column "Country": "Source: a ministry" is not an ISO 3166 country`},
		"two countries in a row":          {"t.csv", "ISO,Country,Year,A\nITA,Spain,2019,5\n", "columns: {ref_area: ISO, x_area_name: Country, time_period: Year}\nseries: [{folder: a, value: A}]", `"Spain" is ESP, but "ITA" in column "ISO" is ITA`},
		"areas that are no countries":     {"t.csv", "Region,Year,A\nNord,2019,5\nSüd,2019,6\nInsgesamt,2019,11\n", "", `"Nord", "Süd" in "Region" are not ISO 3166 countries: what are they?`},
		"no column of areas":              {"t.csv", "Where,Year,A\nhere,2019,5\nthere,2019,6\n", "", "which column names the areas?"},
		"a number that is not one":        {"t.csv", "Country,Year,A\nFrance,2019,12±3\n", by + "}]", `"12±3" is not a number: correct it in the table`},
		"figures in thousands, of SDMX":   {"t.csv", "REF_AREA,INDICATOR,TIME_PERIOD,OBS_VALUE,UNIT_MULT\nFRA,X,2020,5,3\n", "from: sdmx-csv\n", `unknown word "3" for x_unit_mult`},
		"a map without one that is known": {"t.csv", "a\n", "from: who\n", `from: unknown map "who"`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.mapping == "" {
				p := propose(t, test.file, test.content)
				_, err := convert(t, test.file, test.content, p.Map)
				if asked := questionTexts(p); err == nil || !strings.Contains(asked, test.want) {
					t.Errorf("%v, and %q is asked; want %q", err, asked, test.want)
				}
				return
			}
			got, err := convert(t, test.file, test.content, test.mapping)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v with %q, want %q", err, got, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "missing") {
				t.Errorf("%v: a number is to be deleted", err)
			}
		})
	}
}

// TestSheets: sheets with the same heading are one table, if a person says so; the name of a sheet
// is the period of its rows.
func TestSheets(t *testing.T) {
	heads := row("", "Country", "Deaths")
	note := row("", "Source: the ministry")
	content := zipped(t, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="2019" r:id="r1"/><sheet name="2020" r:id="r2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="a.xml"/><Relationship Id="r2" Target="b.xml"/></Relationships>`,
		"xl/a.xml":                   heads + row("", "France", "0:5") + row("", "Italy", "0:6") + note,
		"xl/b.xml":                   heads + row("", "France", "0:7") + note,
	})
	p := propose(t, "t.xlsx", content)
	if !slices.ContainsFunc(p.Questions, func(q tables.Question) bool { return q.ID == "sheets" }) {
		t.Errorf("%v asks for no sheets", p.Questions)
	}
	p = propose(t, "t.xlsx", content, tables.Answers{"sheets": "all"})
	at := filepath.Join(t.TempDir(), "t.xlsx")
	must.Do(t, os.WriteFile(at, []byte(content), 0o600))
	m := must.Get(tables.ReadMap(strings.NewReader(p.Map)))(t)
	result, err := m.Read(t.Context(), at)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Map)
	}
	want := []string{"FRA 2019 5", "ITA 2019 6", "FRA 2020 7"}
	var got []string
	for _, r := range result.Files[0].Rows {
		got = append(got, r["ref_area"]+" "+r["time_period"]+" "+r["value"])
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q\n%s", got, want, p.Map)
	}
}

// TestNotTaken: what is hidden, or a fault in a cell that nobody takes, stops nothing and goes
// nowhere; the proposal names it.
func TestNotTaken(t *testing.T) {
	content := xlsxOf(t, `<cols><col min="4" max="4" hidden="1"/></cols>`+row("", "Country", "Year", "A", "Internal estimate", "Loaded at")+
		row("", "France", "0:2019", "0:5", "0:7", "2:45000.5")+row(`hidden="1"`, "Italy", "0:2019", "0:6", "0:8", "2:0")+row("", "Spain", "0:2019", "0:8", "0:8", "2:1"))
	p := propose(t, "t.xlsx", content)
	for _, want := range []string{"# Hidden sheets, which are ignored: b.", `- "Internal estimate" # hidden in the workbook`, "# 1 rows are hidden"} {
		if !strings.Contains(p.Map, want) {
			t.Errorf("the map has no %s:\n%s", want, p.Map)
		}
	}
	want := "ref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2019,5,France\niso3166,ESP,2019,8,Spain\n"
	if got, err := convert(t, "t.xlsx", content, p.Map); err != nil || !strings.HasSuffix(got, "/a/values.csv:\n"+want) {
		t.Errorf("%v: %s\n%s", err, got, p.Map)
	}
	m, err := tables.ReadMap(strings.NewReader(strings.Replace(p.Map, "table:\n", "table:\n  hidden: true\n", 1)))
	must.Do(t, err)
	result, err := m.Convert(open(t, "t.xlsx", content, sheet.Options{}))
	if err != nil || result.Figures != 3 {
		t.Errorf("with hidden: true, %v, %v", result, err)
	}
}

// TestBelowDefaults: what folders above say is not written again, empty, where it would win.
func TestBelowDefaults(t *testing.T) {
	m, err := tables.ReadMap(strings.NewReader(simple + "defaults: {unit: \"\", method: Counted., source_links: [{url: \"\", role: primary}]}\n"))
	must.Do(t, err)
	result := must.Get(m.Convert(open(t, "t.csv", "Country,Year,A\nFrance,2024,1\n", m.Table.Options)))(t)
	plan := must.Get(result.Compare(fstest.MapFS{
		"records/healthcare-statistics/_defaults.yaml": {Data: []byte("unit: deaths\nsummary: S\nsource_links: [{url: https://example.org/, role: primary}]\n")},
	}, tables.Change{Date: "2026-01-02"}))(t)
	got := string(plan.New[0].New)
	for _, member := range []string{"\nunit:", "\nsummary:", "source_links"} {
		if strings.Contains(got, member) {
			t.Errorf("%s stands there too:\n%s", member, got)
		}
	}
	if !strings.Contains(got, "\nmethod: Counted.\n") || !strings.Contains(got, "\nunit_label: \"\"\n") {
		t.Errorf("method and unit_label are not there:\n%s", got)
	}
}

// questionTexts are the sentences of the questions.
func questionTexts(p *tables.Proposal) string {
	var texts []string
	for _, q := range p.Questions {
		texts = append(texts, q.Text.String())
	}
	return strings.Join(texts, "\n")
}
