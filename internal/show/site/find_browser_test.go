package site_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// queries are what people would type, each with what one of the first three results must be called.
var queries = []struct{ query, want string }{
	{"measles", "Measles"}, // the condition, and not only what is about it
	{"measels", "Measles"},
	{"meazles", "Measles"},
	{"mesles", "Measles"},
	{"rubeola", "Measles"},
	{"MMR", "MMR vaccine"},
	{"mmr autism", "MMR vaccine and autism are not linked"},
	{"does mmr cause autism", "MMR vaccine and autism are not linked"},
	{"Wakefield", "The 1998 MMR paper (retracted)"},
	{"wakefeild", "The 1998 MMR paper (retracted)"},
	{"retracted paper 1998", "The 1998 MMR paper (retracted)"},
	{"mortality", "Estimated measles deaths"},
	{"measles deaths", "Estimated measles deaths"},
	{"UK", "United Kingdom"},
	{"uk coverage", "Coverage in the United Kingdom before and after 1998"},
	{"United Kingdom", "United Kingdom"},
	{"GBR", "United Kingdom"},
	{"Samoa", "Samoa"},
	{"samoa measles", "Samoa"},
	{"brasil", "Brazil"},
	{"Brazil coverage", "Coverage with a first dose of measles vaccine, Brazil"},
	{"congo", "Democratic Republic of the Congo"},
	{"DRC measles cases", "Democratic Republic of the Congo"},
	{"Venezuela", "Venezuela"},
	{"reminders", "Reminders by text message"},
	{"text message reminder", "text message"},
	{"sms", "text message"},
	{"two doses", "Two doses in the routine schedule"},
	{"second dose", "Second dose"},
	{"first dose", "first dose"},
	{"one dose protects", "One dose of MMR vaccine protects most children from measles"},
	{"vaccination kids", "vaccine"},
	{"immunisation", "vaccine"},
	{"outbreaks 2023", "Large outbreaks in 57 countries in 2023"},
	{"Kenya", "Kenya"},
	{"Cochrane", "Cochrane"},
	{"WHO", "WHO"},
	{"life expectancy", "Life expectancy at birth"},
	{"mcv1", "Coverage with a first dose of measles vaccine"},
	{"evd-mmr-one-dose", "evd-mmr-one-dose"},
	{"coverage fell", "coverage"},
}

// TestFind: what people would type finds what they mean, with slips, by other names and by codes.
func TestFind(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/search/")
	b.ready("#search")
	for _, q := range queries {
		eval[bool](b, `(i => { i.value = `+"`"+q.query+"`"+`; i.form.requestSubmit(); return true; })(document.querySelector("#search input"))`)
		b.wait(`document.querySelector("#search").dataset.ready === "yes" && new URLSearchParams(location.search).get("q") === "` + q.query + `"`)
		found := eval[[]string](b, `[...document.querySelectorAll(".results a")].slice(0, 3).map((a) => a.textContent)`)
		if !slices.ContainsFunc(found, func(title string) bool { return strings.Contains(title, q.want) }) {
			t.Errorf("%s: %q is not among %q", q.query, q.want, found)
		} else {
			t.Logf("%s: %s", q.query, strings.Join(found, " | "))
		}
	}
	b.visit("/search/?" + url.Values{"q": {"xyzzy quux"}}.Encode())
	b.ready("#search")
	if got := eval[string](b, `document.querySelector(".found").textContent`); !strings.HasPrefix(got, "Nothing") {
		t.Errorf("nothing is found as %q", got)
	}
	b.visit("/search/?q=measels")
	b.ready("#search")
	if got := eval[string](b, `document.querySelector(".found").textContent`); !strings.HasPrefix(got, "Showing results for measles. ") {
		t.Errorf("a slip is answered with %q", got)
	}
	b.visit("/search/?q=measles&kind=signal")
	b.ready("#search")
	kinds := eval[[]string](b, `[...new Set([...document.querySelectorAll(".results .kind")].map((e) => e.textContent))]`)
	if !slices.Equal(kinds, []string{"Signal"}) {
		t.Errorf("of signals only, %q are found", kinds)
	}
}

// TestFindFromAnywhere: every page has the search, and the key / leads to it.
func TestFindFromAnywhere(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/labels/")
	eval[bool](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }))`)
	b.wait(`document.activeElement.name === "q"`)
	b.follow(chromedp.SendKeys(chromedp.CSS(`.masthead input`), "rubeola\r"))
	b.ready("#search")
	if got := eval[string](b, `document.querySelector(".results a").textContent`); got != "Measles" {
		t.Errorf("the first result is %q", got)
	}
}
