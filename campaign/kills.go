//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"time"
)

// kills ends builds at moments that are spread over their whole time. The release that was there
// must be there and whole, or the new one.
func kills(ctx context.Context, p *testbed, s settings) ([]trial, error) {
	t := trial{what: "builds that are killed", of: "builds"}
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"kept", "kept.zip"} {
		at := filepath.Join(p.dir, name)
		began := time.Now()
		if _, err := output(ctx, p.buildTo(at, "2026-11-14")...); err != nil {
			return []trial{t}, err
		}
		length := time.Since(began)
		for range s.kills / 2 {
			after := time.Duration(random.Float64() * 1.1 * float64(length))
			limited, cancel := context.WithTimeout(ctx, after)
			_, _ = output(limited, p.buildTo(at, "2026-11-15")...) // killed, or done
			cancel()
			t.tried++
			if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil {
				t.wrong = append(t.wrong, fmt.Sprintf("%s, killed after %v: %s", name, after, out))
			}
			if ctx.Err() != nil {
				return []trial{t}, ctx.Err()
			}
		}
	}
	return []trial{t}, nil
}

// buildTo is the command of a small build.
func (p *testbed) buildTo(at, date string) []string {
	return []string{p.program, "build", p.records, "-q", "--date", date, "--allow=future", "--without=derived", "--without=variants", "-o", at}
}
