//go:build linux

// Campaign does to the finished program what only a long run finds: it kills builds at any
// moment and lets each of their system calls fail. For an hour everything runs at once.
//
//	go run ./campaign                     everything, hours
//	go run ./campaign -short              a little of everything, about a minute
//	go run ./campaign -only '^soak$'      one part: kills, faults or soak
//
// It prints a row for each thing that was tried, and fails where something is wrong or a part did
// not come to its end. faults needs strace.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// settings are how much is tried.
type settings struct {
	kills  int
	faults int // how often each system call fails, at most; 0 for no end
	calls  int // how many sorts of system calls fail, at most; 0 for all
	// how long everything runs at once, and how many releases are published meanwhile
	soak     time.Duration
	releases int
	plain    bool // whether releases have no compressed variants, which take most of a build's time
	only     *regexp.Regexp
}

var (
	full  = settings{kills: 500, soak: time.Hour, releases: 50}
	short = settings{kills: 4, faults: 1, calls: 4, plain: true, releases: 10}
)

// trial is something that was tried often.
type trial struct {
	what  string
	tried int64
	of    string   // what was counted
	wrong []string // what was found, each
}

// faults takes what is wrong, from several goroutines, and keeps the first.
func (t *trial) faults() func(what string) {
	var mu sync.Mutex
	return func(what string) {
		mu.Lock()
		defer mu.Unlock()
		if len(t.wrong) < 50 {
			t.wrong = append(t.wrong, what)
		}
	}
}

// parts are what the campaign consists of. What is found wrong is in the trials; an error says that
// the part could not be finished.
var parts = []struct {
	name string
	do   func(ctx context.Context, p *testbed, s settings) ([]trial, error)
}{
	{"kills", kills},
	{"faults", faults},
	{"soak", soakFor},
}

func main() {
	log.SetFlags(0)
	brief := flag.Bool("short", false, "a little of everything")
	only := flag.String("only", "", "only the parts whose name this regular expression matches")
	flag.Parse()
	s := full
	if *brief {
		s = short
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if s.only, err = regexp.Compile(*only); err == nil {
		err = run(ctx, s, func(t trial) {
			fmt.Printf("| %s | %d %s | %d wrong |\n", t.what, t.tried, t.of, len(t.wrong))
			for _, w := range t.wrong {
				fmt.Println("  " + w)
			}
		})
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run runs the parts that are asked for. It fails where something is wrong.
func run(ctx context.Context, s settings, done func(trial)) (err error) {
	p, err := prepare(ctx, s)
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	for _, part := range parts {
		if !s.only.MatchString(part.name) {
			continue
		}
		log.Printf("%s %s", time.Now().UTC().Format(time.TimeOnly), part.name)
		trials, unfinished := part.do(ctx, p, s)
		if unfinished != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", part.name, unfinished))
		}
		for _, t := range trials {
			if done(t); len(t.wrong) > 0 || t.tried == 0 {
				err = errors.Join(err, fmt.Errorf("%s: %s: %d tried, %d wrong", part.name, t.what, t.tried, len(t.wrong)))
			}
		}
	}
	return err
}
