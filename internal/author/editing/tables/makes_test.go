package tables_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
)

// made is a table of a make, with what is in it.
type made struct {
	name, content, mapping string
	figures                map[string]string // by country and year
	ignored                int               // rows
}

var (
	madeOf    = []string{"France", "Italy", "Spain", "Norway", "Chad"}
	madeCodes = map[string]string{"France": "FRA", "Italy": "ITA", "Spain": "ESP", "Norway": "NOR", "Chad": "TCD"}
	madeYears = []string{"2019", "2020", "2021"}
)

// grouped writes a number with other marks.
func grouped(number, decimal, thousands string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0 && thousands != ""; at -= 3 {
		whole = whole[:at] + thousands + whole[at:]
	}
	if fraction != "" {
		whole += decimal + fraction
	}
	return whole
}

// makeTable draws a table of one of ten makes.
func makeTable(t *rapid.T, kind int) made {
	m := made{figures: map[string]string{}}
	number := rapid.StringMatching(`(0|[1-9][0-9]{0,6})(\.[0-9]{1,4})?`)
	if rapid.Bool().Draw(t, "whole numbers") {
		number = rapid.StringMatching(`0|[1-9][0-9]{0,6}`)
	}
	var rows [][3]string
	for _, country := range madeOf {
		for _, year := range madeYears {
			if rapid.IntRange(0, 9).Draw(t, "left out") > 0 {
				n := number.Draw(t, "figure")
				m.figures[madeCodes[country]+" "+year] = n
				rows = append(rows, [3]string{country, year, n})
			}
		}
	}
	notes := rapid.Bool().Draw(t, "notes")
	const plain = "columns: {ref_area: Country, time_period: Year}\nseries: [{folder: a, value: Deaths}]\n"
	list := func(by, decimal, thousands, eol string) string {
		var b strings.Builder
		b.WriteString(strings.Join([]string{"Country", "Year", "Deaths"}, by) + eol)
		for _, r := range rows {
			cell := grouped(r[2], decimal, thousands)
			if strings.Contains(cell, by) {
				cell = `"` + cell + `"`
			}
			b.WriteString(r[0] + by + r[1] + by + cell + eol)
		}
		if notes {
			m.ignored = 2
			b.WriteString("Total" + by + "2021" + by + "7" + eol + "Source: the ministry" + by + by + eol)
		}
		return b.String()
	}
	layout := func(text string) string {
		if notes {
			return "table: {" + text + "end: Source}\nignore: [{Country: Total}]\n" + plain
		}
		return "table: {" + strings.TrimSuffix(text, ", ") + "}\n" + plain
	}
	switch kind {
	case 0:
		m.name, m.content, m.mapping = "t.csv", list(",", ".", "", "\n"), layout("")
	case 1:
		m.name, m.content, m.mapping = "t.csv", "\ufeff"+list(";", ",", "", "\r\n"), layout("")
	case 2:
		m.name, m.content, m.mapping = "t.csv", list(";", ",", ".", "\n"), layout(`decimal: ",", thousands: ".", `)
	case 3:
		m.name, m.content, m.mapping = "t.tsv", list("\t", ".", "", "\n"), layout(`decimal: ".", `)
	case 4:
		m.name, m.content, m.mapping = "t.csv", list(",", ".", ",", "\n"), layout(`decimal: ".", thousands: ",", `)
	case 5:
		m.name, m.content, m.mapping = "t.csv", list(";", ",", "\u00a0", "\n"), layout(`thousands: " ", `)
	case 6:
		m.name, m.content = "t.csv", wide(m.figures)
		m.mapping = "columns: {ref_area: Country}\nseries: [{folder: a, values: '(?P<time_period>\\d{4}.*)'}]\ntable: {marks: {(prov.): {obs_status: P}}}\n"
	case 7, 8:
		m.name, m.content, m.mapping = objects(kind == 8, rows), "", plain
		m.name, m.content, _ = strings.Cut(m.name, "\n")
	case 9:
		cells := [][]string{{"Deaths by country"}, {}, {"Country", "Year", "Deaths"}}
		for _, r := range rows {
			cells = append(cells, r[:])
		}
		if notes {
			m.ignored = 2
			cells = append(cells, []string{"Total", "2021", "9"}, []string{"Source: the ministry"})
		}
		m.name, m.content, m.mapping = "t.xlsx", workbook(t, cells), layout("header: 3, ")
	}
	return m
}

// wide is a table with a column for each year, one of them with another head.
func wide(figures map[string]string) string {
	var b strings.Builder
	b.WriteString("Country,2019,2020,2021 (prov.)\n")
	for _, country := range madeOf {
		b.WriteString(country)
		for _, year := range madeYears {
			b.WriteString("," + figures[madeCodes[country]+" "+year])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func objects(lines bool, rows [][3]string) string {
	var list []map[string]any
	var b strings.Builder
	for _, r := range rows {
		one := map[string]any{"Country": r[0], "Year": json.Number(r[1]), "Deaths": json.Number(r[2])}
		list = append(list, one)
		data, _ := json.Marshal(one)
		b.Write(append(data, '\n'))
	}
	if lines {
		return "t.ndjson\n" + b.String()
	}
	data, _ := json.Marshal(map[string]any{"meta": 1, "rows": list})
	return "t.json\n" + string(data)
}

// workbook is one of Excel, whose numbers are as binary ones are written.
func workbook(t *rapid.T, rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for _, cell := range row {
			f, err := new(big.Float).SetPrec(53).SetString(cell)
			_ = err
			switch {
			case f != nil && cell != "" && i > 2:
				v, _ := f.Float64()
				fmt.Fprintf(&b, `<c><v>%.17g</v></c>`, v)
			default:
				fmt.Fprintf(&b, `<c t="inlineStr"><is><t>%s</t></is></c>`, cell)
			}
		}
		b.WriteString("</row>")
	}
	return zipped(t, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="Read me" r:id="r2"/><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/><Relationship Id="r2" Target="about.xml"/></Relationships>`,
		"xl/about.xml":               `<row><c t="inlineStr"><is><t>About this workbook</t></is></c></row>`,
		"xl/sheet.xml":               b.String(),
	})
}

func zipped(t interface{ Fatal(...any) }, parts map[string]string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, parts[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// figuresIn are what an import wrote, by country and year, with the values that they stand for.
func figuresIn(t testing.TB, folder fstest.MapFS) map[string]*big.Rat {
	t.Helper()
	found := map[string]*big.Rat{}
	for name := range folder {
		if !strings.HasSuffix(name, ".csv") {
			continue
		}
		columns, rows, err := amend.Rows(folder, name)
		must.Do(t, err)
		at := func(row amend.Row, name string) string { return row.Cells[slices.Index(columns, name)] }
		for _, row := range rows {
			found[at(row, "ref_area")+" "+at(row, "time_period")], _ = new(big.Rat).SetString(at(row, "value"))
		}
	}
	return found
}

// TestMakes: of tables of ten makes no value differs from what is in them and no row is lost
// unnamed, by a map, and by the map that is proposed, unless that asks.
func TestMakes(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads tables")
	asked, whole := 0, 0
	for kind := range 10 {
		rapid.Check(t, func(rt *rapid.T) {
			made := makeTable(rt, kind)
			byMap := made.mapping
			if made.name == "t.xlsx" {
				byMap = strings.Replace(byMap, "table: {", "table: {sheet: a, ", 1)
			}
			check := func(mapping string) error {
				m, err := tables.ReadMap(strings.NewReader(mapping))
				if err != nil {
					return err
				}
				result, err := m.Convert(open(t, made.name, made.content, m.Table.Options))
				if err != nil {
					return err
				}
				plan, err := result.Compare(fstest.MapFS{}, tables.Change{Date: "2026-01-02"})
				if err != nil {
					return err
				}
				folder := fstest.MapFS{}
				for _, f := range plan.New {
					folder[f.Path] = &fstest.MapFile{Data: f.New}
				}
				found := figuresIn(t, folder)
				for of, figure := range made.figures {
					want, _ := new(big.Rat).SetString(figure)
					if found[of] == nil || found[of].Cmp(want) != 0 {
						rt.Fatalf("%s is %v and not %s with\n%s\n%s", of, found[of], figure, mapping, made.content)
					}
				}
				ignored := 0
				for _, n := range result.Ignored {
					ignored += n
				}
				if len(found) != len(made.figures) || ignored != made.ignored {
					rt.Fatalf("%d figures of %d, %d rows ignored of %d, with\n%s\n%s", len(found), len(made.figures), ignored, made.ignored, mapping, made.content)
				}
				return nil
			}
			if err := check(byMap); err != nil && len(made.figures) > 0 {
				rt.Fatalf("%v\n%s\n%s", err, byMap, made.content)
			}
			opened := func(o sheet.Options) (*sheet.Table, error) { return open(t, made.name, made.content, o), nil }
			proposed, err := tables.Propose(opened, made.name, sheet.Options{}, nil)
			if err != nil {
				asked++
				return
			}
			if err := check(proposed.Map); err != nil {
				asked++
				if len(proposed.Questions) == 0 && len(made.figures) > 3 {
					rt.Fatalf("the map asks nothing, and %v:\n%s\n%s", err, proposed.Map, made.content)
				}
				return
			}
			whole++
		})
	}
	if asked > whole/2 {
		t.Errorf("of %d tables %d ask", asked+whole, asked)
	}
}

// edition draws a table of an indicator with intervals, marks and a dimension, any of which it may
// lack.
func edition(t *rapid.T) string {
	heads := []string{"Country", "Year", "Deaths"}
	for _, optional := range [][]string{{"Sex"}, {"Lo", "Hi"}, {"Note"}} {
		if rapid.Bool().Draw(t, optional[0]) {
			heads = append(heads, optional...)
		}
	}
	heads = rapid.Permutation(heads).Draw(t, "order")
	var b strings.Builder
	b.WriteString(strings.Join(heads, ",") + "\n")
	seen := map[string]bool{}
	for range rapid.IntRange(1, 8).Draw(t, "rows") {
		row := map[string]string{
			"Country": rapid.SampledFrom(madeOf).Draw(t, "country"), "Year": rapid.SampledFrom(madeYears).Draw(t, "year"),
			"Deaths": rapid.SampledFrom([]string{"5", "7p", "<5", "12 (10-14)", "..", "9.50"}).Draw(t, "deaths"),
			"Sex":    rapid.SampledFrom([]string{"", "f", "m"}).Draw(t, "sex"), "Note": rapid.SampledFrom([]string{"", `"a, b"`, "late"}).Draw(t, "note"),
		}
		if !strings.ContainsAny(row["Deaths"], "(<") && row["Deaths"] != ".." && rapid.Bool().Draw(t, "interval") {
			row["Lo"], row["Hi"] = "1", "99"
		}
		key := row["Country"] + row["Year"]
		if slices.Contains(heads, "Sex") {
			key += row["Sex"]
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		for i, head := range heads {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(row[head])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const editionMap = `
columns: {ref_area: Country, time_period: Year, dimensions.sex: "Sex?", note: "Note?"}
table: {marks: {p: {obs_status: P}, "..": {obs_status: L}}}
series: [{folder: deaths, value: Deaths, columns: {lower: "Lo?", upper: "Hi?"}, set: {interval: confidence, level: "95"}}]
`

// TestEditions: a second import gives what the first import of that table would have given, besides
// what tells of versions.
func TestEditions(t *testing.T) {
	m := must.Get(tables.ReadMap(strings.NewReader(editionMap)))(t)
	const file = "records/healthcare-statistics/deaths/values.csv"
	put := func(rt *rapid.T, table string, folder fstest.MapFS, c tables.Change) {
		result, err := m.Convert(open(t, "t.csv", table, m.Table.Options))
		if err != nil {
			rt.Fatalf("%v\n%s", err, table)
		}
		if len(result.Files) == 0 {
			return
		}
		plan, err := result.Compare(folder, c)
		if errors.Is(err, tables.ErrAsk) && strings.Contains(err.Error(), "--factor") {
			rt.Skip(err)
		}
		if err != nil {
			rt.Fatalf("%v\n%s", err, table)
		}
		for _, f := range slices.Concat(plan.New, plan.Changed) {
			folder[f.Path] = &fstest.MapFile{Data: f.New}
		}
	}
	read := func(folder fstest.MapFS) map[string]string {
		records := map[string]string{}
		if folder[file] == nil {
			return records
		}
		columns, rows, err := amend.Rows(folder, file)
		must.Do(t, err)
		for _, row := range rows {
			var said []string
			for i, name := range columns {
				outer, _, _ := strings.Cut(name, ".")
				if row.Cells[i] != "" && !slices.Contains([]string{"version", "corrections", "source_updates", "published_date", "updated_date", "verification_date"}, outer) {
					said = append(said, name+"="+row.Cells[i])
				}
			}
			slices.Sort(said)
			if records[row.ID] != "" {
				t.Errorf("%s is there twice", row.ID)
			}
			records[row.ID] = strings.Join(said, " ")
		}
		return records
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := edition(rt), edition(rt)
		first := tables.Change{Date: "2026-01-02"}
		then := tables.Change{Date: "2026-02-02", KeepGone: true, Corrected: true}
		if rapid.Bool().Draw(rt, "correct") {
			then.Correction = &record.Correction{Type: record.CorrectionCorrection, Summary: "It was wrong."}
		} else {
			then.Update = &record.SourceUpdate{
				Type: record.UpdateDataRevision, Date: "2026-02-02", Summary: "New.", Effect: record.EffectRecordChanged,
			}
		}
		one, two := fstest.MapFS{}, fstest.MapFS{}
		put(rt, a, two, first)
		if f := two[file]; f != nil {
			if rapid.Bool().Draw(rt, "saved by a spreadsheet") {
				f.Data = []byte("\ufeff" + strings.ReplaceAll(string(f.Data), "\n", "\r\n"))
			}
		}
		put(rt, b, two, then)
		put(rt, b, one, first)
		want, got := read(one), read(two)
		for id, said := range want {
			if got[id] != said {
				rt.Fatalf("%s is\n%s and not\n%s after\n%s and\n%s\n%s", id, got[id], said, a, b, two[file].Data)
			}
		}
		before := ""
		if two[file] != nil {
			before = string(two[file].Data)
			broken := strings.Count(before, "\r\n")
			if strings.Count(before, "\ufeff") > 1 || broken > 0 && broken != strings.Count(before, "\n") {
				rt.Fatalf("the ends of lines are mixed: %q", before)
			}
		}
		put(rt, b, two, then) // and once more
		if two[file] != nil && string(two[file].Data) != before {
			rt.Fatalf("the same table again changes\n%s into\n%s", before, two[file].Data)
		}
	})
}
