//go:build unix

// Check measures `stele check`, with every rule, beside `jq -c .`, which only parses the same file.
//
// The two run in turn, in one run, because machines are noisy; medians and their ratio are printed
// as a table.
//
//	go run ./bench/check
//	go run ./bench/check -old BINARY  beside an older build of Stele, in place of jq
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each is run")
	million := flag.Bool("million", true, "measure a million records too (about 1.2 GB of disk)")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	old := flag.String("old", "", "compare with this older binary, and not with jq")
	flag.Parse()
	log.SetFlags(0)
	var err error
	if *old != "" {
		err = runOld(*old, *rounds)
	} else {
		err = page.Run("check", *write, func() error { return run(*rounds, *million) })
	}
	if err != nil {
		log.Fatal(err)
	}
}

// runOld runs this program and an older one in turn, on NDJSON and on YAML.
func runOld(old string, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stele, err := trial.Build(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s; medians of %d runs in turn, peaks of all runs\n\n", runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| records | CPU time, old | new | new / old | peak memory, old | new | new / old |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, c := range []struct {
		name  string
		count int
		write func(dir string, signals int) error
	}{
		{"NDJSON", 100_000, corpus.Write}, {"YAML files", 10_000, corpus.WriteYAML}, {"rows of tables", 400_000, corpus.WriteFigures},
	} {
		folder := filepath.Join(dir, c.name)
		if err := c.write(folder, c.count); err != nil {
			return err
		}
		var times [2][]time.Duration
		var peaks [2]int64
		for range rounds {
			for i, program := range []string{old, stele} {
				took, err := measure(program, "check", "--quiet", folder)
				if err != nil {
					return err
				}
				times[i], peaks[i] = append(times[i], took.cpu), max(peaks[i], took.peak)
			}
		}
		was, is := trial.Median(times[0]).Seconds(), trial.Median(times[1]).Seconds()
		fmt.Printf("| %d %s | %.2f s | %.2f s | %.2f | %d MiB | %d MiB | %.2f |\n", c.count, c.name,
			was, is, is/was, peaks[0]>>20, peaks[1]>>20, float64(peaks[1])/float64(peaks[0]))
	}
	return nil
}

func run(rounds int, million bool) error {
	if err := installJQ(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	stele, err := trial.Build(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%d cores, %s, %s; medians of %d runs in turn\n\n", runtime.NumCPU(), runtime.Version(), jqVersion(), rounds)
	fmt.Println("| records | stele check | jq -c . | jq / stele | peak memory of stele |")
	fmt.Println("|---|---:|---:|---:|---:|")
	sizes := []int{100_000}
	if million {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		folder := filepath.Join(dir, fmt.Sprint(n))
		if err := corpus.Write(folder, n); err != nil {
			return err
		}
		if err := beside(stele, folder, n, rounds); err != nil {
			return err
		}
		os.RemoveAll(folder) // the next one is larger
	}
	if err := alone(stele, filepath.Join(dir, "yaml"), "YAML files", 10_000, corpus.WriteYAML, rounds); err != nil {
		return err
	}
	return alone(stele, filepath.Join(dir, "tables"), "rows of tables", 400_000, corpus.WriteFigures, rounds)
}

// beside runs stele and jq in turn on one folder.
func beside(stele, folder string, n, rounds int) error {
	file := filepath.Join(folder, "records", "signals", "signals.ndjson")
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	var checks, parses []time.Duration
	var peak int64
	for range rounds {
		took, err := measure(stele, "check", "--quiet", folder)
		if err != nil {
			return err
		}
		checks, peak = append(checks, took.wall), max(peak, took.peak)
		if took, err = measure("jq", "-c", ".", file); err != nil {
			return err
		}
		parses = append(parses, took.wall)
	}
	c, p := trial.Median(checks), trial.Median(parses)
	fmt.Printf("| %d NDJSON of %.2f kB | %.2f s | %.2f s | %.1f | %d MiB |\n", n, float64(info.Size())/float64(n)/1000, c.Seconds(), p.Seconds(), p.Seconds()/c.Seconds(), peak>>20)
	return nil
}

// alone measures a folder for which there is no peer.
func alone(stele, folder, what string, n int, write func(string, int) error, rounds int) error {
	if err := write(folder, n); err != nil {
		return err
	}
	var checks []time.Duration
	var peak int64
	for range rounds {
		took, err := measure(stele, "check", "--quiet", folder)
		if err != nil {
			return err
		}
		checks, peak = append(checks, took.wall), max(peak, took.peak)
	}
	fmt.Printf("| %d %s | %.2f s | | | %d MiB |\n", n, what, trial.Median(checks).Seconds(), peak>>20)
	return nil
}

// cost is what a run took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

// measure runs a command.
func measure(name string, args ...string) (cost, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	start := time.Now()
	err := c.Run() // what it prints goes to /dev/null
	wall := time.Since(start)
	if err != nil {
		return cost{}, fmt.Errorf("%s: %w", name, err)
	}
	state := c.ProcessState
	peak := int64(state.SysUsage().(*syscall.Rusage).Maxrss) << 10
	return cost{wall, state.UserTime() + state.SystemTime(), peak}, nil
}

func installJQ() error {
	if _, err := exec.LookPath("jq"); err == nil {
		return nil
	}
	fmt.Fprintln(os.Stderr, "installing jq with apt-get, to compare with:")
	c := exec.Command("sh", "-c", "apt-get update && apt-get install -y jq")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("jq is not there and could not be installed: %w", err)
	}
	return nil
}

func jqVersion() string {
	out, err := exec.Command("jq", "--version").Output()
	if err != nil {
		return "jq"
	}
	return string(out[:len(out)-1])
}
