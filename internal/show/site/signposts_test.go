package site_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

var linkTag = regexp.MustCompile(`<link rel="([^"]*)"(?: type="[^"]*")? href="([^"]*)">`)

// TestSignposts: programs find from a page what to cite, the thing itself, and what describes it.
func TestSignposts(t *testing.T) {
	files := must.Get(sampleSite())(t)
	const base = "https://measles.example.org/"
	for page, want := range map[string]map[string][]string{
		"": {"type": {"https://schema.org/AboutPage", "https://schema.org/DataCatalog"}, "linkset": {".well-known/api-catalog"}},
		"proof/clm-mmr-and-autism/": {
			"type": {"https://schema.org/AboutPage", "https://schema.org/Claim"},
			"item": {"api/v1/proof/clm-mmr-and-autism.json"}, "describedby": {"proof/clm-mmr-and-autism.md"},
		},
		"healthcare-statistics/mcv1/": {"type": {"https://schema.org/AboutPage", "https://schema.org/Dataset"}},
	} {
		text := string(files[page+"index.html"])
		own := must.Get(url.Parse(base + page))(t)
		found := map[string][]string{}
		for _, m := range linkTag.FindAllStringSubmatch(text, -1) {
			to := must.Get(own.Parse(html.UnescapeString(m[2])))(t)
			found[m[1]] = append(found[m[1]], strings.TrimPrefix(to.String(), base))
		}
		if !slices.Equal(found["cite-as"], []string{page}) || !slices.Equal(found["author"], []string{"catalog.jsonld#publisher"}) ||
			len(found["license"]) != 1 {
			t.Errorf("/%s: %v", page, found)
		}
		for relation, list := range want {
			if !slices.Equal(found[relation], list) {
				t.Errorf("/%s: %s is %q, want %q", page, relation, found[relation], list)
			}
		}
	}
}
