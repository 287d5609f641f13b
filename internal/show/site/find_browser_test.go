package site_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"stele/internal/testkit/browsertest"
)

// note is what the search page says of its results.
const note = `document.querySelector("#search .found").textContent`

// find asks the search page, which it first opens.
func (b *tab) find(query string) {
	b.t.Helper()
	again := fmt.Sprintf(`((form) => { if (form) { form.q.value = %q; form.requestSubmit(); } return Boolean(form); })(document.querySelector("#search form"))`, query)
	if !eval[bool](b, again) {
		b.visit("/search/?" + url.Values{"q": {query}}.Encode())
	}
	b.ready("#search")
}

// TestFind: the page shows the best results first, by kind, with what matched, how many there are,
// and the latest value of an indicator. What is found is TestQueries'.
func TestFind(t *testing.T) {
	b := open(t, serveSample(t))
	b.find("do vaccines cause autism?")
	if got := eval[string](b, `document.querySelector(".results a").textContent`); got != "MMR vaccine and autism are not linked" {
		t.Errorf("the first result is %q", got)
	}
	if got := eval[[]string](b, `[...document.querySelectorAll(".results li:first-child a")][0].querySelectorAll("mark").values().map((e) => e.textContent).toArray()`); !slices.Equal(got, []string{"vaccine", "autism", "linked"}) {
		t.Errorf("%q are marked", got)
	}
	heads := eval[[]string](b, `[...document.querySelectorAll("#search h2")].map((e) => e.textContent)`)
	if len(heads) < 4 || !strings.HasPrefix(heads[0], "Claims ") {
		t.Errorf("the groups are %q", heads)
	}
	counts := eval[[]int](b, `[...document.querySelectorAll("#search section")].map((s) => Number(s.querySelector("h2 span").textContent) - s.querySelectorAll("li").length)`)
	more := eval[[]int](b, `[...document.querySelectorAll("#search section")].map((s) => s.querySelector(".more").hidden ? 0 : 1)`)
	for i, left := range counts {
		if left < 0 || (left > 0) != (more[i] > 0) {
			t.Errorf("%s: %d more than are shown, and the button is %d", heads[i], left, more[i])
		}
	}
	for query, want := range map[string]string{
		"xyzzy quux":      "No results for xyzzy or quux.",
		"measels":         "Showing results for measles. ",
		"vacination":      "Showing results for vaccination. ",
		"samoa xyzzy":     "No results for xyzzy. No exact match. Closest results:",
		"clm-deaths-fell": "3 results for all words",
		"2031":            "Nothing was found. Try fewer or other words.",
	} {
		if b.find(query); !strings.HasPrefix(eval[string](b, note), want) {
			t.Errorf("%s is answered with %q, not %q", query, eval[string](b, note), want)
		}
	}
	for query, want := range map[string]string{
		"sta-measles-cases-COD-2011": "/measles_cases/?area=COD#sta-measles-cases-COD-2011",
		"lowest coverage measles":    "/mcv1/?tab=ranking&sort=to",
		"أدنى تغطية الحصبة":          "/mcv1/?tab=ranking&sort=to",
		"coverage Ukraine 2010":      "/mcv1/?area=UKR&time=2010..2010",
	} {
		b.find(query)
		if got := eval[string](b, `[...document.querySelectorAll(".results a")].map((e) => e.href).join(" ")`); !strings.Contains(got, want) {
			t.Errorf("%s leads to %s, not to %s", query, got, want)
		}
	}
	for query, want := range map[string]string{
		"coverage Ukraine 2010": "Ukraine, 2010, estimated: 56 per cent of one-year-olds",
		"coverage Ukraine ٢٠١٠": "Ukraine, 2010, estimated: 56 per cent of one-year-olds",
		"measles coverage 2010": "World, 2010, estimated: 85 per cent of one-year-olds",
	} {
		b.find(query)
		if got := eval[string](b, `[...document.querySelectorAll(".value")].map((e) => e.textContent).join(" ")`); !strings.Contains(got, want) {
			t.Errorf("the value of %s is %q, not %q", query, got, want)
		}
	}
	b.find("life expectancy")
	if got := eval[string](b, `document.querySelector(".results .value").textContent`); got != "77.5 years, United States, release final, 2022" {
		t.Errorf("the latest value is %q", got)
	}
	b.visit("/search/?q=measles&kind=signal")
	b.ready("#search")
	if got := eval[[]string](b, `[...document.querySelectorAll("#search h2")].map((e) => e.firstChild.textContent)`); !slices.Equal(got, []string{"Signals"}) {
		t.Errorf("of signals only, %q are found", got)
	}
}

// TestFindFromAnywhere: every page has the search, and the key / leads to it.
func TestFindFromAnywhere(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/labels/")
	eval[bool](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }))`)
	b.wait(`document.activeElement.name === "q"`)
	b.follow(func() { b.enter(`.masthead input`, "rubeola"+browsertest.Enter) })
	b.ready("#search")
	if got := eval[string](b, `document.querySelector(".results a").textContent`); got != "Measles" {
		t.Errorf("the first result is %q", got)
	}
	for path, want := range map[string]string{"/places/": "Ukraine", "/healthcare-statistics/": "Estimated measles deaths"} {
		b.visit(path)
		b.enter(".filters input", strings.ToUpper(want[2:]))
		const shown = `[...document.querySelectorAll(".narrow a:first-child, .narrow h2")].filter((e) => e.checkVisibility()).length`
		if first := eval[string](b, `document.querySelector(".narrow :is(li, tbody tr):not([hidden]) a").textContent`); first != want || eval[int](b, shown) != 2 {
			t.Errorf("of %s, %q is left of %d", path, first, eval[int](b, shown))
		}
	}
}

// TestFindLost: the page for a wrong address names the nearest one, and the search has its words.
func TestFindLost(t *testing.T) {
	b := open(t, serveSample(t))
	b.mayFail.Store(true)
	b.visit("/proof/clm-mmr-and-autsm/")
	b.wait(`!document.getElementById("nearest").hidden`)
	if got := eval[string](b, `document.querySelector("#nearest a").href + " " + document.querySelector("#nearest a").textContent + " " + document.querySelector("input[type=search]").value`); got != b.base+"/proof/clm-mmr-and-autism/ MMR vaccine and autism are not linked mmr and autsm" {
		t.Errorf("the nearest is %s", got)
	}
}
