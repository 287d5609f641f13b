//go:build linux

package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"text/template"
)

// A server is a contender.
type server struct {
	name      string
	version   string
	release   string // the folder that it serves
	peer      bool
	processes []*process
}

// over is the process that a case asks, and its address.
func (s *server) over(secure bool) (p *process, address string) {
	for _, p := range s.processes {
		if secure && p.secure != "" {
			return p, p.secure
		}
		if !secure && p.plain != "" {
			return p, p.plain
		}
	}
	return nil, ""
}

//go:embed peers
var configurations embed.FS

// configuration is what the templates of the peers' configurations take.
type configuration struct {
	Root             bool
	Dir, Release     string
	Cert, Key        string
	Port, SecurePort int
	OpenFiles        uint64
	CachedFiles      uint64 // what is left for nginx to keep open, beside connections and variants
	NginxModules     []string
}

// nginxModules are those beside nginx's own that are used where Debian has them.
var nginxModules = []string{"ngx_http_brotli_static_module.so"}

// start installs what is missing and starts all servers. Those that it could start it gives back
// also with an error.
func (p *place) start(ctx context.Context) ([]*server, error) {
	if err := install(); err != nil {
		return nil, err
	}
	var all []*server
	for _, peer := range []struct {
		server
		config string
		args   func(config string) []string
	}{
		{
			server{name: "nginx", version: versionOf("nginx", "-v")},
			"nginx.conf",
			func(c string) []string { return []string{"nginx", "-p", p.dir, "-c", c} },
		},
		{server{name: "h2o", version: versionOf("h2o", "--version")}, "h2o.conf", func(c string) []string { return []string{"h2o", "--conf", c} }},
	} {
		c, err := p.configure()
		if err != nil {
			return all, err
		}
		file, err := p.write(peer.config, c)
		if err != nil {
			return all, err
		}
		running, err := startProcess(ctx, serverCore, at(c.Port), at(c.SecurePort), peer.args(file)...)
		if err != nil {
			return all, fmt.Errorf("start %s: %w", peer.name, err)
		}
		peer.peer, peer.release, peer.processes = true, p.release, []*process{running}
		all = append(all, &peer.server)
	}
	if p.old != "" {
		old, err := p.startStele(ctx, olderStele, p.old, p.oldFiles)
		if all = append(all, old); err != nil {
			return all, err
		}
	}
	stele, err := p.startStele(ctx, "Stele", p.program, p.release)
	stele.version = "this one"
	return append(all, stele), err
}

const olderStele = "older Stele"

// startStele starts two processes, because one speaks either HTTP or HTTPS.
func (p *place) startStele(ctx context.Context, name, program, release string) (*server, error) {
	s := &server{name: name, release: release}
	for _, secure := range []bool{false, true} {
		port, err := freePort()
		if err != nil {
			return s, err
		}
		args := []string{program, "serve", release, "--quiet", "--memory", "2048", "--listen", at(port)}
		plain, tls := at(port), ""
		if secure {
			args = append(args, "--tls-cert", p.cert, "--tls-key", p.key)
			plain, tls = "", at(port)
		}
		running, err := startProcess(ctx, serverCore, plain, tls, args...)
		if err != nil {
			return s, fmt.Errorf("start stele: %w", err)
		}
		s.processes = append(s.processes, running)
	}
	return s, nil
}

func stopAll(servers []*server) (err error) {
	for _, s := range servers {
		for _, p := range s.processes {
			err = errors.Join(err, p.stop())
		}
	}
	return err
}

func at(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// configure chooses the ports of a server.
func (p *place) configure() (c configuration, err error) {
	c = configuration{Root: os.Getuid() == 0, Dir: p.dir, Release: p.release, Cert: p.cert, Key: p.key}
	if c.Port, err = freePort(); err != nil {
		return c, err
	}
	if c.SecurePort, err = freePort(); err != nil {
		return c, err
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return c, err
	}
	c.OpenFiles = min(files.Max, 250_000)
	c.CachedFiles = c.OpenFiles / 2
	for _, m := range nginxModules {
		path := filepath.Join("/usr/lib/nginx/modules", m)
		if _, err := os.Stat(path); err == nil {
			c.NginxModules = append(c.NginxModules, path)
		}
	}
	return c, nil
}

// write makes a configuration of its template.
func (p *place) write(name string, c configuration) (path string, err error) {
	t, err := template.ParseFS(configurations, "peers/"+name)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	if err := t.Execute(&text, c); err != nil {
		return "", err
	}
	path = filepath.Join(p.dir, name)
	return path, os.WriteFile(path, []byte(text.String()), 0o600)
}

var versionNumber = regexp.MustCompile(`[0-9]+\.[0-9.]+`)

// versionOf is the version that a program reports.
func versionOf(program, flag string) string {
	out, err := exec.Command(program, flag).CombinedOutput()
	if err != nil {
		log.Printf("%s %s: %v", program, flag, err)
	}
	return versionNumber.FindString(string(out))
}
