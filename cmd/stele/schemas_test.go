//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// TestSchemaChanges: a release shows how its schemas differ from those of the release before, as
// data, in the feed and on the developers' page, and the next one keeps that. A first release, and
// one with the same schemas, has nothing to show.
func TestSchemaChanges(t *testing.T) {
	race.LeaveOut(t, "it makes several releases, as others make one")
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	read := func(release, path string) string {
		t.Helper()
		data := must.Get(os.ReadFile(filepath.Join(dir, release, path)))(t)
		return string(data)
	}
	build := func(release, date string, more ...string) {
		t.Helper()
		args := []string{"build", folder, "-q", "--without=variants", "--downloads", "none", "--date", date, "-o", filepath.Join(dir, release)}
		stele(t, append(args, more...)...)
	}
	stele(t, "init", folder, "--address", "https://records.example.org")
	build("one", "2026-02-01", "--first")
	if got := read("one", "schema-changes.json"); !strings.Contains(got, `"changes": []`) {
		t.Errorf("a first release has %s", got)
	}
	// as an earlier program could have made it: without claim_boundary, and with another bound
	forge(t, filepath.Join(dir, "one"), "schemas/signals/record.json", func(schema string) string {
		schema = strings.Replace(schema, `"claim_boundary": {`, `"claim_limit": {`, 1)
		return strings.Replace(schema, `"maxLength": 160`, `"maxLength": 200`, 1)
	})
	reverify := func(date string) {
		t.Helper()
		c := exec.Command("stele", "reverify", "sig-example-rise", "--date", date)
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	reverify("2026-02-02")
	build("two", "2026-02-02", "--previous", filepath.Join(dir, "one"))
	reverify("2026-02-03")
	build("three", "2026-02-03", "--previous", filepath.Join(dir, "two"))
	for _, release := range []string{"two", "three"} {
		data := read(release, "schema-changes.json")
		for _, want := range []string{
			`"member": "claim_boundary",
      "change": "added"`,
			`"member": "claim_limit",
      "change": "removed"`,
			`"member": "title",
      "change": "narrowed"`,
		} {
			if strings.Count(data, want) != 1 {
				t.Errorf("%s lacks %s: %s", release, want, data)
			}
		}
		if n := strings.Count(data, `"date": "2026-02-02"`); n != 3 {
			t.Errorf("%s has %d differences of that day: %s", release, n, data)
		}
		if feed := read(release, "feeds/changes.json"); !strings.Contains(feed, "signal/claim_limit: removed.") {
			t.Errorf("the feed of %s has nothing of it", release)
		}
		page := read(release, "developers/index.html")
		if !strings.Contains(page, "<code>claim_limit</code>") || !strings.Contains(page, "allows fewer values") {
			t.Errorf("the page of %s has nothing of it", release)
		}
	}
}

// forge changes a file of a release, and its entry in the manifest.
func forge(t *testing.T, release, path string, change func(string) string) {
	t.Helper()
	at, list := filepath.Join(release, path), filepath.Join(release, "manifest.json")
	data := must.Get(os.ReadFile(at))(t)
	next := change(string(data))
	if next == string(data) {
		t.Fatalf("nothing of %s was changed", path)
	}
	manifest := must.Get(os.ReadFile(list))(t)
	entry := func(data []byte) []byte {
		return fmt.Appendf(nil, "\"size\": %d,\n   \"sha256\": \"%x\"", len(data), sha256.Sum256(data))
	}
	if !bytes.Contains(manifest, entry(data)) {
		t.Fatalf("the manifest does not have %s of %s", entry(data), path)
	}
	manifest = bytes.Replace(manifest, entry(data), entry([]byte(next)), 1)
	must.Do(t, os.WriteFile(at, []byte(next), 0o644))
	must.Do(t, os.WriteFile(list, manifest, 0o644))
}
