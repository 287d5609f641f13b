package describe_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"stele/internal/testkit/must"
	"stele/record"
)

// TestLinkedData lets a processor of JSON-LD read what claims to be that: it may fetch nothing and
// must understand every name.
func TestLinkedData(t *testing.T) {
	dir := tools(t).workshop(t)
	files := theWhole()
	kinds := len(record.Kinds)
	indicators := len(paths(files, "healthcare-statistics/", ".parquet"))
	const dcat, schema = "http://www.w3.org/ns/dcat#", "https://schema.org/"
	wants := map[string]map[string]int{
		"catalog.jsonld": {
			dcat + "Catalog": 1, dcat + "Dataset": kinds + indicators, dcat + "DataService": 1, dcat + "Distribution": 4*kinds + 6*indicators,
			"http://spdx.org/rdf/terms#Checksum": 2*kinds + indicators,
		},
		"dataset.jsonld": {schema + "Dataset": 1 + kinds, schema + "DataDownload": 3*kinds + 1},
	}
	for path := range wants {
		tells(t, path, string(file(t, files, path)))
		must.Do(t, os.WriteFile(filepath.Join(dir, path), file(t, files, path), 0o644))
	}
	var got map[string]map[string]int
	must.Do(t, json.Unmarshal([]byte(run(t, dir, "expand.mjs", slices.Sorted(maps.Keys(wants))...)), &got))
	for path, want := range wants {
		for name, count := range want {
			if got[path][name] != count {
				t.Errorf("%s has %d of %s, not %d", path, got[path][name], name, count)
			}
		}
	}
}
