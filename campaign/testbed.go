//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"stele/internal/testkit/process"
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

// serve starts Stele, perhaps under another program. Two releases take turns, and neither was built
// on the other.
func (p *testbed) serve(ctx context.Context, release string, under ...string) (
	s *process.Process, base string, err error,
) {
	address := process.FreeAddress()
	args := append(under, p.program, "serve", release, "--fork", "--listen", address)
	s, err = start(ctx, address, args...)
	return s, "http://" + address, err
}

// start starts a program. Signals reach it and all that it started.
func start(ctx context.Context, address string, args ...string) (*process.Process, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p, err := process.Start(cmd, address)
	if err == nil {
		p.Signal = func(s os.Signal) error { return syscall.Kill(-p.Process.Pid, s.(syscall.Signal)) }
	}
	return p, err
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
