//go:build unix

// Package trial contains code that all measurements need: a folder, the program, the usage of a
// run, and the median.
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

// Main reads the flags and runs a measurement, with a temporary folder and the program of this
// checkout. With -write, its output replaces its section of the page.
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

// Median returns the middle value, or the larger one of two.
func Median[T cmp.Ordered](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// Usage is the resource usage of a command.
type Usage struct {
	CPU  time.Duration
	Peak int64 // bytes of memory
}

// Run runs a command. If it fails, the error includes its output. The peak memory of a command
// starts at that of its parent, so a program that measures it must stay small.
func Run(cmd *exec.Cmd) (u Usage, err error) {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return u, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return Used(cmd.ProcessState), nil
}

// Used returns the usage of a command that has ended.
func Used(state *os.ProcessState) Usage {
	u := Usage{CPU: state.UserTime() + state.SystemTime(), Peak: int64(state.SysUsage().(*syscall.Rusage).Maxrss)}
	if runtime.GOOS != "darwin" { // darwin counts bytes
		u.Peak <<= 10
	}
	return u
}

// CPU returns the CPU time of a process: proc_pid_stat(5).
func CPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may contain spaces
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("unknown format of /proc")
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err1, err2)
}
