package site_test

import (
	"html"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	linkPattern = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\sid="([^"]*)"`)
)

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
