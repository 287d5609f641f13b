package describe_test

import (
	"strings"
	"testing"

	"stele/internal/show/series"
)

// TestIndicatorFiles: the files of indicators are described beside the routes of the listings, with
// titles and sizes, and as data sets of their own.
func TestIndicatorFiles(t *testing.T) {
	files := theWhole()
	doc := parse[openAPI](t, files, "openapi.json")
	ids := map[string]bool{}
	for path, methods := range doc.Paths {
		op := methods["get"]
		if ids[op.OperationID] {
			t.Errorf("%s is used twice", op.OperationID)
		}
		ids[op.OperationID] = true
		if !strings.HasPrefix(path, "/healthcare-statistics/") || strings.HasSuffix(path, ".vintages.csv") {
			continue
		}
		if len(op.Listings) != 0 || !strings.Contains(op.Description, "neither listing") {
			t.Errorf("%s stands in %v", path, op.Listings)
		}
		for _, p := range op.Parameters {
			path = strings.Replace(path, "{"+p.Name+"}", p.Example, 1)
		}
		file(t, files, path[1:])
	}
	text := string(file(t, files, "llms.txt"))
	for _, part := range []string{
		"- [Coverage with a first dose of measles vaccine](" + base + "/healthcare-statistics/mcv1.md): per cent of one-year-olds, 1980 to 2015, ",
		" kB", base + "/healthcare-statistics/", "](" + base + "/proof/clm-mmr-and-autism.md)",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("llms.txt has no %q:\n%.3000s", part, text)
		}
	}
}

// TestDistributions: every file of the catalogue has its format and media type, and what statistics
// are about is told by time and place.
func TestDistributions(t *testing.T) {
	type id struct {
		ID string `json:"@id"`
	}
	doc := parse[struct {
		Datasets []struct {
			id
			Theme        *id            `json:"dcat:theme"`
			Temporal     map[string]any `json:"dct:temporal"`
			Spatial      []id           `json:"dct:spatial"`
			Distribution []struct {
				URL       id             `json:"dcat:downloadURL"`
				Format    map[string]any `json:"dct:format"`
				MediaType map[string]any `json:"dcat:mediaType"`
			} `json:"dcat:distribution"`
		} `json:"dcat:dataset"`
		Modified map[string]string `json:"dct:modified"`
		Language *id               `json:"dct:language"`
	}](t, theWhole(), "catalog.jsonld")
	if doc.Modified == nil || doc.Language == nil {
		t.Errorf("the catalogue is of %v in %v", doc.Modified, doc.Language)
	}
	indicators := 0
	for _, d := range doc.Datasets {
		if d.Theme == nil {
			t.Errorf("%s has no theme", d.ID)
		}
		if strings.Contains(d.ID, "/healthcare-statistics/") {
			indicators++
			if d.Temporal == nil {
				t.Errorf("%s has no time", d.ID)
			}
			if len(d.Distribution) != len(series.Formats) {
				t.Errorf("%s has %d files", d.ID, len(d.Distribution))
			}
		}
		if strings.HasSuffix(d.ID, "/mcv1/") && len(d.Spatial) < 3 {
			t.Errorf("%s is about %v", d.ID, d.Spatial)
		}
		for _, f := range d.Distribution {
			if len(f.Format) == 0 || len(f.MediaType) == 0 {
				t.Errorf("%s has the format %v and the type %v", f.URL.ID, f.Format, f.MediaType)
			}
		}
	}
	if indicators < 5 {
		t.Errorf("%d indicators", indicators)
	}
}
