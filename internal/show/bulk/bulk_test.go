package bulk_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"stele/internal/show/bulk"
	"stele/internal/testkit/must"
	"stele/record"
	"stele/release"
)

// TestColumns: every kind has the eight things that consumers must preserve, and no two columns
// have one name.
func TestColumns(t *testing.T) {
	for _, k := range record.Kinds {
		var names []string
		for _, c := range bulk.Columns(k) {
			if c.Doc == "" {
				t.Errorf("%s.%s is not explained", k.Name, c.Name)
			}
			names = append(names, strings.ToLower(c.Name)) // SQLite and DuckDB do not tell case
			if c.Type == bulk.Decimal {
				names = append(names, c.Name+"_text")
			}
		}
		want := []string{"id", "source_links", "version", "verification_date", "claim_boundary", "source_updates", "corrections"}
		for _, m := range k.Shape().Members {
			if strings.HasSuffix(m.Name, "_label") && m.Shape.List != nil {
				want = append(want, m.Name)
			}
		}
		for _, name := range want {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no column %s", k.Name, name)
			}
		}
		slices.Sort(names)
		if len(slices.Compact(names)) < len(names) {
			t.Errorf("%s has two columns of one name: %q", k.Name, names)
		}
	}
}

// TestSameBytes builds with one core and with many, and each time anew.
func TestSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	want := wholeRelease(t)
	several := []int{1, 8}
	if testing.Short() {
		several = several[1:]
	}
	for _, cores := range several {
		runtime.GOMAXPROCS(cores)
		got := makeRelease(t, folder(t), "sqlite,parquet,csv,ndjson")
		files, err := filepath.Glob(filepath.Join(want, "bulk", "*"))
		if err != nil || len(files) < 3*len(record.Kinds)+2 {
			t.Fatalf("%d files, %v", len(files), err)
		}
		for _, file := range files {
			before, err1 := os.ReadFile(file)
			after, err2 := os.ReadFile(filepath.Join(got, "bulk", filepath.Base(file)))
			if err1 != nil || err2 != nil || !bytes.Equal(before, after) {
				t.Errorf("%s is another with %d cores (%v, %v)", filepath.Base(file), cores, err1, err2)
			}
		}
	}
}

// manifest is that of a release with so many written signals, and as many edges that follow from
// them.
func manifest(signals int) *release.Manifest {
	return &release.Manifest{
		Kinds: []release.Kind{{Kind: "signal", Count: signals}, {Kind: "graph_edge", Count: signals, Derived: signals}},
	}
}

func TestChoice(t *testing.T) {
	kinds := len(record.Kinds)
	for _, c := range []struct {
		words   string
		records int
		formats []bulk.Format
	}{
		{"", 250_000, bulk.Formats},
		{"default", 50_000, bulk.Formats},
		{"default", 250_001, []bulk.Format{bulk.Parquet}},
		{"none", 1, nil},
		{"sqlite,csv", 10_000_000, []bulk.Format{bulk.CSV, bulk.SQLite}},
	} {
		var choice bulk.Choice
		if c.words != "" {
			must.Do(t, choice.Set(c.words))
		}
		var formats []bulk.Format
		for _, d := range choice.Downloads(manifest(c.records)) {
			format := bulk.Format(strings.TrimPrefix(filepath.Ext(d.Path), "."))
			if d.MediaType == "" || !strings.EqualFold(d.Format, string(format)) ||
				(d.Kind == nil) != (format == bulk.SQLite) {
				t.Errorf("%+v", d)
			}
			formats = append(formats, format)
		}
		want := 0
		for _, f := range c.formats {
			if want++; f != bulk.SQLite {
				want += kinds - 1
			}
			if large := c.records > 50_000 && c.words != "sqlite,csv"; large && (f == bulk.NDJSON || f == bulk.CSV) {
				want -= 2 // the collections of both kinds have a record on each line, too
			}
		}
		if got := slices.Compact(slices.Clone(formats)); !slices.Equal(got, c.formats) || len(formats) != want {
			t.Errorf("%q and %d records: %d downloads in %q", c.words, c.records, len(formats), got)
		}
	}
	for words, want := range map[string]string{
		"xlsx": `unknown format "xlsx"`, "": `unknown format ""`, "csv,": `unknown format ""`, "csv,none": "none cannot be combined", "csv,parquet,csv": "duplicate format csv",
	} {
		var choice bulk.Choice
		if err := choice.Set(words); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", words, err)
		}
	}
}

// TestDownloadsAreThere: a release has exactly the downloads that were announced, and verifies.
func TestDownloadsAreThere(t *testing.T) {
	several := []string{"csv", "none", "parquet,sqlite", "default"}
	if testing.Short() {
		several = several[:1]
	}
	for _, words := range several {
		dir := makeRelease(t, folder(t), words)
		r, err := release.Open(context.Background(), os.DirFS(dir))
		must.Do(t, err)
		var choice bulk.Choice
		must.Do(t, choice.Set(words))
		var want, got []string
		for _, d := range choice.Downloads(r.Manifest) {
			want = append(want, d.Path)
		}
		if len(want) > 0 {
			want = append(want, "bulk/README.md")
		}
		for _, f := range r.Manifest.Files {
			if strings.HasPrefix(f.Path, "bulk/") {
				got = append(got, f.Path)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the release has %q, and %q were announced", words, got, want)
		}
		report, err := r.Verify(t.Context(), nil)
		if err != nil || len(report.Faults) > 0 {
			t.Errorf("%s: %v, %q", words, err, report.Faults)
		}
	}
}

func TestReadme(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join(wholeRelease(t), "bulk", "README.md")))(t)
	for _, want := range []string{
		"Publisher: Stele sample\n", "Licence: CC-BY-4.0", "No availability, uptime", "the record ID, the source links, the version, the verification date, the claim boundary, the source updates, the corrections, and the evidence and decision labels.",
		"(signals.ndjson), [signals.csv](signals.csv), [signals.parquet](signals.parquet) |", "[records.sqlite](records.sqlite)", "| `evidence_label` | text |", "treats cells that begin with = + - or @ as formulas",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the README does not say %q", want)
		}
	}
}
