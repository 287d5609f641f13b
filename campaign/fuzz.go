//go:build linux

package main

import (
	"context"
	"fmt"
	"log"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	execs     = regexp.MustCompile(`execs: (\d+)`)
	fuzzTests = regexp.MustCompile(`(?m)^Fuzz\w+`)
)

// differential is the fuzz test that holds the lanes of the server together.
const differential = "FuzzLane"

// fuzzing runs every fuzz test of the project but the differential one.
func fuzzing(ctx context.Context, _ *testbed, s settings, r *section) error {
	packages, err := output(ctx, "go", "list", "stele/...")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(packages) {
		list, err := output(ctx, "go", "test", name, "-list", "^Fuzz")
		if err != nil {
			return err
		}
		for _, test := range fuzzTests.FindAllString(list, -1) {
			if test == differential {
				continue
			}
			t, err := fuzz(ctx, name, test, s.fuzz)
			if err != nil {
				return err
			}
			r.Trials = append(r.Trials, t)
		}
	}
	return nil
}

// fuzzingLanes runs the differential one, for longer.
func fuzzingLanes(ctx context.Context, _ *testbed, s settings, r *section) error {
	t, err := fuzz(ctx, "stele/internal/deliver/serve", differential, s.lanes)
	r.Trials = append(r.Trials, t)
	return err
}

// fuzz runs a fuzz test.
func fuzz(ctx context.Context, pkg, test string, last time.Duration) (trial, error) {
	log.Printf("  %s", test)
	t := trial{What: strings.TrimPrefix(pkg, "stele/") + " " + test, Of: "inputs in " + last.String()}
	if test == differential {
		t.What, t.Goal = "the same bytes to both lanes of the server ("+test+")", "one hour without a difference"
	}
	out, err := exec.CommandContext(ctx, "go", "test", pkg, "-run", "^$", "-fuzz", "^"+test+"$", "-fuzztime", last.String(), "-fuzzminimizetime", "10x").CombinedOutput()
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if counts := execs.FindAllSubmatch(out, -1); counts != nil {
		t.Tried, _ = strconv.ParseInt(string(counts[len(counts)-1][1]), 10, 64) // digits, by the expression
	}
	if err != nil {
		t.Wrong = append(t.Wrong, fmt.Sprintf("%v: %.3000s", err, out))
	}
	t.Met = last >= time.Hour && len(t.Wrong) == 0
	return t, nil
}
