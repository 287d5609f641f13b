//go:build unix

package main

import (
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// A contender is a command that makes files of the signals, and what its runs took.
type contender struct {
	name    string
	output  string // what it makes, in the folder of the round
	args    func(output string) []string
	rebuild bool // runs over what the contender before it made, from the changed signals
	wall    []time.Duration
	cpu     []time.Duration
	peak    int64 // bytes
}

// race runs all in turn, that many times.
//
// Folders stay until the end. ext4 does not reuse an inode for up to five minutes after its file
// was deleted, and looks at all of these whenever a file is made: a hundred thousand files that
// take 2 s to write take 28 s where as many were just deleted.
func race(out string, contenders []*contender, records, rounds int) error {
	for round := range rounds {
		for _, c := range contenders {
			output := filepath.Join(out, strconv.Itoa(round), c.output)
			if err := makeRoom(filepath.Dir(output), c.rebuild); err != nil {
				return err
			}
			if err := c.measure(output); err != nil {
				return err
			}
			if round > 0 {
				continue
			}
			if err := c.verify(output, records); err != nil {
				return err
			}
		}
	}
	log.Print("removing the outputs")
	return os.RemoveAll(out)
}

// makeRoom removes zips, unless the next run needs them, and lets the disk settle, so that no run
// pays for the one before.
func makeRoom(dir string, keep bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if !keep {
		zips, err := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", "*.zip"))
		if err != nil {
			return err
		}
		for _, z := range zips {
			if err := os.Remove(z); err != nil {
				return err
			}
		}
	}
	syscall.Sync()
	return nil
}

func (c *contender) measure(output string) error {
	args := c.args(output)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run() // what it prints goes to /dev/null
	took := time.Since(start)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	state := cmd.ProcessState
	cpu, peak := state.UserTime()+state.SystemTime(), int64(state.SysUsage().(*syscall.Rusage).Maxrss)<<10
	c.wall, c.cpu, c.peak = append(c.wall, took), append(c.cpu, cpu), max(c.peak, peak)
	log.Printf("%s: %.2f s, CPU %.2f s user and %.2f s system, %d MiB", c.name, took.Seconds(), state.UserTime().Seconds(), state.SystemTime().Seconds(), peak>>20)
	return nil
}

// verify is another process: the peak memory of a child begins at that of its parent, so this one
// has to stay small.
func (c *contender) verify(output string, records int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "-records", strconv.Itoa(records), "-verify", output, "-changed="+strconv.FormatBool(c.rebuild))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s wrote something else: %w\n%s", c.name, err, out)
	}
	return nil
}
