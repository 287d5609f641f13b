//go:build unix

package trial

import (
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Usage is what a command took.
type Usage struct {
	Wall, CPU time.Duration
	Peak      int64 // bytes of memory
}

// Run runs a command to its end. What it says is in the error, if it fails. The peak memory of a
// command begins at that of its parent, so who measures that has to stay small.
func Run(cmd *exec.Cmd) (u Usage, err error) {
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return u, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	state := cmd.ProcessState
	peak := int64(state.SysUsage().(*syscall.Rusage).Maxrss)
	u = Usage{time.Since(start), state.UserTime() + state.SystemTime(), peak}
	if runtime.GOOS != "darwin" { // which counts bytes
		u.Peak <<= 10
	}
	return u, nil
}
