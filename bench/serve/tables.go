//go:build linux

package main

import (
	"fmt"
	"slices"
	"time"

	"stele/bench/trial"
)

// printServers prints who ran, and how many bytes of head each sends: nobody is asked to send what
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
	fmt.Println("| case | server | CPU a request | of the best peer's | p99 | of its core | memory |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	for _, r := range b.results {
		fmt.Printf("| %s | %s | %.1f µs | %.2f | %s | %.0f %% | %d MiB |\n", r.load.name, r.server.name,
			trial.Median(r.cpu())*1e6, r.of(b.best(r.load)), milliseconds(trial.Median(r.p99)),
			100*trial.Median(r.shares), r.resident>>20)
		if r.failed > 0 {
			fmt.Printf("| | %d requests failed | | | | | |\n", r.failed)
		}
	}
	fmt.Println()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// printRequirements prints what had to be reached, and whether it was.
func (b *bench) printRequirements() {
	fmt.Println("| case | required | measured | reached |")
	fmt.Println("|---|---:|---:|---|")
	for _, stele := range b.results {
		if stele.server.name != "Stele" {
			continue
		}
		best, nginx, old := b.best(stele.load), b.of(stele.load, "nginx"), b.of(stele.load, olderStele)
		stele.atMost(best, 1)
		if old != nil {
			stele.atMost(old, 1.03)
		}
		p99 := trial.Median(nginx.p99)
		stele.row("p99 ≤ nginx's "+milliseconds(p99), milliseconds(trial.Median(stele.p99)), trial.Median(stele.p99) <= p99)
	}
	fmt.Println()
}

// atMost prints whether a request takes no more than a share of another server's time.
func (r *result) atMost(other *result, most float64) {
	of := r.of(other)
	r.row(fmt.Sprintf("CPU ≤ %.4g × %s", most, other.server.name), fmt.Sprintf("%.2f", of), of < most+0.005)
}

func (r *result) row(required, measured string, reached bool) {
	word := "yes"
	if !reached {
		word = "**no**"
	}
	fmt.Printf("| %s | %s | %s | %s |\n", r.load.name, required, measured, word)
}
