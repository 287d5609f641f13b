package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outputOf runs the command and returns all that it writes.
func outputOf(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	c := exec.Command("stele", args...)
	c.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_STATE_HOME=")
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(out), c.ProcessState.ExitCode()
}

// starterRelease builds a release of the starter folder, and returns where both are.
func starterRelease(t *testing.T, options ...string) (folder, public string) {
	t.Helper()
	dir := t.TempDir()
	folder, public = filepath.Join(dir, "folder"), filepath.Join(dir, "public")
	stele(t, "init", folder)
	stele(t, append([]string{"build", folder, "-o", public, "-q", "--date", "2026-03-01"}, options...)...)
	return folder, public
}

// TestNewerFormat: whatever would read a release of a newer version of the program refuses it.
func TestNewerFormat(t *testing.T) {
	folder, public := starterRelease(t, "--records-only", "--no-variants")
	older := filepath.Join(t.TempDir(), "older")
	stele(t, "build", folder, "-o", older, "-q", "--date", "2026-03-01", "--records-only", "--no-variants")
	path := filepath.Join(public, "manifest.json")
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte(`"stele-release/2"`)) {
		t.Fatalf("%v: %.200s", err, data)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("stele-release/2"), []byte("stele-release/3"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(public)))
	defer server.Close()
	none, key := filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "signer.key")
	stele(t, "key", "new", "data.example.org", "-o", key)
	for _, args := range [][]string{
		{"verify", public},
		{"verify", server.URL},
		{"build", folder, "-o", public},
		{"build", folder, "-o", none, "--previous", public},
		{"build", folder, "-o", none, "--previous", server.URL},
		{"check", folder, "--previous", server.URL},
		{"diff", public, folder},
		{"diff", server.URL, folder},
		{"show", "sig-example-rise", public},
		{"show", "sig-example-rise", server.URL},
		{"restore", public, "-o", none, "--as-of", "2026-03-01"},
		{"restore", server.URL, "-o", none, "--as-of", "2026-03-01"},
		{"reproduce", public, folder},
		{"sign", public, "--key", key},
		{"mirror", server.URL, none},
		{"mirror", server.URL, older},
		{"push", public, "file://" + t.TempDir()},
		{"serve", public, "--listen", "127.0.0.1:0"},
	} {
		if text, code := outputOf(t, args...); code == 0 || !strings.Contains(text, "made by a newer version of Stele: it has the format 3") {
			t.Errorf("stele %q ends with %d:\n%s", args, code, text)
		}
	}
}
