package site_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/must"
)

var screenshots = flag.String("screenshots", "", "a folder into which pictures of the sample's pages are written")

// TestScreenshots makes the pictures of the README, and one of a page of each sort at each width,
// in light, in dark, in Arabic and as it is printed, for people to look at:
//
//	go test ./internal/show/site -run Screenshots/readme -screenshots "$PWD/docs/screenshots"
//	go test ./internal/show/site -run 'TestScreenshots/sorts|print' -screenshots /tmp/pages
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("pictures are made with -screenshots only")
	}
	base := serveSample(t)
	save := func(t *testing.T, b *tab, name string, whole bool) {
		picture, err := b.Screenshot(t.Context(), whole)
		if err == nil {
			err = os.WriteFile(filepath.Join(*screenshots, name+".png"), picture, 0o644)
		}
		must.Do(t, err)
	}
	t.Run("readme", func(t *testing.T) {
		for _, p := range []struct {
			name, path, built, scheme string
			width                     int64
		}{
			{"claim", "/proof/clm-one-dose-protects/", "", "light", 1280},
			{"indicator", "/healthcare-statistics/mcv1/", ".charts", "light", 1280},
			{"graph-dark", "/graph/#clm-one-dose-protects", "#graph", "dark", 1280},
			{"retracted-narrow", "/evidence/evd-paper-of-1998/", "", "light", 360},
		} {
			b := open(t, base)
			b.size(p.width, 1000)
			b.scheme(p.scheme)
			b.visitSort(sort{p.path, p.built})
			save(t, b, p.name, false)
		}
	})
	every := func(t *testing.T, b *tab, width int64, look string) {
		b.width(width)
		for _, s := range everySort {
			b.visitSort(s)
			name := strings.NewReplacer("/", "_", "?", "_", "#", "_").Replace(strings.Trim(s.path, "/"))
			save(t, b, fmt.Sprintf("%s-%d-%s", cmp.Or(name, "home"), width, look), true)
		}
	}
	t.Run("sorts", func(t *testing.T) {
		for _, width := range []int64{360, 768, 1280, 1920} {
			for _, scheme := range []string{"light", "dark"} {
				b := open(t, base)
				b.scheme(scheme)
				every(t, b, width, scheme)
			}
		}
	})
	t.Run("arabic", func(t *testing.T) {
		for _, width := range []int64{360, 1280} {
			every(t, open(t, serveRelease(t, arabicSite(t))), width, "arabic")
		}
	})
	t.Run("print", func(t *testing.T) {
		b := open(t, base)
		b.paper()
		every(t, b, 720, "print")
	})
}
