package site_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"

	"golang.org/x/net/html"
)

// publicBase is where the sample says that it is published. Its pages name themselves by it.
const publicBase = "https://measles.example.org"

// TestCrawl follows every link of the sample's site, from its first page, as stele serve serves it:
// every link leads to something, and to a place in it where it names one, and every page can be
// reached. Chromium opens one of each folder, and all in which scripts make what links lead to,
// without an error on the console and without a request that fails. The rest are pages like those,
// and are only read.
func TestCrawl(t *testing.T) { crawlSample(t, 1) }

// TestLongCrawl is TestCrawl with every page in Chromium.
func TestLongCrawl(t *testing.T) {
	long.Only(t)
	crawlSample(t, math.MaxInt)
}

// crawlSample opens so many pages of each folder in Chromium.
func crawlSample(t *testing.T, each int) {
	needsBrowser(t)
	files := must.Get(sampleSite())(t)
	base := serveRelease(t, files)
	tabs := []*tab{open(t, base), open(t, base), open(t, base)}
	seen, opened := map[string]visited{}, map[string]int{}
	for level := []string{base + "/", base + "/404.html"}; len(level) > 0; {
		found, enough := make([]visited, len(level)), make([]bool, len(level))
		for i, address := range level {
			folder := path.Dir(strings.TrimSuffix(address, "/"))
			opened[folder]++
			enough[i] = opened[folder] > each
		}
		share(tabs, len(level), func(b *tab, i int) {
			if enough[i] && b.read(level[i], &found[i]) {
				return
			}
			found[i] = b.look(level[i])
		})
		for i, address := range level {
			seen[address] = found[i]
		}
		level = nil
		for _, v := range found {
			for _, link := range v.Links {
				address, _ := inside(base, link)
				if _, known := seen[address]; address != "" && !known {
					seen[address] = visited{}
					level = append(level, address)
				}
			}
		}
	}
	checkPlaces(t, base, seen)
	for file, data := range files {
		address := base + "/" + strings.TrimSuffix(file, "index.html")
		if _, ok := seen[address]; !ok && strings.HasSuffix(file, ".html") && !isLeading(data) {
			t.Errorf("no page leads to %s", file)
		}
	}
}

// share does n things with several tabs at once.
func share(tabs []*tab, n int, do func(b *tab, i int)) {
	var all sync.WaitGroup
	var next atomic.Int64
	for _, b := range tabs {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(b, i)
			}
		})
	}
	all.Wait()
}

// visited is a page as a browser sees it: what it leads to, and the places in it that others may
// lead to.
type visited struct {
	Status        int
	Type          string
	Links, Places []string
}

// In the graph page, places are the records that its explorer can begin with.
const lookAround = `({
  Status: performance.getEntriesByType("navigation")[0].responseStatus,
  Type: document.contentType,
  Links: [...new Set([...document.querySelectorAll("[href], [src]")].map((e) => new URL(e.getAttribute("href") ?? e.getAttribute("src"), document.baseURI).href))],
  Places: [...[...document.querySelectorAll("[id]")].map((e) => e.id), ...await (async (e) => e ? (await (await fetch("../search/" + e.dataset.search)).json()).nodes.map(([id]) => id) : [])(document.querySelector("#graph"))],
})`

// scriptsAreDone is true when every part of the page that a script builds is there.
const scriptsAreDone = `[...document.querySelectorAll("#table[data-search], #changes, #graph, .charts[data-series]")].every((e) => e.dataset.ready)`

// isPage reports whether an address is that of a page.
func isPage(address string) bool {
	ext := path.Ext(address)
	if strings.Contains(address, "/.well-known/") {
		return false
	}
	return ext == "" || ext == ".html" || strings.HasSuffix(address, "/")
}

// isThere reports whether an answer has a page: that of a record which was removed, too.
func isThere(status int) bool { return status == http.StatusOK || status == http.StatusGone }

// read reads a page without a browser. It reports whether that is all that there is to see of it.
func (b *tab) read(address string, v *visited) bool {
	if !isPage(address) {
		return false
	}
	response, err := http.Get(address)
	if err != nil {
		b.t.Errorf("%s: %v", address, err)
		return true
	}
	defer response.Body.Close() // it was only read
	root, err := html.Parse(response.Body)
	if err != nil || !isThere(response.StatusCode) {
		b.t.Errorf("%s: %s, %v", address, response.Status, err)
		return true
	}
	here := response.Request.URL
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				if slices.Contains([]string{"table", "changes", "graph"}, a.Val) {
					return false
				}
				v.Places = append(v.Places, a.Val)
			case "href", "src":
				link, err := here.Parse(a.Val)
				if err != nil {
					b.t.Errorf("%s leads to %q: %v", address, a.Val, err)
					continue
				}
				v.Links = append(v.Links, link.String())
			}
		}
	}
	return true
}

// look opens what is at an address: a page in the tab, another file without it.
func (b *tab) look(address string) (v visited) {
	if !isPage(address) {
		data, err := checkFile(address)
		if err != nil {
			b.t.Errorf("%s: %v", address, err)
		}
		if path.Ext(address) == ".jsonld" {
			for _, m := range namedNode.FindAllSubmatch(data, -1) {
				v.Places = append(v.Places, string(m[1]))
			}
		}
		return v
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), patience)
	defer cancel()
	if strings.HasSuffix(address, "/graph/") {
		address += "#graph" // which draws the records, and not only kinds of them
	}
	err := b.navigate(ctx, address)
	if err == nil {
		err = b.becomes(ctx, scriptsAreDone)
	}
	if err == nil {
		err = b.Evaluate(ctx, lookAround, &v)
	}
	if err == nil && (!isThere(v.Status) || v.Type != "text/html") {
		err = fmt.Errorf("is %d %s", v.Status, v.Type)
	}
	if err != nil {
		b.t.Errorf("%s: %v", address, err)
	}
	return v
}

// inside is the address that a link leads to and the place there, if it stays in the site.
func inside(base, link string) (address, place string) {
	if rest, ok := strings.CutPrefix(link, publicBase); ok {
		link = base + rest
	}
	if !strings.HasPrefix(link, base+"/") {
		return "", ""
	}
	address, place, _ = strings.Cut(link, "#")
	return address, place
}

// checkPlaces makes sure that every place that a link names is there.
func checkPlaces(t *testing.T, base string, seen map[string]visited) {
	t.Helper()
	for from, v := range seen {
		for _, link := range v.Links {
			address, fragment := inside(base, link)
			place, err := url.PathUnescape(fragment)
			if err != nil {
				t.Errorf("%s leads to %s: %v", from, link, err)
			}
			if fragment != "" && !slices.Contains(seen[address].Places, place) {
				t.Errorf("%s leads to %s, and there is no such place", from, link)
			}
		}
	}
}

// mediaTypes are what files are served as, by the ends of their names.
var mediaTypes = map[string]string{
	".png": "image/png", ".ico": "image/x-icon", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".ndjson": "application/x-ndjson", ".csv": "text/csv", ".parquet": "application/vnd.apache.parquet", ".sqlite": "application/vnd.sqlite3", ".md": "text/markdown",
	".json": "application/json", ".jsonld": "application/ld+json", ".atom": "application/atom+xml", ".xml": "application/xml", ".txt": "text/plain", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
}

// fitting is what a file must be served as.
func fitting(address string) string {
	switch {
	case strings.Contains(address, "/feeds/") && path.Ext(address) == ".json":
		return "application/feed+json"
	case strings.HasSuffix(address, "/.well-known/api-catalog"):
		return "application/linkset+json"
	case strings.Contains(address, "/schemas/"):
		return "application/schema+json"
	}
	return mediaTypes[path.Ext(address)]
}

// namedNode is what JSON-LD describes, by the name that it has in the file.
var namedNode = regexp.MustCompile(`"@id": ?"[^"#]*#([^"]+)"`)

// checkFile makes sure that a file that is no page can be had, and is what its name says.
func checkFile(address string) ([]byte, error) {
	response, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	got, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if want := fitting(address); response.StatusCode != http.StatusOK || got != want {
		return nil, fmt.Errorf("is %d %s, and not 200 %q", response.StatusCode, got, want)
	}
	if path.Ext(address) == ".json" && !json.Valid(data) {
		return nil, errors.New("is not JSON")
	}
	return data, nil
}
