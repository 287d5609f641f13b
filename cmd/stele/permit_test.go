package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/testkit/must"
)

// TestNothingSentToUnknownHost: stele.yaml may be somebody else's. The host that it names gets no
// request, and so no credentials, before the user named it or agreed to it.
func TestNothingSentToUnknownHost(t *testing.T) {
	var asked atomic.Int64
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusForbidden)
	}))
	defer store.Close()
	host := strings.TrimPrefix(store.URL, "http://")
	for name, value := range map[string]string{
		"AZURE_STORAGE_SAS_TOKEN": "sv=2026&sig=SECRET", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_SESSION_TOKEN": "token", "AWS_REGION": "auto",
	} {
		t.Setenv(name, value)
	}
	for _, address := range []string{
		"azblob://c?domain=" + host + "&protocol=http&storage_account=acc&localemu=true",
		"s3://measles?use_path_style=true&endpoint=" + store.URL,
	} {
		dir := t.TempDir()
		t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
		folder := filepath.Join(dir, "folder")
		stele(t, "init", folder, "--address", "https://records.example.org")
		settings := must.Get(os.OpenFile(filepath.Join(folder, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0))(t)
		fmt.Fprintf(settings, "publish:\n  bucket: %s\n", address)
		must.Do(t, settings.Close())
		for _, options := range []string{"", "--yes", "--dry-run", "--confirm", "--yes --host other.example"} {
			args := append([]string{"publish", folder}, strings.Fields(options)...)
			out, code := outputOf(t, args...)
			if asked.Load() != 0 || code == 0 || !strings.Contains(out, host) {
				t.Fatalf("publish %s of %s sends %d requests and ends with %d:\n%s", options, address, asked.Load(), code, out)
			}
		}
		for _, options := range []string{"--first", "--host " + host, ""} { // the last is remembered
			args := append([]string{"publish", folder, "--yes"}, strings.Fields(options)...)
			out, _ := exec.Command("stele", args...).CombinedOutput() // it fails, because the store refuses
			if asked.Swap(0) == 0 {
				t.Errorf("publish --yes %s asks nobody:\n%s", options, out)
			}
		}
	}
}
