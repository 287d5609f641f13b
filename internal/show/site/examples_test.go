package site_test

import (
	"html"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
)

// TestExamples pastes the examples of the developers' page into the tools that are on this machine.
// Those that are not are named.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it runs the programs of others")
	}
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	base := "http://" + listener.Addr().String()
	files := makeSite(t, withSettings(t, map[string]string{"base_url: https://measles.example.org": "base_url: " + base}), compiler.Options{NoVariants: true})
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.FileServerFS(filesOf(files))}}
	server.Start()
	defer server.Close()

	page := string(files["developers/index.html"])
	for _, x := range []struct{ language, tool, file, want string }{
		{"curl", "sh", "example.sh", `"kind":"signal"`},
		{"python", "python3", "example.py", "sig-congo-outbreak 1 "},
		{"javascript", "node", "example.mjs", "sig-congo-outbreak 1 "},
		{"r", "Rscript", "example.r", "sig-congo-outbreak"},
		{"go", "go", "main.go", "sig-congo-outbreak 1 "},
	} {
		t.Run(x.language, func(t *testing.T) {
			code := regexp.MustCompile(`(?s)id="example-` + x.language + `">(.*?)</pre>`).FindStringSubmatch(page)
			if code == nil {
				t.Fatal("the page has no such example")
			}
			for _, tool := range []string{x.tool, x.language} {
				if _, err := exec.LookPath(tool); err != nil && (tool == x.tool || x.language == "curl") {
					t.Skipf("there is no %s on this machine", tool)
				}
			}
			if x.language == "r" && exec.Command(x.tool, "-e", "library(jsonlite)").Run() != nil {
				t.Skip("R has no jsonlite on this machine")
			}
			file := filepath.Join(t.TempDir(), x.file)
			must.Do(t, os.WriteFile(file, []byte(html.UnescapeString(code[1])), 0o644))
			args := []string{file}
			if x.language == "go" {
				args = []string{"run", file}
			}
			out, err := exec.Command(x.tool, args...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), x.want) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
