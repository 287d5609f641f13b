//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
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
	dir       string
	program   string   // stele
	records   string   // the sample
	releases  []string // folders of two releases that differ
	zips      []string // the same
	paths     []string // addresses in them, small files
	largest   string   // the address of the largest file
	cert, key string
	nginx     string // the program; "" if there is none
	strace    string
}

func prepare(ctx context.Context, s settings) (*testbed, error) {
	dir, err := os.MkdirTemp("", "stele-campaign-")
	if err != nil {
		return nil, err
	}
	p := &testbed{dir: dir, program: filepath.Join(dir, "stele"), cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
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
			build := []string{p.program, "build", p.records, "--date", date, "--allow-future", "--downloads", "none", "-q", "-o", at}
			if s.plain {
				build = append(build, "--no-variants")
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
	p.nginx, _ = exec.LookPath("nginx") // reports say what was left out
	p.strace, _ = exec.LookPath("strace")
	return errors.Join(p.list(), p.makeCertificate())
}

// list finds what can be asked for.
func (p *testbed) list() error {
	most := int64(0)
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
		if info.Size() > most {
			most, p.largest = info.Size(), "/"+path
		}
		if info.Size() < 64<<10 {
			p.paths = append(p.paths, "/"+path)
		}
		return nil
	})
}

func (p *testbed) makeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0),
		DNSNames: []string{"localhost"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(p.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644),
		os.WriteFile(p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
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
	secure  bool
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

// manyConnections is more connections than any attack has.
const manyConnections = 12000

// serve starts Stele, perhaps under another program.
func (p *testbed) serve(
	ctx context.Context, secure bool, connections int, release string, under ...string,
) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	args := append(under, p.program, "serve", release, "--listen", address, "--max-connections", strconv.Itoa(connections))
	if secure {
		args = append(args, "--tls-cert", p.cert, "--tls-key", p.key)
	}
	return start(ctx, address, secure, args...)
}

// serveNginx starts nginx with the same files.
func (p *testbed) serveNginx(ctx context.Context, secure bool, connections int) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	listen := "listen " + address + ";"
	if secure {
		listen = fmt.Sprintf("listen %s ssl http2; ssl_certificate %s; ssl_certificate_key %s;", address, p.cert, p.key)
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n"
	}
	config := filepath.Join(p.dir, fmt.Sprintf("nginx-%d.conf", port))
	text := fmt.Sprintf("daemon off;\nworker_processes 2;\nworker_rlimit_nofile 65536;\n%spid %s/nginx-%d.pid;\nerror_log /dev/null;\nevents { worker_connections %[6]d; }\n"+
		"http { access_log off; client_body_temp_path %[2]s; proxy_temp_path %[2]s; fastcgi_temp_path %[2]s; uwsgi_temp_path %[2]s; scgi_temp_path %[2]s;\nserver { %[4]s root %[5]s; } }\n",
		user, p.dir, port, listen, p.releases[0], connections/2) // of each worker
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, err
	}
	return start(ctx, address, secure, p.nginx, "-p", p.dir, "-c", config)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// start starts a server and waits until it takes connections.
func start(ctx context.Context, address string, secure bool, args ...string) (*server, error) {
	s := &server{
		cmd: exec.CommandContext(ctx, args[0], args[1:]...), address: address, secure: secure,
		says: new(lines), ended: make(chan struct{}),
	}
	s.cmd.Stdout, s.cmd.Stderr = s.says, s.says
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		s.cmd.Wait() // how it ended, s.says tells
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

// memory is the resident memory of a server and its children.
func (s *server) memory() (total int64) {
	pids := []string{strconv.Itoa(s.cmd.Process.Pid)}
	for i := 0; i < len(pids); i++ {
		children, _ := os.ReadFile(filepath.Join("/proc", pids[i], "task", pids[i], "children")) // one that ended has none
		pids = append(pids, strings.Fields(string(children))...)
		statm, _ := os.ReadFile(filepath.Join("/proc", pids[i], "statm"))
		if fields := strings.Fields(string(statm)); len(fields) > 1 {
			pages, _ := strconv.ParseInt(fields[1], 10, 64)
			total += pages * int64(os.Getpagesize())
		}
	}
	return total
}
