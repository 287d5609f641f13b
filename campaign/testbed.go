//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// testbed is what the campaign attacks: the program, releases of the sample, a folder for more.
type testbed struct {
	dir      string
	program  string   // stele
	records  string   // the sample
	releases []string // folders of two releases that differ
	zips     []string // the same
	paths    []string // addresses in them, small files
}

func prepare(ctx context.Context, s settings) (*testbed, error) {
	dir, err := os.MkdirTemp("", "stele-campaign-")
	if err != nil {
		return nil, err
	}
	p := &testbed{dir: dir, program: filepath.Join(dir, "stele")}
	if err := p.fill(ctx, s); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

func (p *testbed) fill(ctx context.Context, s settings) error {
	root, err := output(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	if _, err := output(ctx, "go", "build", "-C", root, "-ldflags=-s -w", "-o", p.program, "./cmd/stele"); err != nil {
		return err
	}
	p.records = filepath.Join(root, "sample")
	for i, date := range []string{"2026-11-14", "2026-11-15"} {
		for _, ending := range []string{"", ".zip"} {
			at := filepath.Join(p.dir, fmt.Sprintf("release-%d%s", i, ending))
			build := []string{p.program, "build", p.records, "--date", date, "--allow=future", "--downloads", "none", "-q", "-o", at}
			if s.plain {
				build = append(build, "--without=variants")
			}
			if _, err := output(ctx, build...); err != nil {
				return err
			}
			if ending == "" {
				p.releases = append(p.releases, at)
			} else {
				p.zips = append(p.zips, at)
			}
		}
	}
	return p.list()
}

// list finds what can be asked for.
func (p *testbed) list() error {
	return fs.WalkDir(os.DirFS(p.releases[0]), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(path, "by-hash/") { // the other release has files of other digests
			return nil
		}
		switch filepath.Ext(path) {
		case ".br", ".zst", ".gz":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() < 64<<10 {
			p.paths = append(p.paths, "/"+path)
		}
		return nil
	})
}

// output runs a command that must not fail.
func output(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// server is one that runs.
type server struct {
	cmd     *exec.Cmd
	address string
	says    *lines
	ended   chan struct{}
}

// lines keep what a process says.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text.Len() > 1<<20 { // more is not looked at
		return len(data), nil
	}
	return l.text.Write(data)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts Stele, perhaps under another program. Two releases take turns, and neither was built
// on the other.
func (p *testbed) serve(ctx context.Context, release string, under ...string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	return start(ctx, address, append(under, p.program, "serve", release, "--fork", "--listen", address)...)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// start starts a server and waits until it takes connections.
func start(ctx context.Context, address string, args ...string) (*server, error) {
	s := &server{
		cmd: exec.CommandContext(ctx, args[0], args[1:]...), address: address,
		says: new(lines), ended: make(chan struct{}),
	}
	s.cmd.Stdout, s.cmd.Stderr = s.says, s.says
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait() // s.says has how it ended
		close(s.ended)
	}()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !s.runs() {
			return nil, fmt.Errorf("%v ended: %s", args, s.says)
		}
		if c, err := net.Dial("tcp", address); err == nil {
			return s, c.Close()
		}
	}
	s.stop()
	return nil, fmt.Errorf("%v does not answer", args)
}

func (s *server) runs() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// stop ends a server and all that it started, and reports whether it ended by itself.
func (s *server) stop() bool {
	syscall.Kill(-s.cmd.Process.Pid, syscall.SIGTERM) // which may have ended
	select {
	case <-s.ended:
		return true
	case <-time.After(10 * time.Second):
		syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		<-s.ended
		return false
	}
}

// putInPlace puts a copy of a file in another's place in one step.
func putInPlace(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".next", data, 0o644); err != nil {
		return err
	}
	return os.Rename(to+".next", to)
}
