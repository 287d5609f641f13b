//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// runOld builds with this program and an older one in turn, in the same ways, and says how much
// time and memory the one takes of the other's.
func runOld(old string, records, rounds int) error {
	old, err := filepath.Abs(old)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := trial.Build(dir)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "records")
	if err := corpus.Write(folder, records); err != nil {
		return err
	}
	var contenders []*contender
	for i, way := range []struct {
		name, output string
		flags        []string
	}{
		{"zip, records alone, no variants", "release.zip", []string{"--without=derived", "--without=variants"}},
		{"zip, records alone", "release.zip", []string{"--without=derived"}},
		{"zip, no variants", "release.zip", []string{"--without=variants"}},
		{"zip", "release.zip", nil},
		{"folder, records alone, no variants", "release", []string{"--without=derived", "--without=variants"}},
		{"folder, records alone", "release", []string{"--without=derived"}},
		{"folder", "release", nil},
	} {
		for _, p := range []struct{ name, program string }{{"old", old}, {"new", program}} {
			contenders = append(contenders, &contender{
				name: way.name + ", " + p.name, output: p.name + strconv.Itoa(i) + way.output,
				args: func(output string) []string {
					return append([]string{p.program, "build", folder, "--output", output, "--date", releaseDate, "--quiet"}, way.flags...)
				},
			})
		}
	}
	if err := race(filepath.Join(dir, "out"), contenders, records, rounds); err != nil {
		return err
	}
	fmt.Printf("%d signals, %d cores, %s; medians of %d runs in turn, peaks of all runs\n\n", records, runtime.NumCPU(), runtime.Version(), rounds)
	return printOld(contenders)
}

// printOld prints pairs of contenders, the old one first.
func printOld(contenders []*contender) error {
	fmt.Println("| | CPU time, old | new | new / old | peak memory, old | new | new / old |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	within := true
	for i := 0; i < len(contenders); i += 2 {
		old, now := contenders[i], contenders[i+1]
		cpu, peak := cpuRatio(now, old), peakRatio(now, old)
		within = within && cpu <= allowed && peak <= allowed
		fmt.Printf(
			"| %s | %.2f s | %.2f s | %.2f | %d MiB | %d MiB | %.2f |\n", now.name,
			trial.Median(old.cpu).Seconds(), trial.Median(now.cpu).Seconds(), cpu, old.peak>>20, now.peak>>20, peak,
		)
	}
	if !within {
		return errors.New("more than 3 % is lost somewhere")
	}
	return nil
}

// allowed is what the new program may take of the old one's time and memory.
const allowed = 1.03
