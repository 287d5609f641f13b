package files

import (
	"crypto/sha256"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"stele/internal/disk/lists"
	"stele/release"
)

// TestAppendPage: a line of the listing of pages is what encoding/json makes of it.
func TestAppendPage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.OneOf(rapid.StringMatching(`[a-z]+/[a-z0-9-]+/index\.html`), rapid.String())
		f := release.File{
			Path:   path.Draw(t, "path"),
			Size:   rapid.Int64().Draw(t, "size"),
			SHA256: sha256.Sum256([]byte(path.Draw(t, "content"))),
		}
		for range rapid.IntRange(0, 3).Draw(t, "variants") {
			f.Variants = append(
				f.Variants,
				release.Variant{
					Encoding: "gzip",
					Path:     path.Draw(t, "at"),
					Size:     rapid.Int64().Draw(t, "length"),
					SHA256:   sha256.Sum256([]byte(f.Path)),
				},
			)
		}
		want, err := json.Marshal(f)
		if got := appendPage(nil, &f); err != nil || string(got) != string(want) {
			t.Fatalf("%s, not %s: %v", got, want, err)
		}
	})
}

// TestTitleIn: the title in a line of a listing is the record's.
func TestTitleIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.StringMatching(`[a-z ",:\\]{0,12}`), rapid.String(), rapid.Just(`","title":"`)).Draw(t, "title")
		e := release.Entry{ID: "sig-title", Version: 1, Title: title, Updated: "2026-11-15"}
		line := lists.AppendEntry(nil, &e)
		if got := TitleIn(line); got != title {
			t.Fatalf("%q is read as %q from %s", title, got, line)
		}
	})
}
