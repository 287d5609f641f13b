package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/witnesstest"
)

// TestLongSignerIsDurable watches the system calls of a signing: the signer's state is on disk,
// with its name, before a witness is asked, and each file of the log with its name and its folder.
func TestLongSignerIsDurable(t *testing.T) {
	long.Only(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip(err)
	}
	stele, err := exec.LookPath("stele") // which TestMain puts there
	must.Do(t, err)
	dir := t.TempDir()
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run(stele, "init", "folder", "--address", "https://records.example.org")
	run(stele, "build", "folder", "-o", "public", "--without=derived", "--without=variants")
	run(stele, "key", "new", "data.example.org", "-o", "signer.key")
	key, err := os.ReadFile(filepath.Join(dir, "signer.key.pub"))
	must.Do(t, err)
	w, end, err := witnesstest.Start(witnesstest.Program(t), dir, "witness.example", string(key))
	must.Do(t, err)
	defer end()
	policy := "log " + string(key) + "witness one " + w.Key + " " + w.URL + "\nquorum one\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "policy.txt"), []byte(policy), 0o644))
	probe := exec.Command(strace, "-f", "-o", filepath.Join(dir, "probe"), "true")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v\n%s", err, out)
	}
	trace := filepath.Join(dir, "trace")
	run(strace, "-f", "-y", "-o", trace, "-e", "trace=fsync,rename,renameat,renameat2,connect",
		stele, "sign", "public", "--key", "signer.key", "--witness", "policy.txt")
	text := must.Get(os.ReadFile(trace))(t)
	steps := strings.Split(string(text), "\n")
	find := func(from int, pattern string) int {
		t.Helper()
		at := slices.IndexFunc(steps[from:], regexp.MustCompile(pattern).MatchString)
		if at < 0 {
			t.Fatalf("no %s after step %d of\n%s", pattern, from, text)
		}
		return from + at
	}
	synced := find(0, `fsync\(\d+<[^>]*/\.stele-new-`)
	renamed := find(synced, `rename.*"signer\.key\.state"`)
	folder := find(renamed, `fsync\(\d+<`+regexp.QuoteMeta(dir)+`>`)
	asked := find(0, `connect\(.*htons\(`)
	if asked < folder {
		t.Errorf("the witness is asked before the state is on disk:\n%s", text)
	}
	at := asked
	for _, name := range []string{"log/checkpoint", "manifest.json.tlog-proof"} {
		at = find(at, `rename.*public/`+regexp.QuoteMeta(name)+`"`)
		at = find(at, `fsync\(\d+<`+regexp.QuoteMeta(filepath.Dir(filepath.Join(dir, "public", name)))+`>`)
	}
	for _, made := range []string{"public/log/tile", "public/log/tile/entries"} {
		find(asked, `fsync\(\d+<`+regexp.QuoteMeta(filepath.Join(dir, made))+`>`)
	}
	find(at, `rename.*"signer\.key\.state"`)
}
