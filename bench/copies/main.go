//go:build unix

// Copies measures what a copy of the records costs to keep: `stele mirror` of signals with varied
// text, published with pages, of which one in a hundred was edited.
//
//	go run ./bench/copies             about 5 GB of disk
//	go run ./bench/copies -million    also ten times the records, about 15 GB
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"stele/bench/page"
	"stele/bench/trial"
)

// What has to be reached.
const (
	mostBytes  = 0.015 // of the compressed bytes of the records, what an update may take
	mostTime   = 2 * time.Second
	mostDeltas = 1.03 // of the CPU time of a build without deltas
	mostMemory = 300 << 20
)

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 100_000, "how many signals")
	rounds := flag.Int("rounds", 5, "how often each is run")
	million := flag.Bool("million", false, "mirror ten times as many records too")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	flag.Parse()
	err := page.Run("copies", *write, func() error { return run(*records, *rounds, *million) })
	if err != nil {
		log.Fatal(err)
	}
}

func run(records, rounds int, million bool) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := trial.Build(dir)
	if err != nil {
		return err
	}
	p, err := publish(program, filepath.Join(dir, "published"), records, withPages)
	if err != nil {
		return err
	}
	whole, delta, err := sizes(p.new)
	if err != nil {
		return err
	}
	list := []requirement{{
		"the delta of the signals, of the whole collection, both br", "", fmt.Sprintf("%d of %d", delta, whole), true,
	}}
	for _, target := range []string{"copy", "copy.zip"} {
		u, err := p.mirror(filepath.Join(dir, "copies"), target, rounds)
		if err != nil {
			return err
		}
		list = append(list, u.requirements(target)...)
	}
	floor, err := linksAlone(filepath.Join(dir, "links"), records)
	if err != nil {
		return err
	}
	row, err := p.costOfDeltas(rounds)
	if err != nil {
		return err
	}
	list = append(list, row, requirement{
		"linking a file for each signal into another folder and removing the first, alone: CPU time", "",
		fmt.Sprintf("%.2f s", floor.Seconds()), true,
	})
	if million {
		row, err := manyMore(program, dir, 10*records)
		if err != nil {
			return err
		}
		list = append(list, row)
	}
	printTable(list, records, rounds)
	return nil
}

// manyMore measures the memory that a larger release takes.
func manyMore(program, dir string, records int) (requirement, error) {
	for _, done := range []string{"published", "copies", "links"} { // it takes the room
		if err := os.RemoveAll(filepath.Join(dir, done)); err != nil {
			return requirement{}, err
		}
	}
	most, err := growth(program, filepath.Join(dir, "many"), records)
	return requirement{
		fmt.Sprintf("%d signals: peak memory of mirroring and of the update", records),
		fmt.Sprintf("≤ %d MiB", mostMemory>>20), fmt.Sprintf("%d MiB", most>>20), most <= mostMemory,
	}, err
}

// printTable prints what is required and what was measured.
func printTable(list []requirement, records, rounds int) {
	fmt.Printf("%d signals of %.1f kB, of which %d were edited; %d cores, %s;\nmedians of %d runs, CPU time\n\n",
		records, float64(len(signal(0)))/1000, edited(records), runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| | required | measured | reached |\n|---|---:|---:|---|")
	for _, r := range list {
		reached := "yes"
		switch {
		case r.required == "":
			reached = ""
		case !r.reached:
			reached = "**no**"
		}
		fmt.Printf("| %s | %s | %s | %s |\n", r.name, r.required, r.measured, reached)
	}
}

// requirement is a row of the table of what has to be reached, or of what to compare that with.
type requirement struct {
	name, required, measured string
	reached                  bool
}

// updated is what bringing a copy up to date took.
type updated struct {
	whole, bytes int64 // of a new copy, and of the update, with header lines
	cpu          time.Duration
	peak         int64
}

func (u *updated) requirements(target string) []requirement {
	what := "update of a folder"
	if strings.HasSuffix(target, ".zip") {
		what = "update of a zip"
	}
	share := float64(u.bytes) / float64(u.whole)
	return []requirement{
		{
			what + ": bytes, of those of a new copy", fmt.Sprintf("≤ %.1f %%", 100*mostBytes),
			fmt.Sprintf("%d of %d (%.2f %%)", u.bytes, u.whole, 100*share), share <= mostBytes,
		},
		{
			what + ": CPU time", fmt.Sprintf("≤ %.0f s", mostTime.Seconds()),
			fmt.Sprintf("%.2f s", u.cpu.Seconds()), u.cpu <= mostTime,
		},
		{
			what + ": peak memory", fmt.Sprintf("≤ %d MiB", mostMemory>>20),
			fmt.Sprintf("%d MiB", u.peak>>20), u.peak <= mostMemory,
		},
	}
}
