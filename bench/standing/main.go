//go:build unix

// Standing measures what deriving the standing of records costs a build.
//
// It builds a million signals with five links each, some of which lead to evidence that was
// retracted, with the program of this checkout, and with the same program from which only the walk
// that derives standings was taken out. Both run in turn.
//
//	go run ./bench/standing            about 6 GB of disk
package main

import (
	"bytes"
	"encoding/json"
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
	log.SetFlags(0)
	records := flag.Int("records", 1_000_000, "how many signals")
	rounds := flag.Int("rounds", 3, "how often each is run")
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	if err := page.Run("standing", *write, func() error { return run(*records, *rounds) }); err != nil {
		log.Fatal(err)
	}
}

func run(records, rounds int) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	with, err := trial.Build(dir)
	if err != nil {
		return err
	}
	without, err := buildWithout(dir)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "records")
	if err := corpus.WriteLinked(folder, records); err != nil {
		return err
	}
	programs := []*program{{name: "without standings", path: without}, {name: "with standings", path: with}}
	for range rounds {
		for _, p := range programs {
			if err := p.measure(folder, filepath.Join(dir, "release.zip")); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d signals with five links each, %d cores, %s; medians of %d runs in turn\n\n", records, runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| records alone, zip, no variants | CPU time | peak memory |")
	fmt.Println("|---|---:|---:|")
	for _, p := range programs {
		fmt.Printf("| %s | %.2f s | %d MiB |\n", p.name, trial.Median(p.cpu).Seconds(), trial.Median(p.peak)>>20)
	}
	cpu := trial.Median(programs[1].cpu).Seconds() / trial.Median(programs[0].cpu).Seconds()
	peak := float64(trial.Median(programs[1].peak)) / float64(trial.Median(programs[0].peak))
	fmt.Printf("| with / without | %.2f | %.2f |\n", cpu, peak)
	return nil
}

// buildWithout builds the program with a walk that finds that all records stand.
func buildWithout(dir string) (string, error) {
	const path, walk = "internal/author/check/standing.go", "return standing.Derive(&graph{x, x.primary()}, x.review.today)"
	source, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("run this from the root of the project: %w", err)
	}
	if bytes.Count(source, []byte(walk)) != 1 {
		return "", fmt.Errorf("%s does not derive standings where it did", path)
	}
	other := filepath.Join(dir, "standing.go")
	source = bytes.Replace(source, []byte(walk), []byte("return make(standing.List, x.entries.Len())"), 1)
	if err := os.WriteFile(other, source, 0o644); err != nil {
		return "", err
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {full: other}})
	if err != nil {
		return "", err
	}
	config := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(config, overlay, 0o644); err != nil {
		return "", err
	}
	out := filepath.Join(dir, "stele-without")
	if said, err := exec.Command("go", "build", "-overlay", config, "-o", out, "./cmd/stele").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build stele without standings: %w\n%s", err, said)
	}
	return out, nil
}

// program is one of the two, and what its runs took.
type program struct {
	name, path string
	cpu        []time.Duration
	peak       []int64
}

func (p *program) measure(folder, output string) error {
	cmd := exec.Command(p.path, "build", folder, "--output", output, "--date", "2026-11-15", "--records-only", "--no-variants", "--quiet")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	state := cmd.ProcessState
	cpu, peak := state.UserTime()+state.SystemTime(), int64(state.SysUsage().(*syscall.Rusage).Maxrss)<<10
	p.cpu, p.peak = append(p.cpu, cpu), append(p.peak, peak)
	log.Printf("%s: CPU %.2f s, %d MiB", p.name, cpu.Seconds(), peak>>20)
	return os.Remove(output)
}
