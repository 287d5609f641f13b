package site_test

import (
	"bytes"
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

var linkPattern, idPattern = regexp.MustCompile(`(?:href|src)="([^"]*)"`), regexp.MustCompile(`\sid="([^"]*)"`)

// crawl goes through a whole site from its first page, without a browser: every link leads to a
// file of the release, and to a place in it where it names one.
func crawl(t *testing.T, files map[string][]byte) {
	t.Helper()
	ids := map[string]map[string]bool{}
	seen := map[string]bool{"index.html": true}
	for queue := []string{"index.html", "404.html"}; len(queue) > 0; queue = queue[1:] {
		page := queue[0]
		for _, m := range linkPattern.FindAllSubmatch(files[page], -1) {
			target, fragment, inside := resolve(t, page, html.UnescapeString(string(m[1])))
			if !inside {
				continue
			}
			if _, ok := files[target]; !ok {
				t.Errorf("%s leads to %s, which is not there", page, target)
				continue
			}
			if strings.HasSuffix(target, ".html") {
				if !seen[target] {
					queue = append(queue, target)
				}
				if fragment != "" && !strings.HasPrefix(target, "graph/") && !idsOf(ids, files, target)[fragment] {
					t.Errorf("%s leads to %s#%s, and there is no such place", page, target, fragment)
				}
			}
			seen[target] = true
		}
	}
}

// TestWithoutAddress: a release whose address is not known names none: what others identify by an
// absolute address is left out, no link leads to it, and all else is there.
func TestWithoutAddress(t *testing.T) {
	race.LeaveOut(t, "it reads pages, which are made as those of the sample are")
	records := must.Get(specimen.Sample())(t)
	text := strings.Replace(string(records["stele.yaml"].Data), "https://measles.example.org\n", "https://records.example.org\n", 1)
	opt := compiler.Options{NoVariants: true, Date: "2026-11-17", Render: renderers()}
	records["stele.yaml"] = &fstest.MapFile{Data: []byte(text + calendar)}
	known := makeSite(t, records, opt)
	text = strings.Replace(text, "base_url: https://records.example.org\n", "", 1)
	records["stele.yaml"] = &fstest.MapFile{Data: []byte(text + calendar)}
	files := makeSite(t, records, opt)
	crawl(t, files)
	left := map[string]bool{}
	for name, data := range files {
		if bytes.Contains(data, []byte("records.example.org")) {
			t.Errorf("%s has the address", name)
		}
		if bytes.Contains(data, []byte(`rel="canonical"`)) || bytes.Contains(data, []byte(`"og:`)) {
			t.Errorf("%s has links that need an address", name)
		}
	}
	for name := range known {
		if files[name] == nil {
			left[name] = true
		}
	}
	for name := range left {
		addressed := strings.HasPrefix(name, "feeds/") || strings.HasPrefix(name, "skills/") || strings.HasSuffix(name, "card.png")
		switch name {
		case "sitemap.xml", "catalog.jsonld", "dataset.jsonld", ".well-known/api-catalog", "calendar.ics":
			addressed = true
		}
		if !addressed {
			t.Errorf("%s is missing without an address", name)
		}
	}
	for _, name := range []string{"sitemap.xml", "catalog.jsonld", "dataset.jsonld", "calendar.ics", "card.png", "feeds/changes.atom"} {
		if !left[name] {
			t.Errorf("%s is there without an address, or never", name)
		}
	}
}

// resolve is the file that a link leads to.
func resolve(t *testing.T, page, link string) (file, fragment string, inside bool) {
	t.Helper()
	base := &url.URL{Scheme: "https", Host: "site.invalid", Path: "/" + page}
	u, err := base.Parse(link)
	if err != nil {
		t.Errorf("%s has the link %q: %v", page, link, err)
		return "", "", false
	}
	if u.Host != base.Host || u.Scheme != base.Scheme {
		return "", "", false
	}
	file = strings.TrimPrefix(u.Path, "/")
	if file == "" || strings.HasSuffix(file, "/") {
		file = path.Join(file, "index.html")
	}
	return file, u.Fragment, true
}

// idsOf are the places in a page.
func idsOf(known map[string]map[string]bool, files map[string][]byte, page string) map[string]bool {
	if known[page] == nil {
		known[page] = map[string]bool{}
		for _, m := range idPattern.FindAllSubmatch(files[page], -1) {
			known[page][html.UnescapeString(string(m[1]))] = true
		}
	}
	return known[page]
}
