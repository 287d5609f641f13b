//go:build linux

// Campaign attacks Stele from all sides, with an ordinary client beside each attack, and writes
// down what was tried, how often, and what was found.
//
//	go run ./campaign                 everything, about three hours
//	go run ./campaign -short          a little of everything, about two minutes
//	go run ./campaign -only floods    one part: smuggling, floods, slow, swaps, kills, faults,
//	                                  releases, peers or fuzz
//
// strace and nginx are installed where they are missing and can be; what needs them is left out
// otherwise, and the report says so.
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
	faults  int  // system calls that fail, for each command
	zips    int  // releases that are damaged
	shapes  int  // of how many shapes of smuggling one is tried
	nginx   bool // whether nginx is attacked, too
	idlers  bool // whether there are peers that let others wait
	only    *regexp.Regexp
	out     string
}

var (
	full = settings{
		flood: 2 * time.Minute, fuzz: 5 * time.Minute, lanes: time.Hour, slow: 10_000, swaps: 1000,
		answers: 10_000_000, kills: 500, faults: 400, zips: 2000, shapes: 1, nginx: true, idlers: true,
	}
	short = settings{
		flood: time.Second, fuzz: 0, lanes: 3 * time.Second, slow: 200, swaps: 5, answers: 5000,
		kills: 5, faults: 6, zips: 20, shapes: 20,
	}
)

func main() {
	log.SetFlags(0)
	s := full
	flag.DurationVar(&s.flood, "flood", full.flood, "how long each flood lasts")
	flag.DurationVar(&s.fuzz, "fuzz", full.fuzz, "how long each fuzz test runs; 0 for none")
	flag.DurationVar(&s.lanes, "lanes", full.lanes, "how long the differential fuzz test runs")
	flag.IntVar(&s.slow, "slow", full.slow, "how many slow clients there are at once")
	flag.IntVar(&s.swaps, "swaps", full.swaps, "how often the release is exchanged under load")
	flag.Int64Var(&s.answers, "answers", full.answers, "how many answers are checked meanwhile, at least")
	flag.IntVar(&s.kills, "kills", full.kills, "how often a build is killed")
	flag.IntVar(&s.faults, "faults", full.faults, "how many system calls fail, of build and of serve each")
	flag.IntVar(&s.zips, "zips", full.zips, "how many damaged releases are offered")
	brief := flag.Bool("short", false, "a little of everything")
	only := flag.String("only", "", "only the parts whose name this regular expression matches")
	flag.BoolVar(&s.nginx, "nginx", full.nginx, "attack nginx too")
	out := flag.String("out", "docs/campaign.md", "where the report goes")
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
		s.out = *out
		err = runAll(ctx, s)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// runAll runs the parts and writes the report. What is found wrong is in the report; an error says
// that the campaign itself could not go on.
func runAll(ctx context.Context, s settings) error {
	r, err := run(ctx, s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.out, r.markdown(), 0o644); err != nil {
		return err
	}
	log.Printf("%s: %d found wrong, %d goals not reached", s.out, len(r.wrong()), len(r.missed()))
	return nil
}

func run(ctx context.Context, s settings) (*report, error) {
	p, err := prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(p.dir)
	r := &report{settings: s, began: time.Now()}
	for _, part := range []struct {
		name string
		do   func(ctx context.Context, p *place, s settings, r *report) error
	}{
		{"smuggling", smuggling},
		{"floods", floods},
		{"slow", slowClients},
		{"swaps", swaps},
		{"kills", kills},
		{"faults", faults},
		{"releases", hostileReleases},
		{"peers", hostilePeers},
		{"fuzz", fuzzing},
	} {
		if !s.only.MatchString(part.name) || ctx.Err() != nil {
			r.notes = append(r.notes, "The part \""+part.name+"\" was not run.")
			continue
		}
		log.Printf("%s %s", time.Now().Format(time.TimeOnly), part.name)
		if err := part.do(ctx, p, s, r); err != nil {
			r.unfinished = append(r.unfinished, fmt.Sprintf("%s: %v", part.name, err))
		}
	}
	r.took = time.Since(r.began)
	return r, nil
}
