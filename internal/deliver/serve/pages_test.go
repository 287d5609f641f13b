//go:build unix

package serve_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/compile/render"
	"stele/internal/deliver/library"
	"stele/internal/deliver/serve"
	"stele/internal/testkit/must"
)

// somePages are pages and schemas as a site has them.
func somePages(_ render.Records, out render.Output) error {
	const page = "<!doctype html><html><head><title>%s</title></head></html>"
	for _, path := range []string{"index.html", "signals/index.html"} {
		if err := out.Put(path, fmt.Appendf(nil, page, path)); err != nil {
			return err
		}
	}
	for _, path := range []string{"schemas/signals.json", "schemas/signals/record.json", "schemas/manifest.json", "schemas/index.json"} {
		if err := out.Put(path, []byte("{}")); err != nil {
			return err
		}
	}
	if err := out.Put("assets/style-0123456789.css", []byte("p { margin: 0 }")); err != nil {
		return err
	}
	each := []string{"signals/sig-uk-coverage-dip/index.html", "signals/sig-uk-coverage-dip.md"}
	return out.Each(
		len(each),
		func(i int) string { return each[i] },
		func(i int, b []byte) ([]byte, error) { return fmt.Appendf(b, page, each[i]), nil },
	)
}

// TestPages: pages and JSON have their types and policies, in memory and from files alike.
func TestPages(t *testing.T) {
	leavesNothing(t)
	r := inMemory(t, somePages)
	for _, memory := range []int64{0, 1} {
		opt := serve.Options{Memory: memory}
		l := must.Get(library.Open(r, time.Now(), opt.Library(), nil))(t)
		base := "http://" + listening(t, serve.New(l, opt))
		for path, want := range map[string]struct{ kind, cache string }{
			"/api/v1/signals.json":                         {"application/json", "max-age=300"},
			"/api/v1/signals/sig-uk-coverage-dip.json":     {"application/json", "max-age=300"},
			"/api/v1/signals/sig-congo-outbreak.json":      {"application/json", "max-age=300"},
			"/manifest.json":                               {"application/json", "max-age=300"},
			"/index/signals.json":                          {"application/json", "max-age=300"},
			"/api/v1/evidence.json":                        {"application/json", "max-age=300"},
			"/":                                            {"text/html; charset=utf-8", "max-age=300"},
			"/index.html":                                  {"text/html; charset=utf-8", "max-age=300"},
			"/signals/":                                    {"text/html; charset=utf-8", "max-age=300"},
			"/signals/sig-uk-coverage-dip/":                {"text/html; charset=utf-8", "max-age=300"},
			"/signals/sig-uk-coverage-dip/index.html":      {"text/html; charset=utf-8", "max-age=300"},
			"/signals/sig-uk-coverage-dip.md":              {"text/markdown; charset=utf-8", "max-age=300"},
			"/schemas/signals.json":                        {"application/schema+json", "max-age=300"},
			"/assets/style-0123456789.css":                 {"text/css; charset=utf-8", "max-age=31536000, immutable"},
			"/index/pages.json":                            {"application/json", "max-age=300"},
			"/%73ignals/sig-uk-coverage-dip/?from=a-query": {"text/html; charset=utf-8", "max-age=300"},
		} {
			answer, _ := fetch(t, client(t), base+path)
			h := answer.Header
			if h.Get("Content-Type") != want.kind || h.Get("Cache-Control") != want.cache {
				t.Errorf("memory %d: %s has Content-Type %q, Cache-Control %q\nwant %q", memory, path, h.Get("Content-Type"), h.Get("Cache-Control"), want)
			}
			if again := revalidate(t, base+path, h.Get("ETag")); again.Get("Cache-Control") != want.cache || again.Get("Last-Modified") != "" {
				t.Errorf("memory %d: when %s did not change, the answer has %v", memory, path, again)
			}
			// Pages may use their own scripts; nothing else that is opened may do anything. JSON is
			// only shown.
			policy := h.Get("Content-Security-Policy")
			isPage, isJSON := want.kind == "text/html; charset=utf-8", strings.HasSuffix(want.kind, "json")
			if (policy == "") != isJSON || !isJSON && strings.Contains(policy, "sandbox") == isPage {
				t.Errorf("memory %d: %s has the policy %q", memory, path, h.Get("Content-Security-Policy"))
			}
		}
	}
}

// TestHeads has all header lines of a record, of a page and of a download, by name: each has its
// row in docs/operating.md, and JSON, of which most answers are, has no more than a consumer uses.
func TestHeads(t *testing.T) {
	leavesNothing(t)
	opt := serve.Options{}
	l := must.Get(library.Open(inMemory(t, somePages), time.Now(), opt.Library(), nil))(t)
	base := "http://" + listening(t, serve.New(l, opt))
	data := must.Get(os.ReadFile("../../../docs/operating.md"))(t)
	const always = "Access-Control-Allow-Origin Access-Control-Expose-Headers Cache-Control Content-Length Content-Type Date ETag Repr-Digest Vary X-Content-Type-Options "
	for path, more := range map[string]string{
		"/api/v1/signals/sig-uk-coverage-dip.json": "",
		"/api/v1/signals.json":                     "",
		"/signals/sig-uk-coverage-dip/":            "Accept-Ranges Content-Language Content-Security-Policy Last-Modified Referrer-Policy",
		"/signals/sig-uk-coverage-dip.md":          "Accept-Ranges Content-Language Content-Security-Policy Last-Modified",
		"/assets/style-0123456789.css":             "Accept-Ranges Content-Security-Policy Last-Modified",
	} {
		answer, _ := fetch(t, client(t), base+path)
		want := strings.Fields(always + more)
		slices.Sort(want)
		if got := slices.Sorted(maps.Keys(answer.Header)); !slices.EqualFunc(got, want, strings.EqualFold) {
			t.Errorf("%s has\n%s\nwant\n%s", path, got, want)
		}
		for _, name := range want {
			if !strings.Contains(string(data), "`"+name+"`") {
				t.Errorf("docs/operating.md does not say what %s is for", name)
			}
		}
	}
}

// revalidate asks for something that the client has, and answers with the header.
func revalidate(t *testing.T, url, tag string) http.Header {
	t.Helper()
	q := must.Get(http.NewRequest(http.MethodGet, url, nil))(t)
	q.Header.Set("If-None-Match", tag)
	answer := must.Get(client(t).Do(q))(t)
	answer.Body.Close()
	if answer.StatusCode != http.StatusNotModified {
		t.Errorf("%s: %s", url, answer.Status)
	}
	return answer.Header
}
