package projecttest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// offline runs a command in a folder, with what was downloaded already.
func offline(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", c, err, stderr.Bytes())
	}
	return stdout.String()
}

// TestReadmeProgram: the program of the README, in a module of its own, builds and reads a release
// as the README says.
func TestReadmeProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it links a program")
	}
	readme := must.Get(os.ReadFile("README.md"))(t)
	_, program, found := strings.Cut(string(readme), "```go\n")
	program, _, closed := strings.Cut(program, "```")
	if !found || !closed {
		t.Fatal("the README has no program")
	}
	root := must.Get(filepath.Abs("."))(t)
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
	for _, args := range [][]string{
		{"go", "mod", "init", "example.org/mine"},
		{"go", "mod", "edit", "-replace", "stele=" + root},
		{"go", "mod", "tidy", "-e"}, // what only tests of others need is in no cache
	} {
		if said := strings.Join(args[:3], " "); !strings.Contains(string(readme), said) {
			t.Errorf("the README does not say %q", said)
		}
		offline(t, dir, args...)
	}
	out := offline(t, dir, "go", "run", ".", filepath.Join(root, "release", "testdata", "first"))
	if !strings.Contains(out, "ent-measles") {
		t.Errorf("it prints %q", out)
	}
}

// TestModulePath: one command gives a copy of the project another module path, and what programs
// import builds.
func TestModulePath(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it compiles packages")
	}
	dir := t.TempDir()
	for _, part := range []string{"Makefile", "go.mod", "go.sum", "bench", "client", "cmd", "examples", "internal", "record", "release", "sample", "tools"} {
		if out, err := exec.Command("cp", "-R", part, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	offline(t, dir, "make", "module", "TO=example.org/moved/stele")
	offline(t, dir, "go", "build", "./client")
	// that every import of every package is there, those of tests too
	list := offline(t, dir, "go", "list", "-e", "-deps", "-test", "-f", "{{with .Error}}{{.Err}}\n{{end}}", "./...")
	if list != "" {
		t.Errorf("imports that are missing:\n%s", list)
	}
	if old, err := exec.Command("grep", "-rn", `"stele/`, "--include=*.go", dir).CombinedOutput(); err == nil {
		t.Errorf("what is left of the old path:\n%s", old)
	}
}
