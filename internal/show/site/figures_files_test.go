package site_test

import (
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

// TestFiguresHaveFiles: the page of an indicator leads to its files, in the page and in its
// description for search engines, and says where those of an area are.
func TestFiguresHaveFiles(t *testing.T) {
	files := must.Get(sampleSite())(t)
	page := string(files["healthcare-statistics/mcv1/index.html"])
	for _, part := range []string{
		`href="../../healthcare-statistics/mcv1.csv"`, `href="../../healthcare-statistics/mcv1.metadata.json"`,
		"/healthcare-statistics/mcv1/areas/{code}.csv", `"contentUrl":"https://measles.example.org/healthcare-statistics/mcv1.json"`,
	} {
		if !strings.Contains(page, part) {
			t.Errorf("there is no %s", part)
		}
	}
}
