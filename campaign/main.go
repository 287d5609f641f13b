//go:build linux

// Campaign lets everything run at once for an hour, as only a long run finds what grows and what
// meets seldom. Tests kill builds and let their system calls fail.
//
//	go run ./campaign           an hour, 50 releases
//	go run ./campaign -short    10 releases, as fast as they come
//
// It says how much was tried, and fails where something is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"stele/internal/testkit/process"
)

func main() {
	log.SetFlags(0)
	brief := flag.Bool("short", false, "10 releases instead of an hour")
	flag.Parse()
	last, releases := time.Hour, 50
	if *brief {
		last, releases = 0, 10
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := campaign(ctx, last, releases); err != nil {
		log.Fatal(err)
	}
}

func campaign(ctx context.Context, last time.Duration, releases int) error {
	dir, err := os.MkdirTemp("", "stele-campaign-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "stele")
	if _, err := output(ctx, "go", "build", "-ldflags=-s -w", "-o", program, "stele/cmd/stele"); err != nil {
		return err
	}
	wrong, err := soakFor(ctx, filepath.Join(dir, "soak"), program, last, releases)
	for _, w := range wrong {
		err = errors.Join(err, errors.New(w))
	}
	return err
}

// output runs a command that must not fail.
func output(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// start starts a program. Signals reach it and all that it started.
func start(ctx context.Context, address string, args ...string) (*process.Process, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p, err := process.Start(cmd, address)
	if err == nil {
		p.Signal = func(s os.Signal) error { return syscall.Kill(-p.Process.Pid, s.(syscall.Signal)) }
	}
	return p, err
}
