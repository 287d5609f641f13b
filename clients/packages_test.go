package clients_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/base/layout"
	"stele/internal/base/version"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/tools/programs"
)

// TestCasesInBrowser runs the table in a page in Chromium.
func TestCasesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs a browser")
	}
	t.Parallel()
	testCasesInBrowser(t, browsertest.Chromium)
}

// TestLongCasesInFirefox does the same in Firefox.
func TestLongCasesInFirefox(t *testing.T) {
	long.Only(t)
	testCasesInBrowser(t, browsertest.Firefox)
}

func testCasesInBrowser(t *testing.T, name string) {
	cases := readCases(t)
	b, err := browsertest.Shared(name)
	if errors.Is(err, browsertest.ErrMissing) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	dir := must.Get(releases())(t)
	host := &service{first: filepath.Join(dir, "first"), second: filepath.Join(dir, "second")}
	site := http.NewServeMux()
	site.Handle("/", host)
	site.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Type", "text/html") })
	site.HandleFunc("/cases.json", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "cases.json") })
	site.HandleFunc("/script/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		http.ServeFile(w, r, filepath.Join("typescript", r.PathValue("name")))
	})
	server := httptest.NewServer(site)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tab := must.Get(b.Open(ctx, func(browsertest.Event) {}))(t)
	must.Do(t, tab.Navigate(ctx, server.URL+"/page"))
	results := map[string][]string{}
	must.Do(t, tab.Evaluate(ctx, `Promise.all([import("/script/cases.mjs"), fetch("/cases.json").then((r) => r.json())]).then(
		([m, cases]) => m.runAll("browser", cases, "", location.origin + "/browser", "`+firstID(t, dir)+`"))`, &results))
	compare(t, "browser", cases, results, host, "", server.URL+"/browser")
}

// TestTypes: the types of the clients are right, and what they forbid is forbidden.
func TestTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs other programs")
	}
	t.Parallel()
	t.Run("typescript", func(t *testing.T) {
		modules, err := programs.Node.Get(os.Stdout)
		if err != nil {
			t.Skipf("left out: it needs what npm installs: %v", err)
		}
		run(t, "typescript", "node", filepath.Join(modules, "typescript", "bin", "tsc"), "--noEmit", "--strict", "--target", "es2022",
			"--module", "nodenext", "--lib", "es2022,dom,dom.iterable,dom.asynciterable", "--allowJs", "--checkJs", "typed.ts", "stele.mjs")
	})
	t.Run("python", func(t *testing.T) {
		mypy, err := exec.LookPath("mypy")
		if err != nil {
			t.Skipf("tool not here: %v", err)
		}
		run(t, "python", mypy, "--strict", "--cache-dir", t.TempDir(), "--python-version", "3.9", "stele", "typed.py")
	})
}

// TestInstalled: pip installs the package, and needs nothing else for that.
func TestInstalled(t *testing.T) {
	interpreter(t, "python")
	t.Parallel()
	if err := exec.Command("python3", "-m", "pip", "--version").Run(); err != nil {
		t.Skipf("tool not here: python3 -m pip: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "python") // pip may leave something behind in it
	must.Do(t, os.CopyFS(folder, os.DirFS("python")))
	dir := must.Get(releases())(t)
	installed := filepath.Join(t.TempDir(), "installed")
	run(t, ".", "python3", "-m", "pip", "install", "-qq", "--no-index", "--target", installed, folder)
	out := run(t, installed, "python3", "-c",
		`import stele, sys; print([f.id for f in stele.open(sys.argv[1]).records(stele.SIGNAL)])`, filepath.Join(dir, "first"))
	if want := "['sig-example-rise', 'sig-later']\n"; out != want {
		t.Errorf("it prints %q, want %q", out, want)
	}
}

// TestVersions: the packages have the version of the program, and read what it writes.
func TestVersions(t *testing.T) {
	for _, path := range []string{"python/pyproject.toml", "python/build_wheel.py", "typescript/package.json"} {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), `"`+version.Number+`"`) {
			t.Errorf("%s does not have the version %s: %v", path, version.Number, err)
		}
	}
	newest := strings.TrimPrefix(layout.Format, "stele-release/")
	for path, line := range map[string]string{
		"python/stele/__init__.py": "\n_FORMAT = ", "typescript/stele.mjs": "\nconst format = ", "r/stele.R": "\n.stele_format <- ",
	} {
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), line+newest) {
			t.Errorf("%s does not read releases of the format %s: %v", path, newest, err)
		}
	}
	var p struct{ Files []string }
	data, err := os.ReadFile("typescript/package.json")
	if err != nil || json.Unmarshal(data, &p) != nil {
		t.Fatal(err)
	}
	for _, name := range p.Files {
		if _, err := os.Stat(filepath.Join("typescript", name)); err != nil {
			t.Error(err)
		}
	}
}

// run runs a program in a folder, and returns what it writes.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost") // which Go takes for granted
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", c, err, out, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("%s warns: %s", c, stderr.String())
	}
	return string(out)
}
