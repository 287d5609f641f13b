//go:build unix

// Build measures `stele build`, with every check, beside Hugo and Eleventy, which make the same
// files from the same signals.
//
// All run in turn, in one run, because machines are noisy, each into a folder of its own. A plain
// loop that only writes the files runs with them, to show what the disk allows. If that takes
// longer than some seconds, then many files were deleted lately (see race): wait for five minutes.
// Hugo and Eleventy are installed into the user's cache folder if they are not there (Hugo takes
// some minutes). They get the signals as a JSON array, made beforehand; Stele gets them as NDJSON,
// with the records that they refer to, and also writes the graph, listings and a manifest.
//
//	go run ./bench/build              about 10 GB of disk
//	go run ./bench/build -million     also a million records, with Stele alone
//	go run ./bench/build -pages       Stele alone, with and without pages
//	go run ./bench/build -old BINARY  Stele beside an older build of itself
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"stele/bench/page"
)

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 100_000, "how many signals")
	rounds := flag.Int("rounds", 3, "how often each is run")
	peers := flag.Bool("peers", false, "run only the peers")
	million := flag.Bool("million", false, "build ten times as many records too, with Stele alone")
	pages := flag.Bool("pages", false, "build with and without pages, with Stele alone")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	old := flag.String("old", "", "build with this older binary and with Stele in turn, and compare")
	verify := flag.String("verify", "", "only count and compare the signals in this folder or zip (the benchmark calls itself with it)")
	plain := flag.String("plain", "", "only write the files, into this folder (the benchmark calls itself with it)")
	what := flag.String("render", "", "only build, with this much beside the records, the folder and the zip that follow (the benchmark calls itself with it)")
	changed := flag.Bool("changed", false, "with -verify: expect the changed signals and their change events")
	flag.Parse()
	var err error
	switch {
	case *verify != "":
		err = verifyOutput(*verify, *records, *changed)
	case *plain != "":
		err = writePlain(*plain, *records)
	case *what != "":
		err = renderOnce(*what, flag.Arg(0), flag.Arg(1))
	case *peers && *million:
		err = errors.New("-peers leaves out Stele, and -million is for Stele alone: choose one")
	case *old != "":
		err = runOld(*old, *records, *rounds)
	case *pages:
		err = page.Run("build -pages", *write, func() error { return runPages(*records, *rounds) })
	default:
		err = page.Run("build", *write, func() error { return run(*records, *rounds, *peers, *million) })
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(records, rounds int, peersOnly, million bool) error {
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	hugo, eleventy, err := preparePeers(dir, records)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	loop := &contender{name: "a plain loop, folder", output: "loop", args: func(output string) []string {
		return []string{self, "-records", strconv.Itoa(records), "-plain", output}
	}}
	contenders := []*contender{loop, hugo, eleventy}
	var s *stele
	if !peersOnly {
		if s, err = prepareStele(dir, records); err != nil {
			return err
		}
		contenders = append(contenders, s.all...)
	}
	if err := race(filepath.Join(dir, "out"), contenders, records, rounds); err != nil {
		return err
	}
	fmt.Printf("%d signals, %d cores, %s, Hugo %s, Eleventy %s on node %s; medians of %d runs in turn, peaks of all runs\n\n",
		records, runtime.NumCPU(), runtime.Version(), hugoVersion, eleventyVersion, nodeVersion(), rounds)
	printTimes(contenders, hugo)
	if peersOnly {
		return nil
	}
	requirements := append(s.besideHugo(hugo), s.rebuilds()...)
	if million {
		many, err := s.growth(dir, 10*records, rounds)
		if err != nil {
			return err
		}
		fmt.Printf("\n%d signals\n\n", 10*records)
		printTimes([]*contender{many.zip, many.zipVariants}, nil)
		requirements = append(requirements, s.grown(many)...)
	}
	fmt.Println()
	printRequirements(requirements)
	return nil
}

func nodeVersion() string {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return "(unknown)"
	}
	return strings.TrimSpace(string(out))
}
