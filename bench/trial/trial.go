//go:build unix

// Package trial has what all measurements need: a folder, the program, what a run of it takes, and
// the run in the middle.
package trial

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"stele/bench/page"
)

// Main reads the flags and runs a measurement, with a folder of its own and the program of this
// checkout. With -write, what it prints is put into its section of the page.
func Main(section string, measure func(dir, program string) error) {
	log.SetFlags(0)
	write := flag.Bool("write", false, "put the table into "+page.Path)
	flag.Parse()
	err := page.Run(section, *write, func() error {
		dir, err := os.MkdirTemp("", "stele-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "stele")
		if _, err := Run(exec.Command("go", "build", "-o", program, "./cmd/stele")); err != nil {
			return err
		}
		return measure(dir, program)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Median returns the value in the middle, and of two the larger one.
func Median[T cmp.Ordered](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// Usage is what a command took.
type Usage struct {
	CPU  time.Duration
	Peak int64 // bytes of memory
}

// Run runs a command to its end. What it says is in the error, if it fails. The peak memory of a
// command begins at that of its parent, so who measures that has to stay small.
func Run(cmd *exec.Cmd) (u Usage, err error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return u, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return Used(cmd.ProcessState), nil
}

// Used is what a command took that has ended.
func Used(state *os.ProcessState) Usage {
	u := Usage{CPU: state.UserTime() + state.SystemTime(), Peak: int64(state.SysUsage().(*syscall.Rusage).Maxrss)}
	if runtime.GOOS != "darwin" { // which counts bytes
		u.Peak <<= 10
	}
	return u
}

// CPU is the CPU time that a process has used: proc_pid_stat(5).
func CPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may have spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("/proc has another form here")
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err1, err2)
}
