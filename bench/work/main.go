//go:build unix

// Work measures what checking, building and copying take: CPU time, peak memory and, for copies,
// bytes. With -old an older build of Stele does the same work in turn.
//
//	go run ./bench/work               about ten minutes, and 3 GB of disk
//	go run ./bench/work -old BINARY
package main

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// contender is a build of Stele, and what its runs took of the work at hand.
type contender struct {
	program string
	cpu     []float64 // seconds
	peak    int64
	bytes   int64 // that came over the network
}

// work is something that is measured. It may leave what the next work goes on with.
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
	var served atomic.Value // the folder
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.FileServer(http.Dir(served.Load().(string))).ServeHTTP(counting{w, &sent}, r)
	}))
	defer server.Close()
	fmt.Printf("%d signals and statistics, %d cores, %s; medians of %d runs in turn, peaks of all\n\n",
		records, runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| | CPU time | of the older | peak memory | of the older | bytes |\n|---|---:|---:|---:|---:|---:|")
	for _, w := range works(dir, server.URL) {
		list := make([]contender, len(programs))
		for round := range rounds {
			for i := range list {
				i := (i + round) % len(programs) // each is the first in some round
				list[i].program = programs[i]
				at := filepath.Join(dir, fmt.Sprint("out", i))
				served.Store(filepath.Join(at, servedBy(w.name)))
				if err := list[i].measure(w.args(at), &sent); err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
		}
		printRow(w.name, list)
	}
	return nil
}

// works are what is measured, in this order.
func works(dir, address string) []work {
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
	mirror := func(at string) []string { return []string{"mirror", address, filepath.Join(at, "copy"), "-q"} }
	return []work{
		{"check, NDJSON", func(string) []string { return []string{"check", in("signals"), "-q"} }},
		{"check, YAML files, a tenth", func(string) []string { return []string{"check", in("yaml"), "-q"} }},
		{"check, tables", func(string) []string { return []string{"check", in("figures"), "-q"} }},
		{"build, folder, no downloads", build("signals", "first", "--first", "--downloads", "none")},
		{"build, after one in a hundred was edited", build("edited", "next", "--previous", "$at/first", "--downloads", "none")},
		{"build, statistics, all", build("figures", "figures.zip", "--first")},
		{"mirror, a first copy", mirror},
		{"mirror, after one in a hundred was edited", mirror},
	}
}

// servedBy is which release is served during some work.
func servedBy(name string) string {
	if strings.HasPrefix(name, "mirror, after") {
		return "next"
	}
	return "first"
}

// measure runs a command once.
func (c *contender) measure(args []string, sent *atomic.Int64) error {
	syscall.Sync() // so that no run pays for the one before
	before := sent.Load()
	u, err := trial.Run(exec.Command(c.program, args...))
	if err != nil {
		return err
	}
	if got := sent.Load() - before; got > 0 {
		c.bytes = max(c.bytes, got) // when run again, a copy is up to date
	}
	c.cpu, c.peak = append(c.cpu, u.CPU.Seconds()), max(c.peak, u.Peak)
	return nil
}

func printRow(name string, list []contender) {
	now := list[len(list)-1]
	cpu, peak, size := "", "", ""
	if len(list) > 1 {
		cpu = fmt.Sprintf("%.2f", trial.Median(now.cpu)/trial.Median(list[0].cpu))
		peak = fmt.Sprintf("%.2f", float64(now.peak)/float64(list[0].peak))
	}
	if now.bytes > 0 {
		size = fmt.Sprint(now.bytes)
	}
	fmt.Printf("| %s | %.2f s | %s | %d MB | %s | %s |\n", name, trial.Median(now.cpu), cpu, now.peak/1e6, peak, size)
}

// counting counts what is sent.
type counting struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.sent.Add(int64(n))
	return n, err
}
