package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// TestLongVerifyWithoutStele runs the script of the manual, which needs a shell and openssl alone,
// on a signed release, and on one that was changed.
func TestLongVerifyWithoutStele(t *testing.T) {
	long.Only(t)
	if _, err := exec.LookPath("openssl"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("openssl is not installed")
	}
	dir := memoryDir(t)
	public, key := filepath.Join(dir, "public"), filepath.Join(dir, "signer.key")
	run := func(args ...string) {
		t.Helper()
		c := newRoot()
		c.SetArgs(args)
		c.SetOut(t.Output())
		must.Do(t, c.Execute())
	}
	run("key", "new", "data.example.org", "-o", key)
	folder := filepath.Join(dir, "folder")
	run("init", folder, "--address", "https://records.example.org")
	signal := filepath.Join(folder, "records", "signals", "sig-example-rise.yaml")
	text := must.Get(os.ReadFile(signal))(t)
	for n := 1; n <= 3; n++ { // three releases, so that the proof has hashes in it
		day := fmt.Sprintf("2026-11-%02d", 10+n)
		version := strings.NewReplacer("\nversion: 1\n", fmt.Sprintf("\nversion: %d\n", n),
			"\nsummary: ", fmt.Sprintf("\nsummary: For the %d. time, ", n), "\nupdated_date: 2026-01-10", "\nupdated_date: "+day)
		must.Do(t, os.WriteFile(signal, []byte(version.Replace(string(text))), 0o644))
		run("build", folder, "-o", public, "--date", day, "--key", key, "-q", "--downloads", "none")
	}
	data := must.Get(os.ReadFile(key + ".pub"))(t)
	line := strings.TrimSpace(string(data))
	verify := func(key string) (string, error) {
		out, err := exec.Command("sh", "../../docs/verify.sh", public, key).CombinedOutput()
		return string(out), err
	}
	if out, err := verify(line); err != nil || !strings.Contains(out, "verified: entry 3 of 3 in the log of data.example.org") {
		t.Fatalf("%v\n%s", err, out)
	}
	run("key", "new", "data.example.org", "-o", key+"2")
	other := must.Get(os.ReadFile(key + "2.pub"))(t)
	if out, err := verify(strings.TrimSpace(string(other))); err == nil || !strings.Contains(out, "the key did not sign this log") {
		t.Errorf("another key: %v\n%s", err, out)
	}
	for path, says := range map[string]string{
		"index/public-references.json":                 "files differ from the manifest",
		"api/v1/signals/sig-example-rise.json":         "files differ from the listings",
		"history/signals/sig-example-rise.ndjson":      "files differ from the listings",
		"signals/sig-example-rise/index.html":          "files differ from the listings",
		"manifest.json":                                "the log does not have this manifest in it",
		"manifest.json.tlog-proof":                     "not verified",
		"stray.html":                                   "stray.html does not belong to the release",
		"api/v1/signals/sig-example-rise.json.new.txt": "does not belong to the release",
	} {
		at := filepath.Join(public, path)
		whole, err := os.ReadFile(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		changed := []byte(strings.Replace(string(whole), "2", "3", 1))
		must.Do(t, os.WriteFile(at, changed, 0o644))
		if out, failed := verify(line); (failed == nil) != (says == "") || !strings.Contains(out, says) {
			t.Errorf("%s changed: %v\n%s", path, failed, out)
		}
		if whole == nil {
			err = os.Remove(at)
		} else {
			err = os.WriteFile(at, whole, 0o644)
		}
		must.Do(t, err)
	}
	flipEveryClass(t, public, func() (string, error) { return verify(line) })
	second := strings.TrimSpace(string(other))
	run("sign", public, "--key", key, "--key", key+"2", "--announce")
	run("sign", public, "--key", key+"2", "--state", "none", "--retire", key+".pub")
	for _, known := range []string{line, second} {
		if out, err := verify(known); err != nil || !strings.Contains(out, "of 5 in the log of data.example.org") {
			t.Errorf("after the key changed: %v\n%s", err, out)
		}
	}
	keys := must.Get(filepath.Glob(filepath.Join(public, "log/keys/*")))(t)
	for _, at := range keys {
		whole := must.Get(os.ReadFile(at))(t)
		must.Do(t, os.Remove(at))
		if out, err := verify(line); err == nil || !strings.Contains(out, "not verified: ") {
			t.Errorf("without %s: %v\n%s", at, err, out)
		}
		must.Do(t, os.WriteFile(at, whole, 0o644))
	}
	run("key", "new", "data.example.org", "-o", key+"3")
	third := must.Get(os.ReadFile(key + "3.pub"))(t)
	if out, err := verify(strings.TrimSpace(string(third))); err == nil || !strings.Contains(out, "the key did not sign this log") || len(keys) != 2 {
		t.Errorf("a key that the log does not have: %v\n%s", err, out)
	}
}

// flipEveryClass flips a byte in one file of each ending, in each folder that is listed in another
// way, and expects that it is noticed. The log is left out, which the script does not claim to
// check.
func flipEveryClass(t *testing.T, public string, verify func() (string, error)) {
	t.Helper()
	classes := map[string]bool{}
	err := fs.WalkDir(os.DirFS(public), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "log/") {
			return err
		}
		top, _, _ := strings.Cut(path, "/")
		ending := filepath.Ext(path)
		if !slices.Contains([]string{"api", "data", "index", "history", "by-hash", "schemas"}, top) {
			top = "" // pages and what belongs to them
		}
		at := filepath.Join(public, filepath.FromSlash(path))
		whole, err := os.ReadFile(at)
		if err != nil || len(whole) == 0 || classes[top+" "+ending] {
			return err
		}
		classes[top+" "+ending] = true
		changed := bytes.Clone(whole)
		changed[len(changed)/2] ^= 1
		// in place of the file: it may have a second name
		if err := errors.Join(os.Remove(at), os.WriteFile(at, changed, 0o644)); err != nil {
			return err
		}
		if out, err := verify(); err == nil {
			t.Errorf("%s with a flipped byte:\n%s", path, out)
		}
		return errors.Join(os.Remove(at), os.WriteFile(at, whole, 0o644))
	})
	if err != nil || len(classes) < 20 {
		t.Errorf("%d classes, %v", len(classes), err)
	}
	if out, err := verify(); err != nil || !strings.Contains(out, "not checked: 4 files of the log") {
		t.Errorf("at last: %v\n%s", err, out)
	}
}
