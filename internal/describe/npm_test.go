package describe_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// toolbox is a folder with the programs of others that testdata/npm names: linters, generators,
// readers.
type toolbox struct{ dir string }

// openToolbox fetches the programs, once for each set of versions: they stay in the user's cache.
var openToolbox = sync.OnceValues(func() (toolbox, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return toolbox{}, err
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return toolbox{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return toolbox{}, err
	}
	lock, err := os.ReadFile("testdata/npm/package-lock.json")
	if err != nil {
		return toolbox{}, err
	}
	dir := filepath.Join(cache, "stele-tests", fmt.Sprintf("npm-%.6x", sha256.Sum256(lock)))
	if _, err := os.Stat(dir); err == nil {
		return toolbox{dir}, nil
	}
	return toolbox{dir}, install(dir)
})

// install lets npm fetch into a folder beside, which then takes its name: what is interrupted is
// not taken for whole.
func install(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join("testdata/npm", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(part, name), data, 0o644); err != nil {
			return err
		}
	}
	if out, err := inFolder(part, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // not because another test was faster
			return err
		}
	}
	return nil
}

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
	if err := os.CopyFS(dir, os.DirFS("testdata/npm")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(b.dir, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
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
