// Package process starts programs beside tests and benchmarks, and ends them.
package process

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"stele/internal/testkit/must"
)

// Process is a program that was started.
type Process struct {
	*exec.Cmd
	Signal func(os.Signal) error
	Ended  <-chan struct{} // closed when it has ended

	mu   sync.Mutex
	said bytes.Buffer
}

// Start starts a program and, where an address is given, waits until it takes connections there.
func Start(cmd *exec.Cmd, address string) (*Process, error) {
	p := &Process{Cmd: cmd}
	cmd.Stdout, cmd.Stderr = p, p
	cmd.WaitDelay = 5 * time.Second // for what it started, which may outlive it
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	p.Signal, p.Ended = cmd.Process.Signal, ended
	go func() {
		cmd.Wait() // Cmd.ProcessState has how it ended
		close(ended)
	}()
	for deadline := time.Now().Add(time.Minute); address != ""; {
		if c, err := net.Dial("tcp", address); err == nil {
			return p, c.Close()
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s: %s\n%s", cmd, cmd.ProcessState, p.Output())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			p.Kill()
			return nil, fmt.Errorf("%s does not listen at %s\n%s", cmd, address, p.Output())
		}
	}
	return p, nil
}

// Write keeps what the program prints, up to a megabyte.
func (p *Process) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.said.Len() < 1<<20 {
		p.said.Write(data)
	}
	return len(data), nil
}

// Output is what the program printed.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// Runs reports whether the program has not ended.
func (p *Process) Runs() bool {
	select {
	case <-p.Ended:
		return false
	default:
		return true
	}
}

// Kill ends the program at once.
func (p *Process) Kill() {
	_ = p.Signal(os.Kill) // it may have ended
	<-p.Ended
}

// Stop asks the program to end, and kills it if it does not. It reports whether it ended by itself.
func (p *Process) Stop() bool {
	_ = p.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.Ended:
		return true
	case <-time.After(10 * time.Second):
		p.Kill()
		return false
	}
}

// FreeAddress is an address of this machine at which nobody listens.
func FreeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Run starts a program that is killed when the test ends.
func Run(t testing.TB, cmd *exec.Cmd, address string) *Process {
	t.Helper()
	p := must.Get(Start(cmd, address))(t)
	t.Cleanup(p.Kill)
	return p
}

// NeedNode leaves out a test that runs node where Install would.
func NeedNode(t testing.TB) {
	t.Helper()
	Install(t, "node", func(io.Writer) (string, error) { return exec.LookPath("node") })
}

// Install gets a program of others. The test is skipped where it cannot be had, but not in
// continuous integration.
func Install(t testing.TB, name string, get func(io.Writer) (string, error)) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs programs of others")
	}
	var said bytes.Buffer
	at, err := get(&said)
	if err != nil {
		err = fmt.Errorf("%s cannot be had: %w\n%s", name, err, said.Bytes())
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return at
}
