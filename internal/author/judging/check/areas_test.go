package check_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/author/judging/check"
	own "stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/sheet/areas"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
)

type table [][]string

func (t table) csv() []byte {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.WriteAll(t) // a Builder never fails
	return []byte(b.String())
}

func (t table) clone() table {
	c := make(table, len(t))
	for i, row := range t {
		c[i] = slices.Clone(row)
	}
	return c
}

func readTable(t *testing.T, name string) table {
	t.Helper()
	data := string(must.Get(os.ReadFile("testdata/areas/" + name + ".csv"))(t))
	r := csv.NewReader(strings.NewReader(data))
	return must.Get(r.ReadAll())(t)
}

// areaProblems returns the problems of a scheme's tables.
func areaProblems(codes, changes table) []schema.Problem {
	fsys := fstest.MapFS{"codes.csv": {Data: codes.csv()}, "changes.csv": {Data: changes.csv()}}
	s := own.Settings{Areas: own.AreaSchemes{{Name: "s", AreaTables: own.AreaTables{Title: "S", Codes: "codes.csv", Changes: "changes.csv"}}}}
	c, _ := check.NewForFolder(fsys, "2026-02-01", &s, nil)
	return c.Result().Problems
}

// realTables are the tables of offices, with the rows of wrong-rows.csv that belong to each.
var realTables = []struct {
	codes, changes, wrong string
}{
	{"gss-england", "gss-england-changes", "E"},
	{"norway-fylke", "norway-fylke-changes", "0"},
	{"fips-connecticut", "fips-connecticut-changes", "none"},
}

func TestRealTables(t *testing.T) {
	outside, all := 0, 0
	for _, office := range realTables {
		codes, changes := readTable(t, office.codes), readTable(t, office.changes)
		for _, p := range areaProblems(codes, changes) {
			t.Errorf("%s: %v", office.codes, &p)
		}
		has := map[string]bool{}
		for _, row := range codes[1:] {
			has[row[0]] = true
		}
		for _, row := range codes[1:] {
			all++
			if !has[row[3]] {
				outside++
			}
		}
	}
	if all != 96 || outside != 66 {
		t.Errorf("%d of %d parents are outside the tables", outside, all)
	}
}

// TestWrongRows: rows that public tables contain are found by code and line.
func TestWrongRows(t *testing.T) {
	nutsCodes, nutsChanges := nuts(t, true)
	found := 0
	for _, row := range readTable(t, "wrong-rows")[1:] {
		codes, changes := nutsCodes, nutsChanges
		for _, office := range realTables {
			if strings.HasPrefix(row[1], office.wrong) {
				codes, changes = readTable(t, office.codes), readTable(t, office.changes)
			}
		}
		changes = append(changes.clone(), row[:7])
		problems := areaProblems(codes, changes)
		if !slices.ContainsFunc(problems, func(p schema.Problem) bool {
			return p.File == "changes.csv" && p.Line == len(changes) && (p.Value == row[1] || p.Value == row[2])
		}) {
			t.Errorf("%v is not found: %v", row, problems)
		}
		found++
	}
	if found != 8 {
		t.Errorf("%d rows", found)
	}
}

// TestNUTS: the correspondence tables as published contradict themselves in six places. Corrected,
// they pass.
func TestNUTS(t *testing.T) {
	for _, p := range areaProblems(nuts(t, true)) {
		t.Errorf("corrected: %v", &p)
	}
	found := map[string]codes.Code{}
	for _, p := range areaProblems(nuts(t, false)) {
		for _, code := range []string{"FR7", "FRFR25", "NO023", "NO064", "NO060", "NO074"} {
			if found[code] == "" && strings.Contains(p.Message, code) {
				found[code] = p.Code
			}
		}
	}
	want := map[string]codes.Code{
		"FR7": codes.AreaGoesTwice, "FRFR25": codes.UnknownAreaCode, "NO023": codes.UnknownAreaCode,
		"NO064": codes.UnknownAreaCode, "NO060": codes.AreaNotValid, "NO074": codes.AreaNotValid,
	}
	if !maps.Equal(found, want) {
		t.Errorf("found %v", found)
	}
}

// nutsCorrections are what a person writes in place of the contradictions, by line: old_code,
// new_code, change and explanation. nil deletes the row.
var nutsCorrections = map[int][]string{
	20:  nil,
	30:  {"FR25", "FRD1", "recoded", "FRD1=FR25"},
	110: {"NO021", "", "discontinued; now part of NO020", ""},
	111: {"NO022", "", "discontinued; now part of NO020", ""},
	126: {"NO061", "", "discontinued; now part of NO060", ""},
	127: {"NO062", "", "discontinued; now part of NO060", ""},
	128: {"", "NO060", "new; merge of ex-NO061 and NO062", ""},
	131: {"", "NO074", "new; merge of ex-NO072 and NO073", ""},
}

var nutsCode = regexp.MustCompile(`[A-Z]{2}[A-Z0-9]{1,4}\b`)

// nuts transcribes Eurostat's correspondence tables, as published or corrected.
func nuts(t *testing.T, corrected bool) (codeTable, changeTable table) {
	type code struct{ level, from, to string }
	all, seen := map[string]*code{}, map[string]bool{}
	add := func(name, level string) *code {
		if all[name] == nil {
			all[name] = &code{level: level}
		}
		return all[name]
	}
	changes := table{{"date", "from_code", "to_code", "kind", "share", "basis", "note"}}
	change := func(day, from, to, kind, note string) {
		if key := day + from + " " + to; !seen[key] {
			seen[key] = true
			changes = append(changes, []string{day, from, to, kind, "", "", note})
		}
	}
	formed := map[string]bool{}
	var unexplained [][2]string
	for n, row := range readTable(t, "nuts-changes-as-published") {
		line, day := n+1, map[string]string{"2013-2016": "2018-01-01", "2016-2021": "2021-01-01"}[row[0]]
		fixed, isFixed := nutsCorrections[line]
		if line == 1 || corrected && isFixed && fixed == nil {
			continue
		}
		level, old, now, what, explanation := row[1], row[2], row[3], row[5], row[6]
		if corrected && isFixed {
			old, now, what, explanation = fixed[0], fixed[1], fixed[2], fixed[3]
		}
		if old == now {
			continue // only the name changed
		}
		if old != "" {
			add(old, level).to = areas.AddDays(day, -1)
		}
		if now != "" {
			add(now, level).from = day
		}
		named := nutsCode.FindAllString(strings.ReplaceAll(what, "FR ", "FR"), -1)
		named = slices.DeleteFunc(named, func(s string) bool { return s == "NUTS" })
		_, equals, _ := strings.Cut(explanation, "=")
		from := nutsCode.FindAllString(equals, -1)
		switch {
		case strings.Contains(equals, "+"), strings.Contains(what, "merge of"):
			to := now
			if to == "" {
				to = old
			}
			if equals == "" {
				from = named
			}
			for _, f := range from {
				change(day, f, to, "merge", "")
				formed[to] = true
			}
		case strings.Contains(what, "parts of") && old == "":
			for _, f := range named {
				change(day, f, now, "part", "")
				formed[now] = true
			}
		case strings.Contains(what, "boundary"):
			change(day, old, now, "boundary", what)
		case len(from) == 1:
			change(day, from[0], now, "recode", "")
			formed[now] = true
		case old != "" && now != "":
			change(day, old, now, "recode", "")
		case strings.Contains(what, "split into"):
			for _, to := range named {
				change(day, old, to, "split", "")
				formed[to] = true
			}
		case strings.Contains(what, "now part of"):
			change(day, old, named[0], "merge", "")
		case strings.Contains(what, "merged with"), strings.Contains(equals, "-"):
		case what == "discontinued":
			change(day, old, "", "gone", "")
		default:
			unexplained = append(unexplained, [2]string{day, now})
		}
	}
	for _, u := range unexplained {
		if !formed[u[1]] {
			change(u[0], "", u[1], "new", "")
		}
	}
	for name, level := range map[string]string{"HU101": "3", "HU102": "3"} {
		add(name, level).to = "2017-12-31"
	}
	add("ITG29", "3").to = "2020-12-31"
	list := table{{"code", "name", "level", "parent", "valid_from", "valid_to"}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		list = append(list, []string{name, "Name of " + name, c.level, "", c.from, c.to})
	}
	return list, changes
}

// TestStatisticsOfAreas: a statistic's area is valid in its period.
func TestStatisticsOfAreas(t *testing.T) {
	tables := fstest.MapFS{
		"stele.yaml": {Data: []byte(settings + "areas:\n  fylke: {title: F, codes: a/c.csv, changes: a/d.csv}\n  fips: {title: C, codes: a/e.csv, changes: a/f.csv}\n")},
		"a/c.csv":    {Data: readTable(t, "norway-fylke").csv()}, "a/d.csv": {Data: readTable(t, "norway-fylke-changes").csv()},
		"a/e.csv": {Data: readTable(t, "fips-connecticut").csv()}, "a/f.csv": {Data: readTable(t, "fips-connecticut-changes").csv()},
	}
	statistic := func(id, scheme, area, period, value string) entry {
		return r("healthcare_statistic", id, fmt.Sprintf(
			`{"indicator":"i","unit":"persons","ref_area_scheme":%q,"ref_area":%q,"time_period":%q,"value":%s}`, scheme, area, period, value))
	}
	found := func(list ...entry) (got []string) {
		fsys := in(list...)
		maps.Copy(fsys, tables)
		result := must.Get(specimen.Check(fsys, compiler.Options{Date: "2026-02-01"}))(t)
		for _, p := range result.Problems {
			got = append(got, fmt.Sprint(p.Code, " ", p.Record, " ", p.Pointer))
		}
		return got
	}
	var norway []entry
	for _, row := range readTable(t, "norway-cash-for-care")[1:] {
		if row[0] != "NO" {
			norway = append(norway, statistic("no-"+row[0]+"-"+row[2], "fylke", row[0], row[2], row[3]))
		}
	}
	if got := found(norway...); got != nil {
		t.Errorf("Norway: %v", got)
	}
	var printed []entry
	for _, row := range readTable(t, "norway-population-2018")[1:] {
		printed = append(printed, statistic("p-"+row[0], "fylke", row[0], "2018", row[2]))
	}
	if got, want := found(printed...), []string{"ARE10 p-16 /value", "ARE10 p-17 /value"}; !slices.Equal(got, want) {
		t.Errorf("the table of 2018: %v", got)
	}
	var connecticut []entry
	for year, list := range map[string]string{"2020": "0900", "2021": "0900", "2023": "091", "2024": "091"} {
		for _, row := range readTable(t, "fips-connecticut")[1:] {
			if strings.HasPrefix(row[0], list) {
				connecticut = append(connecticut, statistic("ct-"+row[0]+"-"+year, "fips", row[0], year, "5"))
			}
		}
	}
	if got := found(connecticut...); got != nil {
		t.Errorf("Connecticut: %v", got)
	}
	for _, test := range []struct {
		list []entry
		want string
	}{
		{[]entry{statistic("s", "fips", "09001", "2023", "5")}, "ARE08 s /ref_area"},
		{[]entry{statistic("s", "fips", "09001", "2023", "0")}, "ARE10 s /value"},
		{[]entry{statistic("s", "fips", "09001", "2022", "5"), statistic("u", "fips", "09003", "2022", "5")}, ""},
		{[]entry{statistic("s", "fips", "09001", "2022", "5"), statistic("u", "fips", "09110", "2022", "5")}, "ARE09 u /ref_area"},
		{[]entry{statistic("s", "fips", "09001", "2022-Q1", "5"), statistic("u", "fips", "09110", "2022-Q3", "5")}, ""},
		{[]entry{statistic("s", "fips", "09110", "2022-W10", "5")}, "ARE08 s /ref_area"},
		{[]entry{statistic("s", "fips", "91100", "2022", "5")}, "ARE08 s /ref_area"},
		{[]entry{statistic("s", "fipps", "09110", "2022", "5")}, "SCH03 s /ref_area_scheme"},
	} {
		if got := strings.Join(found(test.list...), ", "); got != test.want {
			t.Errorf("%s: found %q", test.want, got)
		}
	}
}

// TestMutatedTables changes one cell of a real table at random, a thousand times. Each mutation is
// found, or the table also describes possible areas.
func TestMutatedTables(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	missed, all := map[string]int{}, map[string]int{}
	for range 1000 {
		office := realTables[random.Intn(len(realTables))]
		codes, changes := readTable(t, office.codes), readTable(t, office.changes)
		m := mutate(random, codes, changes)
		all[m.what]++
		if len(areaProblems(codes, changes)) > 0 {
			continue
		}
		missed[m.what]++
		if !m.possible() {
			t.Errorf("%s %v was %q and is not found", m.what, m.row, m.was)
		}
	}
	t.Logf("mutations: %v; not found: %v", all, missed)
}

type mutation struct {
	what     string
	row      []string
	was, now string
}

// mutate changes a code, a day, a kind or a share.
func mutate(random *rand.Rand, codes, changes table) mutation {
	columns := []struct {
		in     table
		column int
		what   string
	}{
		{codes, 0, "code"},
		{codes, 4, "first day"},
		{codes, 5, "last day"},
		{changes, 0, "date"},
		{changes, 1, "from_code"},
		{changes, 2, "to_code"},
		{changes, 3, "kind"},
		{changes, 4, "share"},
	}
	for {
		c := columns[random.Intn(len(columns))]
		row := c.in[1+random.Intn(len(c.in)-1)]
		was, now := row[c.column], ""
		other := c.in[1+random.Intn(len(c.in)-1)][c.column]
		switch c.what {
		case "kind":
			now = areas.Kinds[random.Intn(len(areas.Kinds))]
		case "share":
			if was != "" {
				now = fmt.Sprintf("%.4f", random.Float64())
			}
		case "from_code", "to_code":
			now = codes[1+random.Intn(len(codes)-1)][0]
		case "code":
			now = was[:len(was)-1] + string(rune('0'+random.Intn(10)))
		default:
			if now = other; random.Intn(2) == 0 && was != "" {
				now = areas.AddDays(was, random.Intn(800)-400)
			}
		}
		if now != was {
			row[c.column] = now
			return mutation{c.what, slices.Clone(row), was, now}
		}
	}
}

// possible reports whether a mutated table may be right: the structure cannot tell which of two
// areas of the same days is meant, on which day a part goes from one area to another if both
// continue, whether an area existed before others joined it, and some kinds with the same days.
func (m *mutation) possible() bool {
	kind := ""
	if m.what != "first day" {
		kind = m.row[3]
	}
	switch m.what {
	case "to_code":
		return kind == areas.Merge || kind == areas.Part || kind == areas.Split
	case "from_code", "date":
		return kind == areas.Part
	case "first day":
		return m.now == ""
	case "kind":
		same := func(kinds ...string) bool { return slices.Contains(kinds, m.was) && slices.Contains(kinds, m.now) }
		return same(areas.Recode, areas.Merge, areas.Boundary) || same(areas.Split, areas.Part) ||
			same(areas.Merge, areas.Part)
	}
	return false
}
