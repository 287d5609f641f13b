//go:build linux

package main

import (
	"fmt"
	"slices"
	"time"

	"stele/bench/trial"
)

// printServers tells who ran, and how many bytes of head each sends: nobody is asked to send what
// another does.
func (b *bench) printServers() {
	fmt.Println("| server | version | bytes of head with the record |")
	fmt.Println("|---|---|---:|")
	for _, s := range b.servers {
		head := ""
		if i := slices.IndexFunc(b.results, func(r *result) bool {
			return r.server == s &&
				r.load.path == oneRecord && !r.load.unchanged
		}); i >= 0 {
			head = fmt.Sprint(b.results[i].answer.head)
		}
		fmt.Printf("| %s | %s | %s |\n", s.name, s.version, head)
	}
	fmt.Println()
}

func (b *bench) printResults() {
	fmt.Println("| case | server | requests/s | from | to | of nginx's | of the best peer's | p50 | p99 | of its core | CPU a request | memory |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range b.results {
		fmt.Printf(
			"| %s | %s | %.0f | %.0f | %.0f | %s | %s | %s | %s | %.0f %% | %.1f µs | %d MiB |\n",
			r.load.name,
			r.server.name,
			r.rate(),
			slices.Min(r.rates),
			slices.Max(r.rates),
			share(r.of(b.of(r.load, "nginx"))),
			share(r.of(b.best(r.load))),
			milliseconds(
				trial.Median(r.p50),
			),
			milliseconds(trial.Median(r.p99)),
			100*trial.Median(r.shares),
			float64(r.cpu().Nanoseconds())/1000,
			r.resident>>20,
		)
		if r.failed > 0 {
			fmt.Printf("| | %d requests failed | | | | | | | | | | |\n", r.failed)
		}
	}
	fmt.Println()
}

func share(of float64) string { return fmt.Sprintf("%.2f", of) }

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// printRequirements tells what had to be reached, and whether it was.
func (b *bench) printRequirements() {
	fmt.Println("| case | required | measured | reached |")
	fmt.Println("|---|---:|---:|---|")
	for _, stele := range b.results {
		if stele.server.name != "Stele" {
			continue
		}
		c := stele.load
		nginx, best := b.of(c, "nginx"), b.best(c)
		atLeast(c, "× nginx", stele, nginx, c.required.ofNginx)
		atLeast(c, "× the best peer, "+best.server.name, stele, best, c.required.ofBest)
		if c.required.ofLoop > 0 {
			atLeast(c, "× the epoll loop", stele, b.of(c, loopOfStele), c.required.ofLoop)
		}
		if c.required.latency {
			row(
				c,
				"p99 ≤ nginx's "+milliseconds(trial.Median(nginx.p99)),
				milliseconds(trial.Median(stele.p99)),
				trial.Median(stele.p99) <= trial.Median(nginx.p99),
			)
		}
		if c.required == (requirement{}) {
			fmt.Printf("| %s | to be told | %s × nginx, %s × h2o | |\n", c.name, share(stele.of(nginx)), share(stele.of(b.of(c, "h2o"))))
		}
	}
	fmt.Println()
}

func atLeast(c *load, of string, stele, other *result, least float64) {
	if least > 0 {
		row(c, fmt.Sprintf("≥ %.1f %s", least, of), share(stele.of(other)), stele.of(other) >= least)
	}
}

func row(c *load, required, measured string, reached bool) {
	word := "yes"
	if !reached {
		word = "**no**"
	}
	fmt.Printf("| %s | %s | %s | %s |\n", c.name, required, measured, word)
}
