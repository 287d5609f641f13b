package projecttest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"

	"stele/internal/author/editing/starter"
	"stele/internal/base/schema/codes"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/specimen"
	"stele/sample"
)

var yamlBlock = regexp.MustCompile("(?ms)^```yaml[^\n]*\n(.*?)^```")

// TestYAMLInDocs: every example in YAML can be parsed.
func TestYAMLInDocs(t *testing.T) {
	for path, data := range filesNamed(t, ".md") {
		for _, block := range yamlBlock.FindAllSubmatch(data, -1) {
			var value any
			if err := yaml.Unmarshal(block[1], &value); err != nil {
				t.Errorf("%s: %v in\n%s", path, err, block[1])
			}
		}
	}
}

// TestRecordsInDocs: the first YAML example of two pages is a whole record. It has no errors in the
// folder whose records it names.
func TestRecordsInDocs(t *testing.T) {
	sampleFolder := t.TempDir()
	must.Do(t, os.CopyFS(sampleFolder, sample.Files))
	starterFolder := filepath.Join(t.TempDir(), "new")
	must.Do(t, starter.Init(starterFolder))
	for page, folder := range map[string]string{"README.md": starterFolder, "CONTRIBUTING.md": sampleFolder} {
		text := must.Get(os.ReadFile(page))(t)
		path := regexp.MustCompile("`(records/proof/[^`]+)`").FindSubmatch(text)
		if path == nil {
			t.Fatalf("%s does not name the file of its record", page)
		}
		at := filepath.Join(folder, filepath.FromSlash(string(path[1])))
		must.Do(t, os.WriteFile(at, yamlBlock.FindSubmatch(text)[1], 0o644))
		result := must.Get(specimen.Check(os.DirFS(folder), compiler.Options{Date: "2026-11-15"}))(t)
		for _, p := range result.Problems {
			if p.Severity() == codes.Error {
				t.Errorf("%s: %s", page, p.String())
			}
		}
	}
}
