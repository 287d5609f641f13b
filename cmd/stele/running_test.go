package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"time"
)

// patience is how long a test waits for what must come. It is long, because the machine may be
// busy; nothing waits for it to pass.
const patience = time.Minute

// running is a server that runs as a program of its own.
type running struct {
	cmd      *exec.Cmd
	out, err output
	url      string // "" if it has none: on a unix socket, or on inherited ones
	ended    chan struct{}
	result   error
}

var (
	announced   = regexp.MustCompile(`[Pp]ress Ctrl-C to stop\n`)
	announcedAt = regexp.MustCompile(`at (https?://\S+)\n`)
)

// run starts a server in a folder and waits until it says where it is. change may change how it is
// started.
func run(dir string, change func(*exec.Cmd), args ...string) (*running, error) {
	return runAs(dir, change, append([]string{"serve"}, args...)...)
}

// runAs does so with another command.
func runAs(dir string, change func(*exec.Cmd), args ...string) (*running, error) {
	r := &running{cmd: exec.Command("stele", args...), ended: make(chan struct{})}
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = dir, &r.out, &r.err
	r.cmd.Env = append(os.Environ(), "PWD="+dir)
	if change != nil {
		change(r.cmd)
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.result = r.cmd.Wait()
		close(r.ended)
	}()
	if err := r.await(&r.out, announced); err != nil {
		r.kill()
		return nil, err
	}
	if at := announcedAt.FindStringSubmatch(r.out.String()); at != nil {
		r.url = at[1]
	}
	return r, nil
}

// await waits until the server has written something.
func (r *running) await(o *output, pattern *regexp.Regexp) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		more := o.more()
		if pattern.MatchString(o.String()) {
			return nil
		}
		select {
		case <-more:
		case <-r.ended:
			if pattern.MatchString(o.String()) {
				return nil
			}
			return fmt.Errorf("the server ended (%v) and did not write %q:\n%s%s", r.result, pattern, &r.out, &r.err)
		case <-late.C:
			return fmt.Errorf("the server did not write %q:\n%s%s", pattern, &r.out, &r.err)
		}
	}
}

// wait waits until the server has ended, and says with which code.
func (r *running) wait() (code int, err error) {
	select {
	case <-r.ended:
		return r.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		return 0, fmt.Errorf("the server did not end:\n%s%s", &r.out, &r.err)
	}
}

func (r *running) signal(s syscall.Signal) error { return r.cmd.Process.Signal(s) }

// kill ends the server in any case.
func (r *running) kill() {
	r.cmd.Process.Kill() // it may have ended by itself
	<-r.ended
}

// output is what a program has written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.news != nil {
		close(o.news)
		o.news = nil
	}
	return o.text.Write(p)
}

// more is closed when there is more.
func (o *output) more() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.news == nil {
		o.news = make(chan struct{})
	}
	return o.news
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
