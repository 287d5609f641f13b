package describe_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/show/describe"
	"stele/internal/testkit/must"
)

// TestOtherSettings: a publisher may leave out the description, name a page for contact, use a
// licence of its own, write a language that is no tag, and publish below a path.
func TestOtherSettings(t *testing.T) {
	records := growing(0)
	records["stele.yaml"] = &fstest.MapFile{Data: []byte(`title: "Notes: \"<b>\" & more"
base_url: https://example.org/data/
publisher: Somebody
license: All rights reserved
contact: https://example.org/contact
language: the queen's
notice: "These are illustrative records, not health advice."
signing_keys: [data.example.org+ed10556b+Aby0OIHZbi/GiVd9Rcqhu2fOls6OrtH7Rt7Mo122IsGM]
`)}
	files := described(t, records, describe.Options{Downloads: downloads}, compiler.Options{})
	for path, f := range files {
		text := string(f.Data)
		if strings.HasPrefix(path, "api/") || strings.HasPrefix(path, "data/") || strings.HasPrefix(path, "index/") || path == "manifest.json" {
			continue
		}
		if strings.Contains(text, "data//") || strings.Contains(text, "spdx.org/licenses") || strings.Contains(text, `"mailto`) {
			t.Errorf("%s:\n%.2000s", path, text)
		}
		if strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonld") {
			if !json.Valid(f.Data) {
				t.Errorf("%s is no JSON", path)
			}
		}
	}
	readAtom(t, files, "feeds/changes.atom")
	for path, want := range map[string]string{
		"openapi.json":   `"url": "https://example.org/data"`,
		"llms.txt":       "# Notes: \"\\<b\\>\" \\& more\n\n> Public records of Somebody, as static, read-only files.\n",
		"catalog.jsonld": `"dct:rights"`,
	} {
		if !strings.Contains(string(file(t, files, path)), "signed by data.example.org+ed10556b+") {
			t.Errorf("%s does not name the key", path)
		}
		if !strings.Contains(string(file(t, files, path)), want) {
			t.Errorf("%s has no %s:\n%.2000s", path, want, file(t, files, path))
		}
	}
	dir := tools(t).workshop(t)
	for _, path := range []string{"catalog.jsonld", "dataset.jsonld"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, path), file(t, files, path), 0o644))
	}
	run(t, dir, "expand.mjs", "catalog.jsonld", "dataset.jsonld")
}
