package record_test

import (
	"testing"

	"stele/record"
)

// TestKeyOfAFigure: what means the same has one key, and what does not has another.
func TestKeyOfAFigure(t *testing.T) {
	figure := func(change func(*record.HealthcareStatistic)) string {
		s := &record.HealthcareStatistic{
			Indicator: "mcv1", RefAreaScheme: record.SchemeISO3166, RefArea: "FRA", TimePeriod: "2024", Unit: "percent", Vintage: "2025",
			Dimensions: record.Terms{{Name: "sex", Text: "f"}, {Name: "région", Text: "Île"}, {Name: "age", Text: "0"}},
		}
		change(s)
		return s.Key()
	}
	is := figure(func(*record.HealthcareStatistic) {})
	for name, c := range map[string]struct {
		change func(*record.HealthcareStatistic)
		same   bool
	}{
		"decomposed": {func(s *record.HealthcareStatistic) {
			s.Dimensions[1] = record.Term{Name: "re\u0301gion", Text: "I\u0302le"}
		}, true},
		"order": {func(s *record.HealthcareStatistic) {
			s.Dimensions[0], s.Dimensions[2] = s.Dimensions[2], s.Dimensions[0]
		}, true},
		"spelled out":       {func(s *record.HealthcareStatistic) { s.TimePeriod = "2024-01-01/P1Y" }, true},
		"vintage spelled":   {func(s *record.HealthcareStatistic) { s.Vintage = "2025-01-01/P12M" }, true},
		"two letters":       {func(s *record.HealthcareStatistic) { s.RefArea = "FR" }, true},
		"minus zero":        {func(s *record.HealthcareStatistic) { s.Dimensions[2].Text = "-0" }, true},
		"another minus":     {func(s *record.HealthcareStatistic) { s.Dimensions[2].Text = "-1" }, false},
		"another dimension": {func(s *record.HealthcareStatistic) { s.Dimensions[0].Text = "m" }, false},
		"another period":    {func(s *record.HealthcareStatistic) { s.TimePeriod = "2024-02-01/P1Y" }, false},
		"an entity":         {func(s *record.HealthcareStatistic) { s.RefAreaScheme = record.SchemeEntity }, false},
		"another unit":      {func(s *record.HealthcareStatistic) { s.Unit = "cases" }, false},
		"no vintage":        {func(s *record.HealthcareStatistic) { s.Vintage = "" }, false},
	} {
		if got := figure(c.change); (got == is) != c.same {
			t.Errorf("%s: %q and %q", name, got, is)
		}
	}
}
