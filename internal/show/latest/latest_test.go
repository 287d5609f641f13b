package latest_test

import (
	"testing"

	"stele/internal/show/latest"
	"stele/internal/trust/standing"
	"stele/record"
)

// TestIndex: each letter is a value in the order of time: A is normal, P provisional, F a forecast,
// R retracted, f a retracted forecast, and a dot is unknown.
func TestIndex(t *testing.T) {
	for values, want := range map[string][3]int{
		"": {-1, -1, -1}, "..": {-1, -1, -1}, "A": {0, -1, -1}, "AP.": {1, -1, -1}, "AFF": {0, -1, 2}, "AFA": {2, -1, -1},
		"AR": {0, 1, -1}, "ARF": {0, 1, 2}, "RA": {1, -1, -1}, "R": {-1, 0, -1}, "FF": {0, -1, -1}, "RFF": {1, -1, -1},
		"A.Ff": {0, -1, 2}, "AfP": {2, -1, -1},
	} {
		got, withdrawn, projected := latest.Index(len(values), func(i int) latest.Value {
			v := latest.Value{Known: values[i] != '.', Status: record.ObsStatus(values[i : i+1])}
			if values[i] == 'R' || values[i] == 'f' {
				v.Standing = standing.Retracted
			}
			if values[i] == 'f' {
				v.Status = record.StatusForecast
			}
			return v
		})
		if [3]int{got, withdrawn, projected} != want {
			t.Errorf("%q: %d, %d, %d, want %v", values, got, withdrawn, projected, want)
		}
	}
}
