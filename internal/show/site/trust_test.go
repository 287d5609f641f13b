package site_test

import (
	"strings"
	"testing"

	"stele/internal/compile/compiler"
)

// TestTrust: a page says who decides, what labels mean, how corrections work and how to check a
// copy, in the publisher's words first; another lists all that is in question, with why. The first
// page leads to both.
func TestTrust(t *testing.T) {
	files := makeSite(t, withSettings(t, map[string]string{
		"publisher: Stele sample": "publisher: Stele sample\nabout: \"Two editors <read> each record.\\n\\nOne signs.\"\nreview_after: {proof_claim: 18 months}",
	}), compiler.Options{NoVariants: true})
	for path, wants := range map[string][]string{
		"index.html": {`<a href="how/">How this is made</a>`, `<a href="in-question/">In question</a>`},
		"how/index.html": {
			"<p>Two editors &lt;read&gt; each record.</p>", "<p>One signs.</p>", "Stele sample chooses the records",
			"mailto:editors@measles.example.org", "Claims: 18 months", "Moderate certainty", "stele verify https://measles.example.org",
			"are not signed", `<a href="../in-question/">In question</a>`, "<li>The claim boundary</li>",
		},
		"in-question/index.html": {
			`<section id="retracted">`, ">The 1998 MMR paper (retracted)</a>", "The editors of the journal retracted the paper in full.",
			`<section id="in_question">`, ">Large outbreaks tend to follow falling coverage</a>",
		},
		"sitemap.xml": {"/how/", "/in-question/"},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[path]), want) {
				t.Errorf("%s does not have %s:\n%s", path, want, files[path])
			}
		}
	}
	crawl(t, files)
}
