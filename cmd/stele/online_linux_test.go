package main

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"stele/internal/testkit/acmetest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongOnline: a release and a bucket are online at a domain by one command, with one folder for
// certificates and releases. A restart needs no authority; SIGHUP tries again what failed.
func TestLongOnline(t *testing.T) {
	long.Only(t)
	plain, secure, admin := freeAddress(t), freeAddress(t), freeAddress(t)
	authority := acmetest.Start(t, acmetest.Options{HTTP: plain, TLS: secure})
	_, public := starterRelease(t, "--without=derived", "--without=variants")
	bucket := "file://" + t.TempDir()
	stele(t, "push", public, bucket, "-q")
	get := func(url string) (answer *http.Response, body string) {
		t.Helper()
		transport := &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: authority.Roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, to string) (net.Conn, error) {
				to = strings.NewReplacer("records.example.org:80", plain, "records.example.org:443", secure).Replace(to)
				return new(net.Dialer).DialContext(ctx, "tcp", to)
			},
		}
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		must.Do(t, err)
		if answer, err = transport.RoundTrip(q); err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		data := must.Get(io.ReadAll(answer.Body))(t)
		return answer, string(data)
	}
	for _, what := range []string{public, bucket} {
		cache := t.TempDir()
		start := func() *running {
			r := must.Get(run(t.TempDir(), func(c *exec.Cmd) { c.Env = append(c.Env, "SSL_CERT_FILE="+authority.RootFile) }, what,
				"--domain", "records.example.org", "--acme-directory", authority.Directory, "--cache", cache,
				"--listen", secure, "--redirect", plain, "--admin", admin))(t)
			t.Cleanup(r.kill)
			return r
		}
		online := func(r *running, log string) {
			t.Helper()
			must.Do(t, r.await(&r.err, regexp.MustCompile(log)))
			if answer, _ := get("https://records.example.org/manifest.json"); answer.StatusCode != http.StatusOK || answer.ProtoMajor != 2 {
				t.Errorf("%s %s", answer.Proto, answer.Status)
			}
			if answer, _ := get("http://records.example.org/manifest.json"); answer.Header.Get("Location") != "https://records.example.org/manifest.json" {
				t.Errorf("%s %v", answer.Status, answer.Header)
			}
		}
		authority.Set(acmetest.Shut)
		r := start()
		if err := r.await(&r.err, regexp.MustCompile(`no certificate; serving plain http meanwhile.*cannot reach the authority`)); err != nil {
			t.Fatal(err)
		}
		if answer, _ := get("http://records.example.org/manifest.json"); answer.StatusCode != http.StatusOK {
			t.Error(answer.Status)
		}
		if _, body := get("http://" + admin + "/metrics"); !strings.Contains(body, "\nstele_certificate_end_seconds 0\n") || !strings.Contains(body, "\nstele_certificate_failures_total 1\n") {
			t.Error(body)
		}
		authority.Set(nil)
		must.Do(t, r.signal(syscall.SIGHUP))
		online(r, "using the new certificate for new connections")
		if !strings.Contains(r.out.String(), "at https://records.example.org\n") || strings.Contains(r.err.String(), "base_url") {
			t.Errorf("%s%s", r.out.String(), r.err.String())
		}
		must.Do(t, r.signal(syscall.SIGTERM))
		if code, err := r.wait(); code != 0 || err != nil {
			t.Fatal(code, err)
		}
		authority.Set(acmetest.Shut)
		r = start()
		online(r, "using the stored certificate")
		r.kill()
		if _, err := os.Stat(filepath.Join(cache, "certificates")); err != nil {
			t.Error(err)
		}
	}
	r := must.Get(run(t.TempDir(), nil, public, "--domain", "www.example.org", "--acme-directory", authority.Directory,
		"--cache", t.TempDir(), "--listen", secure, "--redirect", plain))(t)
	defer r.kill()
	if err := r.await(&r.err, regexp.MustCompile("a different base_url .*: set base_url .* base_url=https://records.example.org domain=www.example.org")); err != nil {
		t.Error(err)
	}
}

// freeAddress is one that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	must.Do(t, l.Close())
	return l.Addr().String()
}
