//go:build unix

package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongPublishKilled kills stele publish at points that are spread over the time that it takes.
// What is in the folder and in the bucket is the release before or the new one, whole and signed,
// and the next run ends with the new one in both.
func TestLongPublishKilled(t *testing.T) {
	long.Only(t)
	dir := memoryDir(t)
	folder, public, key := filepath.Join(dir, "folder"), filepath.Join(dir, "public"), filepath.Join(dir, "signer.key")
	address := "file://" + filepath.Join(dir, "bucket")
	stele(t, "init", folder, "--address", "https://records.example.org")
	stele(t, "key", "new", "data.example.org", "-o", key)
	must.Do(t, os.Mkdir(filepath.Join(dir, "bucket"), 0o755))
	settings := must.Get(os.OpenFile(filepath.Join(folder, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0))(t)
	fmt.Fprintf(settings, "publish:\n  folder: ../public\n  bucket: %s\n  site: true\n  key: ../signer.key\n", address)
	must.Do(t, settings.Close())
	publish := func(day int, more ...string) *exec.Cmd {
		args := []string{"publish", folder, "--yes", "--without=derived", "--without=variants", "--date", fmt.Sprintf("2026-02-%02d", day)}
		return exec.Command("stele", append(args, more...)...)
	}
	run := func(c *exec.Cmd) time.Duration {
		t.Helper()
		start := time.Now()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return time.Since(start)
	}
	// released verifies a place, and names its release.
	released := func(where string) string {
		t.Helper()
		out, code := outputOf(t, "verify", where, "--key", key+".pub", "--seen", filepath.Join(dir, "seen-"+filepath.Base(where)))
		id := regexp.MustCompile(`[0-9a-f]{12}`).FindString(out)
		if code != 0 || id == "" {
			t.Fatalf("%s ends with %d:\n%s", where, code, out)
		}
		return id
	}
	took := run(publish(1, "--first"))
	now := released(public)
	const runs = 10
	killed, halfway := 0, 0
	for i := range runs {
		day := i + 2
		edit := exec.Command("stele", "revise", "sig-example-rise", "--set", fmt.Sprint("title=Title ", i), "--date", fmt.Sprintf("2026-02-%02d", day))
		edit.Dir = folder
		run(edit)
		c := publish(day)
		must.Do(t, c.Start())
		timer := time.AfterFunc(took*5/4*time.Duration(i)/runs, func() { c.Process.Kill() })
		if c.Wait() != nil {
			killed++
		}
		timer.Stop()
		before, places := now, []string{released(public), released(address)}
		run(publish(day))
		if now = released(public); now == before || released(address) != now {
			t.Fatalf("after %s the folder has %s and the bucket %s", before, now, released(address))
		}
		for _, id := range places {
			if !slices.Contains([]string{before, now}, id) {
				t.Fatalf("it was killed, and there is release %s, neither %s nor %s", id, before, now)
			}
		}
		if places[0] != places[1] {
			halfway++
		}
	}
	if killed == 0 {
		t.Error("none was killed")
	}
	// one that was stopped when the pointer named the release, and its files were not in place
	pointer, shown := filepath.Join(dir, "bucket/.stele/current.json"), filepath.Join(dir, "bucket/manifest.json")
	data := must.Get(os.ReadFile(pointer))(t)
	mark := strings.Replace(string(data), `"site": {`, `"site": { "writing": "`+now+`", "stopped": true,`, 1)
	must.Do(t, errors.Join(os.WriteFile(pointer, []byte(mark), 0o644), os.Remove(shown)))
	run(publish(runs + 1))
	if data, err := os.ReadFile(shown); err != nil || !strings.Contains(string(data), now) {
		t.Errorf("the files of %s are not at their addresses: %v", now, err)
	}
	t.Logf("%d of %d were killed, %d between folder and bucket", killed, runs, halfway)
}

// TestPublishPastCaches: a cache before the service shows what it got first for ever. Each run is
// on a machine that has nothing but the records, and builds on what is live all the same.
func TestPublishPastCaches(t *testing.T) {
	if testing.Short() {
		t.Skip("makes releases")
	}
	dir := memoryDir(t)
	folder, live := filepath.Join(dir, "folder"), filepath.Join(dir, "live")
	var cache sync.Map // of answers, by address
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		http.FileServer(http.Dir(live)).ServeHTTP(answer, r)
		kept, _ := cache.LoadOrStore(r.URL.String(), answer)
		answer = kept.(*httptest.ResponseRecorder)
		w.WriteHeader(answer.Code)
		w.Write(answer.Body.Bytes()) // who asks sees what comes
	}))
	defer server.Close()
	stele(t, "init", folder, "--address", "https://records.example.org")
	settings := filepath.Join(folder, "stele.yaml")
	plain := must.Get(os.ReadFile(settings))(t)
	for day := 1; day <= 3; day++ {
		next, date := fmt.Sprint("next-", day), fmt.Sprintf("2026-02-%02d", day)
		t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state-of-"+next))
		text := fmt.Sprintf("%spublish:\n  folder: ../%s\n  address: %s\n", plain, next, server.URL)
		must.Do(t, os.WriteFile(settings, []byte(text), 0o644))
		args := []string{"publish", folder, "--yes", "--without=derived", "--without=variants", "--date", date}
		want := "Since release"
		if day == 1 {
			args, want = append(args, "--first"), "starts a history"
		} else {
			edit := exec.Command("stele", "revise", "sig-example-rise", "--set", "title=Title of "+date, "--date", date)
			edit.Dir = folder
			if out, err := edit.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		out, code := outputOf(t, append(args, "--prepare")...)
		if code != 0 || !strings.Contains(out, want) || day == 3 && !strings.Contains(out, "of 2026-02-02: 1 updated") {
			t.Fatalf("day %d ends with %d:\n%s", day, code, out)
		}
		os.RemoveAll(live)
		if err := os.Rename(filepath.Join(dir, next), live); err != nil { // the host's own step
			t.Fatal(err)
		}
		if a, err := http.Get(server.URL + "/manifest.json"); err != nil || a.Body.Close() != nil {
			t.Fatal(err) // a reader fills the cache
		}
	}
}
