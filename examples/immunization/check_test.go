package main

import (
	"os"
	"testing"

	"stele/internal/build/publish"
	"stele/internal/testkit/specimen"
)

// TestChecksClean: all values of the table make records with which nothing is wrong, not even a
// warning.
func TestChecksClean(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it checks 63,277 statistics")
	}
	out := t.TempDir()
	if _, err := convert(countries, out); err != nil {
		t.Fatal(err)
	}
	result, err := specimen.Check(os.DirFS(out), publish.Options{Date: "2026-11-15"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range result.Problems {
		t.Error(&p)
	}
	if result.Kinds["healthcare_statistic"] != wantValues {
		t.Errorf("%d statistics, want %d", result.Kinds["healthcare_statistic"], wantValues)
	}
}
