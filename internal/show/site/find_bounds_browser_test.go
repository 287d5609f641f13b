package site_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
)

// withEntities is the sample with so many entities more, by what their title and summary say.
func withEntities(t *testing.T, count int, says func(i int) (title, summary string)) fstest.MapFS {
	t.Helper()
	var lines strings.Builder
	for i := range count {
		title, summary := says(i)
		fmt.Fprintf(&lines, `{"id":"ent-more-%05d","version":1,"title":%q,"summary":%q,"source_links":[{"url":"https://example.org/","role":"primary"}],`+
			`"verification_date":"2026-01-10","source_updates":[],"corrections":[],"published_date":"2026-01-10","updated_date":"2026-01-10","entity_type":"place","name":%q}`+"\n", i, title, summary, title)
	}
	folder := withSettings(t, nil)
	folder["records/entities/more.ndjson"] = &fstest.MapFile{Data: []byte(lines.String())}
	return folder
}

// TestFindsAllWords: records that have all words are found where each word is in the titles of many
// others, and the page counts them.
func TestFindsAllWords(t *testing.T) {
	needsBrowser(t)
	folder := withEntities(t, 1_000, func(i int) (string, string) {
		switch {
		case i < 400:
			return fmt.Sprintf("Lighthouse %d", i), "On a cliff."
		case i < 800:
			return fmt.Sprintf("Windmill %d", i), "On a hill."
		}
		return fmt.Sprintf("Building %d", i), "A lighthouse that became a windmill."
	})
	files := makeSite(t, folder, compiler.Options{NoVariants: true, Render: renderers()[:1]})
	b := open(t, serveFiles(t, filesOf(files)))
	for query, want := range map[string]string{
		"lighthouse windmill": "200 results for all words, 800 partial matches",
		"windmill lighthouse": "200 results for all words, 800 partial matches",
		"lighthouse":          "600 results",
		"building 999":        "1 result for all words, 199 partial matches",
		"constructor":         "No results for constructor.",
	} {
		b.find(query)
		if got := eval[string](b, note); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	b.find("lighthouse windmill")
	if got := eval[string](b, `document.querySelector(".results a").textContent`); !strings.HasPrefix(got, "Building 8") {
		t.Errorf("the first result is %q", got)
	}
	b.visit("/search/?q=lighthouse&kind=entity")
	b.ready("#search")
	for shown := 10; shown < 600; shown += 10 {
		eval[bool](b, `(document.querySelector("#search .more").click(), true)`)
		b.wait(fmt.Sprintf(`document.querySelectorAll(".results li").length === %d && document.querySelector("#search").dataset.ready`, shown+10))
	}
	if eval[bool](b, `!document.querySelector("#search .more").hidden`) {
		t.Error("after the last result there are more")
	}
}
