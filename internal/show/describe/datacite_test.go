package describe_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// What DataCite wants, from the XML Schema of kernel 4.6 (github.com/datacite/schema) and the
// members that the JSON of kernel 4.5 has. No package of a registry has a schema of 4.6 in JSON.
var (
	dataciteRequired = []string{"creators", "titles", "publisher", "publicationYear", "types", "schemaVersion"}
	dataciteMembers  = append([]string{
		"url", "subjects", "dates", "language", "relatedIdentifiers", "sizes", "formats", "version", "rightsList", "descriptions",
	}, dataciteRequired...)
	dataciteDates = []string{
		"Accepted", "Available", "Collected", "Copyrighted", "Coverage", "Created", "Issued", "Other", "Submitted", "Updated",
		"Valid", "Withdrawn",
	}
	dataciteDay = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d)?)?(/\d{4}(-\d\d(-\d\d)?)?)?$`)
)

type datacite struct {
	Types struct {
		General string `json:"resourceTypeGeneral"`
	} `json:"types"`
	Creators, Titles, RightsList []map[string]string
	Publisher                    map[string]string
	Year                         string `json:"publicationYear"`
	Schema                       string `json:"schemaVersion"`
	URL                          string
	Dates                        []struct{ Date, DateType string }
	Descriptions                 []map[string]string
	Related                      []map[string]string `json:"relatedIdentifiers"`
	Formats, Sizes               []string
}

// TestDataCite: the release and every indicator are described as DataCite wants it.
func TestDataCite(t *testing.T) {
	found := 0
	for path, f := range theWhole() {
		if path != "datacite.json" && !strings.HasSuffix(path, ".datacite.json") {
			continue
		}
		found++
		var members map[string]any
		must.Do(t, json.Unmarshal(f.Data, &members))
		for _, name := range dataciteRequired {
			if members[name] == nil {
				t.Errorf("%s: %s is missing", path, name)
			}
		}
		for name := range members {
			if !slices.Contains(dataciteMembers, name) {
				t.Errorf("%s: %s is no member that DataCite knows", path, name)
			}
		}
		var d datacite
		must.Do(t, json.Unmarshal(f.Data, &d))
		if d.Types.General != "Dataset" || d.Creators[0]["nameType"] != "Organizational" || d.Publisher["name"] == "" || d.Titles[0]["title"] == "" ||
			d.Schema != "http://datacite.org/schema/kernel-4" || !regexp.MustCompile(`^\d{4}$`).MatchString(d.Year) || !strings.HasPrefix(d.URL, base) ||
			d.RightsList[0]["rightsUri"] == "" || len(d.Formats) == 0 {
			t.Errorf("%s: %+v", path, d)
		}
		for _, date := range d.Dates {
			if !slices.Contains(dataciteDates, date.DateType) || !dataciteDay.MatchString(date.Date) {
				t.Errorf("%s: %+v", path, date)
			}
		}
		tells(t, path, string(f.Data))
	}
	if found < 5 {
		t.Errorf("%d files", found)
	}
}
