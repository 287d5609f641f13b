package main

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"stele/internal/testkit/acmetest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// alone runs a test in a network of its own, in which ports 80 and 443 are free and
// records.example.org is this machine. It reports whether this is the process that does.
func alone(t *testing.T) bool {
	t.Helper()
	acmetest.Program(t) // which cannot be compiled there
	const inside = "STELE_TEST_ALONE"
	if os.Getenv(inside) == "" {
		if os.Getuid() != 0 {
			t.Skip("only root can have a network of its own")
		}
		c := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), inside+"=1")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
		out, err := c.CombinedOutput()
		if errors.Is(err, syscall.EPERM) {
			t.Skip("networks cannot be made here")
		}
		if strings.Contains(string(out), "--- SKIP: "+t.Name()) {
			t.Skipf("%s", out)
		}
		if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return false
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	must.Do(t, err)
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	must.Do(t, err)
	lo.SetUint16(unix.IFF_UP)
	must.Do(t, unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
	hosts := filepath.Join(t.TempDir(), "hosts")
	must.Do(t, os.WriteFile(hosts, []byte("127.0.0.1 localhost records.example.org\n"), 0o644))
	err = errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount(hosts, "/etc/hosts", "", unix.MS_BIND, ""))
	if err != nil {
		t.Skip(err)
	}
	return true
}

// TestLongPorts: without further options, a domain is served at ports 443 and 80: by root, and by
// the command of the systemd unit with the sockets of the other unit, as nobody. Nobody without
// sockets is shown what is missing.
func TestLongPorts(t *testing.T) {
	long.Only(t)
	if !alone(t) {
		return
	}
	authority := acmetest.Start(t, acmetest.Options{HTTP: ":80", TLS: ":443"})
	_, public := starterRelease(t, "--without=derived", "--without=variants")
	env := append(os.Environ(), "SSL_CERT_FILE="+authority.RootFile)
	online := func(change func(*exec.Cmd), args ...string) {
		t.Helper()
		r := must.Get(run("/", change, append(args, "--acme-directory", authority.Directory)...))(t)
		defer r.kill()
		must.Do(t, r.await(&r.err, regexp.MustCompile("using the new certificate for new connections")))
		conn, err := tls.Dial("tcp", "127.0.0.1:443", &tls.Config{RootCAs: authority.Roots, ServerName: "records.example.org"})
		must.Do(t, err)
		conn.Close()
		if text, err := answerText("http://127.0.0.1/manifest.json", ""); err != nil || !strings.Contains(text, "Location: https://records.example.org/manifest.json") {
			t.Errorf("%s %v", text, err)
		}
	}
	online(func(c *exec.Cmd) { c.Env = append(env, "HOME="+t.TempDir(), "XDG_STATE_HOME=") }, public, "--domain", "records.example.org")

	root := openTo(t, public, authority.RootFile)
	state := filepath.Join(root, "state")
	must.Do(t, errors.Join(os.Mkdir(state, 0o700), os.Chown(state, 65534, 65534)))
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	sockets := socketsOf(t, "../../deploy/stele.socket")
	asUnit := func(c *exec.Cmd) {
		c.Env = append(os.Environ(), "SSL_CERT_FILE="+filepath.Join(root, "root.pem"), "STATE_DIRECTORY="+state)
		c.Args = append([]string{"sh", "-c", `LISTEN_FDS=2 LISTEN_PID=$$ exec "$0" "$@"`, filepath.Join(root, "stele")}, c.Args[1:]...)
		c.Path, c.ExtraFiles, c.SysProcAttr, c.Dir = "/bin/sh", sockets, nobody, root
	}
	command := unitCommand(t, "../../deploy/stele.service")
	if command[0] != "serve" || command[1] != "/srv/stele/release.zip" || command[2] != "$STELE_OPTIONS" {
		t.Fatal(command)
	}
	online(asUnit, filepath.Join(root, "public"), "--domain", "records.example.org")
	for _, f := range sockets {
		f.Close()
	}
	c := exec.Command(filepath.Join(root, "stele"), "serve", filepath.Join(root, "public"), "--domain", "records.example.org", "--cache", state,
		"--acme-directory", authority.Directory)
	c.SysProcAttr = nobody
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "cannot listen on :443: permission denied") || !strings.Contains(string(out), "CAP_NET_BIND_SERVICE") {
		t.Errorf("%v\n%s", err, out)
	}
}

// openTo is a folder that others can enter, with the program, a release and a root certificate.
func openTo(t *testing.T, public, rootFile string) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "stele-unit-"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	program := must.Get(exec.LookPath("stele"))(t)
	for _, c := range []*exec.Cmd{
		exec.Command("cp", program, filepath.Join(dir, "stele")), exec.Command("cp", "-r", public, filepath.Join(dir, "public")),
		exec.Command("cp", rootFile, filepath.Join(dir, "root.pem")), exec.Command("chmod", "-R", "a+rX", dir),
	} {
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
	}
	return dir
}

// unitCommand is what a unit starts, without the program.
func unitCommand(t *testing.T, path string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	line := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/stele (.*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatalf("%s starts nothing", path)
	}
	return strings.Fields(string(line[1]))
}

// socketsOf are the ports of a unit, with those that are left to choose.
func socketsOf(t *testing.T, path string) (files []*os.File) {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	for _, port := range regexp.MustCompile(`(?m)^#?ListenStream=(\d+)$`).FindAllSubmatch(text, -1) {
		l, err := net.Listen("tcp", ":"+string(port[1]))
		must.Do(t, err)
		f, err := l.(*net.TCPListener).File()
		if err = errors.Join(err, l.Close()); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) != 2 {
		t.Fatalf("%s has %d ports", path, len(files))
	}
	return files
}
