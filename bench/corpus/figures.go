package corpus

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stele/record"
)

// series is a table in a form that statisticians publish.
type series struct {
	share      int // of all values, in per cent
	indicators int
	to         int // the last year
	header     string
	// row returns the rest of a row, after its area and year, for the edition of its value
	row func(i, edition int) string
}

// tables have the shapes of life expectancy since 1543, of the burden of tuberculosis with its
// intervals, and of notifications by sex and age.
var tables = map[string]series{
	"life-expectancy": {9, 1, 2021, "value", func(i, edition int) string {
		return fmt.Sprintf("%d.%d", 20+i%60, (i+edition)%10)
	}},
	"burden": {61, 44, 2024, "value,lower,upper", func(i, edition int) string {
		i += edition
		return fmt.Sprintf("%d,%d,%d", i%9000, i%9000*8/10, i%9000*13/10)
	}},
	"notifications": {30, 6, 2024, "value,dimensions.sex,dimensions.age", func(i, edition int) string {
		age := i / 3 % 7 * 10
		return fmt.Sprintf("%d,%s,%d-%d", (i+edition)%700, []string{"female", "male", "unknown"}[i%3], age, age+9)
	}},
}

const figureDefaults = `id: "sta-{indicator}-{ref_area}-{time_period}%[1]s"
version: 1
title: "Figure {indicator}, {ref_area}, {time_period}"
summary: "{ref_area}, {time_period}: the value that was made up for a benchmark is {value}."
ref_area_scheme: iso3166
unit: cases
unit_label: reported cases
obs_status: E
claim_boundary:
  statement: "Counts what was reported, not all that occurred: how much goes unreported differs between areas and years."
  place: "{ref_area}"
  period: "{time_period}"
  excludes: ["What was not reported", "Revisions by the source after 2026-01-01"]
source_links: [{url: "https://example.org/table", source_id: src-0001, role: primary}]
verification_date: 2026-01-10
source_updates: []
corrections: []
published_date: 2026-01-10
updated_date: 2026-01-10
`

// WriteFigures makes a folder with about that many statistics: fifty-one indicators in 249 areas,
// with intervals, dimensions, and years far back. For each number of edits, about that many of them
// have another value and version.
func WriteFigures(dir string, statistics int, edits ...int) error {
	if err := Write(dir, 0); err != nil {
		return err
	}
	var areas []string
	for n := range 1000 {
		if code := record.SchemeUNM49.Key(fmt.Sprintf("%03d", n)); 'A' <= code[0] && code[0] <= 'Z' {
			areas = append(areas, code)
		}
	}
	first := 0
	version := func(i int) int {
		v := 1
		for _, n := range edits {
			if every := statistics / max(n, 1); n > 0 && (first+i)%every == every/2 {
				v++
			}
		}
		return v
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		s := tables[name]
		for n := range s.indicators {
			folder := filepath.Join(dir, "records", "healthcare-statistics", fmt.Sprintf("%s-%02d", name, n))
			rows := statistics * s.share / 100 / s.indicators
			indicator := fmt.Sprintf("%s_%02d", strings.ReplaceAll(name, "-", "_"), n)
			if err := writeSeries(folder, indicator, &s, areas, rows, version); err != nil {
				return err
			}
			first += rows
		}
	}
	return nil
}

// period returns a year or, beyond five hundred of them, a month.
func (s *series) period(n int) string {
	const years = 500
	if n < years {
		return strconv.Itoa(s.to - n)
	}
	return fmt.Sprintf("%d-%02d", s.to-(n-years)/12, 12-(n-years)%12)
}

// writeSeries writes the table of an indicator: for each area the same number of years, newest
// first.
func writeSeries(folder, indicator string, s *series, areas []string, rows int, version func(row int) int) error {
	more := ""
	if strings.Contains(s.header, "dimensions") {
		more = "-{dimensions.sex}-{dimensions.age}"
	}
	err := writeFile(filepath.Join(folder, "values.csv"), func(w *bufio.Writer) {
		fmt.Fprintf(w, "indicator,ref_area,time_period,version,updated_date,%s\n", s.header)
		for i := range rows {
			area, of := areas[i%len(areas)], i/len(areas)
			if more != "" {
				of /= 21 // sexes and ages
			}
			edited := "," // as in the defaults
			v := version(i)
			if v > 1 {
				edited = fmt.Sprintf("%d,2026-01-%d", v, 10+v)
			}
			row := s.row(i/len(areas), v-1)
			fmt.Fprintf(w, "%s,%s,%s,%s,%s\n", indicator, area, s.period(of), edited, row)
		}
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "_defaults.yaml"), fmt.Appendf(nil, figureDefaults, more), 0o644)
}
