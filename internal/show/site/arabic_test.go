package site_test

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

// arabicSite is the sample, whose records are in English, with pages in Arabic.
func arabicSite(t *testing.T) map[string][]byte {
	return madeOnce(t, "Arabic", func() fs.FS {
		return withSettings(t, map[string]string{"language: en": "language: en\nwords: ar"})
	})
}

// own are names that are the same in all languages.
var own = regexp.MustCompile(`\b(JSON|JavaScript|BibTeX|RIS|CSL|GET|curl|Python|R|Go|Atom|Feed|OpenAPI|SHA-256|zip|` +
	`CSV|XLSX|NDJSON|Parquet|SQLite|Markdown|ISO 3166(-[12])?|UN M49|Natural Earth|MeSH|ICD-11|SNOMED CT|GRADE|` +
	`CC-BY-4.0|CC0-1.0)\b|\S+\.\S+|\bref-[a-z-]+`) // and addresses, files and IDs

var inPicture = regexp.MustCompile(`<text class="(tick|year)"[^>]*>[^<]*[0-9][^<]*<`)

var latin, digits = regexp.MustCompile(`[A-Za-z]{2,}`), regexp.MustCompile(`[0-9]`)

// TestArabic: on pages in Arabic, what the pages say is in Arabic, and what records say is marked
// as English. All of it is from right to left, or says that it is not.
func TestArabic(t *testing.T) {
	race.LeaveOut(t, "nothing here runs beside anything else")
	seen := map[string]bool{}
	for p, data := range arabicSite(t) {
		if path.Ext(p) != ".html" {
			continue
		}
		if !bytes.Contains(data[:200], []byte(`<html lang="ar" dir="rtl">`)) {
			t.Errorf("%s begins with %s", p, data[:200])
		}
		if found := inPicture.Find(data); found != nil {
			t.Errorf("%s: digits of another sort in a chart: %s", p, found)
		}
		root := must.Get(html.Parse(bytes.NewReader(data)))(t)
		textNodes(root, "", func(text, lang string) {
			if found := digits.FindString(own.ReplaceAllString(text, "")); lang == "ar" && found != "" && !seen[text] {
				seen[text] = true
				t.Errorf("%s: %q has digits of another sort: %q", p, found, strings.TrimSpace(text))
			}
			if found := latin.FindString(own.ReplaceAllString(text, "")); lang == "ar" && found != "" && !seen[text] {
				seen[text] = true
				t.Errorf("%s: %q is no Arabic: %q", p, found, strings.TrimSpace(text))
			}
		})
		eachElement(root, func(n *html.Node) {
			lang, dir := attribute(n, "lang"), attribute(n, "dir")
			if lang == "en" && dir != "ltr" || lang == "ar" && dir != "rtl" || dir != "" && lang == "" {
				t.Errorf("%s: <%s lang=%q dir=%q>", p, n.Data, lang, dir)
			}
			for _, name := range []string{"aria-label", "placeholder", "data-means"} {
				text := own.ReplaceAllString(attribute(n, name), "")
				if found := latin.FindString(text); found != "" && !seen[text] && n.Data != "svg" {
					seen[text] = true
					t.Errorf("%s: %s %q is no Arabic", p, name, text)
				}
			}
		})
	}
}

// TestAccessibleInArabic runs axe-core over pages in Arabic on a telephone: it must find nothing,
// and no page may be wider than that.
func TestAccessibleInArabic(t *testing.T) {
	needsBrowser(t)
	b := openWithAxe(t, serveRelease(t, arabicSite(t)))
	b.width(360)
	// what differs is the frame, and the language
	for _, p := range []sort{{"/", ""}, {"/evidence/", "#table"}, {"/healthcare-statistics/mcv1/", ".charts"}} {
		b.visitSort(p)
		b.axe(p.path, "document", structure)
		if got := eval[int64](b, widest); got > 360 {
			t.Errorf("%s is %d pixels wide", p.path, got)
		}
	}
}

func eachElement(n *html.Node, f func(*html.Node)) {
	if n.Type == html.ElementNode {
		f(n)
	}
	for child := range n.ChildNodes() {
		eachElement(child, f)
	}
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TestArabicCommas: what a result says of a figure has the commas of the page's language.
func TestArabicCommas(t *testing.T) {
	race.LeaveOut(t, "nothing here runs beside anything else")
	found := false
	for path, data := range arabicSite(t) {
		if strings.HasPrefix(path, "search/rows/") {
			found = found || strings.Contains(string(data), "، ٢٠١٥")
			if strings.Contains(string(data), ", ٢") {
				t.Errorf("%s: %s", path, data)
			}
		}
	}
	if !found {
		t.Error("no result has a value of 2015")
	}
}
