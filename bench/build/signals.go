//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"stele/bench/corpus"
)

// changedSignal is the signal as it stands after an edit to every hundredth.
func changedSignal(i int) string {
	text := corpus.Signal(i)
	if i%100 != 0 {
		return text
	}
	version := 1 + i%3
	return strings.NewReplacer(
		fmt.Sprintf(`"version":%d,`, version), fmt.Sprintf(`"version":%d,`, version+1),
		`"updated_date":"2026-11-01"`, `"updated_date":"2026-11-15"`,
		`"observation":"In week`, `"observation":"With late reports, in week`,
	).Replace(text)
}

// changes is how many of the signals changedSignal changes.
func changes(signals int) int { return (signals + 99) / 100 }

// array writes the signals as one JSON array.
func array(w *bufio.Writer, signals int) {
	for i := range signals {
		w.WriteByte("[,"[min(i, 1)])
		w.WriteString(corpus.Signal(i))
		w.WriteByte('\n')
	}
	w.WriteString("]\n")
}

// writePlain makes the files of the signals, in a plain loop and with nothing else to do:
// what the disk allows.
func writePlain(dir string, signals int) error {
	api := filepath.Join(dir, "api", "v1")
	if err := os.MkdirAll(filepath.Join(api, "signals"), 0o755); err != nil {
		return err
	}
	for i := range signals {
		path := filepath.Join(api, "signals", fmt.Sprintf("sig-bench-%07d.json", i))
		if err := os.WriteFile(path, []byte(corpus.Signal(i)), 0o644); err != nil {
			return err
		}
	}
	return corpus.WriteFile(filepath.Join(api, "signals.json"), func(w *bufio.Writer) {
		w.WriteString(`{"records":`)
		array(w, signals)
		w.WriteString("}\n")
	})
}

// writeChanged makes a folder like corpus.Write, with the changed signals.
func writeChanged(dir string, signals int) error {
	if err := corpus.Write(dir, 0); err != nil {
		return err
	}
	return corpus.WriteFile(filepath.Join(dir, "records", "signals", "signals.ndjson"), func(w *bufio.Writer) {
		for i := range signals {
			w.WriteString(changedSignal(i))
			w.WriteByte('\n')
		}
	})
}
