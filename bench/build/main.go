//go:build unix

// Build measures `stele build`, with every check.
//
// All ways run in turn, in one run, because machines are noisy, each into a folder of its own. A
// plain loop that only writes the files runs with them, to show what the disk allows. If that takes
// longer than some seconds, then many files were deleted lately (see race): wait for five minutes.
//
//	go run ./bench/build              about 5 GB of disk
//	go run ./bench/build -million     also a million records
//	go run ./bench/build -pages       with and without pages
//	go run ./bench/build -old BINARY  beside an older build of Stele
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"stele/bench/page"
)

func main() {
	log.SetFlags(0)
	records := flag.Int("records", 100_000, "how many signals")
	rounds := flag.Int("rounds", 3, "how often each is run")
	million := flag.Bool("million", false, "build ten times as many records too")
	pages := flag.Bool("pages", false, "build with and without pages")
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
	case *old != "":
		err = runOld(*old, *records, *rounds)
	case *pages:
		err = page.Run("build -pages", *write, func() error { return runPages(*records, *rounds) })
	default:
		err = page.Run("build", *write, func() error { return run(*records, *rounds, *million) })
	}
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
	self, err := os.Executable()
	if err != nil {
		return err
	}
	loop := &contender{name: "a plain loop, folder", output: "loop", args: func(output string) []string {
		return []string{self, "-records", strconv.Itoa(records), "-plain", output}
	}}
	s, err := prepareStele(dir, records)
	if err != nil {
		return err
	}
	contenders := append([]*contender{loop}, s.all...)
	if err := race(filepath.Join(dir, "out"), contenders, records, rounds); err != nil {
		return err
	}
	fmt.Printf("%d signals, %d cores, %s; medians of %d runs in turn, peaks of all runs\n\n",
		records, runtime.NumCPU(), runtime.Version(), rounds)
	printTimes(contenders)
	if million {
		many, err := s.growth(dir, 10*records, rounds)
		if err != nil {
			return err
		}
		fmt.Printf("\n%d signals\n\n", 10*records)
		printTimes(many)
	}
	return nil
}
