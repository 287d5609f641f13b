//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// kills ends builds at moments that are spread over their whole time. The release that was there
// must be there and whole, or the new one.
func kills(ctx context.Context, p *place, s settings, r *report) error {
	random := rand.New(rand.NewPCG(1, 2))
	t := trial{what: "builds that are killed", of: "builds"}
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
			t.tried++
			if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil {
				t.wrong = append(t.wrong, fmt.Sprintf("%s, killed after %v: %s", name, after, out))
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	t.goal, t.met = "500 without a lost release", t.tried >= 500 && len(t.wrong) == 0
	r.trials = append(r.trials, t)
	return nil
}

// buildTo is the command of a small build.
func (p *place) buildTo(at, date string) []string {
	return []string{p.program, "build", p.records, "-q", "--date", date, "--allow-future", "--records-only", "--no-variants", "-o", at}
}

// Calls of the system that can fail, and how, in a build and in a server.
var (
	buildFaults = map[string]string{
		"openat": "EMFILE", "write": "ENOSPC", "pwrite64": "EIO", "fsync": "EIO", "fdatasync": "EIO", "sync_file_range": "EIO", "renameat2": "EIO", "renameat": "EIO", "linkat": "EMLINK", "mkdirat": "ENOSPC",
		"close": "EIO", "ftruncate": "EIO", "fallocate": "ENOSPC", "getdents64": "EIO", "read": "EIO", "pread64": "EIO", "newfstatat": "EACCES", "fstat": "EIO", "unlinkat": "EBUSY", "utimensat": "EIO", "copy_file_range": "EIO",
	}
	serveFaults = map[string]string{
		"accept4": "EMFILE", "write": "EPIPE", "read": "ECONNRESET", "openat": "EMFILE", "newfstatat": "EIO", "fstat": "EIO", "pread64": "EIO", "sendfile": "EIO", "setsockopt": "EINVAL", "fcntl": "EMFILE",
		"close": "EIO", "writev": "EPIPE", "getpeername": "ENOTCONN",
	}
)

// faults lets system calls of build and serve fail, one at a time.
func faults(ctx context.Context, p *place, s settings, r *report) error {
	if p.strace == "" {
		r.notes = append(r.notes, "strace is not there and could not be installed, so no system call was made to fail.")
		return nil
	}
	return errors.Join(p.buildFaults(ctx, s, r), p.serveFaults(ctx, s, r))
}

func (p *place) buildFaults(ctx context.Context, s settings, r *report) error {
	at := filepath.Join(p.dir, "faulty")
	if _, err := output(ctx, p.buildTo(at, "2026-11-14")...); err != nil {
		return err
	}
	counts, err := p.count(ctx, p.buildTo(filepath.Join(p.dir, "counted"), "2026-11-14")...)
	if err != nil {
		return err
	}
	t := trial{what: "system calls that fail in a build", of: "calls"}
	each := max(1, s.faults/len(buildFaults))
	for call, code := range buildFaults {
		total := counts[call]
		if total == 0 {
			continue // it is not used
		}
		for i := 0; i < min(each, total) && t.tried < int64(s.faults); i++ {
			when := 1 + i*total/min(each, total)
			inject := fmt.Sprintf("inject=%s:error=%s:when=%d", call, code, when)
			args := append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call, "-e", inject}, p.buildTo(at, "2026-11-15")...)
			limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
			out, err := exec.CommandContext(limited, p.strace, args...).CombinedOutput()
			late := limited.Err()
			cancel()
			t.tried++
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case late != nil:
				t.wrong = append(t.wrong, inject+": the build did not end")
			case strings.Contains(string(out), "goroutine "):
				t.wrong = append(t.wrong, inject+": a crash")
			case err != nil && len(out) == 0 && call != "write": // which saying why takes
				t.wrong = append(t.wrong, inject+": it failed without saying why")
			}
			if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil {
				t.wrong = append(t.wrong, fmt.Sprintf("%s: the release is lost: %s", inject, out))
			}
		}
	}
	r.trials = append(r.trials, t)
	return nil
}

// count counts the system calls of a command.
func (p *place) count(ctx context.Context, args ...string) (map[string]int, error) {
	table := filepath.Join(p.dir, "calls")
	if _, err := output(ctx, append([]string{p.strace, "-f", "-c", "-o", table}, args...)...); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(table)
	counts := map[string]int{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) >= 5 {
			if n, err := strconv.Atoi(fields[3]); err == nil {
				counts[fields[len(fields)-1]] = n
			}
		}
	}
	return counts, err
}

// serveFaults lets every so-manieth call of a server fail while it is asked. It may lose a
// connection, and must go on.
func (p *place) serveFaults(ctx context.Context, s settings, r *report) error {
	t := trial{what: "system calls that fail in a server", of: "calls, each again and again"}
	for call, code := range serveFaults {
		if t.tried >= int64(s.faults) {
			continue
		}
		log := filepath.Join(p.dir, "trace")
		inject := fmt.Sprintf("inject=%s:error=%s:when=40+17", call, code)
		stele, err := p.serve(ctx, false, p.releases[0], p.strace, "-f", "-qq", "-o", log, "-e", "trace="+call, "-e", inject)
		if err != nil {
			if strings.Contains(err.Error(), "goroutine ") {
				t.wrong = append(t.wrong, inject+": a crash while it began")
			}
			t.tried++
			continue // it could not begin, and said so
		}
		client := newOrdinary(stele, p)
		during(ctx, min(s.flood, 5*time.Second), client.ask)
		t.tried++
		if said := stele.says.String(); !stele.runs() || strings.Contains(said, "goroutine ") {
			t.wrong = append(t.wrong, fmt.Sprintf("%s: the server ended: %.2000s", inject, said))
		} else if client.bad == client.asked {
			t.wrong = append(t.wrong, inject+": nobody was answered")
		}
		stele.stop()
	}
	r.trials = append(r.trials, t)
	return ctx.Err()
}
