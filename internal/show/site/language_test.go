package site_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// germanSite is the sample as if its records were in German.
func germanSite(t *testing.T) map[string][]byte {
	return madeOnce(t, "German", func() fs.FS { return withSettings(t, map[string]string{"language: en": "language: de"}) })
}

// TestLanguage: text of records has the language of the records, wherever it stands on a page, and
// the page's own words have not.
func TestLanguage(t *testing.T) {
	race.LeaveOut(t, "nothing here runs beside anything else")
	files := germanSite(t)
	texts := map[string]bool{} // what records say
	var all strings.Builder
	for p, data := range files {
		if path.Ext(p) != ".json" || !strings.HasPrefix(p, "api/") && !strings.HasPrefix(p, "data/") {
			continue
		}
		var value any
		must.Do(t, json.Unmarshal(data, &value))
		gatherTexts(value, func(text string) {
			texts[text] = true
			all.WriteString(text + "\n")
		})
	}
	said, marked := strings.ToLower(all.String()), 0
	for p, data := range files {
		if path.Ext(p) != ".html" {
			continue
		}
		root := must.Get(html.Parse(bytes.NewReader(data)))(t)
		wrong := 0
		textNodes(root, "", func(text, lang string) {
			text = strings.TrimSpace(text)
			switch {
			case wrong == 3 || text == "":
			case texts[text] && strings.Count(text, " ") > 2 && lang != "de":
				t.Errorf("%s: the language of %q is %q", p, text, lang)
				wrong++
			case lang == "de" && !saysIt(said, text):
				t.Errorf("%s: %q is in no record, and its language is %q", p, text, lang)
				wrong++
			case lang == "de":
				marked++
			}
		})
	}
	if marked < 1000 {
		t.Errorf("only %d texts have the language of the records", marked)
	}
}

// saysIt reports whether a text was put together from what records say: names with an arrow or
// commas between them, a name and its value, units in parentheses, and the beginnings of texts.
func saysIt(said, text string) bool {
	has := func(part string) bool { return strings.Contains(said, strings.ToLower(part)) }
	for part := range strings.SplitSeq(strings.Trim(text, "…()"), " → ") {
		if has(part) {
			continue
		}
		list := strings.Split(part, ", ")
		for _, item := range list {
			if !has(item) && (len(list) == 1 || !slices.ContainsFunc(strings.Fields(item), has)) {
				return false
			}
		}
	}
	return true
}

// gatherTexts finds what a JSON document says, at any depth.
func gatherTexts(value any, add func(string)) {
	switch v := value.(type) {
	case string:
		add(v)
	case []any:
		for _, element := range v {
			gatherTexts(element, add)
		}
	case map[string]any:
		for name, member := range v {
			if codes, ok := member.(map[string]any); ok && name == "codes" || name == "identifiers" {
				for code := range codes { // the publisher's own
					add(code)
				}
			}
			gatherTexts(member, add)
		}
	}
}

// textNodes finds the texts that a page shows as its own, each with its language. Code, citations
// to copy and pictures are nobody's language.
func textNodes(n *html.Node, lang string, found func(text, lang string)) {
	switch {
	case n.Type == html.TextNode:
		found(n.Data, lang)
	case n.Type == html.ElementNode:
		switch n.Data {
		case "head", "script", "pre", "code", "svg", "noscript", "blockquote":
			return
		}
		for _, a := range n.Attr {
			if a.Key == "lang" {
				lang = a.Val
			}
		}
	}
	for child := range n.ChildNodes() {
		textNodes(child, lang, found)
	}
}

// TestLanguageOfScripts: what scripts show of records has the language of the records too.
func TestLanguageOfScripts(t *testing.T) {
	needsBrowser(t)
	b := open(t, serveRelease(t, germanSite(t)))
	for _, p := range []struct{ path, built, texts string }{
		{"/search/?q=measles", "#search", ".results a, .results p"},
		{"/signals/", "#table", "tbody a"},
		{"/changes/", "#changes", "#changes li a, #changes li p:not(.quiet)"},
		{"/graph/#clm-one-dose-protects", "#graph", ".detail h2, .detail li button"},
	} {
		b.visitSort(sort{p.path, p.built})
		langs := eval[[]string](b, `[...document.querySelectorAll("`+p.texts+`")].map((e) => e.lang)`)
		if len(langs) == 0 {
			t.Errorf("%s shows no %s", p.path, p.texts)
		}
		for _, lang := range langs {
			if lang != "de" {
				t.Errorf("%s: the language of %s is %q", p.path, p.texts, langs)
				break
			}
		}
	}
}
