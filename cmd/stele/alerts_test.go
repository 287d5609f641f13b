//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
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
	address, second := s.Address(t, "records"), s.Address(t, "second")
	in := func(name string) string { return filepath.Join(dir, name) }
	run := func(name, bucket string, args ...string) *running { // its administrators' address is in a file
		t.Helper()
		admin := process.FreeAddress()
		must.Do(t, os.WriteFile(in(name+".address"), []byte(admin), 0o644))
		r := must.Get(run(dir, nil, append([]string{
			bucket, "--poll", "100ms", "--cache", in(name), "--admin", admin, "--listen", "127.0.0.1:0",
		}, args...)...))(t)
		t.Cleanup(r.kill)
		return r
	}
	copyPointer := func(from, to string) {
		must.Get(exec.Command("cp", "-a", filepath.Join(s.Dir, from, ".stele"), filepath.Join(s.Dir, to)).Output())(t)
	}
	publish := func(date string) {
		stele(t, "build", in("folder"), "-o", in("release.zip"), "--date", date, "--without=derived", "-q")
		if date == "2026-03-01" {
			stele(t, "sign", in("release.zip"), "--key", in("key"))
		}
		stele(t, "push", in("release.zip"), address, "-q")
	}
	stele(t, "init", in("folder"), "--address", "https://records.example.org")
	stele(t, "key", "new", "records.example.org", "-o", in("key"))
	public := must.Get(exec.Command("stele", "key", "show", in("key")).Output())(t)
	gateway := httptest.NewServer(buckettest.Proxy(s.Host, nil, nil))
	throughGateway := s.Through("records", strings.TrimPrefix(gateway.URL, "http://"))

	publish("2026-03-01")
	must.Do(t, os.Mkdir(filepath.Join(s.Dir, "backup"), 0o755))
	copyPointer("records", "backup")
	stopped := run("down", throughGateway)
	must.Do(t, stopped.signal(syscall.SIGTERM))
	must.Get(stopped.wait())(t)
	gateway.Close()
	revise := exec.Command("stele", "revise", "sig-example-rise", "--set", "title=Another title", "--date", "2026-03-02")
	revise.Dir = in("folder")
	must.Get(revise.Output())(t)
	publish("2026-03-02")
	copyPointer("records", "second")

	run("healthy", address)
	run("unsigned", address, "--key", strings.TrimSpace(string(public)))
	run("down", throughGateway)
	run("restored", second)
	config := "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [alerts.yml]\nscrape_configs:\n"
	for _, name := range []string{"healthy", "unsigned", "down", "restored"} {
		config += fmt.Sprintf("  - {job_name: %s, static_configs: [{targets: [%q]}]}\n", name, must.Get(os.ReadFile(in(name+".address")))(t))
	}
	rules := must.Get(os.ReadFile("../../deploy/alerts.yml"))(t)
	rules = regexp.MustCompile(`for: \d+m`).ReplaceAll(rules, []byte("for: 1s"))
	rules = regexp.MustCompile(`> (300|120)\b`).ReplaceAll(rules, []byte("> 2"))
	must.Do(t, errors.Join(
		os.WriteFile(in("alerts.yml"), rules, 0o644), os.WriteFile(in("prometheus.yml"), []byte(config), 0o644)))
	at := process.FreeAddress()
	process.Run(t, exec.Command("prometheus", "--config.file", in("prometheus.yml"), "--storage.tsdb.path", in("data"),
		"--web.listen-address", at), at)
	expectAlerts(t, at, map[string][]string{
		"down":     {"SteleBehind", "StelePointerUnread"},
		"unsigned": {"SteleBehind", "SteleLag", "SteleRefused"},
	})
	must.Do(t, os.RemoveAll(filepath.Join(s.Dir, "second", ".stele")))
	copyPointer("backup", "second")

	expectAlerts(t, at, map[string][]string{
		"down":     {"SteleBehind", "StelePointerUnread"},
		"restored": {"SteleBehind", "SteleLag", "SteleRefused"},
		"unsigned": {"SteleBehind", "SteleLag", "SteleRefused"},
	})
}

// expectAlerts waits until Prometheus fires these alerts of each job.
func expectAlerts(t *testing.T, at string, want map[string][]string) {
	t.Helper()
	var firing map[string][]string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Second) {
		var answer struct {
			Data struct {
				Alerts []struct {
					State  string
					Labels struct{ Job, AlertName string }
				}
			}
		}
		response := must.Get(http.Get("http://" + at + "/api/v1/alerts"))(t)
		err := json.NewDecoder(response.Body).Decode(&answer)
		must.Do(t, response.Body.Close())
		if err != nil { // it answers in words while it starts
			continue
		}
		firing = map[string][]string{}
		for _, a := range answer.Data.Alerts {
			if a.State == "firing" && a.Labels.AlertName != "SteleFewFreeBytes" {
				firing[a.Labels.Job] = append(firing[a.Labels.Job], a.Labels.AlertName)
				slices.Sort(firing[a.Labels.Job])
			}
		}
		if maps.EqualFunc(firing, want, slices.Equal) {
			return
		}
	}
	t.Errorf("the alerts that fire are %v, want %v", firing, want)
}
