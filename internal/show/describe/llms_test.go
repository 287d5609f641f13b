package describe_test

import (
	"regexp"
	"strconv"
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
	claims, indicators := strings.Index(text, "\n## Claims\n"), strings.Index(text, "\n## Indicators\n")
	if claims < 0 || indicators < claims || strings.Index(text, "\n## ") != claims {
		t.Errorf("claims are at %d, indicators at %d", claims, indicators)
	}
	link := regexp.MustCompile(`\]\(` + regexp.QuoteMeta(base) + `/(proof/\S+\.md)\): (\*\*in_question\*\*, )?Markdown (\d+) (k?B)\n`)
	all := link.FindAllStringSubmatch(text, -1)
	for _, m := range all {
		size, unit := len(file(t, theWhole(), m[1])), m[4]
		if unit == "kB" {
			size = (size + 500) / 1000
		}
		if m[3] != strconv.Itoa(size) || (m[2] != "") != strings.Contains(m[1], "clm-falling-coverage") {
			t.Errorf("%q, and it has %d %s", m[0], size, unit)
		}
	}
	if len(all) != 8 {
		t.Errorf("%d claims in %s", len(all), text)
	}
	for _, k := range record.Kinds {
		if !strings.Contains(text, "]("+base+k.Collection.Path+"): ") || !strings.Contains(text, "]("+base+"/bulk/"+k.Folder()+".csv)\n") {
			t.Errorf("llms.txt does not lead to %s", k.Many)
		}
	}
}
