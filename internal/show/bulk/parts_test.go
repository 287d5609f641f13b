package bulk_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

const partedDefaults = `id: "sta-{indicator}-{ref_area}-{time_period}-{dimensions.sex}"
version: 1
title: "Figure {indicator}, {ref_area}, {time_period}"
summary: A figure of the tests.
ref_area_scheme: iso3166
unit: cases
unit_label: cases
obs_status: A
claim_boundary: {statement: "Counts what was reported."}
source_links: [{url: "https://example.org/table", role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
`

// figures are those of three indicators in all countries; the latest values of the last one can be
// others.
func figures(t *testing.T, years int, newest string) (files fstest.MapFS, count int) {
	t.Helper()
	files = must.Get(specimen.Sample())(t)
	for _, indicator := range []string{"p-one", "p-three", "p-two"} {
		var b strings.Builder
		b.WriteString("indicator,ref_area,time_period,dimensions.sex,value,version,updated_date\n")
		for area := range 1000 {
			code := record.SchemeUNM49.Key(fmt.Sprintf("%03d", area))
			if code[0] < 'A' {
				continue
			}
			for year := range years {
				value, edition := strconv.Itoa(year%7), "1,2026-01-10"
				if indicator == "p-two" && year == 0 && newest != "" {
					value, edition = newest, "2,2026-11-15"
				}
				fmt.Fprintf(&b, "%s,%s,%d,%s,%s,%s\n", indicator, code, 2024-year/2, []string{"f", "m"}[year%2], value, edition)
				count++
			}
		}
		files["records/healthcare-statistics/"+indicator+"/values.csv"] = &fstest.MapFile{Data: []byte(b.String())}
		files["records/healthcare-statistics/"+indicator+"/_defaults.yaml"] = &fstest.MapFile{Data: []byte(partedDefaults)}
	}
	return files, count
}

// TestParts: each indicator of a few statistics has a Parquet file next to its page, and changes in
// one indicator change only its file.
func TestParts(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	checkParts(t, 4, "healthcare-statistics/%s.parquet")
}

// TestLongParts: the same for the parts of many statistics, which a table lists. DuckDB reads them
// as one, with all values, sorted by area.
func TestLongParts(t *testing.T) {
	long.Only(t)
	second, count := checkParts(t, 140, "bulk/healthcare-statistics/%s/part-0.parquet")
	file := must.Get(os.Open(filepath.Join(second, "bulk", "healthcare-statistics.parts.csv")))(t)
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())(t)
	readme := string(must.Get(os.ReadFile(filepath.Join(second, "bulk", "README.md")))(t))
	if !strings.Contains(readme, " | [healthcare-statistics.parts.csv](healthcare-statistics.parts.csv) |") {
		t.Error("the README does not list the parts among the files")
	}
	for _, row := range rows[1:4] {
		info := must.Get(os.Stat(filepath.Join(second, row[1])))(t)
		if row[3] != strconv.FormatInt(info.Size(), 10) || !strings.Contains(row[1], "/"+row[0]+"/") {
			t.Errorf("%q, and the file has %d bytes", row, info.Size())
		}
	}
	if _, err := os.Stat(filepath.Join(second, "bulk", "healthcare-statistics.parquet")); err == nil {
		t.Error("there is a file of all of them, too")
	}
	all := "read_parquet('" + filepath.Join(second, "bulk/healthcare-statistics/*/*.parquet") + "')"
	answers := duckdb(t)(
		"SELECT count(*)::INT AS n FROM "+all+" WHERE indicator LIKE 'p-%'",
		"SELECT sum(value)::INT AS n, min(value_text) AS text FROM "+all+" WHERE indicator='p-two' AND ref_area='FRA' AND time_period='2024'",
		"SELECT count(*)::INT AS n FROM (SELECT ref_area < lag(ref_area) OVER () AS falls FROM "+strings.ReplaceAll(all, "*/*", "p-two/*")+") WHERE falls",
	)
	want := []string{fmt.Sprintf(`[{"n":%d}]`, count), `[{"n":10,"text":"1"}]`, `[{"n":0}]`}
	for i, w := range want {
		if string(answers[i]) != w {
			t.Errorf("DuckDB answers %s, want %s", answers[i], w)
		}
	}
}

// checkParts makes two releases of figures, compares the files of their indicators, which have
// paths at, and returns the second release and the number of its figures.
func checkParts(t *testing.T, years int, at string) (second string, count int) {
	t.Helper()
	before, count := figures(t, years, "")
	after, _ := figures(t, years, "9")
	first := makeRelease(t, before, "parquet,indicators")
	previous := must.Get(release.Open(context.Background(), os.DirFS(first)))(t)
	second = makeReleaseAfter(t, after, "parquet,indicators", previous)
	for indicator, changes := range map[string]bool{"p-one": false, "p-two": true, "p-three": false} {
		path := fmt.Sprintf(at, indicator)
		was := must.Get(os.ReadFile(filepath.Join(first, path)))(t)
		is := must.Get(os.ReadFile(filepath.Join(second, path)))(t)
		if bytes.Equal(was, is) == changes {
			t.Errorf("%s changes: %v, want %v", path, !changes, changes)
		}
	}
	return second, count
}
