package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// TestUnits: systemd finds nothing wrong with the units and the part for a bucket, and what the
// latter two start answers.
func TestUnits(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it starts servers")
	}
	_, public := starterRelease(t, "--without=derived", "--without=variants")
	kept := buckettest.Folder(t)
	stele(t, "push", public, kept, "-q")
	dir := t.TempDir()
	commands := map[string][]string{
		"bucket.conf":          unitCommand(t, "../../deploy/bucket.conf"),
		"stele-agents.service": unitCommand(t, "../../deploy/stele-agents.service"),
	}
	served := ""
	for _, name := range []string{"bucket.conf", "stele-agents.service"} {
		text := strings.NewReplacer("${STELE_BUCKET}", kept, "/var/cache/stele", filepath.Join(dir, "cache"),
			"127.0.0.1:9090", freeAddress(t), " $STELE_OPTIONS", " --listen 127.0.0.1:0", "http://127.0.0.1 ", served+" ",
			"127.0.0.1:8090", "127.0.0.1:0", " $STELE_AGENTS", "").Replace(strings.Join(commands[name], " "))
		r := must.Get(runAs("/", nil, strings.Fields(text)...))(t)
		t.Cleanup(r.kill)
		served = r.url
	}
	agent := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s := must.Get(agent.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: served}, nil))(t)
	must.Do(t, s.Close())

	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Skip("there is no systemd-analyze")
	}
	program := must.Get(exec.LookPath("stele"))(t)
	must.Do(t, os.Mkdir(filepath.Join(dir, "stele.service.d"), 0o755))
	for _, name := range []string{"stele.service", "stele.socket", "stele-agents.service", "bucket.conf"} {
		text := must.Get(os.ReadFile(filepath.Join("../../deploy", name)))(t)
		if name == "bucket.conf" {
			name = filepath.Join("stele.service.d", name)
		}
		text = []byte(strings.ReplaceAll(string(text), "/usr/local/bin/stele", program))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	c := exec.Command("systemd-analyze", "verify", "stele.service", "stele-agents.service", "stele.socket")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestProxies: nginx and Caddy, with the files in deploy, pass on what a server of a bucket, the
// bucket's web site and a server of agents say.
func TestProxies(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it starts servers of others")
	}
	store := buckettest.S3(t)
	_, public := starterRelease(t)
	address := store.Address(t, "copy")
	store.OpenWebsite(t, "copy")
	stele(t, "push", public, address, "--site", "-q")
	server := must.Get(run("/", nil, address, "--cache", t.TempDir(), "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(server.kill)
	type deployed = func(path string, more ...string) string
	for name, start := range map[string]func(*testing.T, string, deployed){"nginx": startNginx, "caddy": startCaddy} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skip("it is not installed")
			}
			at := freeAddress(t)
			agents := must.Get(runAs("/", nil, "mcp", address, "--listen", "127.0.0.1:0",
				"--address", "http://agents.example.org"))(t)
			t.Cleanup(agents.kill)
			start(t, at, func(path string, more ...string) string {
				text := must.Get(os.ReadFile(filepath.Join("../../deploy", path)))(t)
				return strings.NewReplacer(append([]string{
					"127.0.0.1:8080", strings.TrimPrefix(server.url, "http://"), "listen 80;", "listen " + at + ";",
					"127.0.0.1:8090", strings.TrimPrefix(strings.TrimSuffix(agents.url, "/"), "http://"),
					"pass http://measles.s3-website.example.net", "pass http://" + store.Website,
					"proxy http://measles.s3-website.example.net", "proxy http://" + store.Website,
					"measles.s3-website.example.net", "copy." + buckettest.SiteDomain,
					"{upstream_hostport}", "copy." + buckettest.SiteDomain,
				}, more...)...).Replace(string(text))
			})
			expectProxied(t, at, public)
		})
	}
}

func startNginx(t *testing.T, _ string, deployed func(path string, more ...string) string) {
	dir, as := t.TempDir(), ""
	if os.Getuid() == 0 { // else its workers may not enter the folder of a test
		as = "user root;"
	}
	config := "daemon off; worker_processes 1; " + as + ` pid nginx.pid; error_log stderr;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  ` + deployed("nginx.conf", "/var/cache/nginx/stele", filepath.Join(dir, "cache")) + "}\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600))
	start(t, exec.Command("nginx", "-p", dir, "-c", "nginx.conf", "-e", "stderr"))
}

func startCaddy(t *testing.T, at string, deployed func(path string, more ...string) string) {
	dir := t.TempDir()
	_, port, err := net.SplitHostPort(at)
	must.Do(t, err)
	config := "{\n\tadmin off\n\tauto_https off\n\thttp_port " + port + "\n}\n" + deployed("Caddyfile")
	config = regexp.MustCompile(`(?m)^([a-z]+\.example\.org) \{`).ReplaceAllString(config, "http://$1 {")
	must.Do(t, os.WriteFile(filepath.Join(dir, "Caddyfile"), []byte(config), 0o600))
	c := exec.Command("caddy", "run", "--config", filepath.Join(dir, "Caddyfile"), "--adapter", "caddyfile")
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	start(t, c)
}

// expectProxied asks a proxy for what is behind it, by the names of the examples.
func expectProxied(t *testing.T, at, public string) {
	t.Helper()
	patientlyGet(t, "http://"+at+"/manifest.json")
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial, DisableCompression: true}}
	get := func(host, path string, head http.Header) (*http.Response, string) {
		t.Helper()
		q := must.Get(http.NewRequest(http.MethodGet, "http://"+host+path, nil))(t)
		q.Header = head
		answer := must.Get(client.Do(q))(t)
		defer answer.Body.Close()
		return answer, string(must.Get(io.ReadAll(answer.Body))(t))
	}
	want := string(must.Get(os.ReadFile(filepath.Join(public, "manifest.json")))(t))
	for _, host := range []string{"data.example.org", "copy.example.org"} {
		answer, text := get(host, "/manifest.json", nil)
		if answer.StatusCode != http.StatusOK || text != want || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %v %.300s", host, answer.Status, answer.Header, text)
		}
		if answer, text := get(host, "/signals/", nil); answer.StatusCode != http.StatusOK || !strings.Contains(text, "<!doctype html>") {
			t.Errorf("%s: a page: %s %.100s", host, answer.Status, text)
		}
	}
	answer, text := get("data.example.org", "/manifest.json", http.Header{"Range": {"bytes=0-9"}})
	if answer.StatusCode != http.StatusPartialContent || text != want[:10] {
		t.Errorf("a range: %s %.100s", answer.Status, text)
	}
	tag := answer.Header.Get("ETag")
	if answer, _ := get("data.example.org", "/manifest.json", http.Header{"If-None-Match": {tag}}); answer.StatusCode != http.StatusNotModified {
		t.Error(answer.Status)
	}
	if answer, _ := get("data.example.org", "/manifest.json", http.Header{"Accept-Encoding": {"br"}}); answer.Header.Get("Content-Encoding") != "br" {
		t.Error(answer.Header)
	}
	agent := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	transport := &mcp.StreamableClientTransport{Endpoint: "http://agents.example.org/", HTTPClient: client}
	s := must.Get(agent.Connect(t.Context(), transport, nil))(t)
	defer s.Close()
	if tools, err := s.ListTools(t.Context(), nil); err != nil || len(tools.Tools) != 5 {
		t.Errorf("%v, %v", tools, err)
	}
}
