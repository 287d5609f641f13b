package report

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/base/layout"
	"stele/internal/testkit/must"
	"stele/release"
)

// makeRelease is a release of entities, by hand: a line for each.
func makeRelease(t *testing.T, id string, lines ...string) *release.Release {
	t.Helper()
	collection := "{\"records\":[\n" + strings.Join(lines, ",\n") + "\n]}\n"
	var entries []string
	for _, line := range lines {
		var e struct {
			ID      string
			Version int64
			Title   string
		}
		must.Do(t, json.Unmarshal([]byte(line), &e))
		entry := must.Get(json.Marshal(
			release.Entry{ID: e.ID, Version: e.Version, Title: e.Title, SHA256: sha256.Sum256([]byte(line))},
		))(t)
		entries = append(entries, string(entry))
	}
	index := "{\"records\":[\n" + strings.Join(entries, ",\n") + "\n]}\n"
	m := &release.Manifest{
		Format: layout.Format, Release: id, Date: "2026-02-01",
		Kinds: []release.Kind{{Kind: "entity", Count: len(lines), Collection: "c", Listing: "i"}},
		Files: []release.File{
			{Path: "c", Size: int64(len(collection)), SHA256: sha256.Sum256([]byte(collection))},
			{Path: "i", Size: int64(len(index)), SHA256: sha256.Sum256([]byte(index))},
		},
	}
	return &release.Release{Manifest: m, Files: fstest.MapFS{"c": {Data: []byte(collection)}, "i": {Data: []byte(index)}}}
}

func TestDiffText(t *testing.T) {
	old := makeRelease(t, "aaaaaaaaaaaa",
		`{"id":"a","version":1,"title":"One","aliases":["x","y"],"x_value":0.050}`,
		`{"id":"b","version":1,"title":"Two"}`,
		`{"id":"same","version":1,"title":"Same"}`)
	now := makeRelease(t, "bbbbbbbbbbbb",
		`{"id":"a","version":2,"title":"One","aliases":["x"],"x_value":0.05,"x_empty":""}`,
		`{"id":"c","version":1,"title":"Three"}`,
		`{"id":"same","version":1,"title":"Same"}`)
	want := `1 created · 1 updated · 1 removed from aaaaaaaaaaaa (2026-02-01) to bbbbbbbbbbbb (2026-02-01)

entity  a  v1 → v2  updated
  - aliases/1: y
  - version: 1
  + version: 2
  + x_empty: 
  - x_value: 0.050
  + x_value: 0.05

entity  b  v1  removed
  Two

entity  c  v1  created
  Three
`
	var plain, colored strings.Builder
	for out, color := range map[*strings.Builder]bool{&plain: false, &colored: true} {
		if differ, err := WriteDiff(t.Context(), out, old, now, "text", color); err != nil || !differ {
			t.Errorf("%v, %v", differ, err)
		}
	}
	if plain.String() != want {
		t.Errorf("the text is\n%s\nwant\n%s", plain.String(), want)
	}
	ansi := regexp.MustCompile("\x1b\\[[0-9;]+m")
	if stripped := ansi.ReplaceAllString(colored.String(), ""); stripped != want ||
		len(ansi.FindAllString(colored.String(), -1)) < 10 {
		t.Errorf("in colour it is\n%q", colored.String())
	}
	var same strings.Builder
	if differ, err := WriteDiff(t.Context(), &same, old, old, "text", false); err != nil || differ || same.String() != "no record changed from aaaaaaaaaaaa (2026-02-01) to aaaaaaaaaaaa (2026-02-01)\n" {
		t.Errorf("%v, %v: %s", differ, err, same.String())
	}
}

// TestReleasesDoNotSteerTheTerminal: a release may be anybody's.
func TestReleasesDoNotSteerTheTerminal(t *testing.T) {
	const evil = `\u001b]0;evil\u0007`
	old := makeRelease(t, "\x1b[2J", `{"id":"a","version":1,"title":"One"}`, `{"id":"b","version":1,"title":"`+evil+`"}`)
	now := makeRelease(t, "\x1b[2J", `{"id":"a","version":2,"title":"`+evil+`","x_`+evil+`":"`+evil+`"}`)
	var out strings.Builder
	must.Get(WriteDiff(t.Context(), &out, old, now, "text", false))(t)
	WriteVerified(&out, old.Manifest, &release.Report{Faults: []release.Fault{{Message: "\x1b[31m"}}}, false, false)
	WriteVerified(&out, old.Manifest, &release.Report{}, false, false)
	if strings.ContainsAny(out.String(), "\x1b\x07") || strings.Count(out.String(), "evil") < 4 {
		t.Errorf("%q", out.String())
	}
}

// TestCommentHasALimit: a comment stays below what GitHub takes, and is one block of code.
func TestCommentHasALimit(t *testing.T) {
	var was, is []string
	for i := range 1000 {
		was = append(was, fmt.Sprintf(`{"id":"a%d","version":1,"title":"%s"}`, i, strings.Repeat("a", 500)))
		is = append(is, fmt.Sprintf(`{"id":"a%d","version":2,"title":%q}`, i, "\n```\n@octocat"))
	}
	var out strings.Builder
	must.Get(WriteDiff(t.Context(), &out, makeRelease(t, "a", was...), makeRelease(t, "b", is...), "markdown", false))(t)
	if text := out.String(); len(text) > 65_000 || strings.Count(text, "\n```\n") != 2 || !strings.Contains(text, "more; stele diff lists all\n```\n") {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
}

func TestDiffOfDamagedRelease(t *testing.T) {
	whole := makeRelease(t, "aaaaaaaaaaaa", `{"id":"a","version":1}`)
	damaged := makeRelease(t, "bbbbbbbbbbbb", `{"id":"a","version":2}`)
	damaged.Files.(fstest.MapFS)["c"].Data[20] ^= 1
	for _, format := range []string{"text", "json"} {
		var out strings.Builder
		if _, err := WriteDiff(t.Context(), &out, whole, damaged, format, false); err == nil || out.Len() > 0 {
			t.Errorf("%s: %v\n%s", format, err, out.String())
		}
	}
}
