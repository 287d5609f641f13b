//go:build unix

package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/sample"
)

// TestHTTP runs the scripts of requests and answers in testdata/http against the program: over
// HTTP/1.1 with and without TLS and over HTTP/2, with files in memory and on disk. That answers are
// the same wherever files are, and through net/http, are tests of library and serve.
func TestHTTP(t *testing.T) {
	if testing.Short() {
		t.Skip("makes several releases")
	}
	paths, err := filepath.Glob("testdata/http/*.http")
	if err != nil || len(paths) < 5 {
		t.Fatalf("%d scripts, %v", len(paths), err)
	}
	var scripts []*script
	for _, path := range paths {
		s := must.Get(readScript(path))(t)
		scripts = append(scripts, s)
	}
	p := newPlaces(t)
	for _, place := range p.all() {
		t.Run(place.name, func(t *testing.T) {
			t.Parallel()
			for name, do := range p.ways(t, place) {
				runScripts(t, place.name, name, do, scripts)
			}
		})
	}
}

// runScripts runs the scripts that are for a place over one way.
func runScripts(t *testing.T, place, way string, do exchange, scripts []*script) {
	t.Helper()
	ran := 0
	for _, s := range scripts {
		if s.only != nil && !slices.Contains(s.only, place) {
			continue
		}
		each := s.each
		if each == nil {
			each = []string{""}
		}
		for _, path := range each {
			cases, faults := s.run(do, map[string]string{"{path}": path})
			for _, fault := range faults {
				t.Errorf("%s, %s: %v", place, way, fault)
			}
			ran += cases
		}
	}
	if ran < 1000 {
		t.Errorf("%s, %s: only %d requests", place, way, ran)
	}
}

// places has a folder and a zip of the sample, and a folder where nothing is.
type places struct {
	dir       string
	cert, key string
	roots     *x509.CertPool
}

// place is where a release lies, and the ways that requests take to it.
type place struct {
	name string
	args []string
	ways []string
}

func (p *places) all() []place {
	return []place{
		{"memory", nil, []string{"plain", "TLS"}},
		{"folder-files", []string{filepath.Join(p.dir, "public"), "--memory", "0"}, []string{"plain"}},
		{"zip-files", []string{filepath.Join(p.dir, "release.zip"), "--memory", "0"}, []string{"HTTP/2"}},
	}
}

// newPlaces makes releases of the sample, in which a record is gone that was there before: a folder
// and a zip. Options are those of the build.
func newPlaces(t *testing.T, options ...string) *places {
	t.Helper()
	p := &places{dir: memoryDir(t)}
	records := filepath.Join(p.dir, "records")
	must.Do(t, os.CopyFS(records, sample.Files))
	withdrawn := must.Get(os.ReadFile("testdata/http/withdrawn.yaml"))(t)
	extra := filepath.Join(records, "records", "signals", "withdrawn.yaml")
	must.Do(t, os.WriteFile(extra, withdrawn, 0o644))
	before := filepath.Join(p.dir, "before.zip")
	stele(t, "build", records, "-o", before, "--date", "2026-11-14", "--quiet", "--without=derived", "--without=variants")
	must.Do(t, os.Remove(extra))
	build := func(name string, more ...string) {
		args := []string{"build", records, "-o", filepath.Join(p.dir, name), "--date", "2026-11-15", "--quiet"}
		stele(t, slices.Concat(args, options, more)...)
	}
	build("public", "--previous", before, "--allow-removed", "sig-withdrawn", "--allow=shrink")
	// As nothing changed, the zip is the same release, and nothing is compressed once more.
	build("release.zip", "--previous", filepath.Join(p.dir, "public"))
	must.Do(t, os.Mkdir(filepath.Join(p.dir, "nothing"), 0o755))
	p.cert, p.key, p.roots = certificate(t, p.dir)
	return p
}

// stele runs a command that must succeed.
func stele(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("stele", args...).CombinedOutput(); err != nil {
		t.Fatalf("stele %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// start runs a server until the test ends, where there is nothing that it could take for records.
func (p *places) start(t *testing.T, args ...string) *running {
	t.Helper()
	r, err := run(filepath.Join(p.dir, "nothing"), nil, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	must.Do(t, err)
	t.Cleanup(r.kill)
	return r
}

// ways are those that requests take to a place.
func (p *places) ways(t *testing.T, place place) map[string]exchange {
	t.Helper()
	all := map[string]exchange{}
	for _, way := range place.ways {
		if way == "plain" {
			address := strings.TrimPrefix(p.start(t, place.args...).url, "http://")
			all[way] = rawExchange(t, func() (net.Conn, error) { return net.Dial("tcp", address) })
			continue
		}
		url := p.start(t, append([]string{"--tls-cert", p.cert, "--tls-key", p.key}, place.args...)...).url
		if way == "HTTP/2" {
			all[way] = p.http2Exchange(t, url)
			continue
		}
		all[way] = rawExchange(t, func() (net.Conn, error) {
			config := &tls.Config{RootCAs: p.roots, NextProtos: []string{"http/1.1"}}
			return tls.Dial("tcp", strings.TrimPrefix(url, "https://"), config)
		})
	}
	return all
}

// rawExchange writes requests by hand, so that they can be anything, on one connection for as long
// as the server keeps it.
func rawExchange(t *testing.T, dial func() (net.Conn, error)) exchange {
	var conn net.Conn
	var in *bufio.Reader
	t.Cleanup(func() {
		if conn != nil {
			conn.Close()
		}
	})
	return func(method, target string, header [][2]string, body string) (*received, error) {
		if conn == nil {
			c, err := dial()
			if err != nil {
				return nil, err
			}
			conn, in = c, bufio.NewReader(c)
		}
		lines := []string{method + " " + target + " HTTP/1.1", "Host: data.example.org"}
		for _, h := range header {
			lines = append(lines, h[0]+": "+h[1])
		}
		if body != "" {
			lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
		}
		conn.SetDeadline(time.Now().Add(patience))
		if _, err := conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n\r\n" + body)); err != nil {
			return nil, err
		}
		answer, err := http.ReadResponse(in, &http.Request{Method: method})
		if err != nil {
			conn = nil
			return nil, err
		}
		if answer.Close {
			defer func() {
				conn.Close()
				conn = nil
			}()
		}
		return receive(answer)
	}
}

// http2Exchange uses Go's client.
func (p *places) http2Exchange(t *testing.T, base string) exchange {
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: p.roots},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{
		Transport:     transport,
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(method, target string, header [][2]string, body string) (*received, error) {
		q, err := http.NewRequest(method, base+target, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		for _, h := range header {
			q.Header.Add(h[0], h[1])
		}
		answer, err := client.Do(q)
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		if answer.ProtoMajor != 2 {
			return nil, fmt.Errorf("the answer is %s", answer.Proto)
		}
		return receive(answer)
	}
}

// certificate makes one that is thrown away, and its key.
func certificate(t *testing.T, dir string) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	cert, key, roots = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	public, secret, err := process.Certificate(1)
	must.Do(t, errors.Join(err, os.WriteFile(cert, public, 0o600), os.WriteFile(key, secret, 0o600)))
	roots.AppendCertsFromPEM(public)
	return cert, key, roots
}
