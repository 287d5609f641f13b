//go:build unix

// Downloads measures what the downloads cost: `stele build` of a folder of statistics, with none,
// with each format alone and with all.
//
//	go run ./bench/downloads
//	go run ./bench/downloads -records 1000000 -rounds 1     about 20 GB of disk
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"stele/bench/corpus"
	"stele/bench/page"
	"stele/bench/trial"
)

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 100_000, "how many statistics")
	rounds := flag.Int("rounds", 3, "how often each is run")
	choices := flag.String("downloads", "none ndjson csv parquet sqlite ndjson,csv,parquet,sqlite", "the choices to measure, with spaces between them")
	flags := flag.String("flags", "--no-variants", "further flags of stele build")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	flag.Parse()
	err := page.Run("downloads", *write, func() error {
		return run(*records, *rounds, strings.Fields(*choices), strings.Fields(*flags))
	})
	if err != nil {
		log.Fatal(err)
	}
}

func run(records, rounds int, choices, flags []string) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := trial.Build(dir)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, "folder")
	if err := writeFolder(folder, records); err != nil {
		return err
	}
	took := map[string][]measure{}
	for range rounds {
		for _, c := range choices { // in turn, because machines are noisy
			m, err := build(program, folder, filepath.Join(dir, "release.zip"), append([]string{"--downloads", c}, flags...))
			if err != nil {
				return err
			}
			took[c] = append(took[c], m)
		}
	}
	fmt.Printf("%d statistics, %d cores, %s, zip %s; medians of %d runs in turn, peaks of all runs\n\n", records, runtime.NumCPU(), runtime.Version(), strings.Join(flags, " "), rounds)
	fmt.Println("| downloads | wall time | CPU time | peak memory | release |\n|---|---:|---:|---:|---:|")
	for _, c := range choices {
		m := median(took[c])
		fmt.Printf("| %s | %.2f s | %.2f s | %d MiB | %d MB |\n", c, m.wall.Seconds(), m.cpu.Seconds(), m.peak>>20, m.size/1e6)
	}
	return nil
}

// writeFolder writes statistics of 1.1 kB, each with a source and an indicator, as NDJSON.
func writeFolder(dir string, records int) error {
	if err := corpus.Write(dir, 0); err != nil {
		return err
	}
	return corpus.WriteFile(filepath.Join(dir, "records", "healthcare-statistics", "statistics.ndjson"), func(w *bufio.Writer) {
		for i := range records {
			fmt.Fprintf(w, `{"id":"sta-bench-%07[1]d","version":1,"title":"Measles vaccine coverage, district %[1]d, %[2]d","summary":"In %[2]d, %[3]d.%[4]d per cent of one-year-olds in district %[1]d had a first dose of a vaccine with measles.",`+
				`"claim_boundary":{"statement":"An estimate from reported doses and surveys. It says nothing about second doses or about how well doses were kept cool.","population":"Children aged one","place":"District %[1]d","period":"%[2]d"},`+
				`"source_links":[{"url":"https://data.example.org/coverage/%[1]d","source_id":"src-%04[5]d","role":"primary","locator":"table 2"}],"verification_date":"2026-11-01","source_updates":[],"corrections":[],`+
				`"published_date":"2026-01-15","updated_date":"2026-11-01","illustrative":true,"indicator":"mcv1","ref_area_scheme":"entity","ref_area":"ent-%04[6]d","time_period":"%[2]d","value":%[3]d.%[4]d0,`+
				`"unit":"percent","unit_label":"per cent of one-year-olds","obs_status":"A","decimals":1,"dimensions":{"sex":"all","age":"1","district":"%[1]d"},"indicator_id":"ent-%04[7]d"}`+"\n",
				i, 1974+i%50, i%101, i%10, i%500, i%200, i%7)
		}
	})
}

type measure struct {
	wall, cpu  time.Duration
	peak, size int64 // bytes
}

func build(program, folder, output string, flags []string) (m measure, err error) {
	if err := os.RemoveAll(output); err != nil {
		return m, err
	}
	syscall.Sync() // so that no run pays for the one before
	cmd := exec.Command(program, append([]string{"build", folder, "--output", output, "--date", "2026-11-15", "--quiet"}, flags...)...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return m, fmt.Errorf("%s: %w", strings.Join(flags, " "), err)
	}
	m.wall = time.Since(start)
	state := cmd.ProcessState
	m.cpu, m.peak = state.UserTime()+state.SystemTime(), int64(state.SysUsage().(*syscall.Rusage).Maxrss)<<10
	info, err := os.Stat(output)
	if err != nil {
		return m, err
	}
	m.size = info.Size()
	log.Printf("%s: %.2f s, CPU %.2f s, %d MiB, %d MB", strings.Join(flags, " "), m.wall.Seconds(), m.cpu.Seconds(), m.peak>>20, m.size/1e6)
	return m, nil
}

// median is the run in the middle, with the largest peak of all.
func median(runs []measure) measure {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b measure) int { return int(a.wall - b.wall) })
	m := runs[len(runs)/2]
	for _, r := range runs {
		m.peak = max(m.peak, r.peak)
	}
	return m
}
