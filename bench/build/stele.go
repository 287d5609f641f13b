//go:build unix

package main

import (
	"os"
	"path/filepath"

	"stele/bench/corpus"
	"stele/bench/trial"
)

const releaseDate = "2026-11-15"

// stele holds the ways in which `stele build` is run.
type stele struct {
	program                  string
	zip, folder, zipVariants *contender
	all                      []*contender // each full build, and after it the rebuild over it
}

func prepareStele(dir string, records int) (*stele, error) {
	program, err := trial.Build(dir)
	if err != nil {
		return nil, err
	}
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	if err := corpus.Write(before, records); err != nil {
		return nil, err
	}
	if err := writeChanged(after, records); err != nil {
		return nil, err
	}
	s := &stele{program: program}
	s.zip = s.pair("zip, no variants", before, after, "plain.zip", "--no-variants")
	s.folder = s.pair("folder, no variants", before, after, "plain", "--no-variants")
	s.zipVariants = s.pair("zip with variants", before, after, "variants.zip")
	s.pair("folder with variants", before, after, "variants")
	return s, nil
}

// pair adds a full build, which it answers with, and the rebuild over it after every hundredth
// signal changed.
func (s *stele) pair(name, before, after, output string, flags ...string) *contender {
	full, again := s.build("Stele, "+name, before, output, flags...), s.build("Stele, "+name+", again after 1 %", after, output, flags...)
	fresh := again.args
	again.rebuild, again.args = true, func(output string) []string { return append(fresh(output), "--previous", output) }
	s.all = append(s.all, full, again)
	return full
}

// build is a build of the records alone.
func (s *stele) build(name, folder, output string, flags ...string) *contender {
	return &contender{name: name, output: output, args: func(output string) []string {
		return append([]string{s.program, "build", folder, "--output", output, "--date", releaseDate, "--records-only", "--quiet"}, flags...)
	}}
}

// growth builds zips of more records.
func (s *stele) growth(dir string, records, rounds int) (*stele, error) {
	for _, name := range []string{"before", "after", "hugo", "eleventy"} { // room for more
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(dir, "many")
	if err := corpus.Write(folder, records); err != nil {
		return nil, err
	}
	many := &stele{zip: s.build(s.zip.name, folder, "plain.zip", "--no-variants"), zipVariants: s.build(s.zipVariants.name, folder, "variants.zip")}
	return many, race(filepath.Join(dir, "out"), []*contender{many.zip, many.zipVariants}, records, rounds)
}
