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

// kills ends builds at moments that are spread over their whole time.
func kills(ctx context.Context, p *testbed, s settings) ([]trial, error) {
	t := trial{what: "builds that are killed", of: "builds"}
	for _, name := range []string{"kept", "kept.zip"} {
		at := filepath.Join(p.dir, name)
		err := p.kill(ctx, &t, at, s.kills/2, func(again bool) []string {
			if again {
				return p.buildTo(at, "2026-11-15")
			}
			return p.buildTo(at, "2026-11-14")
		})
		if err != nil {
			return []trial{t}, err
		}
	}
	return []trial{t}, nil
}

// kill runs a command to its end, and then ends it again and again at moments that are spread over
// the time that took. The release that was there must be there and whole, or the new one.
func (p *testbed) kill(ctx context.Context, t *trial, at string, times int, command func(again bool) []string) error {
	random := rand.New(rand.NewPCG(1, 2))
	began := time.Now()
	if _, err := output(ctx, command(false)...); err != nil {
		return err
	}
	length := time.Since(began)
	for i := 0; i < times || i == 0; i++ {
		after := time.Duration(random.Float64() * 1.1 * float64(length))
		args := command(true)
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		if err := c.Start(); err != nil {
			return err
		}
		timer := time.AfterFunc(after, func() { c.Process.Signal(syscall.SIGKILL) })
		c.Wait() // killed, or done
		timer.Stop()
		t.tried++
		if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil {
			t.wrong = append(t.wrong, fmt.Sprintf("%s, killed after %v: %s", filepath.Base(at), after, out))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// buildTo is the command of a small build.
func (p *testbed) buildTo(at, date string) []string {
	return []string{p.program, "build", p.records, "-q", "--date", date, "--allow=future", "--without=derived", "--without=variants", "-o", at}
}
