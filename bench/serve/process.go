//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The cores.
const (
	serverCore = "0"
	loadCore   = "1"
)

// A process is a server that runs, with those that it started.
type process struct {
	cmd    *exec.Cmd
	ended  chan error
	says   bytes.Buffer // for when it ends too early
	plain  string       // its addresses; "" for none
	secure string
}

// startProcess starts a server and waits until it answers.
func startProcess(ctx context.Context, core, plain, secure string, args ...string) (*process, error) {
	if core != "" {
		args = append([]string{"taskset", "-c", core}, args...) // which becomes the program
	}
	p := &process{
		cmd:    exec.CommandContext(ctx, args[0], args[1:]...),
		ended:  make(chan error, 1),
		plain:  plain,
		secure: secure,
	}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.Stderr = &p.says
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	for _, address := range []string{plain, secure} {
		if err := p.await(address); err != nil {
			return nil, errors.Join(err, p.stop())
		}
	}
	return p, nil
}

// await waits until a server takes connections.
func (p *process) await(address string) error {
	if address == "" {
		return nil
	}
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-p.ended:
			p.ended <- err
			return fmt.Errorf("%s ended: %v\n%s", p.cmd, err, p.says.Bytes())
		default:
		}
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("%s does not answer on %s", p.cmd, address)
}

// pids are those of the process and of its children.
func (p *process) pids() ([]int, error) {
	pids := []int{p.cmd.Process.Pid}
	for i := 0; i < len(pids); i++ {
		pid := strconv.Itoa(pids[i])
		children, err := os.ReadFile(filepath.Join("/proc", pid, "task", pid, "children"))
		if err != nil {
			return nil, err
		}
		for _, child := range strings.Fields(string(children)) {
			n, err := strconv.Atoi(child)
			if err != nil {
				return nil, err
			}
			pids = append(pids, n)
		}
	}
	return pids, nil
}

// hold keeps a process from running, or lets it go on.
func (p *process) hold(still bool) error {
	signal := syscall.SIGCONT
	if still {
		signal = syscall.SIGSTOP
	}
	pids, err := p.pids()
	for _, pid := range pids {
		err = errors.Join(err, syscall.Kill(pid, signal))
	}
	return err
}

// stop ends the process, by its ID.
func (p *process) stop() error {
	p.hold(false) // or it would not hear; if that fails, it has ended
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.ended: // how a server ends is its own affair
		return nil
	case <-time.After(10 * time.Second):
		return p.cmd.Process.Kill()
	}
}

// usage is what a process and its children have used: CPU time up to now, and resident memory.
func (p *process) usage() (cpu time.Duration, resident int64, err error) {
	pids, err := p.pids()
	if err != nil {
		return 0, 0, err
	}
	for _, pid := range pids {
		c, r, err := usageOf(pid)
		if err != nil {
			return 0, 0, err
		}
		cpu, resident = cpu+c, resident+r
	}
	return cpu, resident, nil
}

// usageOf reads proc_pid_stat(5).
func usageOf(pid int) (cpu time.Duration, resident int64, err error) {
	const (
		tick  = 10 * time.Millisecond
		utime = 14 - 3 // fields are counted from 1, and two stand before the rest
		stime = 15 - 3
		rss   = 24 - 3
	)
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may have spaces
	fields := strings.Fields(rest)
	if len(fields) <= rss {
		return 0, 0, fmt.Errorf("process %d: %q cannot be read", pid, stat)
	}
	var numbers [3]int64
	for i, field := range []int{utime, stime, rss} {
		if numbers[i], err = strconv.ParseInt(fields[field], 10, 64); err != nil {
			return 0, 0, err
		}
	}
	return time.Duration(numbers[0]+numbers[1]) * tick, numbers[2] * int64(os.Getpagesize()), nil
}
