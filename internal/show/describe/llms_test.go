package describe_test

import (
	"strings"
	"testing"

	"stele/record"
)

// TestText: llms.txt begins as its form wants, and leads to every collection.
func TestText(t *testing.T) {
	text := string(file(t, theWhole(), "llms.txt"))
	if !strings.HasPrefix(text, "# Measles and immunization, a sample\n\n> Illustrative records about measles:") {
		t.Errorf("it begins %.200s", text)
	}
	tells(t, "llms.txt", text)
	for _, k := range record.Kinds {
		if !strings.Contains(text, "]("+base+k.Collection.Path+"): ") || !strings.Contains(text, "]("+base+"/bulk/"+k.Folder()+".csv)\n") {
			t.Errorf("llms.txt does not lead to %s", k.Many)
		}
	}
}
