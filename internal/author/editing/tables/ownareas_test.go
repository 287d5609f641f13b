package tables_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/base/sheet/areas"
	"stele/internal/testkit/must"
)

// counties has a name that comes back, a code that changes within a year, a name at two levels, and
// the name of a country.
func counties() []*areas.Scheme {
	s := &areas.Scheme{Name: "county", Title: "Counties", Codes: []areas.Code{
		{Code: "02", Name: "Akershus", To: "2019-12-31"},
		{Code: "30", Name: "Viken", From: "2020-01-01", To: "2023-12-31"},
		{Code: "32", Name: "Akershus", From: "2024-01-01"},
		{Code: "40", Name: "Møre", To: "2021-06-30", Names: areas.Names{{Language: "en", Text: "Moor"}}},
		{Code: "41", Name: "Møre", From: "2021-07-01"},
		{Code: "03", Name: "Oslo", Level: "county"},
		{Code: "13", Name: "Oslo", Level: "town"},
		{Code: "50", Name: "Georgia"},
	}, Changes: []areas.Change{
		{Date: "2020-01-01", From: "02", To: "30", Kind: areas.Merge},
		{Date: "2024-01-01", From: "30", To: "32", Kind: areas.Split},
		{Date: "2021-07-01", From: "40", To: "41", Kind: areas.Recode},
	}}
	s.BuildIndex()
	return []*areas.Scheme{s}
}

// TestSchemeAreas prints figures of areas with their codes or names, and imports them: every figure
// comes back with its code, or the import asks or refuses.
func TestSchemeAreas(t *testing.T) {
	schemes := counties()
	codes := schemes[0].Codes
	rapid.Check(t, func(r *rapid.T) {
		way := rapid.SampledFrom([]string{"code", "name", "capitals", "both"}).Draw(r, "way")
		want, rows := map[string]string{}, []string{}
		shared, country := false, true
		for i := range rapid.IntRange(3, 12).Draw(r, "rows") {
			c := rapid.SampledFrom(codes).Draw(r, "code")
			year := fmt.Sprint(rapid.IntRange(2018, 2025).Draw(r, "year"))
			if !c.Overlaps(year+"-01-01", year+"-12-31") || want[c.Code+" "+year] != "" {
				continue
			}
			cell := map[string]string{"code": c.Code, "name": c.Name, "capitals": strings.ToUpper(c.Name), "both": c.Code + "," + c.Name}[way]
			want[c.Code+" "+year] = fmt.Sprint(i + 100)
			rows = append(rows, fmt.Sprintf("%s,%s,%d", cell, year, i+100))
			country = country && c.Name == "Georgia"
			shared = shared || c.Name == "Oslo" || c.Name == "Møre" && year == "2021"
		}
		if len(rows) < 2 {
			return
		}
		heading := map[string]string{"both": "Area code,Area name"}[way]
		if heading == "" {
			heading = "County"
		}
		content := heading + ",Year,Deaths\n" + strings.Join(rows, "\n") + "\n"
		open := func(o sheet.Options) (*sheet.Table, error) {
			return sheet.Read(t.Context(), "t.csv", strings.NewReader(content), int64(len(content)), o)
		}
		p, err := tables.Propose(open, "t.csv", sheet.Options{}, schemes)
		if err != nil {
			r.Fatal(err)
		}
		asked := questionTexts(p)
		if byName := way == "name" || way == "capitals"; (asked != "") != (byName && shared || way == "both" && country) {
			r.Fatalf("questions %q about\n%s", asked, content)
		}
		if asked != "" {
			return
		}
		m, err := tables.ReadMap(strings.NewReader(p.Map))
		if err != nil {
			r.Fatal(err)
		}
		m.Schemes = schemes
		table, err := open(m.Table.Options)
		if err != nil {
			r.Fatal(err)
		}
		result, err := m.Convert(table)
		if err != nil {
			r.Fatalf("%v in\n%s%s", err, content, p.Map)
		}
		got := map[string]string{}
		for _, row := range result.Files[0].Rows {
			if row["ref_area_scheme"] == "county" {
				got[row["ref_area"]+" "+row["time_period"]] = row["value"]
			}
		}
		if !maps.Equal(got, want) {
			r.Fatalf("%v, want %v from\n%s%s", got, want, content, p.Map)
		}
	})
}

// TestSchemeAnswers answers the questions about names of a scheme: a misspelt one, one of two areas
// at the same time, and one that changes hands within a year.
func TestSchemeAnswers(t *testing.T) {
	const content = "County,Year,Deaths\nVikken,2021,1\nOslo,2021,2\nMøre,2021,3\nMøre,2020,4\n"
	open := func(o sheet.Options) (*sheet.Table, error) {
		return sheet.Read(t.Context(), "t.csv", strings.NewReader(content), int64(len(content)), o)
	}
	answers := tables.Answers{}
	for _, step := range []struct{ id, answer, question string }{
		{"area Vikken", "30", "is not among the names of county: what is it?"},
		{"areas on", "on the first day", "areas change in 2021, line 4: does the table have the areas of the first or of the last day?"},
		{"area Oslo", "03", `in 2021, line 3, "Oslo" is the name of 2 areas: which one is it?`},
	} {
		p := must.Get(tables.Propose(open, "t.csv", sheet.Options{}, counties(), answers))(t)
		i := slices.IndexFunc(p.Questions, func(q tables.Question) bool { return q.ID == step.id })
		if i < 0 || !strings.Contains(p.Questions[i].Text.String(), step.question) {
			t.Fatalf("questions %q, want %s: %s", questionTexts(p), step.id, step.question)
		}
		answers[step.id] = step.answer
	}
	p := must.Get(tables.Propose(open, "t.csv", sheet.Options{}, counties(), answers))(t)
	m := must.Get(tables.ReadMap(strings.NewReader(p.Map)))(t)
	m.Schemes = counties()
	result := must.Get(m.Convert(must.Get(open(m.Table.Options))(t)))(t)
	for i, code := range []string{"30", "03", "40", "40"} {
		if got := result.Files[0].Rows[i]["ref_area"]; got != code {
			t.Errorf("row %d: area %s, want %s", i+1, got, code)
		}
	}
}

// TestSchemeHeadings imports tables with a column for each area. A name is that of the area which
// has it in the period of the row.
func TestSchemeHeadings(t *testing.T) {
	for _, c := range []struct{ content, asked, answer, want string }{
		{"Year,Akershus,Viken\n2019,1,\n2021,,2\n2024,3,\n", "", "", "02 2019 1, 30 2021 2, 32 2024 3"},
		{"Year,akershus,VIKEN,Total\n2019,1,,1\n2021,,2,2\n", "", "", "02 2019 1, 30 2021 2"},
		{"Year,Deaths / Akershus,Deaths / Viken\n2019,1,\n2021,,2\n", "", "", "02 2019 1, 30 2021 2"},
		{"Akershus / 2019,Viken / 2021\n1,2\n", "", "", "02 2019 1, 30 2021 2"},
		{"Year,02,30\n2019,1,\n2021,,2\n", "area headings", "yes", "02 2019 1, 30 2021 2"},
		{"Year,Møre,Viken\n2020,4,5\n2021,6,7\n", "areas on", "on the last day", "40 2020 4, 30 2020 5, 41 2021 6, 30 2021 7"},
		{"Year,Oslo,Viken\n2021,6,7\n", "area Oslo", "13", "13 2021 6, 30 2021 7"},
		{"Year,Akershus,Viken\n2021,6,7\n", "", "", "02 (Akershus) ended on 2019-12-31, before 2021"},
	} {
		open := func(o sheet.Options) (*sheet.Table, error) {
			return sheet.Read(t.Context(), "t.csv", strings.NewReader(c.content), int64(len(c.content)), o)
		}
		p := must.Get(tables.Propose(open, "t.csv", sheet.Options{}, counties()))(t)
		if c.asked != "" {
			if len(p.Questions) != 1 || p.Questions[0].ID != c.asked {
				t.Fatalf("questions %q about\n%s, want %s", questionTexts(p), c.content, c.asked)
			}
			p = must.Get(tables.Propose(open, "t.csv", sheet.Options{}, counties(), tables.Answers{c.asked: c.answer}))(t)
		}
		if len(p.Questions) > 0 {
			t.Fatalf("questions %q about\n%s", questionTexts(p), c.content)
		}
		m := must.Get(tables.ReadMap(strings.NewReader(p.Map)))(t)
		m.Schemes = counties()
		result, err := m.Convert(must.Get(open(m.Table.Options))(t))
		var got []string
		if err == nil {
			for _, row := range result.Files[0].Rows {
				got = append(got, row["ref_area"]+" "+row["time_period"]+" "+row["value"])
			}
		}
		if all := strings.Join(got, ", "); all != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s from\n%s%s", all, err, c.want, c.content, p.Map)
		}
	}
}
