package push

import (
	"strings"
	"testing"

	"stele/internal/build/publish"
	"stele/internal/disk/store"
	"stele/internal/testkit/must"
	"stele/record"
)

// TestHosts: each limit is seen, with what is too much.
func TestHosts(t *testing.T) {
	for name, cases := range map[string]map[string]Size{
		"github-pages": {"": {Files: 1e6, Bytes: 1e9}, "1001 MB in all": {Files: 1, Bytes: 1001e6}},
		"gitlab-pages": {
			"":                         {Files: 150_000, Folders: 50_000, Bytes: 1e9},
			"200001 files and folders": {Files: 150_000, Folders: 50_001},
		},
		"cloudflare-pages": {
			"":              {Files: 20_000, Bytes: 1e10, Largest: 25 << 20},
			"20001 files":   {Files: 20_001},
			"x has 26.2 MB": {Files: 1, Largest: 25<<20 + 1, LargestPath: "x"},
		},
	} {
		h := must.Get(FindHost(name))(t)
		for want, size := range cases {
			if got := h.Refuses(size); !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s, %+v: %q", name, size, got)
			}
		}
	}
	if _, err := FindHost("elsewhere"); err == nil {
		t.Error("there is such a host")
	}
}

// TestSlim: what a release would have, built with less, is what it has then.
func TestSlim(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	h := newSite(t)
	ways := must.Get(slim(t, h.build("", "")))(t)
	for i, w := range ways[1:] {
		if w.Files >= ways[i].Files && w.Flags != "--without by-hash --without variants --downloads none" || w.Bytes > ways[i].Bytes {
			t.Errorf("%s: %d files, %d bytes", w.Flags, w.Files, w.Bytes)
		}
	}
	// the records alone, as a build makes them
	small := newHistory(t)
	w := must.Get(store.NewWriter(small.dir + "/records"))(t)
	opt := publish.Options{Date: record.Date("2026-03-01"), NoVariants: true}
	must.Get(publish.Build(t.Context(), small.folder, w, opt))(t)
	must.Do(t, w.Commit())
	alone := must.Get(slim(t, small.dir+"/records"))(t)
	if last := ways[len(ways)-1]; last.Files != alone[0].Files {
		t.Errorf("%d files are said, and a release of records only has %d", last.Files, alone[0].Files)
	}
}

func slim(t *testing.T, path string) ([]Slimming, error) {
	t.Helper()
	r, closeRelease, err := store.Open(path)
	must.Do(t, err)
	defer closeRelease()
	return Slim(r)
}
