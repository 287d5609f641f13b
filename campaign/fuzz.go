//go:build linux

package main

import (
	"context"
	"fmt"
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

// fuzzing runs every fuzz test of the project, the differential one for longer.
func fuzzing(ctx context.Context, _ *place, s settings, r *report) error {
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
			last := s.fuzz
			if test == differential {
				last = s.lanes
			}
			if last == 0 {
				continue
			}
			t, err := fuzz(ctx, name, test, last)
			if err != nil {
				return err
			}
			r.trials = append(r.trials, t)
		}
	}
	if s.fuzz == 0 {
		r.notes = append(r.notes, "Of the fuzz tests, only the differential one was run.")
	}
	return nil
}

// fuzz runs a fuzz test.
func fuzz(ctx context.Context, pkg, test string, last time.Duration) (trial, error) {
	t := trial{what: strings.TrimPrefix(pkg, "stele/") + " " + test, of: "inputs in " + last.String()}
	if test == differential {
		t.what, t.goal = "the same bytes to both lanes of the server ("+test+")", "one hour without a difference"
	}
	out, err := exec.CommandContext(ctx, "go", "test", pkg, "-run", "^$", "-fuzz", "^"+test+"$", "-fuzztime", last.String(), "-fuzzminimizetime", "10x").CombinedOutput()
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if counts := execs.FindAllSubmatch(out, -1); counts != nil {
		t.tried, _ = strconv.ParseInt(string(counts[len(counts)-1][1]), 10, 64) // digits, by the expression
	}
	if err != nil {
		t.wrong = append(t.wrong, fmt.Sprintf("%v: %.3000s", err, out))
	}
	t.met = last >= time.Hour && len(t.wrong) == 0
	return t, nil
}
