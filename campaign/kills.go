//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// kills ends builds at moments that are spread over their whole time. The release that was there
// must be there and whole, or the new one.
func kills(ctx context.Context, p *place, s settings, r *section) error {
	random := rand.New(rand.NewPCG(1, 2))
	t := trial{What: "builds that are killed", Of: "builds"}
	for _, name := range []string{"kept", "kept.zip"} {
		at := filepath.Join(p.dir, name)
		began := time.Now()
		if _, err := output(ctx, p.buildTo(at, "2026-11-14")...); err != nil {
			return err
		}
		length := time.Since(began)
		for i := 0; i < s.kills/2 || i == 0; i++ {
			after := time.Duration(random.Float64() * 1.1 * float64(length))
			c := exec.CommandContext(ctx, p.program, p.buildTo(at, "2026-11-15")[1:]...)
			if err := c.Start(); err != nil {
				return err
			}
			timer := time.AfterFunc(after, func() { c.Process.Signal(syscall.SIGKILL) })
			c.Wait() // killed, or done
			timer.Stop()
			t.Tried++
			if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil {
				t.Wrong = append(t.Wrong, fmt.Sprintf("%s, killed after %v: %s", name, after, out))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	t.Goal, t.Met = "500 without a lost release", t.Tried >= 500 && len(t.Wrong) == 0
	r.Trials = append(r.Trials, t)
	return nil
}

// buildTo is the command of a small build.
func (p *place) buildTo(at, date string) []string {
	return []string{p.program, "build", p.records, "-q", "--date", date, "--allow-future", "--records-only", "--no-variants", "-o", at}
}
