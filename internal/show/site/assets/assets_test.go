package assets

import (
	"io/fs"
	"testing"

	"stele/record"
)

// TestStyles: all parts of the style sheet are in it, and every kind has a colour.
func TestStyles(t *testing.T) {
	files, err := fs.Glob(assetFiles, "style/*.css")
	if err != nil || len(files) != len(styles) {
		t.Errorf("%d of %d files are in the style sheet; %v", len(styles), len(files), err)
	}
	for _, k := range record.Kinds {
		if KindClass(k.Name) != "kind-"+k.Name {
			t.Errorf("%s has no colour", k.Name)
		}
	}
	if class := KindClass("new"); class != "kind-other" {
		t.Errorf("a kind without a colour has the class %s", class)
	}
}
