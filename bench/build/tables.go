//go:build unix

package main

import (
	"fmt"
	"slices"

	"stele/bench/trial"
)

// printTimes prints what the runs took.
func printTimes(contenders []*contender) {
	fmt.Println("| | wall time | from | to | CPU time | peak memory |")
	fmt.Println("|---|---:|---:|---:|---:|---:|")
	for _, c := range contenders {
		fmt.Printf(
			"| %s | %.2f s | %.2f | %.2f | %.2f s | %d MiB |\n",
			c.name,
			trial.Median(c.wall).Seconds(),
			slices.Min(c.wall).Seconds(),
			slices.Max(c.wall).Seconds(),
			trial.Median(c.cpu).Seconds(),
			c.peak>>20,
		)
	}
}

func cpuRatio(a, b *contender) float64 {
	return trial.Median(a.cpu).Seconds() / trial.Median(b.cpu).Seconds()
}

func peakRatio(a, b *contender) float64 { return float64(a.peak) / float64(b.peak) }
