//go:build unix

// Work measures the CPU time and peak memory of checking and building. With -old an older build of
// Stele does the same work in turn. A tenth of the records is also built with Hugo.
//
//	go run ./bench/work               about ten minutes, and 3 GB of disk
//	go run ./bench/work -old BINARY
package main

import (
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// contender is a build of Stele with the usage of its runs.
type contender struct {
	program string
	cpu     []float64 // seconds
	peak    int64
}

// work is a command to measure. The next work may use its output.
type work struct {
	name string
	args func(dir string) []string
}

func main() {
	rounds := flag.Int("rounds", 3, "how often each is run")
	records := flag.Int("records", 100_000, "how many signals, and statistics")
	old := flag.String("old", "", "let this older binary do the same, in turn")
	trial.Main("work", func(dir, program string) error { return run(dir, program, *old, *records, *rounds) })
}

func run(dir, program, old string, records, rounds int) error {
	programs := []string{program}
	if old != "" {
		programs = []string{old, program}
	}
	for name, write := range map[string]func(dir string) error{
		"signals": func(dir string) error { return corpus.Write(dir, records) },
		"edited":  func(dir string) error { return corpus.WriteEdited(dir, records) },
		"figures": func(dir string) error { return corpus.WriteFigures(dir, records) },
		"yaml":    func(dir string) error { return corpus.WriteYAML(dir, records/10) },
	} {
		if err := write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	fmt.Printf("%d signals and statistics, %d cores, %s; medians of %d runs in turn, peaks of all\n\n",
		records, runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| | CPU time | of the older | peak memory | of the older |\n|---|---:|---:|---:|---:|")
	for _, w := range works(dir) {
		list := make([]contender, len(programs))
		for round := range rounds {
			for i := range list {
				i := (i + round) % len(programs) // each is the first in some round
				list[i].program = programs[i]
				if err := list[i].measure(w.args(filepath.Join(dir, fmt.Sprint("out", i)))); err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
		}
		printRow(w.name, list)
	}
	return besideHugo(dir, program, records/10, rounds)
}

// works are the commands to measure, in order.
func works(dir string) []work {
	in := func(name string) string { return filepath.Join(dir, name) }
	build := func(folder, output string, flags ...string) func(string) []string {
		return func(at string) []string {
			args := []string{"build", in(folder), "-q", "--date", "2026-11-15", "-o", filepath.Join(at, output)}
			for _, f := range flags {
				args = append(args, strings.ReplaceAll(f, "$at", at))
			}
			return args
		}
	}
	return []work{
		{"check, NDJSON", func(string) []string { return []string{"check", in("signals"), "-q"} }},
		{"check, YAML files, a tenth", func(string) []string { return []string{"check", in("yaml"), "-q"} }},
		{"check, tables", func(string) []string { return []string{"check", in("figures"), "-q"} }},
		{"build, folder, no downloads", build("signals", "first", "--first", "--downloads", "none")},
		{"build, after one in a hundred was edited", build("edited", "next", "--previous", "$at/first", "--downloads", "none")},
		{"build, statistics, all", build("figures", "figures.zip", "--first")},
	}
}

// measure runs a command once.
func (c *contender) measure(args []string) error {
	syscall.Sync() // so that no run pays for the one before
	u, err := trial.Run(exec.Command(c.program, args...))
	if err != nil {
		return err
	}
	c.cpu, c.peak = append(c.cpu, u.CPU.Seconds()), max(c.peak, u.Peak)
	return nil
}

func printRow(name string, list []contender) {
	now := list[len(list)-1]
	cpu, peak := "", ""
	if len(list) > 1 {
		cpu = fmt.Sprintf("%.2f", trial.Median(now.cpu)/trial.Median(list[0].cpu))
		peak = fmt.Sprintf("%.2f", float64(now.peak)/float64(list[0].peak))
	}
	fmt.Printf("| %s | %.2f s | %s | %d MB | %s |\n", name, trial.Median(now.cpu), cpu, now.peak/1e6, peak)
}
