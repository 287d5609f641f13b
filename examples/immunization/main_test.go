package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/race"
)

const (
	wantRows   = 7818
	wantValues = 63277
)

func TestConvert(t *testing.T) {
	out := t.TempDir()
	read, err := convert(countries, out)
	if err != nil {
		t.Fatal(err)
	}
	if read.rows != wantRows || read.values() != wantValues {
		t.Errorf("read %d values from %d rows, want %d from %d", read.values(), read.rows, wantValues, wantRows)
	}
	if got := len(statistics(t, out)); got != wantValues {
		t.Errorf("wrote %d values, want %d", got, wantValues)
	}
	for pattern, want := range map[string]int{
		"records/entities/ent-*.yaml":                    18, // twelve indicators, six regions
		"records/source-objects/src-*.yaml":              2,
		"records/healthcare-statistics/*/_defaults.yaml": 12,
	} {
		found, err := filepath.Glob(filepath.Join(out, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != want {
			t.Errorf("%s: %d files, want %d", pattern, len(found), want)
		}
	}
}

func TestValues(t *testing.T) {
	if race.Enabled {
		t.Skip("converts the whole table again, in one goroutine")
	}
	out := t.TempDir()
	if _, err := convert(countries, out); err != nil {
		t.Fatal(err)
	}
	written := statistics(t, out)
	for key, want := range map[string]string{
		"mcv1/iso3166/AFG/1980":             "11,Afghanistan",
		"mcv1/entity/ent-who-afr/2015":      "74,WHO African Region",
		"measles-cases/un_m49/001/1981":     "4430074,World",
		"tb-death-rate/iso3166/ALB/2000":    "0.9,Albania", // .9 in the table
		"tb-deaths/entity/ent-who-afr/2015": "450000,WHO African Region,deaths,deaths",
		"tb-deaths/un_m49/001/2015":         "1400,World,thousand_deaths,thousand deaths",
	} {
		if got := written[key]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

func TestSameTableSameBytes(t *testing.T) {
	if race.Enabled {
		t.Skip("converts the whole table again, in one goroutine")
	}
	first, second := t.TempDir(), filepath.Join(t.TempDir(), "new", "folder")
	for _, out := range []string{first, second} {
		if _, err := convert(countries, out); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := digests(t, first), digests(t, second); !maps.Equal(a, b) {
		t.Error("two runs differ")
	}
}

func TestBadTable(t *testing.T) {
	header, _, _ := bytes.Cut(countries, []byte("\n"))
	for name, test := range map[string]struct{ rows, want string }{
		"unknown area":   {"Albania,2000,,,,,,,,,7,,,\nAtlantis,2000,,,,,,,,,7,,,\n", `line 3: unknown area name "Atlantis"`},
		"bad year":       {"Albania,199,,,,,,,,,7,,,\n", `line 2: "199" is not a year`},
		"bad number":     {"Albania,2000,,,,,,,,,7 000,,,\n", `line 2: column "Number of confirmed measles cases (WHO 2017)": "7 000" is not a number`},
		"too few fields": {"Albania,2000\n", "line 2: wrong number of fields"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			_, err := convert([]byte(string(header)+"\n"+test.rows), out)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if _, err := os.Stat(out); !os.IsNotExist(err) {
				t.Error("something was written")
			}
		})
	}
}

func TestBadHeader(t *testing.T) {
	for name, test := range map[string]struct{ old, new, want string }{
		"unknown column": {"Number confirmed polio cases (WHO 2017)", "Number of polio cases", `column "Number of polio cases" is unknown`},
		"column twice":   {"Year,", "Year,Year,", `column "Year" stands there twice`},
		"column missing": {"Entity,Year,", "Entity,", `column "Year" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(string(countries), test.old, test.new, 1)
			if _, err := readTable([]byte(changed)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestOutputMustBeEmpty(t *testing.T) {
	out := t.TempDir()
	own := filepath.Join(out, "stele.yaml")
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := digests(t, out)
	if _, err := convert(countries, out); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("error %v, want one that says the folder is not empty", err)
	}
	if !maps.Equal(before, digests(t, out)) {
		t.Error("the folder was changed")
	}
}

// statistics reads all values.csv: indicator, area and year, and after them the rest of the row.
func statistics(t *testing.T, out string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, ind := range indicators {
		content, err := os.ReadFile(filepath.Join(out, "records", "healthcare-statistics", ind.Code, "values.csv"))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows[1:] {
			found[ind.Code+"/"+strings.Join(row[:3], "/")] = strings.Join(row[3:], ",")
		}
	}
	return found
}

// digests are the SHA-256 of all files in a folder, by path.
func digests(t *testing.T, folder string) map[string]string {
	t.Helper()
	found, files := map[string]string{}, os.DirFS(folder)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		found[name] = fmt.Sprintf("%x", sha256.Sum256(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Fatalf("no files in %s", folder)
	}
	return found
}
