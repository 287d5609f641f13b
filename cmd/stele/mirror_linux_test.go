package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// mirrored is a copy of a release that another has taken the place of.
type mirrored struct {
	*builds
	url, copy string
}

// newMirrored publishes a release, copies it, and publishes another.
func newMirrored(t *testing.T) *mirrored {
	t.Helper()
	b := newBuilds(t, memoryDir(t), "public")
	b.previousTarget = true
	server := must.Get(run(t.TempDir(), nil, b.target, "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(server.kill)
	m := &mirrored{builds: b, url: server.url, copy: filepath.Join(memoryDir(t), "copy")}
	m.stele("mirror", m.url, m.copy, "-q")
	m.stele(b.args(b.now)...)
	must.Do(t, server.signal(syscall.SIGHUP))
	must.Do(t, server.await(&server.err, regexp.MustCompile("serving a new release")))
	return m
}

func (m *mirrored) stele(args ...string) {
	m.t.Helper()
	if out, err := exec.Command("stele", args...).CombinedOutput(); err != nil {
		m.t.Fatalf("stele %q: %v\n%s", args, err, out)
	}
}

// TestLongMirrorKilled ends an update at single system calls: the copy is the old release or the
// new one, whole, and the next update leaves nothing beside it.
func TestLongMirrorKilled(t *testing.T) {
	long.Only(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace")
	}
	if out, err := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not work here: %v\n%s", err, out)
	}
	m := newMirrored(t)
	before := filepath.Join(filepath.Dir(m.copy), "before")
	if out, err := exec.Command("cp", "-a", m.copy, before).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, call := range []string{"flock", "mkdirat", "linkat", "linkat:when=9", "ftruncate", "syncfs", "renameat2", "unlinkat", "unlinkat:when=9"} {
		name, when, found := strings.Cut(call, ":")
		inject := "inject=" + name + ":signal=KILL"
		if found {
			inject += ":" + when
		}
		exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", inject, "stele", "mirror", m.url, m.copy, "-q").Run() // it is killed
		m.stele("verify", m.copy, "-q")
		m.stele("mirror", m.url, m.copy, "-q")
		m.stele("verify", m.copy, "-q")
		m.stele("diff", m.target, m.copy)
		entries, err := os.ReadDir(filepath.Dir(m.copy))
		if err != nil || len(entries) != 2 {
			t.Fatalf("killed at %s: %v lie beside the copy, %v", call, entries, err)
		}
		must.Do(t, os.RemoveAll(m.copy))
		if out, err := exec.Command("cp", "-a", before, m.copy).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
}

// TestMirrorOfNginx: so is a copy of what nginx serves, with and without the variants that it finds
// beside files.
func TestMirrorOfNginx(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs nginx")
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("there is no nginx")
	}
	for _, variants := range []string{"on", "off"} {
		b := newBuilds(t, memoryDir(t), "public")
		listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		address := listener.Addr().String()
		must.Do(t, listener.Close())
		dir := t.TempDir()
		as := ""
		if os.Getuid() == 0 { // else its workers may not enter the folder of a test
			as = "user root;"
		}
		config := fmt.Sprintf(`daemon off; worker_processes 1; %s pid nginx.pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  gzip_static %s;
  server { listen %s; root %s; }
}
`, as, variants, address, b.target)
		must.Do(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600))
		start(t, exec.Command(nginx, "-p", dir, "-c", "nginx.conf", "-e", "stderr"))
		patientlyGet(t, "http://"+address+"/manifest.json")
		expectMirrored(t, b, "http://"+address)
	}
}

// expectMirrored copies all that a host serves, publishes another release there, and makes sure
// that the copy follows.
func expectMirrored(t *testing.T, b *builds, url string) {
	t.Helper()
	b.previousTarget = true
	copied := filepath.Join(memoryDir(t), "copy")
	mirror := &running{
		cmd:   exec.Command("stele", "mirror", url, copied, "--only", "all", "--watch=1s"),
		ended: make(chan struct{}),
	}
	startRunning(t, mirror)
	must.Do(t, mirror.await(&mirror.out, regexp.MustCompile("copy is release")))
	m := &mirrored{builds: b}
	m.stele(b.args(b.now)...)
	must.Do(t, mirror.await(&mirror.out, regexp.MustCompile("(?s)copy is release.*copy is release")))
	must.Do(t, mirror.signal(syscall.SIGTERM))
	if code, err := mirror.wait(); code != 0 || err != nil {
		t.Errorf("the mirror ended with %d, %v\n%s", code, err, &mirror.err)
	}
	m.stele("verify", copied, "-q")
	if out, err := exec.Command("diff", "-r", "--exclude", "by-hash", b.target, copied).CombinedOutput(); err != nil {
		t.Errorf("the copy is another: %v\n%s", err, out)
	}
}

// startRunning starts a program that ends with the test.
func startRunning(t *testing.T, r *running) {
	t.Helper()
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	must.Do(t, r.cmd.Start())
	go func() {
		r.result = r.cmd.Wait()
		close(r.ended)
	}()
	t.Cleanup(r.kill)
}
