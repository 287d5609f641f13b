package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/base/version"
	"stele/internal/testkit/must"
)

// top opens the checkout that this test is in.
func top(t *testing.T) *source {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles the program for a release")
	}
	if err := exec.Command("git", "-C", "../..", "rev-parse").Run(); err != nil {
		t.Skipf("this is no checkout of git, whose commit an archive names: %v", err)
	}
	return must.Get(openSource("../.."))(t)
}

// copied copies a checkout to another folder, with all that is not committed yet.
func copied(t *testing.T, s *source) *source {
	t.Helper()
	tracked := must.Get(s.output(nil, "git", "ls-files", "--cached", "--others", "--exclude-standard"))(t)
	dir := filepath.Join(t.TempDir(), "somewhere", "else")
	for name := range strings.Lines(tracked) {
		name = strings.TrimSuffix(name, "\n")
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		if errors.Is(err, fs.ErrNotExist) { // deleted, and not committed yet
			continue
		}
		must.Do(t, err)
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return &source{dir: dir, build: s.build, files: s.files}
}

// An archive is the same to the byte wherever it is made, and has all that it should. The program
// in it runs, and says what it is.
func TestSameBytes(t *testing.T) {
	s := top(t)
	here := target{"linux", runtime.GOARCH}
	contents, err := s.contents(here)
	must.Do(t, err)
	again, err := copied(t, s).contents(here)
	must.Do(t, err)
	same := func(a, b file) bool { return a.name == b.name && a.mode == b.mode && bytes.Equal(a.data, b.data) }
	if !slices.EqualFunc(contents, again, same) {
		t.Error("in another folder the archive has other contents")
	}
	at := slices.IndexFunc(contents, func(f file) bool { return f.name == "stele" })
	if at < 0 {
		t.Fatal("there is no program")
	}
	if runtime.GOOS == "linux" {
		says(t, contents[at].data, "stele version "+s.build.String()+"\n")
	}
	contents[at].data = contents[at].data[:1<<20] // to compress all of it takes long, and shows no more
	name, data, err := s.archive(here, contents)
	must.Do(t, err)
	files := untar(t, data, s.build.Time)
	folder := strings.TrimSuffix(name, ".tar.gz") + "/"
	if want := "stele-" + s.build.Name() + "-linux-" + runtime.GOARCH + "/"; folder != want {
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
	if !bytes.Equal(files[folder+"stele"], contents[at].data) {
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

// The program can be built for every system. Compiling everything takes minutes where nothing of it
// is cached, so this runs where CI is set, for one target of each system; make dist makes all.
func TestEverySystem(t *testing.T) {
	if os.Getenv("CI") == "" {
		t.Skip("CI is not set")
	}
	seen := map[string]bool{}
	targets := slices.DeleteFunc(slices.Clone(targets), func(target target) bool {
		before := seen[target.os]
		seen[target.os] = true
		return before
	})
	s := top(t)
	dir := t.TempDir()
	must.Do(t, s.write(dir, targets))
	sums := must.Get(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)
	if got := bytes.Count(sums, []byte("\n")); got != len(targets) {
		t.Errorf("%d sums for %d archives", got, len(targets))
	}
	for _, target := range targets {
		if !bytes.Contains(sums, []byte("-"+target.os+"-"+target.arch+".")) {
			t.Errorf("%s is not there", target)
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
	if err := (texts{}).add("a module", t.TempDir()); err == nil {
		t.Error("a module without a licence is taken")
	}
}

// TestReadme: the README names the archive of every system.
func TestReadme(t *testing.T) {
	readme := must.Get(os.ReadFile("../../README.md"))(t)
	for _, target := range targets {
		if name := target.os + "-" + target.arch; !strings.Contains(string(readme), name) {
			t.Errorf("the README does not name %s", name)
		}
	}
}
