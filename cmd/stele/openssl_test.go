package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerifyWithoutStele runs the script of the manual, which needs a shell and openssl alone, on a
// signed release, and on one that was changed.
func TestVerifyWithoutStele(t *testing.T) {
	if testing.Short() {
		t.Skip("runs openssl")
	}
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
		c := root()
		c.SetArgs(args)
		c.SetOut(t.Output())
		if err := c.Execute(); err != nil {
			t.Fatal(err)
		}
	}
	run("key", "new", "data.example.org", "-o", key)
	folder := filepath.Join(dir, "folder")
	write := func(path, text string) {
		t.Helper()
		at := filepath.Join(folder, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("stele.yaml", "title: Signed\nbase_url: https://data.example.org\npublisher: Test\nlicense: CC-BY-4.0\n"+
		"contact: test@example.org\nlanguage: en\nnotice: Nothing is promised.\n")
	for _, day := range []string{"10", "11", "12"} { // three releases, so that the proof has hashes in it
		write("records/public-references/"+day+".yaml", strings.ReplaceAll(`id: ref-DAY
version: 1
title: Reference DAY
summary: The reference of that day.
reference_note: It shows what is meant, in public.
illustrative: true
illustrates: [ref-DAY]
source_links: [{url: "https://DAY.example.org/", role: primary}]
verification_date: 2026-11-DAY
source_updates: []
corrections: []
published_date: 2026-11-DAY
updated_date: 2026-11-DAY
`, "DAY", day))
		// without pages: the script runs openssl for every file
		run("build", folder, "-o", public, "--date", "2026-11-"+day, "--key", key, "-q", "--records-only")
	}
	data, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	line := strings.TrimSpace(string(data))
	verify := func(key string) (string, error) {
		out, err := exec.Command("sh", "../../docs/verify.sh", public, key).CombinedOutput()
		return string(out), err
	}
	if out, err := verify(line); err != nil || !strings.Contains(out, "verified: entry 3 of 3 in the log of data.example.org") {
		t.Fatalf("%v\n%s", err, out)
	}
	run("key", "new", "data.example.org", "-o", key+"2")
	other, err := os.ReadFile(key + "2.pub")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := verify(strings.TrimSpace(string(other))); err == nil || !strings.Contains(out, "the key did not sign this log") {
		t.Errorf("another key: %v\n%s", err, out)
	}
	for path, says := range map[string]string{
		"index/public-references.json": "files differ from the manifest",
		"manifest.json":                "the log does not have this manifest in it",
		"manifest.json.tlog-proof":     "not verified",
	} {
		at := filepath.Join(public, path)
		whole, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		changed := []byte(strings.Replace(string(whole), "2", "3", 1))
		if err := os.WriteFile(at, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := verify(line); err == nil || !strings.Contains(out, says) {
			t.Errorf("%s changed: %v\n%s", path, err, out)
		}
		if err := os.WriteFile(at, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
