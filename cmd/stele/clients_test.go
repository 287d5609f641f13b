//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestClients: programs that others wrote understand the server.
func TestClients(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs the programs of others")
	}
	p := newPlaces(t, "--without=derived")
	release := filepath.Join(p.dir, "release.zip")
	plain := p.start(t, release).url
	secure := p.start(t, release, "--tls-cert", p.cert, "--tls-key", p.key).url
	const path = "/api/v1/healthcare-statistics.json"
	want := get(t, http.DefaultClient, plain+path)

	t.Run("Go", func(t *testing.T) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: p.roots}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		for _, base := range []string{plain, secure} {
			answer, err := (&http.Client{Transport: transport, Timeout: patience}).Get(base + path)
			must.Do(t, err)
			got, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || !bytes.Equal(got, want) || !answer.Uncompressed {
				t.Errorf("%s: %d bytes, want %d; decoded by the client: %v; %v", base, len(got), len(want), answer.Uncompressed, err)
			}
		}
	})
	t.Run("curl", func(t *testing.T) {
		curl, err := exec.LookPath("curl")
		if err != nil {
			t.Skip("curl is not installed")
		}
		for _, args := range [][]string{
			{plain + path},
			{"--compressed", plain + path},
			{"--http1.0", plain + path},
			{"--range", "0-", plain + path},
			{"--cacert", p.cert, "--http1.1", secure + path},
			{"--cacert", p.cert, "--http2", "--compressed", secure + path},
		} {
			got, err := exec.Command(curl, append([]string{"--silent", "--show-error", "--fail"}, args...)...).Output()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("curl %s: %d bytes, want %d; %v", strings.Join(args, " "), len(got), len(want), err)
			}
		}
		etag := filepath.Join(t.TempDir(), "etag")
		for _, code := range []string{"200", "304"} {
			got, err := exec.Command(curl, "--silent", "--etag-save", etag, "--etag-compare", etag, "--output", "/dev/null", "--write-out", "%{http_code}", plain+path).Output()
			if err != nil || string(got) != code {
				t.Errorf("curl --etag-compare: %s, want %s; %v", got, code, err)
			}
		}
	})
	t.Run("Chromium", func(t *testing.T) {
		chromium, err := exec.LookPath("chromium")
		if err != nil {
			t.Skip("chromium is not installed")
		}
		// without TLS, it reads all pages in the tests of the site
		got, err := dumpDOM(t, chromium, secure+"/api/v1/signals.json")
		if err != nil || !strings.Contains(got, "sig-uk-coverage-dip") {
			t.Errorf("chromium: %v\n%.500s", err, got)
		}
	})
}

// dumpDOM is what a browser makes of an address. It does not ask who signed the certificate.
func dumpDOM(t *testing.T, chromium, url string) (string, error) {
	t.Helper()
	profile, err := os.MkdirTemp("", "stele-test-")
	must.Do(t, err)
	defer os.RemoveAll(profile) // what its helpers write at the last moment may stay
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// into a file, because its helpers may hold a pipe open when it has ended
	page, err := os.Create(filepath.Join(t.TempDir(), "page"))
	must.Do(t, err)
	defer page.Close()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--ignore-certificate-errors", "--user-data-dir="+profile, "--dump-dom", url)
	cmd.Stdout = page
	if err := cmd.Run(); err != nil {
		return "", err
	}
	got, err := os.ReadFile(page.Name())
	return string(got), err
}

// get fetches what must be there.
func get(t *testing.T, client *http.Client, url string) []byte {
	t.Helper()
	answer, err := client.Get(url)
	must.Do(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, answer.Status, err)
	}
	return body
}
