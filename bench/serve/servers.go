//go:build linux

package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"

	"stele/bench/corpus"
	"stele/internal/testkit/process"
)

const records = 1000 // so that the collection has 1.2 MB

// server is a running server.
type server struct {
	name          string
	plain, secure string // its URLs
	processes     []*process.Process
}

//go:embed peers
var peers embed.FS

// others are the servers that Stele is compared with. They serve the folder of its release.
var others = []struct {
	name, conf string
	args       []string // the configuration follows
}{
	{"nginx", "nginx.conf", []string{"nginx", "-c"}},
	{"h2o", "h2o.conf", []string{"h2o", "-c"}},
	{"lighttpd", "lighttpd.conf", []string{"lighttpd", "-D", "-f"}},
	{"Caddy", "Caddyfile", []string{"caddy", "run", "--adapter", "caddyfile", "--config"}},
}

// startAll starts nginx and the other servers, an older Stele if given, and this one.
func startAll(ctx context.Context, dir, program, old string) (all []*server, err error) {
	folder := filepath.Join(dir, "records")
	cert, key, err := process.Certificate(1)
	if err := errors.Join(
		err, corpus.Write(folder, records), os.WriteFile(filepath.Join(dir, "cert.pem"), cert, 0o600),
		os.WriteFile(filepath.Join(dir, "key.pem"), key, 0o600),
	); err != nil {
		return nil, err
	}
	type build struct{ name, program string }
	builds := []build{{"Stele", program}}
	if old != "" {
		builds = []build{{"older Stele", old}, builds[0]}
	}
	public := ""
	for _, b := range builds {
		public = filepath.Join(dir, b.name)
		out, err := exec.Command(b.program, "build", folder, "-o", public, "--date", "2026-11-15", "-q").CombinedOutput()
		if err != nil {
			return all, fmt.Errorf("%w\n%s", err, out)
		}
		s := &server{name: b.name, plain: process.FreeAddress(), secure: process.FreeAddress()}
		all = append(all, s)
		args := []string{b.program, "serve", public, "--quiet", "--listen"}
		tls := []string{"--tls-cert", filepath.Join(dir, "cert.pem"), "--tls-key", filepath.Join(dir, "key.pem")}
		if err := errors.Join(s.start(ctx, s.plain, append(args, s.plain)...),
			s.start(ctx, s.secure, append(append(args, s.secure), tls...)...)); err != nil {
			return all, err
		}
	}
	beside, err := startOthers(ctx, dir, public)
	return append(beside, all...), err
}

// startOthers starts the other servers with the release in a folder.
func startOthers(ctx context.Context, dir, public string) (all []*server, err error) {
	modules, err := filepath.Glob("/usr/lib/nginx/modules/ngx_http_brotli_static_module.so")
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		s := &server{name: o.name, plain: process.FreeAddress(), secure: process.FreeAddress()}
		_, plain, _ := strings.Cut(s.plain, ":")
		_, secure, _ := strings.Cut(s.secure, ":")
		file, err := os.Create(filepath.Join(dir, o.conf))
		if err != nil {
			return all, err
		}
		err = template.Must(template.ParseFS(peers, "peers/"+o.conf)).Execute(file, map[string]any{
			"Root": os.Getuid() == 0, "Dir": dir, "Release": public, "Modules": modules,
			"Plain": s.plain, "Secure": s.secure, "PlainPort": plain, "SecurePort": secure,
		})
		if err := errors.Join(err, file.Close()); err != nil {
			return all, err
		}
		all = append(all, s)
		if err := s.start(ctx, s.secure, append(slices.Clone(o.args), file.Name())...); err != nil {
			return all, err
		}
	}
	return all, nil
}

// start starts a process of a server on its core, and waits until it accepts connections.
func (s *server) start(ctx context.Context, address string, args ...string) error {
	p, err := process.Start(exec.CommandContext(ctx, "taskset", append([]string{"-c", serverCore}, args...)...), address)
	if err == nil {
		s.processes = append(s.processes, p)
	}
	return err
}

// pids returns the IDs of the processes and their children.
func (s *server) pids() (pids []int) {
	for _, p := range s.processes {
		pids = append(pids, p.Cmd.Process.Pid)
	}
	for i := 0; i < len(pids); i++ {
		pid := strconv.Itoa(pids[i])
		children, _ := os.ReadFile(filepath.Join("/proc", pid, "task", pid, "children")) // an ended process has none
		for child := range strings.FieldsSeq(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// hold stops a server, or lets it continue.
func (s *server) hold(still bool) (err error) {
	signal := syscall.SIGCONT
	if still {
		signal = syscall.SIGSTOP
	}
	for _, pid := range s.pids() {
		err = errors.Join(err, syscall.Kill(pid, signal))
	}
	return err
}

func (s *server) stop() error {
	err := s.hold(false)
	for _, p := range s.processes {
		p.Stop()
	}
	return err
}
