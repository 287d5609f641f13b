//go:build unix

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/process"
	"stele/tools/programs"
)

// TestLongAlerts runs a server on a bucket in each of four states. Prometheus, with the rules in
// deploy and shorter times, fires the alerts that belong to each.
func TestLongAlerts(t *testing.T) {
	long.Only(t)
	process.Install(t, "prometheus", programs.Prometheus.Get)
	s, dir := buckettest.S3(t), memoryDir(t)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	address, second, at := s.Address(t, "records"), s.Address(t, "second"), process.FreeAddress()
	in := func(name string) string { return filepath.Join(dir, name) }
	config := "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\nscrape_configs:\n"
	serve := func(name, cache, bucket string, args ...string) *running {
		t.Helper()
		admin := process.FreeAddress()
		config += fmt.Sprintf("  - {job_name: %s, static_configs: [{targets: [%q]}]}\n", name, admin)
		r := must.Get(run(dir, nil, append([]string{
			bucket, "--poll", "100ms", "--cache", in(cache), "--admin", admin, "--listen", "127.0.0.1:0",
		}, args...)...))(t)
		t.Cleanup(r.kill)
		return r
	}
	command := func(dir, name string, args ...string) {
		t.Helper()
		c := exec.Command(name, args...)
		c.Dir = dir
		must.Get(c.Output())(t)
	}
	build := []string{"build", in("folder"), "-o", in("release.zip"), "--without=derived", "-q", "--date"}
	stele(t, "init", in("folder"), "--address", "https://records.example.org")
	stele(t, "key", "new", "records.example.org", "-o", in("key"))
	gateway := httptest.NewServer(buckettest.Proxy(s.Host, nil, nil))
	throughGateway := s.Through("records", strings.TrimPrefix(gateway.URL, "http://"))

	stele(t, append(build, "2026-03-01")...)
	stele(t, "sign", in("release.zip"), "--key", in("key"))
	stele(t, "push", in("release.zip"), address, "-q")
	command(s.Dir, "cp", "-a", "records", in("backup"))
	serve("stele", "down", throughGateway).kill()
	gateway.Close()
	command(in("folder"), "stele", "revise", "sig-example-rise", "--set", "title=Another title", "--date", "2026-03-02")
	stele(t, append(build, "2026-03-02")...)
	stele(t, "push", in("release.zip"), address, "-q")
	command(s.Dir, "cp", "-a", "records/.stele", "second")

	serve("healthy", "healthy", address)
	serve("unsigned", "unsigned", address, "--key", in("key.pub"))
	serve("down", "down", throughGateway)
	serve("restored", "restored", second)
	rules := must.Get(os.ReadFile("../../deploy/alerts.yml"))(t)
	rules = regexp.MustCompile(`for: \d+m`).ReplaceAll(rules, []byte("for: 1s"))
	rules = regexp.MustCompile(`> (300|120)\b`).ReplaceAll(rules, []byte("> 2"))
	must.Do(t, errors.Join(
		os.WriteFile(in("alerts.yml"), rules, 0o644), os.WriteFile(in("prometheus.yml"), []byte(config), 0o644)))
	process.Run(t, exec.Command("prometheus", "--config.file", in("prometheus.yml"), "--storage.tsdb.path", in("data"),
		"--web.listen-address", at), at)
	want := map[string]bool{
		"down SteleBehind": true, "down StelePointerUnread": true, "stele SteleDown": true,
		"unsigned SteleBehind": true, "unsigned SteleLag": true, "unsigned SteleRefused": true,
	}
	expectAlerts(t, at, want)
	command(s.Dir, "rm", "-r", "second/.stele")
	command(s.Dir, "cp", "-a", in("backup")+"/.stele", "second")
	maps.Copy(want, map[string]bool{"restored SteleBehind": true, "restored SteleLag": true, "restored SteleRefused": true})
	expectAlerts(t, at, want)
}

// expectAlerts waits until Prometheus fires exactly these alerts, each after its job.
func expectAlerts(t *testing.T, at string, want map[string]bool) {
	t.Helper()
	alert := regexp.MustCompile(`"alertname":"(\w+)".*?"job":"([\w-]+)".*?"state":"firing"`)
	var firing map[string]bool
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Second) {
		response := must.Get(http.Get("http://" + at + "/api/v1/alerts"))(t)
		data := must.Get(io.ReadAll(response.Body))(t)
		must.Do(t, response.Body.Close())
		firing = map[string]bool{}
		for _, one := range strings.Split(string(data), `{"labels"`) {
			if found := alert.FindStringSubmatch(one); found != nil && found[1] != "SteleFewFreeBytes" {
				firing[found[2]+" "+found[1]] = true
			}
		}
		if maps.Equal(firing, want) {
			return
		}
	}
	t.Errorf("the alerts that fire are %v, want %v", firing, want)
}
