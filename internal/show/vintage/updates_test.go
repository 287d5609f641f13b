package vintage_test

import (
	"fmt"
	"testing"

	"stele/internal/show/vintage"
	"stele/internal/trust/standing"
	"stele/record"
)

// TestUpdates: what a yearly update did is a line for each reason, with the revisions first: two
// corrections for two reasons, a revision without one, a retraction, a removal and a new year.
func TestUpdates(t *testing.T) {
	var rows []vintage.Row
	figure := func(area string, period, version int, value string, reasons ...string) *record.HealthcareStatistic {
		st := &record.HealthcareStatistic{
			RefAreaScheme: record.SchemeISO3166, RefArea: area, TimePeriod: record.Period(fmt.Sprint(period)),
			Value: record.Number(value),
		}
		st.ID, st.Version = record.ID(fmt.Sprintf("sta-%s-%d", area, period)), int64(version)
		for _, reason := range reasons {
			st.Corrections = append(st.Corrections, record.Correction{InVersion: int64(version), Summary: reason})
		}
		return st
	}
	for a := range 20 {
		area := fmt.Sprintf("A%02d", a)
		for period := 2001; period <= 2010; period++ {
			old, reason := figure(area, period, 1, "81"), "Read from the wrong column."
			if period > 2005 {
				reason = "The agency revised it."
			}
			switch {
			case a == 0 && period == 2001:
				rows = append(rows, vintage.Row{HealthcareStatistic: old, Until: 1},
					vintage.Row{HealthcareStatistic: figure(area, period, 2, "80"), From: 1})
			case a == 0 && period == 2002:
				lost := figure(area, period, 2, "80", "A mistake.")
				rows = append(rows, vintage.Row{HealthcareStatistic: old, Until: 1},
					vintage.Row{HealthcareStatistic: lost, Standing: standing.Retracted, From: 1})
			case a == 0 && period == 2003:
				rows = append(rows, vintage.Row{HealthcareStatistic: old, Until: 1})
			case a < 18:
				rows = append(rows, vintage.Row{HealthcareStatistic: old, Until: 1},
					vintage.Row{HealthcareStatistic: figure(area, period, 2, "80", reason), From: 1})
			default:
				rows = append(rows, vintage.Row{HealthcareStatistic: old})
			}
		}
		rows = append(rows, vintage.Row{HealthcareStatistic: figure(area, 2011, 1, "90"), From: 1})
	}
	var got []string
	for _, u := range vintage.Updates(rows) {
		example := ""
		if e := u.Examples[0]; e.Before != nil && e.After != nil {
			example = fmt.Sprintf(" %s → %s", e.Before.Value, e.After.Value)
		}
		got = append(got, fmt.Sprintf("%d %s %q %d %d %s–%s %d%s", u.Release, u.Change, u.Reason, u.Count, u.Areas,
			u.From, u.To, len(u.Examples), example))
	}
	want := []string{
		`1 corrected "The agency revised it." 90 18 2006–2010 3 81 → 80`,
		`1 corrected "Read from the wrong column." 87 18 2001–2005 3 81 → 80`,
		`1 updated "" 1 1 2001–2001 1 81 → 80`, `1 retracted "A mistake." 1 1 2002–2002 1 81 → 80`, `1 removed "" 1 1 2003–2003 1`,
		`1 created "" 20 20 2011–2011 3`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}
