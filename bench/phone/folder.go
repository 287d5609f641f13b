//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/internal/testkit/specimen"
)

// own is the folder of each kind into which the sample goes.
const own = "sample"

// writeFolder writes a folder with the statistics of examples/immunization and, laid over them, the
// sample: what both have is the sample's.
func writeFolder(dir string) error {
	if _, err := specimen.Import("examples/immunization", "countries.csv", dir); err != nil {
		return err
	}
	kinds, err := os.ReadDir("sample/records")
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if err := os.CopyFS(filepath.Join(dir, "records", k.Name(), own), os.DirFS("sample/records/"+k.Name())); err != nil {
			return err
		}
	}
	for range 3 { // a record that is gone lets others be seen that are there twice
		twice, err := findTwice(dir)
		if err != nil || len(twice) == 0 {
			return err
		}
		for path, lines := range twice {
			if err := leaveOut(filepath.Join(dir, filepath.FromSlash(path)), lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// first is where a finding says that a record stands too.
var first = regexp.MustCompile(`(records/\S+):(\d+)`)

// findTwice finds the lines with records that the sample has too, by file.
func findTwice(dir string) (map[string][]int, error) {
	outcome, err := publish.Check(context.Background(), os.DirFS(dir), store.NewMemory(), publish.Options{})
	if err != nil {
		return nil, err
	}
	twice := map[string][]int{}
	for _, p := range outcome.Check.Problems {
		m := first.FindStringSubmatch(p.Message)
		if m == nil {
			continue
		}
		path := m[1]
		line, err := strconv.Atoi(m[2])
		if strings.Contains(path, "/"+own+"/") {
			path, line = p.File, p.Line
		}
		if err != nil || strings.Contains(path, "/"+own+"/") {
			return nil, fmt.Errorf("the sample has a mistake: %s", &p)
		}
		twice[path] = append(twice[path], line)
	}
	return twice, nil
}

// leaveOut removes lines of a table. Other files have one record, and go.
func leaveOut(path string, lines []int) error {
	if filepath.Ext(path) != ".csv" {
		return os.Remove(path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kept [][]byte
	for i, line := range bytes.SplitAfter(data, []byte{'\n'}) {
		if !slices.Contains(lines, i+1) {
			kept = append(kept, line)
		}
	}
	return os.WriteFile(path, bytes.Join(kept, nil), 0o644)
}
