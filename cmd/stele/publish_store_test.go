//go:build unix

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

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongPublishLostAnswers: a store does what it is asked, and each of its answers is lost once.
// The release is published all the same, and none is lost or published twice.
func TestLongPublishLostAnswers(t *testing.T) {
	long.Only(t)
	s := buckettest.S3(t)
	s.Address(t, "records")
	dir := memoryDir(t)
	folder := filepath.Join(dir, "folder")
	stele(t, "init", folder, "--address", "https://records.example.org")
	var count, lose atomic.Int64
	proxy := httptest.NewServer(buckettest.Proxy(s.Host, nil, func(*http.Request) int {
		if count.Add(1) == lose.Load() {
			return 2
		}
		return 0
	}))
	defer proxy.Close()
	address := s.Through("records", strings.TrimPrefix(proxy.URL, "http://"))
	settings := must.Get(os.OpenFile(filepath.Join(folder, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0))(t)
	fmt.Fprintf(settings, "publish:\n  bucket: %s\n", address)
	must.Do(t, settings.Close())
	publish := func(date string, more ...string) string {
		t.Helper()
		args := append([]string{"publish", folder, "--yes", "--without=derived", "--without=variants", "--date", date}, more...)
		out, err := exec.Command("stele", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("answer %d is lost: %v\n%s", lose.Load(), err, out)
		}
		return string(out)
	}
	publish("2026-02-01", "--first")
	for lose.Store(1); ; lose.Add(1) {
		date := fmt.Sprintf("2026-03-%02d", lose.Load())
		edit := exec.Command("stele", "revise", "sig-example-rise", "--set", "title=Title "+date, "--date", date)
		edit.Dir = folder
		if out, err := edit.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		count.Store(0)
		publish(date)
		asked := count.Load()
		lost := lose.Swap(0)
		if out, code := outputOf(t, "verify", s.Named("records")); code != 0 {
			t.Fatalf("answer %d is lost:\n%s", lost, out)
		}
		if out := publish(date); !strings.Contains(out, "Nothing changed since release") {
			t.Errorf("answer %d was lost, and then:\n%s", lost, out)
		}
		lose.Store(lost)
		if asked < lost { // all were lost once
			t.Logf("%d answers", lost-1)
			return
		}
	}
}
