package describe_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"stele/internal/testkit/must"
	"stele/tools/programs"
)

// toolbox is a folder node_modules with the programs of others: linters, generators, readers.
type toolbox struct{ modules string }

// openToolbox installs the programs where they are missing; make test does so before.
var openToolbox = sync.OnceValues(func() (toolbox, error) {
	modules, err := programs.Node.Get(os.Stdout)
	return toolbox{modules}, err
})

// tools are the programs of others, or the test is left out.
func tools(t *testing.T) toolbox {
	t.Helper()
	if testing.Short() {
		t.Skip("left out by -short: it runs the programs of others")
	}
	box, err := openToolbox()
	if err != nil {
		t.Skipf("left out: the programs of others need node and npm: %v", err)
	}
	return box
}

// workshop is a folder in which the programs and the files of testdata/npm are found.
func (b toolbox) workshop(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, os.DirFS("testdata/npm")))
	if err := os.Symlink(b.modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Skipf("left out: no links here: %v", err)
	}
	return dir
}

// run runs a script of a package, which has to end well.
func run(t *testing.T, dir, script string, args ...string) string {
	t.Helper()
	out, err := inFolder(dir, "node", append([]string{script}, args...)...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", script, args, err, out)
	}
	return out
}

func inFolder(dir, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "NO_COLOR=1", "NO_UPDATE_NOTIFIER=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
