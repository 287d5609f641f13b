package describe_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestCroissantHasWhatItMust: what version 1.0 of the format requires.
func TestCroissantHasWhatItMust(t *testing.T) {
	for _, release := range []struct {
		name, file, extract string
	}{{"sample", "api/v1/healthcare-statistics.json", "jsonPath"}, {"whole", "bulk/healthcare-statistics.ndjson", "column"}} {
		files := theSample()
		if release.name == "whole" {
			files = theWhole()
		}
		doc := parse[map[string]any](t, files, "croissant.json")
		for _, name := range []string{"@context", "@type", "conformsTo", "name", "description", "license", "url", "creator", "datePublished", "distribution", "recordSet", "version", "citeAs"} {
			if doc[name] == nil || doc[name] == "" {
				t.Errorf("%s: no %s", release.name, name)
			}
		}
		if doc["@type"] != "sc:Dataset" || doc["conformsTo"] != "http://mlcommons.org/croissant/1.0" || doc["version"] != "2026.11.15" {
			t.Errorf("%s: a %v of %v in version %v", release.name, doc["@type"], doc["conformsTo"], doc["version"])
		}
		ids := map[any]bool{}
		for _, f := range doc["distribution"].([]any) {
			f := f.(map[string]any)
			ids[f["@id"]] = true
			if f["name"] == nil || f["contentUrl"] == nil || f["encodingFormat"] == nil || len(f["sha256"].(string)) != 64 {
				t.Errorf("%s: a file has %v", release.name, f)
			}
		}
		set := doc["recordSet"].([]any)[0].(map[string]any)
		fields := set["field"].([]any)
		names := []string{}
		for _, f := range fields {
			f := f.(map[string]any)
			source := f["source"].(map[string]any)
			from := source["fileObject"].(map[string]any)["@id"]
			if from != release.file || !ids[from] || source["extract"].(map[string]any)[release.extract] == nil ||
				f["dataType"] == nil {
				t.Errorf("%s: a field has %v", release.name, f)
			}
			names = append(names, fmt.Sprint(f["name"]))
		}
		for _, name := range []string{"id", "version", "source_links", "verification_date", "claim_boundary", "source_updates", "corrections", "value"} {
			if !slices.Contains(names, name) {
				t.Errorf("%s: there is no field for %s", release.name, name)
			}
		}
	}
}
