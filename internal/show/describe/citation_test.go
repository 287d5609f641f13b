package describe_test

import (
	"strings"
	"testing"

	"stele/internal/testkit/must"

	"go.yaml.in/yaml/v3"
)

func TestCitation(t *testing.T) {
	var doc struct {
		Version  string `yaml:"cff-version"`
		Message  string
		Type     string
		Title    string
		Authors  []struct{ Name string }
		Contact  []struct{ Name, Email string }
		License  string
		URL      string
		Release  string `yaml:"version"`
		Released string `yaml:"date-released"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(file(t, theSample(), "CITATION.cff"))))
	must.Do(t, d.Decode(&doc))
	tells(t, "CITATION.cff", doc.Message)
	if doc.Version != "1.2.0" || doc.Type != "dataset" || doc.Title != "Measles and immunization, a sample" || len(doc.Authors) != 1 || doc.Authors[0].Name != "Stele sample" ||
		doc.Contact[0].Email != "editors@measles.example.org" || doc.License != "CC-BY-4.0" || doc.URL != base+"/" ||
		doc.Release == "" ||
		doc.Released != string(sampleDate) {
		t.Errorf("%+v", doc)
	}
}
