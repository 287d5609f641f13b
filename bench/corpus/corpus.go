// Package corpus writes folders of records of any size, for benchmarks.
package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The records that signals refer to. There are few of them, as in real folders.
const (
	sources  = 500
	entities = 200
	evidence = 1000
)

const settings = `title: Benchmark
base_url: https://bench.example.org
publisher: Benchmark
license: CC-BY-4.0
contact: bench@example.org
language: en
notice: Nothing is promised.
`

const common = `"version":1,"title":"%[1]s %[2]d","summary":"Made up for a benchmark.","source_links":[{"url":"https://example.org/%[1]s/%[2]d","role":"primary"}],` +
	`"verification_date":"2026-01-10","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10"`

// Signal is a signal of about 1.2 kB on one line.
func Signal(i int) string {
	return fmt.Sprintf(`{"id":"sig-bench-%07[1]d","kind":"signal","version":%[2]d,"title":"Reported measles cases rose in district %[1]d","summary":"Case-based surveillance reported more measles cases than in the same weeks of the five years before, in a district whose coverage with a first dose lies below ninety per cent.",`+
		`"claim_boundary":{"statement":"Counts of reported cases, which depend on how many were looked for. Not an estimate of all infections.","population":"All ages","place":"District %[1]d","period":"2023","excludes":["suspected cases without laboratory or epidemiological confirmation"]},`+
		`"source_links":[{"url":"https://data.example.org/surveillance/%[1]d","source_id":"src-%04[3]d","role":"primary","locator":"table 2"},{"url":"https://doi.org/10.15585/mmwr.mm7345a4","role":"secondary"}],`+
		`"verification_date":"2026-11-01","source_updates":[],"corrections":[],"published_date":"2026-01-15","updated_date":"2026-11-01","illustrative":true,`+
		`"signal_id":"sig-bench-%07[1]d","signal_type":"indicator_change","observation":"In week %[4]d the district reported %[5]d cases, against a mean of %[6]d in the same week of the five years before.","detected_date":"2026-01-10","evidence_ids":["evd-%04[7]d"],"entity_ids":["ent-%04[8]d"]}`,
		i, 1+i%3, i%sources, i%52+1, i%97, i%13, i%evidence, i%entities)
}

// Write makes a folder with that many signals in one NDJSON file and the records that they refer
// to.
func Write(dir string, signals int) error {
	claims := `,"claim_boundary":{"statement":"Says nothing about anything else."},`
	for _, f := range []struct {
		path  string
		count int
		line  func(i int) string
	}{
		{"source-objects/sources.ndjson", sources, func(i int) string {
			return fmt.Sprintf(`{"id":"src-%04[2]d",`+common+`,"source_type":"report","producer":"Nobody","citation_full":"Nobody. Nothing.","url_main":"https://example.org"}`, "source", i)
		}},
		{"entities/entities.ndjson", entities, func(i int) string {
			return fmt.Sprintf(`{"id":"ent-%04[2]d",`+common+`,"entity_type":"place","name":"District"}`, "entity", i)
		}},
		{"evidence/evidence.ndjson", evidence, func(i int) string {
			return fmt.Sprintf(`{"id":"evd-%04[2]d",`+common+claims+`"evidence_type":"surveillance_report","finding":"Cases were reported.","evidence_label":"not_rated"}`, "evidence", i)
		}},
		{"signals/signals.ndjson", signals, Signal},
	} {
		if err := writeLines(filepath.Join(dir, "records", f.path), f.count, f.line); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "stele.yaml"), []byte(settings), 0o644)
}

// WriteYAML makes a folder like Write, with each signal in a YAML file of its own. JSON is YAML.
func WriteYAML(dir string, signals int) error {
	if err := Write(dir, 0); err != nil {
		return err
	}
	for i := range signals {
		path := filepath.Join(dir, "records", "signals", fmt.Sprintf("%03d", i/100), fmt.Sprintf("%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(Signal(i)+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// WriteEdited makes a folder like Write in which every hundredth signal was edited.
func WriteEdited(dir string, signals int) error {
	if err := Write(dir, 0); err != nil {
		return err
	}
	return writeLines(filepath.Join(dir, "records", "signals", "signals.ndjson"), signals, func(i int) string {
		if i%100 != 0 {
			return Signal(i)
		}
		version := 1 + i%3
		return strings.NewReplacer(
			fmt.Sprintf(`"version":%d,`, version), fmt.Sprintf(`"version":%d,`, version+1),
			`"updated_date":"2026-11-01"`, `"updated_date":"2026-11-15"`,
			`"observation":"In week`, `"observation":"With late reports, in week`,
		).Replace(Signal(i))
	})
}

func writeLines(path string, n int, line func(i int) string) error {
	if n == 0 { // an empty file would be a finding
		return os.MkdirAll(filepath.Dir(path), 0o755)
	}
	return writeFile(path, func(w *bufio.Writer) {
		for i := range n {
			w.WriteString(line(i))
			w.WriteByte('\n')
		}
	})
}

// writeFile writes a file, and the folder that it is in. The writer keeps the first error.
func writeFile(path string, content func(w *bufio.Writer)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	content(w)
	return errors.Join(w.Flush(), f.Close())
}
