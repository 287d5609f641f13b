//go:build linux

// Serve measures `stele serve` beside nginx and h2o, which serve the same release from its folder.
//
// Every server has one core and the load generator another, over loopback, with 64 connections. The
// servers are asked in turn, in one run, because machines are noisy. What is missing is installed
// with apt-get.
//
//	go run ./bench/serve              about 20 minutes, and 5 GB of disk
//	go run ./bench/serve -quick       one short round, to try things
//	go run ./bench/serve -old BINARY  with an older build of Stele among the servers
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
	"runtime"
	"syscall"
	"time"

	"stele/bench/page"
)

// settings are what the flags say.
type settings struct {
	records int
	rounds  int
	length  time.Duration // of a run
	only    *regexp.Regexp
	old     string // an older build of Stele; "" for none
}

func main() {
	log.SetFlags(0)
	var s settings
	flag.IntVar(&s.records, "records", 100_000, "how many signals")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each is run")
	seconds := flag.Int("seconds", 5, "how long each run takes")
	quick := flag.Bool("quick", false, "one round of a second each")
	only := flag.String("only", "", "run only the cases whose name this regular expression matches")
	flag.StringVar(&s.old, "old", "", "let this older binary serve too, what it builds of the same records")
	write := flag.Bool("write", false, "put the tables into "+page.Path)
	flag.Parse()
	if *quick {
		s.rounds, *seconds = 1, 1
	}
	s.length = time.Duration(*seconds) * time.Second
	var err error
	if s.only, err = regexp.Compile(*only); err == nil {
		err = page.Run("serve", *write, func() error { return run(s) })
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(s settings) (err error) {
	if runtime.NumCPU() < 2 {
		return errors.New("this takes two cores: one for the server, one for the load")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "stele-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := prepare(dir, s.records, s.old)
	if err != nil {
		return err
	}
	servers, err := p.start(ctx)
	defer func() { err = errors.Join(err, stopAll(servers)) }()
	if err != nil {
		return err
	}
	b := &bench{settings: s, place: p, servers: servers}
	for _, c := range cases {
		if !s.only.MatchString(c.name) {
			continue
		}
		if err := b.race(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	fmt.Printf("%d records, %d connections, a core for the server and one for the load, %s;\nmedians of %d runs of %s in turn\n\n",
		s.records, connections, runtime.Version(), s.rounds, s.length)
	b.printServers()
	b.printResults()
	b.printRequirements()
	return nil
}
