package describe_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
	"stele/record"
)

// TestDataPackage: the reader of the format's makers accepts it, and it has every column of every
// table.
func TestDataPackage(t *testing.T) {
	if theSample()["datapackage.json"] != nil {
		t.Error("a package without tables")
	}
	files := theWhole()
	doc := parse[struct {
		Name, Description string
		Resources         []struct {
			Name, Path string
			Schema     struct{ Fields []struct{ Name, Type string } }
		}
	}](t, files, "datapackage.json")
	tells(t, "the package", doc.Description)
	if doc.Name != "measles.example.org" || len(doc.Resources) != len(record.Kinds) {
		t.Errorf("%s has %d tables", doc.Name, len(doc.Resources))
	}
	for i, k := range record.Kinds {
		r := doc.Resources[i]
		if k.Name == "entity" {
			if got := fmt.Sprint(r.Schema.Fields); got != "[{id string} {version integer} {source_links array} {updated_date date} {extra any}]" {
				t.Errorf("entities have %s", got)
			}
			continue
		}
		if r.Path != "bulk/"+k.Folder()+".csv" || len(r.Schema.Fields) != len(k.Shape().Members) ||
			r.Schema.Fields[0].Name != "id" {
			t.Errorf("%s has %+v", k.Many, r)
		}
	}
	dir := tools(t).workshop(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "datapackage.json"), file(t, files, "datapackage.json"), 0o644))
	if out := run(t, dir, "package.mjs", "datapackage.json"); strings.TrimSpace(out) != "valid" {
		t.Error(out)
	}
}
