//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"

	"stele/bench/trial"
)

// printTimes prints what the runs took, beside Hugo unless there is none.
func printTimes(contenders []*contender, hugo *contender) {
	columns := []string{"", "wall time", "from", "to", "CPU time", "peak memory"}
	if hugo != nil {
		columns = append(columns, "wall time, of Hugo's", "memory, of Hugo's")
	}
	fmt.Println("| " + strings.Join(columns, " | ") + " |")
	fmt.Println("|---" + strings.Repeat("|---:", len(columns)-1) + "|")
	for _, c := range contenders {
		fmt.Printf(
			"| %s | %.2f s | %.2f | %.2f | %.2f s | %d MiB |",
			c.name,
			trial.Median(c.wall).Seconds(),
			slices.Min(c.wall).Seconds(),
			slices.Max(c.wall).Seconds(),
			trial.Median(c.cpu).Seconds(),
			c.peak>>20,
		)
		if hugo != nil {
			fmt.Printf(" %s | %s |", fraction(wallRatio(c, hugo)), fraction(peakRatio(c, hugo)))
		}
		fmt.Println()
	}
}

// A requirement is a row of what has to be reached.
type requirement struct {
	name, required, measured string
	reached                  bool
}

func printRequirements(requirements []requirement) {
	fmt.Println("| | required | measured | reached |")
	fmt.Println("|---|---:|---:|---|")
	for _, r := range requirements {
		reached := "yes"
		if !r.reached {
			reached = "**no**"
		}
		fmt.Printf("| %s | %s | %s | %s |\n", r.name, r.required, r.measured, reached)
	}
}

func (s *stele) besideHugo(hugo *contender) []requirement {
	var all []requirement
	for _, r := range []struct {
		c      *contender
		divide float64
	}{{s.zip, 15}, {s.folder, 8}, {s.zipVariants, 5}} {
		all = append(all, atMost(r.c.name+": wall time, of Hugo's", wallRatio(r.c, hugo), 1/r.divide))
	}
	for _, c := range s.all {
		all = append(all, atMost(c.name+": memory, of Hugo's", peakRatio(c, hugo), 1./10))
	}
	return all
}

func (s *stele) rebuilds() []requirement {
	var all []requirement
	for i, c := range s.all {
		if c.rebuild {
			ratio := wallRatio(c, s.all[i-1])
			all = append(all, requirement{c.name + ": wall time, of the full build's", "< 1/2", fraction(ratio), ratio < 1./2})
		}
	}
	return all
}

// grown compares with ten times as many records.
func (s *stele) grown(many *stele) []requirement {
	var all []requirement
	for _, pair := range [][2]*contender{{s.zip, many.zip}, {s.zipVariants, many.zipVariants}} {
		few, many := pair[0], pair[1]
		name := few.name + ", ten times the records"
		all = append(all,
			atMost(name+": wall time", wallRatio(many, few), 11),
			atMost(name+": memory", peakRatio(many, few), 5),
			requirement{name + ": memory", "< 800 MiB", fmt.Sprintf("%d MiB", many.peak>>20), many.peak < 800<<20})
	}
	return all
}

func atMost(name string, ratio, limit float64) requirement {
	return requirement{name, "≤ " + fraction(limit), fraction(ratio), ratio <= limit}
}

func wallRatio(a, b *contender) float64 {
	return trial.Median(a.wall).Seconds() / trial.Median(b.wall).Seconds()
}

func cpuRatio(a, b *contender) float64 {
	return trial.Median(a.cpu).Seconds() / trial.Median(b.cpu).Seconds()
}

func peakRatio(a, b *contender) float64 { return float64(a.peak) / float64(b.peak) }

// fraction writes a ratio the way people say it: 1/15, or 3-fold.
func fraction(ratio float64) string {
	trim := func(f float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") }
	if ratio < 1 {
		return "1/" + trim(1/ratio)
	}
	return trim(ratio) + "-fold"
}
