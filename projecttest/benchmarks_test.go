package projecttest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/bench/page"
	"stele/internal/testkit/must"
)

// TestBenchmarks: every benchmark that writes a section of the page finds it, and it has a table.
// Figures belong into sections, because all others go stale unseen.
func TestBenchmarks(t *testing.T) {
	text, err := os.ReadFile(page.Path)
	must.Do(t, err)
	sources, err := filepath.Glob("bench/*/main.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no benchmarks", err)
	}
	rest := string(text)
	writes := regexp.MustCompile(`trial\.Main\("([^"]+)"`)
	for _, source := range sources {
		code := must.Get(os.ReadFile(source))(t)
		sections := writes.FindAllStringSubmatch(string(code), -1)
		if sections == nil {
			t.Errorf("%s writes no section of the page", source)
		}
		for _, s := range sections {
			begin, end := page.Marks(s[1])
			before, section, found := strings.Cut(rest, begin)
			section, after, closed := strings.Cut(section, end)
			if !found || !closed || !strings.Contains(section, "\n|---") {
				t.Errorf("%s: the page has no section %q with a table", source, s[1])
				continue
			}
			rest = before + after
		}
	}
	if strings.Contains(rest, "<!-- written by") {
		t.Error("the page has a section that no benchmark writes")
	}
}

// TestLinks: what pages of the documentation link to is there.
func TestLinks(t *testing.T) {
	pages := []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"}
	for _, pattern := range []string{"docs/*.md", "docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		pages = append(pages, found...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	for _, from := range pages {
		text := must.Get(os.ReadFile(from))(t)
		for _, l := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(l[1], ":") {
				continue
			}
			if _, err := os.Stat(path.Join(path.Dir(filepath.ToSlash(from)), l[1])); err != nil {
				t.Errorf("%s: %v", from, err)
			}
		}
	}
}
