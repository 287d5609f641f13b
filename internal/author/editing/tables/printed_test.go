package tables_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"html"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/testkit/race"
)

var printedTables = flag.Int("printed", 300, "how many tables TestPrinted and TestDamaged print")

// printed is a table as a ministry would print it, and the figures that are true.
type printed struct {
	name      string
	by        string
	grid      [][]string
	heads     int // the rows of the heading
	from      int // the row of the grid at which the heading begins
	areaAt    int
	timeAt    int // the column of periods; -1 if they are in headings
	figuresAt int // the first column of figures
	truth     map[string]string
	evidence  bool // whether the table shows all its conventions
	answers   tables.Answers
	decimal   string
	typed     bool // whether a workbook has the figures as numbers
}

// languages has the words of headings, and the names of countries.
var languages = []struct {
	country, year, sex, male, female string
	names                            []string
}{
	{"Country", "Year", "Sex", "Male", "Female", []string{"France", "Italy", "Spain", "Norway", "Chad", "Côte d'Ivoire"}},
	{"Pays", "Année", "Sexe", "Hommes", "Femmes", []string{"France", "Italie", "Espagne", "Norvège", "Tchad", "Côte d’Ivoire"}},
	{"Land", "Jahr", "Geschlecht", "Männer", "Frauen", []string{"Frankreich", "Italien", "Spanien", "Norwegen", "Tschad", "Elfenbeinküste"}},
	{"País", "Año", "Sexo", "Hombres", "Mujeres", []string{"Francia", "Italia", "España", "Noruega", "Chad", "Costa de Marfil"}},
	{"Страна", "Год", "Пол", "Мужчины", "Женщины", []string{"Франция", "Италия", "Испания", "Норвегия", "Чад", "Кот-д’Ивуар"}},
	{"الدولة", "السنة", "الجنس", "ذكور", "إناث", []string{"فرنسا", "إيطاليا", "إسبانيا", "النرويج", "تشاد", "ساحل العاج"}},
	{"国家", "年份", "性别", "男", "女", []string{"法国", "意大利", "西班牙", "挪威", "乍得", "科特迪瓦"}},
}

var (
	iso3 = []string{"FRA", "ITA", "ESP", "NOR", "TCD", "CIV"}
	iso2 = []string{"FR", "IT", "ES", "NO", "TD", "CI"}
	// indicators are headings, and the folders that are proposed for them.
	indicators = [][2]string{
		{"Deaths", "deaths"},
		{"Cases", "cases"},
		{"Coverage (%)", "coverage"},
		{"Births (thousands)", "births"},
		{"Incidence per 100 000", "incidence"},
		{"Maternal mortality (per 100 000 live births)", "maternal-mortality"},
	}
	// periodsOf are texts of a table, what records have, whether the texts show how they are read,
	// and the answer if they do not.
	periodsOf = []struct {
		texts, records []string
		shows          bool
		answer         string
	}{
		{[]string{"2019", "2020", "2021"}, []string{"2019", "2020", "2021"}, true, ""},
		{[]string{"2008-09", "2009-10", "2010-11"}, []string{"2008-04-01/P1Y", "2009-04-01/P1Y", "2010-04-01/P1Y"}, false, "financial years from 04-01"},
		{[]string{"2016/17", "2017/18", "2018/19"}, []string{"2016-07-01/P1Y", "2017-07-01/P1Y", "2018-07-01/P1Y"}, false, "financial years from 07-01"},
		{[]string{"2019-10", "2019-11", "2020-01"}, []string{"2019-10", "2019-11", "2020-01"}, true, ""},
		{[]string{"Q1 2019", "Q2 2019", "Q3 2019"}, []string{"2019-Q1", "2019-Q2", "2019-Q3"}, true, ""},
		{[]string{"2019-W01", "2019-W02", "2019-W03"}, []string{"2019-W01", "2019-W02", "2019-W03"}, true, ""},
		{[]string{"03/04/2019", "25/04/2019", "05/05/2019"}, []string{"2019-04-03", "2019-04-25", "2019-05-05"}, true, ""},
		{[]string{"03/04/2019", "05/04/2019", "06/04/2019"}, []string{"2019-04-03", "2019-04-05", "2019-04-06"}, false, "days day-month-year"},
		{[]string{"January 2019", "February 2019", "May 2019"}, []string{"2019-01", "2019-02", "2019-05"}, true, ""},
		{[]string{"2010-2014", "2015-2019", "2020-2022"}, []string{"2010-01-01/P5Y", "2015-01-01/P5Y", "2020-01-01/P3Y"}, true, ""},
	}
	showsPoint = regexp.MustCompile(`^\d+\.(\d{1,2}|\d{4,})$|^0\.\d+$|,\d{3},|,\d{3}\.|^\d{4,}\.\d+$`)
	showsComma = regexp.MustCompile(`^\d+,(\d{1,2}|\d{4,})$|^0,\d+$|\.\d{3}\.|\.\d{3},|^\d{4,},\d+$|[ '\x{00a0}]\d{3},`)
)

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// figure draws a number: a count, or with decimals.
func figure(r *rand.Rand, decimals int) string {
	n := pick(r, r.IntN(10), r.IntN(1000), r.IntN(10_000), r.IntN(3_000_000))
	if decimals == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d.%0*d", n, decimals, r.IntN(pow10(decimals)))
}

func pow10(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// printTable draws true records and a way to print them.
func printTable(r *rand.Rand) *printed {
	p := &printed{
		name: "table.csv", by: pick(r, ",", ",", ";", "\t"), truth: map[string]string{}, evidence: true,
		answers: tables.Answers{}, decimal: pick(r, ".", ","),
	}
	language := languages[r.IntN(len(languages))]
	thousands := pick(r, "", "", map[string]string{".": ",", ",": "."}[p.decimal], "\u00a0", " ", "'")
	decimals := pick(r, 0, 0, 1, 2, 3)
	if r.IntN(4) == 0 {
		p.name, p.typed = "table.xlsx", p.decimal == "." && thousands == ""
	}
	periods := periodsOf[pick(r, 0, 0, 0, r.IntN(len(periodsOf)))]
	if p.evidence = periods.shows; !periods.shows {
		p.answers["period"] = periods.answer
	}
	chosen := slices.Clone(indicators)
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:1+r.IntN(3)]
	areas := r.Perm(len(iso3))[:2+r.IntN(4)]
	sexes := []string{""}
	if r.IntN(3) == 0 {
		sexes = []string{language.male, language.female}
	}
	mark, explained := "", r.IntN(3) > 0
	if r.IntN(4) == 0 {
		mark = pick(r, "p", "*", "†", "e")
		if p.answers["mark "+mark] = "obs_status=P"; !explained {
			p.evidence = false
		}
	}
	shown, open, percents := map[string]bool{}, false, map[string]bool{}
	cell := func(indicator [2]string, area int, period, sex string) string {
		if r.IntN(12) == 0 {
			return pick(r, "", "n/a", "..", "-")
		}
		n := figure(r, decimals)
		p.truth[strings.Join([]string{indicator[1], iso3[area], period, sex}, "|")] = n
		text := grouped(n, p.decimal, thousands)
		switch {
		case showsPoint.MatchString(text) && showsComma.MatchString(text):
		case showsPoint.MatchString(text):
			shown["."] = true
		case showsComma.MatchString(text):
			shown[","] = true
		case strings.ContainsAny(text, ".,") && !p.typed:
			open = true
		}
		if whole, _, _ := strings.Cut(n, "."); whole != "0" && n != "1" {
			percents[indicator[1]] = true
		}
		if mark != "" && r.IntN(8) == 0 {
			open = open || p.typed && strings.Contains(text, ".") // it is a text with the mark
			text += mark
		}
		return text
	}
	areaHeads, areaCells := p.printAreas(r, language.country, language.names)
	p.areaAt, p.timeAt, p.figuresAt = 0, len(areaHeads), len(areaHeads)
	row := func(area int) []string { return slices.Clone(areaCells(area)) }
	switch layout := r.IntN(6); {
	case layout == 0: // a row for each figure, or for each area, period and sex
		heads := append(areaHeads, language.year)
		months := periods.texts[0] == "2019-10" && r.IntN(2) == 0
		if months { // in a column of their own
			heads = append(heads, "Month")
		}
		if len(sexes) > 1 {
			heads = append(heads, language.sex)
		}
		p.figuresAt = len(heads)
		for _, i := range chosen {
			heads = append(heads, i[0])
		}
		p.grid = append(p.grid, heads)
		for _, a := range areas {
			for t, period := range periods.records {
				for _, sex := range sexes {
					cells := append(row(a), periods.texts[t])
					if months {
						cells = append(row(a), strings.Split(period, "-")...)
					}
					if len(sexes) > 1 {
						cells = append(cells, sex)
					}
					for _, i := range chosen {
						cells = append(cells, cell(i, a, period, sex))
					}
					p.grid = append(p.grid, cells)
				}
			}
		}
	case layout == 1: // the indicator in a column
		p.grid = append(p.grid, append(areaHeads, language.year, "Indicator", "Value"))
		p.figuresAt += 2
		for _, i := range chosen {
			for _, a := range areas {
				for t, period := range periods.records {
					p.grid = append(p.grid, append(row(a), periods.texts[t], i[0], cell(i, a, period, "")))
				}
			}
		}
	case layout == 2 || len(sexes) > 1 && layout == 3: // sexes above or below indicators
		if len(sexes) == 1 {
			sexes = []string{language.male, language.female}
		}
		above, below := append(slices.Clone(areaHeads), language.year), make([]string, len(areaHeads)+1)
		p.figuresAt++
		over := r.IntN(2) == 0
		for _, i := range chosen {
			for n, sex := range sexes {
				group, name := i[0], sex
				if n > 0 && over {
					group = ""
				}
				if !over {
					group, name = i[0], sex
				}
				above, below = append(above, group), append(below, name)
			}
		}
		p.grid, p.heads = append(p.grid, above, below), 2
		for _, a := range areas {
			for t, period := range periods.records {
				cells := append(row(a), periods.texts[t])
				for _, i := range chosen {
					for _, sex := range sexes {
						cells = append(cells, cell(i, a, period, sex))
					}
				}
				p.grid = append(p.grid, cells)
			}
		}
	default: // periods as columns below each indicator
		p.timeAt = -1
		bounds := r.IntN(3) == 0
		above, below, last := make([]string, len(areaHeads)), slices.Clone(areaHeads), make([]string, len(areaHeads))
		for _, i := range chosen {
			for n := range periods.texts {
				group := i[0]
				if n > 0 {
					group = ""
				}
				above, below, last = append(above, group), append(below, periods.texts[n]), append(last, "Value")
				if bounds {
					above, below, last = append(above, "", ""), append(below, "", ""), append(last, "Lower", "Upper")
				}
			}
		}
		p.grid, p.heads = append(p.grid, above, below), 2
		if bounds {
			p.grid, p.heads = append(p.grid, last), 3
		}
		for _, a := range areas {
			cells := row(a)
			for _, i := range chosen {
				for _, period := range periods.records {
					text := cell(i, a, period, "")
					if cells = append(cells, text); bounds && strings.Trim(text, "-./na") == "" {
						cells = append(cells, "", "")
					} else if bounds {
						cells = append(cells, "0", "9000000")
					}
				}
			}
			p.grid = append(p.grid, cells)
		}
	}
	p.heads = max(p.heads, 1)
	for _, i := range chosen {
		if strings.Contains(i[0], "%") && !percents[i[1]] {
			p.evidence = false
			p.answers["per cent"] = "percent"
		}
	}
	p.answers["numbers"] = p.decimal
	if open && len(shown) != 1 {
		p.evidence = false
	}
	note := ""
	if mark != "" && explained {
		note = mark + pick(r, " provisional", " = provisional", ": provisional")
	}
	p.surround(r, note)
	return p
}

// printAreas draws the way in which areas are named.
func (p *printed) printAreas(r *rand.Rand, country string, names []string) (heads []string, cells func(int) []string) {
	switch r.IntN(5) {
	case 0:
		return []string{"ISO3"}, func(i int) []string { return []string{iso3[i]} }
	case 1:
		return []string{country, "Code"}, func(i int) []string { return []string{names[i], iso3[i]} }
	case 2:
		return []string{"iso2", country}, func(i int) []string { return []string{iso2[i], names[i]} }
	}
	return []string{country}, func(i int) []string { return []string{names[i]} }
}

// surround adds what is around a table and between its rows.
func (p *printed) surround(r *rand.Rand, note string) {
	wide := len(p.grid[len(p.grid)-1])
	if r.IntN(4) == 0 {
		total := make([]string, wide)
		total[0] = pick(r, "Total", "TOTAL", "Grand total", "Insgesamt", "Ensemble")
		for i := p.figuresAt; i < wide; i++ {
			total[i] = "7"
		}
		if p.figuresAt > 1 && p.heads == 1 {
			total[p.figuresAt-1] = p.grid[len(p.grid)-1][p.figuresAt-1]
		}
		at := slices.IndexFunc(p.grid[0], func(s string) bool { return s == "ISO3" || s == "iso2" })
		if at < 0 && p.heads == 2 && !slices.Contains([]string{"ISO3", "iso2"}, p.grid[1][0]) && p.grid[0][0] == "" {
			p.grid = append(p.grid, total)
		}
	}
	if r.IntN(6) == 0 && p.heads == 1 && len(p.grid) > 4 { // a page ends, and the heading is printed again
		p.grid = slices.Insert(p.grid, 3, slices.Clone(p.grid[0]))
	}
	if r.IntN(4) == 0 {
		p.grid = slices.Insert(p.grid, len(p.grid)-1, make([]string, wide))
	}
	if r.IntN(3) == 0 {
		title := make([]string, wide)
		title[0] = "Table 3. Health in some countries"
		p.grid, p.from = slices.Insert(p.grid, 0, title, make([]string, wide)), 2
	}
	if note != "" || r.IntN(3) == 0 {
		for _, text := range []string{note, "Source: Ministry of Health"} {
			if text != "" {
				line := make([]string, wide)
				line[0] = text
				p.grid = append(p.grid, line)
			}
		}
	}
}

// workbook is a workbook with the cells of the table. Headings of groups are merged, or not.
func (p *printed) workbook() string {
	var b, merged strings.Builder
	for y, row := range p.grid {
		fmt.Fprintf(&b, `<row r="%d">`, y+1)
		for x, cell := range row {
			ref := cellName(x, y+1)
			switch {
			case cell == "":
			case p.typed && y >= p.from+p.heads && x >= p.figuresAt && typedFigure.MatchString(cell):
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, ref, cell)
			default:
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, html.EscapeString(cell))
			}
			end := x
			for y == p.from && p.heads > 1 && cell != "" && end+1 < len(row) && row[end+1] == "" && x >= p.figuresAt {
				end++
			}
			if end > x && len(p.truth)%2 == 0 {
				fmt.Fprintf(&merged, `<mergeCell ref="%s:%s"/>`, ref, cellName(end, y+1))
			}
		}
		b.WriteString("</row>")
	}
	return zipped(nil, map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="Read me" r:id="r2"/><sheet name="Data" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="sheet.xml"/><Relationship Id="r2" Target="about.xml"/></Relationships>`,
		"xl/about.xml":               `<row><c t="inlineStr"><is><t>About this workbook</t></is></c></row>`,
		"xl/sheet.xml":               `<worksheet><sheetData>` + b.String() + `</sheetData><mergeCells>` + merged.String() + `</mergeCells></worksheet>`,
	})
}

// cellName is the name of a cell of a workbook: AB7.
func cellName(column, row int) string {
	letter := string(rune('A' + column%26))
	if column > 25 {
		letter = string(rune('A'+column/26-1)) + letter
	}
	return letter + fmt.Sprint(row)
}

var typedFigure = regexp.MustCompile(`^(0|[1-9]\d*)(\.\d+)?$`)

func (p *printed) content() string {
	if p.name == "table.xlsx" {
		return p.workbook()
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = []rune(p.by)[0]
	for _, row := range p.grid {
		if err := w.Write(row); err != nil {
			panic(err) // it goes to memory
		}
	}
	w.Flush()
	return b.String()
}

// imported are the figures that a table gives with answers, and the questions that are open.
func (p *printed) imported(
	t *testing.T, content string, answers tables.Answers,
) (found map[string]string, asked []string, mapping string, err error) {
	t.Helper()
	opened := func(o sheet.Options) (*sheet.Table, error) {
		return sheet.Read(t.Context(), p.name, strings.NewReader(content), int64(len(content)), o)
	}
	proposal, err := tables.Propose(opened, p.name, sheet.Options{}, nil, answers)
	if err != nil {
		return nil, nil, "", err
	}
	for _, q := range proposal.Questions {
		asked = append(asked, q.ID)
	}
	m, err := tables.ReadMap(strings.NewReader(proposal.Map))
	if err != nil {
		return nil, asked, proposal.Map, err
	}
	result, err := m.Convert(open(t, p.name, content, m.Table.Options))
	if err != nil {
		return nil, asked, proposal.Map, err
	}
	found = map[string]string{}
	for _, v := range result.Files {
		folder := strings.Split(v.Path, "/")[2]
		for _, row := range v.Rows {
			sex := ""
			for member, text := range row {
				if strings.HasPrefix(member, "dimensions.") {
					sex += text
				}
			}
			found[strings.Join([]string{folder, row["ref_area"], row["time_period"], sex}, "|")] = row["value"]
		}
	}
	return found, asked, proposal.Map, nil
}

// wrong is a figure that is not in the true records.
func (p *printed) wrong(found map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(found)) {
		want, known := new(big.Rat).SetString(p.truth[key])
		got, ok := new(big.Rat).SetString(found[key])
		if !known || !ok || want.Cmp(got) != 0 {
			return fmt.Sprintf("%s is %s, and true is %q", key, found[key], p.truth[key])
		}
	}
	return ""
}

// TestPrinted: of true records that are printed in the ways of ministries, import never makes a
// figure that is not true; nearly all tables that show their conventions come back whole without a
// question, and the others after one question for each convention.
func TestPrinted(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads tables")
	withEvidence, whole, others, answered := 0, 0, 0, 0
	most := 0
	for seed := range *printedTables {
		p := printTable(rand.New(rand.NewPCG(uint64(seed), 1)))
		content := p.content()
		found, asked, mapping, err := p.imported(t, content, nil)
		if wrong := p.wrong(found); wrong != "" {
			t.Fatalf("table %d: %s\n%s\n%s", seed, wrong, mapping, content)
		}
		if len(p.truth) == 0 {
			continue
		}
		if p.evidence {
			withEvidence++
			if err == nil && len(found) == len(p.truth) {
				whole++
			} else {
				t.Logf("table %d: %v, %d of %d, %q\n%s\n%s", seed, err, len(found), len(p.truth), asked, mapping, content)
			}
			continue
		}
		others++
		most = max(most, len(asked))
		found, asked, mapping, err = p.imported(t, content, p.answers)
		if wrong := p.wrong(found); wrong != "" {
			t.Fatalf("table %d with answers: %s\n%s\n%s", seed, wrong, mapping, content)
		}
		if err == nil && len(found) == len(p.truth) {
			answered++
		} else {
			t.Logf("table %d with %v: %v, %d of %d, %q\n%s\n%s", seed, p.answers, err, len(found), len(p.truth), asked, mapping, content)
		}
	}
	t.Logf("%d of %d tables with evidence are whole without a question; %d of %d others with answers; at most %d questions", whole, withEvidence, answered, others, most)
	if whole*100 < withEvidence*95 || answered*100 < others*95 || most > 5 {
		t.Errorf("%d of %d tables with evidence are whole without a question; %d of %d others with answers; %d questions", whole, withEvidence, answered, others, most)
	}
}

// damages are what happens to tables on their way. None makes a figure that is written correctly,
// and is another one: no program could see that.
var damages = []struct {
	name   string
	damage func(r *rand.Rand, p *printed) (content string)
}{
	{"a cell is lost", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		p.grid[y] = slices.Delete(p.grid[y], x, x+1)
		return p.content()
	}},
	{"a cell is added", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		p.grid[y] = slices.Insert(p.grid[y], x, pick(r, "", "9", "x"))
		return p.content()
	}},
	{"the file is cut off", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		p.grid = p.grid[:y+1]
		p.grid[y] = p.grid[y][:x]
		return p.content()
	}},
	{"another table follows", func(r *rand.Rand, p *printed) string {
		heads := slices.Clone(p.grid[p.from+p.heads-1])
		if p.heads == 1 {
			heads[len(heads)-1] = "Something else"
		}
		rows := append([][]string{make([]string, len(heads)), heads}, p.others(r)...)
		p.grid = append(p.grid, rows...)
		return p.content()
	}},
	{"a section follows", func(r *rand.Rand, p *printed) string {
		row := p.others(r)[0]
		for x := 0; x < p.figuresAt && x != p.timeAt; x++ {
			switch {
			case slices.Contains(iso3, row[x]):
				row[x] = "PER"
			case slices.Contains(iso2, row[x]):
				row[x] = "PE"
			default:
				row[x] = "Peru"
			}
		}
		head := make([]string, len(row))
		head[0] = pick(r, "Women only", "Deaths", "of which in hospital", "2031")
		p.grid = append(p.grid, head, row)
		return p.content()
	}},
	{"an area is lost", func(r *rand.Rand, p *printed) string {
		y, _ := p.place(r)
		p.grid[y][p.areaAt] = pick(r, "", "NA", "DE", "??", "Frnace", "EU-27", "100")
		return p.content()
	}},
	{"a mark is added to a figure", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		if p.grid[y][x] != "" {
			p.grid[y][x] += pick(r, "r", "(a)", "‡", " million", "k", "?", "°", " p.a.", "E", "-")
		}
		return p.content()
	}},
	{"a figure is a sentence", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		p.grid[y][x] = pick(r, "about 5", "5-7", "c", "see note 2", "#REF!", "1.2.3", "1,2,3", "5 million", "--5", "½", "5:30", "1/2", "(7)", "±3", "$5", "0x1f", "1e+", "Inf", "5,", ",5.", "5..", "1'2", "00:05", "12 34")
		return p.content()
	}},
	{"a heading has more", func(r *rand.Rand, p *printed) string {
		row := p.grid[p.from+p.heads-1]
		x := p.figuresAt + r.IntN(len(row)-p.figuresAt)
		row[x] += pick(r, "p", " (target)", "*", " (prov.)", " est.", " change", "/2020")
		return p.content()
	}},
	{"a heading is lost", func(r *rand.Rand, p *printed) string {
		y := p.from + r.IntN(p.heads)
		p.grid[y][r.IntN(len(p.grid[y]))] = ""
		return p.content()
	}},
	{"a period is another text", func(r *rand.Rand, p *printed) string {
		y, _ := p.place(r)
		if p.timeAt > 0 {
			p.grid[y][p.timeAt] = pick(r, "2O19", "19", "2019p", "201", "2019?", "n/a", "", "FY19", "2019/2", "mid-2019", "2019 and 2020", "20190")
		}
		return p.content()
	}},
	{"a total without its name", func(r *rand.Rand, p *printed) string {
		rows := p.others(r)
		rows[0][p.areaAt] = pick(r, "", "Sum total", "All countries", "World total", "TOTAL (all)", "Σ", "Subtotal")
		at := p.from + p.heads + r.IntN(3)
		p.grid = slices.Insert(p.grid, min(at, len(p.grid)), rows[0])
		return p.content()
	}},
	{"a row comes twice", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		for strings.Trim(p.grid[y][x], "-.n/a") == "" {
			y, x = p.place(r)
		}
		again := slices.Clone(p.grid[y])
		again[x] = "8"
		p.grid = slices.Insert(p.grid, y+1, again)
		return p.content()
	}},
	{"a note is among the rows", func(r *rand.Rand, p *printed) string {
		y, _ := p.place(r)
		row := make([]string, len(p.grid[y]))
		row[0] = pick(r, "Data for 2020 are targets", "Africa", "continued", "2020", "Male", "3")
		p.grid = slices.Insert(p.grid, y, row)
		return p.content()
	}},
	{"separators of one row are others", func(r *rand.Rand, p *printed) string {
		p.name = "table.csv"
		lines := strings.Split(strings.TrimSuffix(p.content(), "\n"), "\n")
		y, _ := p.place(r)
		lines[min(y, len(lines)-1)] = strings.ReplaceAll(lines[min(y, len(lines)-1)], p.by, pick(r, ";", "\t", "|"))
		return strings.Join(lines, "\n") + "\n"
	}},
	{"figures in the other notation", func(r *rand.Rand, p *printed) string {
		y, x := p.place(r)
		if !p.shows(y) {
			return p.content()
		}
		p.grid[y][x] = map[string]string{".": pick(r, "1.234,5", "12,5", "1.234.567"), ",": pick(r, "1,234.5", "12.5", "1,234,567")}[p.decimal]
		return p.content()
	}},
}

// shows reports whether another row than y shows the decimal mark.
func (p *printed) shows(y int) bool {
	if p.typed { // numbers of a workbook have no marks
		return false
	}
	for at, row := range p.grid {
		for x := p.figuresAt; at >= p.from+p.heads && at != y && x < len(row); x++ {
			if p.decimal == "." && showsPoint.MatchString(row[x]) || p.decimal == "," && showsComma.MatchString(row[x]) {
				return true
			}
		}
	}
	return false
}

// place draws a row with figures, and a cell of figures in it.
func (p *printed) place(r *rand.Rand) (y, x int) {
	from := p.from + p.heads
	for {
		y = from + r.IntN(len(p.grid)-from)
		if row := p.grid[y]; len(row) > p.figuresAt && strings.Join(row[p.figuresAt:], "") != "" && row[0] != "" {
			return y, p.figuresAt + r.IntN(len(row)-p.figuresAt)
		}
	}
}

// others are rows like those of the table, with figures that are not true.
func (p *printed) others(r *rand.Rand) (rows [][]string) {
	for range 2 {
		y, _ := p.place(r)
		row := slices.Clone(p.grid[y])
		for x := p.figuresAt; x < len(row); x++ {
			row[x] = "8888"
		}
		rows = append(rows, row)
	}
	return rows
}

// renamed are the folders of figures whose headings say something else now.
var renamed = regexp.MustCompile(`^([a-z0-9-]*-(est|change|2020)|[a-z-]+p|table[a-z0-9-]*|health-in-some-countries)\|`)

// TestDamaged: of tables that were damaged, import never makes a figure that is not true without a
// question.
func TestDamaged(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads tables")
	asked, refused, whole := map[string]int{}, map[string]int{}, map[string]int{}
	for seed := range *printedTables {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		p := printTable(r)
		d := damages[seed%len(damages)]
		if strings.HasPrefix(d.name, "a cell is") || strings.HasPrefix(d.name, "the file") { // rows of workbooks have no length
			p.name = "table.csv"
		}
		content := d.damage(r, p)
		found, questions, mapping, err := p.imported(t, content, nil)
		switch {
		case err == nil:
			whole[d.name]++
		case len(questions) > 0:
			asked[d.name]++
		default:
			refused[d.name]++
		}
		if strings.HasPrefix(d.name, "a heading") { // it is published under the name that it has now
			maps.DeleteFunc(found, func(key, _ string) bool { return renamed.MatchString(key) })
		}
		if wrong := p.wrong(found); wrong != "" {
			t.Errorf("table %d, %s: %s\n%s\n%s", seed, d.name, wrong, mapping, content)
		}
	}
	for _, d := range damages {
		t.Logf("%s: %d ask, %d are refused, %d are read", d.name, asked[d.name], refused[d.name], whole[d.name])
	}
}
