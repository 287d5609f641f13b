package describe_test

import (
	"testing"

	"stele/internal/base/layout"
	"stele/record"
)

// TestRoutes: the two listings name the sixteen routes of the specification, and differ in four.
func TestRoutes(t *testing.T) {
	type listing struct {
		Listing, Other string
		Routes         []struct {
			Method, Path, Returns, Schema string
			Both                          bool
		}
	}
	paths := map[string]layout.Listing{}
	for name, l := range map[string]layout.Listing{"first": layout.First, "second": layout.Second} {
		path := "routes/" + name + ".json"
		doc := parse[listing](t, theWhole(), path)
		tells(t, path, string(file(t, theWhole(), path)))
		if doc.Listing != name || theWhole()[doc.Other[len(base)+1:]] == nil {
			t.Errorf("%s is %q beside %q", path, doc.Listing, doc.Other)
		}
		for _, r := range doc.Routes {
			if r.Method != "GET" || r.Returns == "" || theWhole()[r.Schema[len(base)+1:]] == nil {
				t.Errorf("%s: %+v", path, r)
			}
			paths[r.Path] |= l
		}
		for _, r := range doc.Routes {
			other := layout.Both &^ l
			if got := listed(r.Path)&other != 0; got != r.Both {
				t.Errorf("%s: %s is in both: %v", path, r.Path, r.Both)
			}
		}
	}
	if len(paths) != 16 {
		t.Errorf("%d routes", len(paths))
	}
	for path, l := range paths {
		if l != listed(path) {
			t.Errorf("%s is in %s, not in %s", path, l, listed(path))
		}
	}
}

// listed says where the table of kinds lists a route.
func listed(path string) layout.Listing {
	for _, k := range record.Kinds {
		for _, r := range k.Routes() {
			if r.Path == path {
				return r.Listing
			}
		}
	}
	return 0
}
