//go:build linux

package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// howCallsFail says with which error a system call fails where EIO would say too little.
var howCallsFail = map[string]string{
	"openat": "EMFILE", "write": "ENOSPC", "mkdirat": "ENOSPC", "linkat": "EMLINK", "fallocate": "ENOSPC",
	"newfstatat": "EACCES", "unlinkat": "EBUSY", "accept4": "EMFILE", "recvfrom": "ECONNRESET", "sendto": "EPIPE",
	"writev": "EPIPE", "fcntl": "EMFILE", "setsockopt": "EINVAL", "getsockopt": "EINVAL", "getpeername": "ENOTCONN",
	"getsockname": "ENOTCONN", "socket": "EMFILE", "bind": "EADDRINUSE", "listen": "EADDRINUSE",
	"epoll_create1": "EMFILE", "eventfd2": "EMFILE", "epoll_ctl": "ENOMEM",
}

// ofTheRuntime are calls that every Go program makes before its own code, or without which its
// runtime cannot go on.
var ofTheRuntime = strings.Fields(`arch_prctl brk clone clone3 epoll_pwait execve exit exit_group futex getpid
	getrandom gettid madvise mmap mprotect munmap nanosleep prctl prlimit64 restart_syscall rseq rt_sigaction
	rt_sigprocmask rt_sigreturn sched_getaffinity sched_yield set_robust_list set_tid_address sigaltstack tgkill
	timer_create timer_delete timer_settime wait4 waitid access getppid`)

// faults lets system calls of build and serve fail, one at a time. Where the first epoll_create1,
// epoll_ctl or eventfd2 fails, or a write by which Go's runtime wakes itself up, the runtime ends
// the program; that does not count.
func faults(ctx context.Context, p *testbed, s settings) ([]trial, error) {
	build, err := p.buildFaults(ctx, s)
	if err != nil {
		return []trial{build}, err
	}
	serve, err := p.serveFaults(ctx, s)
	return []trial{build, serve}, err
}

// runtimeFault is what Go's runtime says when it cannot begin, or cannot wake itself up, because a
// call of its own fails. That is not the program's fault.
const runtimeFault = "fatal error: runtime: "

// crashed reports whether a program has crashed.
func crashed(says string) bool {
	return strings.Contains(says, "goroutine ") && !strings.Contains(says, runtimeFault)
}

// buildFaults lets each call of a build fail, the first of its name, the second, and so on. The
// release that was there must be there and whole, or the new one.
func (p *testbed) buildFaults(ctx context.Context, s settings) (t trial, err error) {
	at := filepath.Join(p.dir, "faulty")
	if _, err := output(ctx, p.buildTo(at, "2026-11-14")...); err != nil {
		return t, err
	}
	calls, err := p.calls(ctx, p.buildTo(at, "2026-11-15")...)
	if err != nil {
		return t, err
	}
	calls = s.some(calls)
	t = trial{what: "system calls that fail in a build", of: "calls, of " + strings.Join(calls, ", ")}
	for _, call := range calls {
		log.Printf("  %s", call)
		for when, missed := 1, 0; missed < 2 && (s.faults == 0 || when <= s.faults); when++ {
			// another date each time, so that there is something new
			build := p.buildTo(at, fmt.Sprintf("2026-11-%d", 15+when%2))
			failed, wrong, err := p.fail(ctx, at, inject(call, strconv.Itoa(when)), build)
			if err != nil {
				return t, err
			}
			t.wrong = append(t.wrong, wrong...)
			t.tried += int64(failed)
			if missed++; failed > 0 {
				missed = 0
			}
		}
	}
	return t, nil
}

// some are those calls that are made to fail, spread over all.
func (s settings) some(calls []string) (list []string) {
	each := 1
	if s.calls > 0 {
		each = max(1, len(calls)/s.calls)
	}
	for i := 0; i < len(calls); i += each {
		list = append(list, calls[i])
	}
	return list
}

// fail lets calls of a command fail. It says how many did: strace counts those of each thread by
// themselves.
func (p *testbed) fail(
	ctx context.Context, at, inject string, command []string,
) (failed int, wrong []string, err error) {
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	trace := filepath.Join(p.dir, "trace")
	args := append([]string{"-f", "-qq", "-o", trace, "-e", inject}, command...)
	out, failure := exec.CommandContext(limited, "strace", args...).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return 0, nil, ctx.Err()
	case limited.Err() != nil:
		wrong = append(wrong, inject+": it did not end")
	case crashed(string(out)):
		wrong = append(wrong, fmt.Sprintf("%s: a crash: %.500s", inject, out))
	case failure != nil && len(out) == 0 && !strings.HasPrefix(inject, "inject=write:"): // which saying why takes
		wrong = append(wrong, inject+": it failed without saying why")
	}
	if out, err := exec.CommandContext(ctx, p.program, "verify", at).CombinedOutput(); err != nil && ctx.Err() == nil {
		wrong = append(wrong, fmt.Sprintf("%s: the release is lost: %s", inject, out))
	}
	traced, err := os.ReadFile(trace)
	return strings.Count(string(traced), "(INJECTED)"), wrong, err
}

// inject is an option of strace that lets a call fail.
func inject(call, when string) string {
	code := "EIO"
	if c, ok := howCallsFail[call]; ok {
		code = c
	}
	return fmt.Sprintf("inject=%s:error=%s:when=%s", call, code, when)
}

// calls are the names of the system calls of a command, without those of Go's runtime.
func (p *testbed) calls(ctx context.Context, args ...string) ([]string, error) {
	table := filepath.Join(p.dir, "calls")
	if _, err := output(ctx, append([]string{"strace", "-f", "-c", "-o", table}, args...)...); err != nil {
		return nil, err
	}
	return readCalls(table)
}

// readCalls reads what strace has counted.
func readCalls(table string) ([]string, error) {
	data, err := os.ReadFile(table)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) < 5 || fields[len(fields)-1] == "total" || slices.Contains(ofTheRuntime, fields[len(fields)-1]) {
			continue
		}
		if _, err := strconv.Atoi(fields[3]); err == nil {
			names[fields[len(fields)-1]] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// serveFaults lets calls of a server fail: each of the first ones, of which it may say that it
// cannot begin, and then every seventh while it is asked, and given another release. It may lose
// connections, and must go on, and end on a signal.
func (p *testbed) serveFaults(ctx context.Context, s settings) (t trial, err error) {
	live := filepath.Join(p.dir, "faulty.zip")
	table := filepath.Join(p.dir, "calls")
	if _, _, err := p.serveUnder(ctx, s, live, "-c", "-o", table); err != nil {
		return t, err
	}
	calls, err := readCalls(table)
	if err != nil {
		return t, err
	}
	calls = s.some(calls)
	const first = 12 // calls of a thread, which are those of the start
	t = trial{what: "system calls that fail in a server", of: "calls, of " + strings.Join(calls, ", ")}
	for _, call := range calls {
		log.Printf("  %s", call)
		for when, missed := 1, 0; when <= first+1; when++ {
			rule := inject(call, strconv.Itoa(when))
			if missed >= 2 || when > first || s.faults > 0 {
				rule, when = inject(call, "10+7"), first+1
			}
			if s.faults > 0 { // a short while, on a machine that may be busy
				rule = inject(call, "2+3")
			}
			trace := filepath.Join(p.dir, "trace")
			began, wrong, err := p.serveUnder(ctx, s, live, "-qq", "-o", trace, "-e", rule)
			if err != nil {
				return t, err
			}
			if wrong != "" {
				t.wrong = append(t.wrong, rule+": "+wrong)
			}
			traced, err := os.ReadFile(trace)
			if err != nil {
				return t, err
			}
			failed := strings.Count(string(traced), "(INJECTED)")
			t.tried += int64(failed)
			if missed++; failed > 0 || !began {
				missed = 0
			}
		}
	}
	return t, ctx.Err()
}

// serveUnder serves under strace for a while, and says what was wrong. began says whether there was
// a server at all.
func (p *testbed) serveUnder(
	ctx context.Context,
	s settings,
	live string,
	options ...string,
) (began bool, wrong string, err error) {
	if err := putInPlace(p.zips[0], live); err != nil {
		return false, "", err
	}
	under := append([]string{"strace", "-f"}, options...)
	stele, base, err := p.serve(ctx, live, under...)
	if err != nil {
		if crashed(err.Error()) {
			return false, "a crash while it began: " + err.Error(), ctx.Err()
		}
		return false, "", ctx.Err() // it could not begin, and said so
	}
	defer stele.Stop()
	client := &ordinary{base: base, roots: p.releases[:1], paths: p.paths}
	last := time.Second
	if s.faults > 0 {
		last /= 4
	}
	client.ask(ctx, last)
	if err := putInPlace(p.zips[1], live); err != nil {
		return true, "", err
	}
	_ = stele.Signal(syscall.SIGHUP) // strace does not mind, and whether Stele runs is asked below
	client.roots = p.releases
	client.ask(ctx, last)
	said := stele.Said()
	switch {
	case strings.Contains(said, runtimeFault):
		return true, "", ctx.Err()
	case !stele.Runs() || crashed(said):
		return true, fmt.Sprintf("the server ended: %.2000s", said), ctx.Err()
	case client.bad == client.asked:
		return true, fmt.Sprintf("nobody was answered: %v", client.first), ctx.Err()
	case client.mixed != nil:
		return true, client.mixed.Error(), ctx.Err()
	}
	if !stele.Stop() {
		return true, "it did not end on a signal", ctx.Err()
	}
	return true, "", ctx.Err()
}
