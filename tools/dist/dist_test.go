package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"stele/internal/base/version"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
)

// top opens the checkout that this test is in.
func top(t *testing.T) *checkout {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the program for a release")
	}
	if err := exec.Command("git", "-C", "../..", "rev-parse").Run(); err != nil {
		t.Skipf("this is no checkout of git, whose commit an archive names: %v", err)
	}
	return must.Get(open("../.."))(t)
}

// TestSameBytes makes an archive here and from a copy of the checkout in another folder. Both are
// the same bytes and have all that they should. The program in it prints its version.
func TestSameBytes(t *testing.T) {
	c := top(t)
	here := "linux/" + runtime.GOARCH
	contents := must.Get(c.contents(here))(t)
	dir := filepath.Join(t.TempDir(), "somewhere", "else")
	must.Do(t, os.CopyFS(dir, os.DirFS("../..")))
	again := must.Get((&checkout{dir, c.build}).contents(here))(t)
	if !maps.EqualFunc(contents, again, bytes.Equal) {
		t.Error("in another folder the archive has other contents")
	}
	if runtime.GOOS == "linux" {
		says(t, contents["stele"], "stele version "+c.build.String()+"\n")
	}
	contents["stele"] = contents["stele"][:1<<20] // to compress all of it takes long, and shows no more
	name, data, err := c.archive(here, contents)
	must.Do(t, err)
	files := untar(t, data, c.build.Time)
	folder := strings.TrimSuffix(name, ".tar.gz") + "/"
	if want := "stele-" + c.build.Name() + "-linux-" + runtime.GOARCH + "/"; folder != want {
		t.Errorf("the archive is %s, and not %s", folder, want)
	}
	for name, has := range map[string]string{
		"LICENSE": "Apache License", "README.md": "# Stele", "CHANGELOG.md": version.Number,
		"THIRD-PARTY-LICENSES.txt": "UNICODE LICENSE", "docs/operating.md": "", "deploy/stele.service": "", "clients/python/stele/__init__.py": "",
		"completions/stele.bash": "complete", "completions/_stele": "#compdef stele",
		"completions/stele.fish": "complete -c stele", "completions/stele.ps1": "stele",
	} {
		if !bytes.Contains(files[folder+name], []byte(has)) || len(files[folder+name]) == 0 {
			t.Errorf("%s is not there, or has no %q", name, has)
		}
	}
	if !bytes.Equal(files[folder+"stele"], contents["stele"]) {
		t.Error("the program in the archive is another")
	}
}

// says runs a program, which must say its version.
func says(t *testing.T, program []byte, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stele")
	must.Do(t, os.WriteFile(path, program, 0o755))
	if out, err := exec.Command(path, "--version").CombinedOutput(); err != nil || string(out) != want {
		t.Errorf("it says %q, %v, and not %q", out, err, want)
	}
}

// untar reads an archive and makes sure that nothing in it tells who made it, or when: the only
// time is that of the commit.
func untar(t *testing.T, data []byte, committed time.Time) map[string][]byte {
	t.Helper()
	z := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	if !z.ModTime.IsZero() || z.Name != "" || z.Comment != "" {
		t.Errorf("the archive says of itself %+v", z.Header)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must.Do(t, err)
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || !h.ModTime.Equal(committed) {
			t.Errorf("%s: %+v", h.Name, h)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLongSystems makes the archive of one system of each sort. Compiling takes minutes if nothing
// is cached.
func TestLongSystems(t *testing.T) {
	long.Only(t)
	chosen := []string{"darwin/arm64", "linux/amd64", "windows/amd64"}
	dir := t.TempDir()
	must.Do(t, top(t).write(dir, chosen))
	sums := must.Get(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)
	if got := bytes.Count(sums, []byte("\n")); got != len(chosen) {
		t.Errorf("%d sums for %d archives", got, len(chosen))
	}
	for _, system := range chosen {
		if !bytes.Contains(sums, []byte("-"+strings.ReplaceAll(system, "/", "-")+".")) {
			t.Errorf("%s is not there", system)
		}
	}
}

func TestLicences(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.md": true, "license.txt": true, "COPYING": true, "NOTICE": true, "PATENTS": true,
		"LICENSE-3RD-PARTY.md": true, "UNLICENSE": true, "licences.go": false, "README.md": false, "noticeable": false,
	} {
		if got := isLicence.MatchString(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestReadme: the README names every system.
func TestReadme(t *testing.T) {
	readme := must.Get(os.ReadFile("../../README.md"))(t)
	for _, system := range systems {
		if !strings.Contains(string(readme), system) {
			t.Errorf("the README does not name %s", system)
		}
	}
}
