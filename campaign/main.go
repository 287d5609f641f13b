//go:build linux

// Campaign attacks Stele from all sides, with an ordinary client beside each attack, and writes
// down what was tried, how often, and what was found.
//
//	go run ./campaign                     everything, about four hours
//	go run ./campaign -short              a little of everything, about a minute
//	go run ./campaign -only '^slow$'      one part: smuggling, floods, floods2, slow, swaps,
//	                                      kills, mirrors, faults, releases, peers, fuzz or
//	                                      lanes
//	go run ./campaign -report             no part: only write the page again
//
// Each part keeps its results in a file of its own, and the page is written from all of them. So
// the parts can be run at different hours; those that measure how long somebody waits need a
// machine that has nothing else to do. The page says when each was run, and how busy the machine
// was.
//
// strace and nginx are used where they are there; what needs them is left out otherwise, and the
// page says so.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

// settings are how much is tried.
type settings struct {
	flood   time.Duration // for each attack
	fuzz    time.Duration // for each fuzz test
	lanes   time.Duration // for the differential one
	slow    int           // clients
	swaps   int
	answers int64 // that are checked meanwhile
	kills   int
	faults  int  // how often each system call fails, at most; 0 for no end
	calls   int  // how many sorts of system calls fail, at most; 0 for all
	plain   bool // whether releases have no compressed variants, which take most of a build's time
	zips    int  // releases that are damaged
	shapes  int  // of how many shapes of smuggling one is tried
	nginx   bool // whether nginx is attacked, too
	idlers  bool // whether there are peers that let others wait
	only    *regexp.Regexp
	results string // folder
	out     string // the page
}

var (
	full = settings{
		flood: 2 * time.Minute, fuzz: 5 * time.Minute, lanes: time.Hour, slow: 10_000, swaps: 1000,
		answers: 10_000_000, kills: 500, faults: 0, zips: 2000, shapes: 1, nginx: true, idlers: true,
	}
	short = settings{
		flood: 300 * time.Millisecond, fuzz: time.Second, lanes: 3 * time.Second, slow: 200, swaps: 5, answers: 2000,
		kills: 5, faults: 1, calls: 4, plain: true, zips: 20, shapes: 40,
	}
)

func main() {
	log.SetFlags(0)
	s := full
	flag.DurationVar(&s.flood, "flood", full.flood, "how long each flood lasts")
	flag.DurationVar(&s.fuzz, "fuzz", full.fuzz, "how long each fuzz test runs")
	flag.DurationVar(&s.lanes, "lanes", full.lanes, "how long the differential fuzz test runs")
	flag.IntVar(&s.slow, "slow", full.slow, "how many slow clients there are at once")
	flag.IntVar(&s.swaps, "swaps", full.swaps, "how often the release is exchanged under load")
	flag.Int64Var(&s.answers, "answers", full.answers, "how many answers are checked meanwhile, at least")
	flag.IntVar(&s.kills, "kills", full.kills, "how often a build is killed, and a mirror")
	flag.IntVar(&s.faults, "faults", full.faults, "how often each system call fails, at most; 0 for every time that it is made")
	flag.IntVar(&s.zips, "zips", full.zips, "how many damaged releases are offered")
	brief := flag.Bool("short", false, "a little of everything")
	only := flag.String("only", "", "only the parts whose name this regular expression matches")
	flag.BoolVar(&s.nginx, "nginx", full.nginx, "attack nginx too")
	reportOnly := flag.Bool("report", false, "run nothing, and write the page from the results that are there")
	results := flag.String("results", "campaign/results", "the folder that keeps the results of each part")
	out := flag.String("out", "docs/campaign.md", "where the page goes")
	attack := flag.String("attack", "", "only be this attacker (the campaign calls itself with it)")
	address := flag.String("address", "", "with -attack: whom to attack")
	last := flag.Duration("for", time.Second, "with -attack: for how long")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *attack != "" {
		n, err := beAttacker(ctx, *attack, *address, *last)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n)
		return
	}
	if *brief {
		s = short
	}
	var err error
	if s.only, err = regexp.Compile(*only); err == nil {
		s.results, s.out = *results, *out
		if !*reportOnly {
			err = runAll(ctx, s)
		}
	}
	if err == nil {
		err = writePage(s)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// parts are what the campaign consists of, in the order of the page. What is found wrong is in the
// section; an error says that the part could not be finished.
var parts = []struct {
	name string
	do   func(ctx context.Context, p *testbed, s settings, r *section) error
}{
	{"smuggling", smuggling},
	{"floods", plainFloods},
	{"floods2", secureFloods},
	{"slow", slowClients},
	{"swaps", swaps},
	{"kills", kills},
	{"mirrors", mirrors},
	{"faults", faults},
	{"releases", hostileReleases},
	{"peers", hostilePeers},
	{"fuzz", fuzzing},
	{"lanes", fuzzingLanes},
}

// runAll runs the parts that are asked for, and keeps the results of each that comes to its end.
func runAll(ctx context.Context, s settings) error {
	return run(ctx, s, func(r *section) error {
		if ctx.Err() != nil {
			return ctx.Err() // what was there before says more
		}
		return r.keep(s.results)
	})
}

// run runs the parts that are asked for.
func run(ctx context.Context, s settings, done func(*section) error) error {
	p, err := prepare(ctx, s)
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	for _, part := range parts {
		if !s.only.MatchString(part.name) {
			continue
		}
		r := newSection(part.name)
		log.Printf("%s %s", r.Began.Format(time.TimeOnly), part.name)
		if err := part.do(ctx, p, s, r); err != nil {
			r.Unfinished = append(r.Unfinished, fmt.Sprintf("%s: %v", part.name, err))
		}
		if err := done(r.end()); err != nil {
			return err
		}
	}
	return nil
}

// writePage writes the page from the results that are kept.
func writePage(s settings) error {
	r, err := readReport(s.results)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.out, r.markdown(), 0o644); err != nil {
		return err
	}
	log.Printf("%s: %d found wrong, %d goals not reached", s.out, len(r.wrong()), len(r.missed()))
	return nil
}
