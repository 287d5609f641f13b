//go:build linux

package main

import (
	"context"
	"errors"
	"log"
	"slices"
	"time"

	"stele/bench/trial"
)

type bench struct {
	settings
	place   *place
	servers []*server
	results []*result
}

// A result is what all runs of a case took on a server.
type result struct {
	load   *load
	server *server
	answer *response
	tag    string // what the server is asked with, where nothing changed

	rates, shares []float64 // requests a second; CPU seconds a second
	p50, p99      []time.Duration
	resident      int64
	failed        int
}

// race asks all servers in turn, that many times.
func (b *bench) race(ctx context.Context, c *load) error {
	results, err := b.probe(c)
	if err != nil {
		return err
	}
	if b.rounds > 1 { // caches fill
		for _, r := range results {
			if _, err := c.generate(ctx, r.server, b.place.dir, r.tag, b.records, time.Second); err != nil {
				return err
			}
		}
	}
	for round := range b.rounds {
		for i := range results { // each is the first in some round
			if err := b.measure(ctx, results, (i+round)%len(results)); err != nil {
				return err
			}
		}
	}
	b.results = append(b.results, results...)
	return nil
}

// probe tries a case on each server. nginx comes first, and Stele last.
func (b *bench) probe(c *load) (results []*result, err error) {
	for _, s := range b.servers {
		r := &result{load: c, server: s}
		if r.answer, err = c.probe(s, ""); err != nil {
			return nil, err
		}
		if c.unchanged {
			r.tag = r.answer.tag
			if r.answer, err = c.probe(s, r.tag); err != nil {
				return nil, err
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// hold keeps all servers but one from running: some have to clean up after they were asked. For all
// to go on, there is none.
func hold(results []*result, but *process) (err error) {
	for _, r := range results {
		for _, p := range r.server.processes {
			err = errors.Join(err, p.hold(but != nil && p != but))
		}
	}
	return err
}

// measure runs a case on a server once.
func (b *bench) measure(ctx context.Context, results []*result, which int) (err error) {
	r := results[which]
	process, _ := r.server.over(r.load.secure)
	if err := hold(results, process); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold(results, nil)) }()
	before, _, err := process.usage()
	if err != nil {
		return err
	}
	start := time.Now()
	m, err := r.load.generate(ctx, r.server, b.place.dir, r.tag, b.records, b.length)
	if err != nil {
		return err
	}
	took := time.Since(start)
	after, resident, err := process.usage()
	if err != nil {
		return err
	}
	r.rates, r.p50, r.p99 = append(r.rates, m.rate), append(r.p50, m.p50), append(r.p99, m.p99)
	r.shares = append(r.shares, (after-before).Seconds()/took.Seconds())
	r.resident, r.failed = max(r.resident, resident), r.failed+m.failed
	log.Printf("%s, %s: %.0f requests/s, p50 %s, p99 %s, %.0f %% of its core, %d MiB, %d failed",
		r.load.name, r.server.name, m.rate, m.p50, m.p99, 100*r.shares[len(r.shares)-1], resident>>20, m.failed)
	return nil
}

// cpu is the time of its core that a request takes: in seconds, in each round.
func (r *result) cpu() []float64 {
	times := make([]float64, len(r.rates))
	for i := range times {
		times[i] = r.shares[i] / r.rates[i]
	}
	return times
}

// of is the result of a server for the same case, or nil.
func (b *bench) of(c *load, server string) *result {
	i := slices.IndexFunc(b.results, func(r *result) bool { return r.load == c && r.server.name == server })
	if i < 0 {
		return nil
	}
	return b.results[i]
}

// best is the peer that takes the least time for a case.
func (b *bench) best(c *load) (best *result) {
	for _, r := range b.results {
		if r.load == c && r.server.peer && (best == nil || trial.Median(r.cpu()) < trial.Median(best.cpu())) {
			best = r
		}
	}
	return best
}

// of is what a server takes of another's time: the median of what it was in each round, because the
// machine is not as fast in one as in another.
func (r *result) of(other *result) float64 {
	mine, its := r.cpu(), other.cpu()
	for i := range mine {
		mine[i] /= its[i]
	}
	return trial.Median(mine)
}
