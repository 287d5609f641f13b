package immunization_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/author/editing/tables"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/record"
)

// imported is a copy of this folder into which the table was imported.
func imported(t *testing.T) (dir string, plan *tables.Plan) {
	t.Helper()
	dir = t.TempDir()
	plan = must.Get(specimen.Import(".", "countries.csv", dir))(t)
	return dir, plan
}

func TestValues(t *testing.T) {
	dir, plan := imported(t)
	if len(plan.New) != 12 || len(plan.Changed) != 0 {
		t.Errorf("%d files are new and %d changed, want 12 and 0", len(plan.New), len(plan.Changed))
	}
	for path, row := range map[string]string{
		"mcv1":          "iso3166,AFG,1980,11,Afghanistan",
		"mcv1/":         "entity,ent-who-afr,2015,74,WHO African Region",
		"measles-cases": "un_m49,001,1981,4430074,World",
		"tb-death-rate": "iso3166,ALB,2000,0.9,Albania", // .9 in the table
		"tb-deaths":     "entity,ent-who-afr,2015,450000,WHO African Region,deaths,deaths",
		"tb-deaths/":    "un_m49,001,2015,1400,World,thousand_deaths,thousand deaths",
	} {
		data, err := os.ReadFile(filepath.Join(dir, "records", "healthcare-statistics", strings.TrimSuffix(path, "/"), "values.csv"))
		if err != nil || !bytes.Contains(data, []byte("\n"+row+"\n")) {
			t.Errorf("%s has no row %s (%v)", path, row, err)
		}
	}
}

// TestChecksClean: all values of the table make records with which nothing is wrong, not even a
// warning.
func TestChecksClean(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it checks 63,277 statistics")
	}
	dir, _ := imported(t)
	result := must.Get(specimen.Check(os.DirFS(dir), compiler.Options{Date: "2026-11-15"}))(t)
	for _, p := range result.Problems {
		t.Error(&p)
	}
	if n := result.Kinds[record.KindHealthcareStatistic]; n != 63277 {
		t.Errorf("%d statistics, want 63277", n)
	}
}
