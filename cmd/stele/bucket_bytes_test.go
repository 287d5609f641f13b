package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/testkit/buckettest"
	"stele/internal/testkit/must"
)

// TestBucketBytes: commands that read the records of a release in a bucket fetch a small part of
// it, also if it has the pack as an increment alone.
func TestBucketBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it starts a store")
	}
	dir := memoryDir(t)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	s := buckettest.S3(t)
	s.Address(t, "records")
	var fetched, requests atomic.Int64
	pass := buckettest.Proxy(s.Host, nil, nil)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		pass.ServeHTTP(counting{w, &fetched}, r)
	}))
	defer proxy.Close()
	address := s.Through("records", strings.TrimPrefix(proxy.URL, "http://"))
	folder, copied := filepath.Join(dir, "folder"), filepath.Join(dir, "copy")
	stele(t, "init", folder, "--address", "https://records.example.org")
	settings := must.Get(os.OpenFile(filepath.Join(folder, "stele.yaml"), os.O_APPEND|os.O_WRONLY, 0))(t)
	must.Get(settings.WriteString("publish:\n  bucket: " + address + "\n"))(t)
	must.Do(t, settings.Close())
	revise := func(date string) {
		t.Helper()
		edit := exec.Command("stele", "revise", "sig-example-rise", "--set", "title=Title "+date, "--date", date)
		edit.Dir = folder
		if out, err := edit.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	stele(t, "publish", folder, "--yes", "--first", "--date", "2026-03-01", "-q")
	pack := must.Get(filepath.Glob(filepath.Join(s.Dir, "records", ".stele/packs/*.zip")))(t)
	size := must.Get(os.Stat(pack[0]))(t).Size()
	fetched.Store(0)
	stele(t, "mirror", address, copied, "-q")
	if fetched.Load() > size/8 {
		t.Errorf("a first copy of the records fetches %d bytes of a pack of %d", fetched.Load(), size)
	}
	revise("2026-03-02")
	for _, args := range [][]string{
		{"publish", folder, "--yes", "--date", "2026-03-02"},
		{"publish", folder, "--yes", "--date", "2026-03-02"},
		{"check", folder, "--previous", address, "--date", "2026-03-02"},
		{"mirror", address, copied},
		{"mirror", address, copied},
		{"diff", address, address},
		{"restore", address, "-o", filepath.Join(dir, "restored")},
		{"show", "sig-example-rise", address},
	} {
		fetched.Store(0)
		requests.Store(0)
		stele(t, args...)
		t.Logf("%s: %d bytes of %d, %d requests", args[0], fetched.Load(), size, requests.Load())
		if fetched.Load() > size/16 {
			t.Errorf("%s fetches %d bytes of a pack of %d", args[0], fetched.Load(), size)
		}
	}
	if packs := must.Get(filepath.Glob(filepath.Join(s.Dir, "records", ".stele/packs/*.zip")))(t); len(packs) != 1 {
		t.Errorf("the second release is there whole: %q", packs)
	}
	stele(t, "verify", copied, "-q")
}

// counting counts the bytes of answers.
type counting struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (c counting) Write(b []byte) (int, error) {
	c.bytes.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}
