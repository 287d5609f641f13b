package site_test

import (
	"bytes"
	"compress/gzip"
	"path"
	"regexp"
	"testing"

	"stele/internal/testkit/must"
)

// TestLightPages: the start page and the page of a claim load at most 24 kB, with the style sheet
// and the scripts. These import no others.
func TestLightPages(t *testing.T) {
	files := must.Get(sampleSite())(t)
	loaded := regexp.MustCompile(`(?:<script type="module" src|<link rel="(?:stylesheet|icon)" href)="([^"]+)"`)
	for _, page := range []string{"index.html", "proof/clm-one-dose-protects/index.html"} {
		var b bytes.Buffer
		size := 0
		add := func(name string) {
			b.Reset()
			w := gzip.NewWriter(&b)
			must.Get(w.Write(files[name]))(t)
			must.Do(t, w.Close())
			if size += b.Len(); len(files[name]) == 0 || bytes.Contains(files[name], []byte(`from "./`)) {
				t.Errorf("%s loads %s, which is missing or imports other scripts", page, name)
			}
		}
		add(page)
		for _, match := range loaded.FindAllSubmatch(files[page], -1) {
			add(path.Join(path.Dir(page), string(match[1])))
		}
		if size > 24_000 || size < 10_000 {
			t.Errorf("%s loads %d bytes", page, size)
		}
	}
}
