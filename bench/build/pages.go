package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"stele/bench/corpus"
)

// runPages builds zips with and without pages in turn. What pages stands for is everything that is made for people and programs from the records, but downloads.
func runPages(records, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := compileStele(dir)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "records")
	if err := corpus.Write(folder, records); err != nil {
		return err
	}
	const plain, pages = "records alone", "with pages"
	without := func(flags ...string) []string { return append([]string{"--downloads", "none"}, flags...) }
	contenders := []*contender{
		s.build(plain+", no variants", folder, "plain.zip", "--no-variants"),
		s.command(pages+", no variants", folder, "pages.zip", without("--no-variants")),
		s.build(plain+", with variants", folder, "plain-variants.zip"),
		s.command(pages+", with variants", folder, "pages-variants.zip", without()),
	}
	if err := race(filepath.Join(dir, "out"), contenders, records, rounds); err != nil {
		return err
	}
	fmt.Printf("%d signals, %d cores, %s; medians of %d runs in turn, peaks of all runs\n\n", records, runtime.NumCPU(), runtime.Version(), rounds)
	printTimes(contenders, nil)
	fmt.Println()
	var requirements []requirement
	for i := 0; i < len(contenders); i += 2 {
		before, after := contenders[i], contenders[i+1]
		requirements = append(requirements, atMost(after.name+": wall time, of "+plain, wallRatio(after, before), 2), atMost(after.name+": CPU time, of "+plain, cpuRatio(after, before), 2))
	}
	printRequirements(requirements)
	return nil
}
