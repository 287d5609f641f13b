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
	program string
	all     []*contender // each full build, and after it the rebuild over it
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
	s.pair("zip, no variants", before, after, "plain.zip", "--without=variants")
	s.pair("folder, no variants", before, after, "plain", "--without=variants")
	s.pair("zip with variants", before, after, "variants.zip")
	s.pair("folder with variants", before, after, "variants")
	return s, nil
}

// pair adds a full build, and the rebuild over it after every hundredth signal changed.
func (s *stele) pair(name, before, after, output string, flags ...string) {
	full, again := s.build("Stele, "+name, before, output, flags...), s.build("Stele, "+name+", again after 1 %", after, output, flags...)
	fresh := again.args
	again.rebuild, again.args = true, func(output string) []string { return append(fresh(output), "--previous", output) }
	s.all = append(s.all, full, again)
}

// build is a build of the records alone.
func (s *stele) build(name, folder, output string, flags ...string) *contender {
	return &contender{name: name, output: output, args: func(output string) []string {
		return append([]string{s.program, "build", folder, "--output", output, "--date", releaseDate, "--without=derived", "--quiet"}, flags...)
	}}
}

// growth builds zips of more records.
func (s *stele) growth(dir string, records, rounds int) ([]*contender, error) {
	for _, name := range []string{"before", "after"} { // room for more
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	folder := filepath.Join(dir, "many")
	if err := corpus.Write(folder, records); err != nil {
		return nil, err
	}
	many := []*contender{
		s.build("Stele, zip, no variants", folder, "plain.zip", "--without=variants"),
		s.build("Stele, zip with variants", folder, "variants.zip"),
	}
	return many, race(filepath.Join(dir, "out"), many, records, rounds)
}
