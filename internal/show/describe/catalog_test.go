package describe_test

import (
	"regexp"
	"strings"
	"testing"

	"stele/record"
)

// TestAddressesLeadSomewhere: whatever a description names of this service is in the release, but
// for pages, which others make.
func TestAddressesLeadSomewhere(t *testing.T) {
	files := theWhole()
	address := regexp.MustCompile(regexp.QuoteMeta(base) + "/[^\\s\"'<>`)]*")
	page := regexp.MustCompile(`^([a-z-]+/[A-Za-z0-9._-]+/)?$`)
	seen := 0
	for path, f := range files {
		if strings.HasPrefix(path, "api/") || strings.HasPrefix(path, "data/") || strings.HasPrefix(path, "index/") || path == "manifest.json" {
			continue
		}
		for _, a := range address.FindAllString(string(f.Data), -1) {
			seen++
			to, _, _ := strings.Cut(strings.TrimPrefix(a, base+"/"), "#")
			to, _, _ = strings.Cut(strings.TrimRight(to, ".,;"), "?")
			if files[to] == nil && !page.MatchString(to) && !strings.HasPrefix(to, "bulk/") && !strings.Contains(to, "{") {
				t.Errorf("%s names %s, which is not there", path, a)
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d addresses", seen)
	}
}

func TestCatalogue(t *testing.T) {
	type link struct{ Href, Type string }
	doc := parse[struct {
		Linkset []struct {
			Anchor      string
			Item        []link
			ServiceDesc []link `json:"service-desc"`
			ServiceDoc  []link `json:"service-doc"`
			DescribedBy []link
			Alternate   []link
		}
	}](t, theWhole(), ".well-known/api-catalog")
	tells(t, "the catalogue", string(file(t, theWhole(), ".well-known/api-catalog")))
	if len(doc.Linkset) != 2+len(record.Kinds) {
		t.Fatalf("%d anchors", len(doc.Linkset))
	}
	catalog, root := doc.Linkset[0], doc.Linkset[1]
	if catalog.Anchor != base+"/.well-known/api-catalog" || len(catalog.Item) != 1 || catalog.Item[0].Href != root.Anchor {
		t.Errorf("the catalogue has %+v", catalog)
	}
	if len(root.ServiceDesc) != 1 || root.ServiceDesc[0] != (link{base + "/openapi.json", "application/json"}) || len(root.ServiceDoc) == 0 {
		t.Errorf("the service has %+v", root)
	}
	for i, k := range record.Kinds {
		l := doc.Linkset[2+i]
		if l.Anchor != base+k.Collection.Path || len(l.DescribedBy) != 1 ||
			l.DescribedBy[0].Href != base+"/schemas/"+k.Folder()+".json" ||
			len(l.Alternate) != 2 {
			t.Errorf("%s has %+v", k.Many, l)
		}
	}
}
