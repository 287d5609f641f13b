package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"stele/internal/base/clock"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/witnesstest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// clockVariable has the time at which tests, and programs that scripts run, begin, if it is set:
//
//	STELE_TEST_CLOCK=2028-02-29T23:59:55Z TZ=Pacific/Kiritimati go test ./cmd/stele
const clockVariable = "STELE_TEST_CLOCK"

func TestMain(m *testing.M) {
	if text := os.Getenv(clockVariable); text != "" {
		begin, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(clockVariable + ": " + err.Error())
		}
		started := time.Now()
		clock.Now = func() time.Time { return begin.Add(time.Since(started)) }
	}
	testscript.Main(tests{m}, map[string]func(){"stele": main})
}

// tests are all tests, after which what they share is removed.
type tests struct{ *testing.M }

func (t tests) Run() int {
	defer func() { os.RemoveAll(sharedDir) }()
	return browsertest.Tests{M: t.M}.Run()
}

// sharedDir is a folder for releases that several tests read; "" until there is one.
var sharedDir string

// sampleRelease is a release of the sample with its pages, built once. Tests must not change it.
var sampleRelease = sync.OnceValues(func() (public string, err error) {
	if sharedDir, err = os.MkdirTemp("", "stele-test-"); err != nil {
		return "", err
	}
	public = filepath.Join(sharedDir, "public")
	out, err := exec.Command("stele", "build", "../../sample", "-o", public, "-q", "--date", "2026-11-17", "--without=variants").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return public, err
})

// TestScripts runs the command as a user does: a script for each topic in testdata/script.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) < 5 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	scripts = slices.DeleteFunc(scripts, witnesses)
	if testing.Short() {
		scripts = slices.DeleteFunc(scripts, makesReleases)
	}
	if race.Enabled { // most are processes of one goroutine that reads, checks and writes
		scripts = slices.DeleteFunc(scripts, func(path string) bool { return !serves(path) })
	}
	runAllScripts(t, scripts, "")
}

// TestLongScripts runs the scripts that start a witness.
func TestLongScripts(t *testing.T) {
	long.Only(t)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	must.Do(t, err)
	scripts = slices.DeleteFunc(scripts, func(path string) bool { return !witnesses(path) })
	runAllScripts(t, scripts, witnesstest.Program(t))
}

// runAllScripts runs scripts, some of which may start the program of a witness.
func runAllScripts(t *testing.T, scripts []string, witness string) {
	t.Helper()
	commands := maps.Clone(serveCommands)
	commands["found"] = foundCommand
	commands["witness"] = witnessCommand(witness)
	testscript.Run(t, testscript.Params{
		Files: scripts, UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: commands, WorkdirRoot: memoryDir(t),
		Setup: func(env *testscript.Env) error {
			env.Values[serverKey{}] = new(*scriptServer)
			env.Values[witnessKey{}] = map[string]*witnesstest.Witness{}
			testdata, err := filepath.Abs("testdata")
			env.Setenv("TESTDATA", testdata)
			return errors.Join(err, handEnvironment(env))
		},
	})
}

// handEnvironment hands on how Go runs this program, because that which scripts run is the same.
func handEnvironment(env *testscript.Env) error {
	for _, name := range []string{"GORACE", "GOGC", "GOMEMLIMIT", "TZ", clockVariable} {
		env.Setenv(name, os.Getenv(name))
	}
	return nil
}

// memoryDir is a folder in memory where there is one, because releases are brought to disk, and a
// busy disk takes its time.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "stele-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// serves reports whether a script serves something.
func serves(script string) bool {
	text, err := os.ReadFile(script)
	return err == nil && regexp.MustCompile(`(?m)^server `).Match(text)
}

// witnesses reports whether a script runs witnesses.
func witnesses(script string) bool {
	text, err := os.ReadFile(script)
	return err == nil && regexp.MustCompile(`(?m)^witness `).Match(text)
}

// makesReleases reports whether a script makes or serves releases, which takes long.
func makesReleases(script string) bool {
	text, err := os.ReadFile(script)
	return err == nil && regexp.MustCompile(`stele (build|serve|check --previous)`).Match(text)
}

// TestHelp compares every help text with its golden file, so that no change of it goes unseen.
func TestHelp(t *testing.T) {
	texts := map[string]string{"stele": help(t)}
	for _, c := range newRoot().Commands() {
		if c.IsAvailableCommand() {
			texts[c.Name()] = help(t, c.Name())
		}
	}
	if len(texts) < 6 {
		t.Fatalf("only %d help texts", len(texts))
	}
	for name, got := range texts {
		path := filepath.Join("testdata", "help", name+".golden")
		if *update {
			must.Do(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want := must.Get(os.ReadFile(path))(t)
		if got != string(want) {
			t.Errorf("%s differs; -update writes it anew. Got:\n%s", path, got)
		}
	}
	goldens, err := filepath.Glob("testdata/help/*.golden")
	if err != nil || len(goldens) != len(texts) {
		t.Errorf("%d golden files for %d help texts", len(goldens), len(texts))
	}
}

func help(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	c := newRoot()
	c.SetOut(&out)
	c.SetArgs(append(args, "--help"))
	must.Do(t, c.Execute())
	return out.String()
}

// Every command says what it is for, and gives examples, which it understands.
func TestEveryCommandIsExplained(t *testing.T) {
	word := regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
	for _, c := range newRoot().Commands() {
		if c.Short == "" || c.Long == "" || c.Example == "" || c.RunE == nil {
			t.Errorf("%s lacks a description, an example or a function", c.Name())
		}
		for line := range strings.Lines(c.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // what it is for
			line, _, _ = strings.Cut(line, " | ")
			line, _, _ = strings.Cut(line, " > ")
			var args []string
			for _, w := range word.FindAllString(line, -1) {
				args = append(args, strings.Trim(w, `"'`))
			}
			found, rest, err := newRoot().Find(args[1:])
			if err == nil {
				err = found.ParseFlags(rest)
			}
			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}
			if err != nil || args[0] != "stele" || !strings.HasPrefix(found.CommandPath(), c.CommandPath()) {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// TestPublishExample: the settings in the help of publish are such as check takes.
func TestPublishExample(t *testing.T) {
	_, settings, _ := strings.Cut(publishCommand().Long, "\n\n  publish:\n")
	settings, _, _ = strings.Cut(settings, "\n\n")
	text := "\npublish:\n"
	for line := range strings.Lines(settings) {
		setting, _, _ := strings.Cut(strings.TrimSpace(line), "  ") // what it is
		text += "  " + setting + "\n"
	}
	folder := filepath.Join(t.TempDir(), "measles")
	stele(t, "init", folder, "--address", "https://records.example.org")
	path := filepath.Join(folder, "stele.yaml")
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(data, text...), 0o644)
	}
	must.Do(t, err)
	if out, code := outputOf(t, "check", "--strict", folder); code != 0 {
		t.Errorf("check ends with %d for%s%s", code, text, out)
	}
}
