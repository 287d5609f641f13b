package site_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"stele/internal/base/layout"
	"stele/internal/compile/compiler"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/trust/signing"
)

// sort is a page, with what its script builds, if it has one.
type sort struct{ path, built string }

// fewSorts are the pages with the most different parts. TestLongEverySort opens the others too.
var fewSorts = []sort{
	{"/", ""},
	{"/search/?q=measles", "#search"},
	{"/developers/", ""},
	{"/evidence/", "#table"},
	{"/changes/", "#changes"},
	{"/graph/#graph", "#graph"},
	{"/healthcare-statistics/mcv1/", ".charts"},
	{"/healthcare-statistics/mcv1/?tab=map", ".charts"},
	{"/proof/clm-one-dose-protects/", ""},
	{"/decision-views/dec-reminders/", ""},
}

// everySort is a page of every sort that there is.
var everySort = []sort{
	{"/", ""},
	{"/404.html", ""},
	{"/how/", ""},
	{"/in-question/", ""},
	{"/labels/", ""},
	{"/search/?q=measles", "#search"},
	{"/developers/", ""},
	{"/evidence/", "#table"},
	{"/graph-edges/", "#table"},
	{"/changes/", "#changes"},
	{"/graph/", ""},
	{"/graph/#graph", "#graph"},
	{"/graph/#clm-one-dose-protects", "#graph"},
	{"/healthcare-statistics/", ""},
	{"/healthcare-statistics/mcv1/", ".charts"},
	{"/healthcare-statistics/mcv1/?tab=table", ".charts"},
	{"/healthcare-statistics/mcv1/?tab=ranking", ".charts"},
	{"/healthcare-statistics/mcv1/?tab=map", ".charts"},
	{"/healthcare-statistics/measles_cases/", ".charts"},
	{"/embed/mcv1/", ".charts"},
	{"/signals/sig-samoa-coverage-gap/", ""},
	{"/evidence/evd-mmr-one-dose/", ""},
	{"/evidence/evd-paper-of-1998/", ""},
	{"/proof/clm-one-dose-protects/", ""},
	{"/proof/clm-stockings-on-flights/", ""},
	{"/source-objects/src-who-gho/", ""},
	{"/entities/ent-measles/", ""},
	{"/entities/ent-ukr/", ""},
	{"/places/", ""},
	{"/places/IND/", ""},
	{"/recommendations/rec-reminders/", ""},
	{"/decision-views/dec-reminders/", ""},
}

func (b *tab) visitSort(p sort) {
	b.t.Helper()
	if strings.Contains(p.path, "#") {
		b.visit("/404.html") // so that a page whose address differs in its fragment only is loaded too
	}
	b.visit(p.path)
	if p.built != "" {
		b.ready(p.built)
	}
}

// colorings are the ways in which the page that is open colours its text, and window.colored has an
// element for each: contrast depends on colours, on what is behind the text, and on its size.
const colorings = `(() => {
  const looks = new Map(), styleOf = (e) => { if (!looks.has(e)) looks.set(e, getComputedStyle(e)); return looks.get(e); };
  window.colored = new Map();
  for (const e of document.querySelectorAll("body *")) {
    const hasText = e.matches("input, select, textarea") || [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim());
    if (!hasText || !e.getClientRects().length) continue;
    const { color, fontSize, fontWeight, textDecorationLine, textShadow } = styleOf(e);
    const key = [e.localName, color, fontSize, fontWeight, textDecorationLine, textShadow, styleOf(e.parentElement).color];
    for (let at = e; at; at = at.parentElement) {
      const { backgroundColor, backgroundImage, opacity, filter } = styleOf(at);
      key.push(backgroundColor, backgroundImage, opacity, filter);
    }
    const text = key.join(" ").replace(/( rgba\(0, 0, 0, 0\) none 1 none)+/g, " clear");
    if (!colored.has(text)) colored.set(text, e);
  }
  return [...colored.keys()];
})()`

// structure is what axe-core looks for but for contrast, which takes longest.
const structure = `{resultTypes: ["violations"], rules: {"target-size": {enabled: true}, "color-contrast": {enabled: false}, "link-in-text-block": {enabled: false}}}`

// TestAccessible runs axe-core over pages on a telephone, in light and in dark: it must find
// nothing, and no page may be wider than the window. A page that is enlarged four times shows where
// it begins.
func TestAccessible(t *testing.T) {
	b := openWithAxe(t, serveSample(t))
	b.width(360)
	seen := map[string]bool{}
	for _, p := range fewSorts {
		b.visitSort(p)
		b.accessible(p, seen)
		b.fits(p.path, 360)
		b.begins(p.path)
		b.width(360)
	}
	if len(seen) < 60 {
		t.Errorf("text is coloured in %d ways only", len(seen))
	}
}

// TestLongEverySort is TestAccessible for a page of every sort at every width, from a telephone to
// a large screen, in both languages. Pages are opened at one width or another, and then made
// narrower and wider.
func TestLongEverySort(t *testing.T) {
	long.Only(t)
	for name, base := range map[string]string{"English": serveSample(t), "Arabic": serveRelease(t, arabicSite(t))} {
		b := openWithAxe(t, base)
		seen := map[string]bool{}
		widths := []int64{360, 800, 1600}
		for i, p := range everySort {
			for n := range widths {
				width := widths[(i+n)%len(widths)]
				b.width(width)
				if n == 0 {
					b.visitSort(p)
				} else {
					eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
				}
				b.accessible(p, seen)
				if name == "English" { // Arabic letters are joined
					b.fits(p.path, width)
				} else if got := eval[int64](b, widest); got > width {
					t.Errorf("%s is %d pixels wide at %d", p.path, got, width)
				}
				b.run(`document.adoptedStyleSheets = []`)
			}
			b.begins(p.path)
		}
		if len(seen) < 60 {
			t.Errorf("%s: text is coloured in %d ways only", name, len(seen))
		}
	}
}

// accessible reports what axe-core finds on the page that is open. It looks at the contrast of
// colours that are not in seen.
func (b *tab) accessible(p sort, seen map[string]bool) {
	b.t.Helper()
	part := "document"
	if strings.Contains(p.path, "?tab=") { // the rest is that of the page without a tab
		part = `document.querySelector(".charts")`
	}
	b.axe(p.path, part, structure)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		fresh := slices.DeleteFunc(eval[[]string](b, colorings), func(c string) bool { return seen[scheme+c] })
		if len(fresh) == 0 {
			continue
		}
		list := must.Get(json.Marshal(fresh))(b.t)
		b.axe(p.path+" in "+scheme, `{include: `+string(list)+`.map((c) => colored.get(c))}`,
			`{resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"]}`)
		for _, c := range fresh {
			seen[scheme+c] = true
		}
	}
}

// begins reports a page that shows too much before its heading in a window of 320 by 256 pixels.
func (b *tab) begins(path string) {
	b.t.Helper()
	b.size(320, 256)
	if got := eval[int](b, `(document.adoptedStyleSheets = [], scrollTo(0, 0), Math.round(document.querySelector("h1, .warning").getBoundingClientRect().top))`); got > 200 {
		b.t.Errorf("%s: the page begins at %d of 256", path, got)
	}
}

// openWithAxe opens a tab in whose pages axe-core is there.
func openWithAxe(t *testing.T, base string) *tab {
	t.Helper()
	b := open(t, base)
	axe := must.Get(os.ReadFile("testdata/axe-core-4.14.0/axe.min.js"))(t)
	b.changed = true
	must.Do(t, b.Preload(t.Context(), string(axe)))
	return b
}

// axe reports what axe-core finds in a part of the page that is open.
func (b *tab) axe(name, part, options string) {
	b.t.Helper()
	found := eval[string](b, `axe.run(`+part+`, `+options+`).then(r => JSON.stringify(r.violations.map(v => ({id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)}))))`)
	var violations []struct {
		ID, Help string
		Nodes    []string
	}
	must.Do(b.t, json.Unmarshal([]byte(found), &violations))
	for _, v := range violations {
		b.t.Errorf("%s: %s (%s):\n%s", name, v.ID, v.Help, strings.Join(v.Nodes, "\n"))
	}
}

// widthText is a line to measure letters by, and wideLetter how wide they are in the widest
// ordinary fonts, as a part of the font's size: Verdana Bold and DejaVu Sans Bold.
const (
	widthText  = "The quick brown fox jumps over the lazy dog, and 1234567890 others."
	wideLetter = .6
)

// wideLetters sets a page in letters as wide as those of the widest ordinary fonts: they are set
// apart by what the machine's own lack, so that no machine decides.
var wideLetters = fmt.Sprintf(`(() => {
  const pen = document.createElement("canvas").getContext("2d"), text = %q;
  const families = { "--sans": "*", "--serif": "h1, h2, .lead, .said p, .name" };
  const wide = new CSSStyleSheet();
  const rule = (selector, spacing) => wide.insertRule(selector + " { letter-spacing: " + spacing + "em !important; }", wide.cssRules.length);
  for (const [family, selector] of Object.entries(families)) {
    pen.font = "100px " + getComputedStyle(document.documentElement).getPropertyValue(family);
    rule(selector, Math.max(0, %g - pen.measureText(text).width / text.length / 100));
  }
  rule("code, pre, code *, pre *", 0); // these are as wide in every font
  document.adoptedStyleSheets = [wide];
  return true;
})()`, widthText, wideLetter)

// widest is how wide a page is, also while a label says what it means.
const widest = `(() => {
  const page = document.documentElement, widths = [page.scrollWidth];
  for (const label of document.querySelectorAll(".badge[data-means]")) {
    label.focus({ focusVisible: true });
    widths.push(page.scrollWidth);
  }
  return Math.max(...widths);
})()`

// fits reports a page that is wider than the window, whatever the fonts.
func (b *tab) fits(path string, width int64) {
	b.t.Helper()
	eval[bool](b, wideLetters)
	if got := eval[int64](b, widest); got > width {
		wide := eval[string](b, `[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join("\n")`)
		b.t.Errorf("%s is %d pixels wide at %d:\n%s", path, got, width, wide)
	}
}

// TestFirstScreens: on a telephone the first page shows a claim, one box to search, no ID of the
// release and a menu in one row. Everything ends at one edge.
func TestFirstScreens(t *testing.T) {
	b := open(t, serveSample(t))
	b.size(360, 740)
	b.visit("/")
	if got := eval[int](b, `Math.round(document.querySelector(".lead-claim h2").getBoundingClientRect().bottom)`); got > 640 {
		t.Errorf("the title of the first claim ends at %d", got)
	}
	if got := eval[string](b, `[document.querySelectorAll("input[type=search]").length, document.querySelectorAll(".opening code").length,
		new Set([...document.querySelectorAll(".masthead nav a")].filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().top)).size].join()`); got != "1,0,1" {
		t.Errorf("boxes, IDs and rows of the menu: %s", got)
	}
	if got := eval[int](b, `document.querySelector(".masthead nav").scrollWidth`); got > 328 {
		t.Errorf("the menu is cut: it is %d pixels wide", got)
	}
	if got := eval[string](b, `[...document.querySelectorAll(".masthead a, .trust a, .topics a")]
		.filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.textContent).join()`); got != "" {
		t.Errorf("too small to touch: %s", got)
	}
	for _, path := range []string{"/", "/places/IND/", "/healthcare-statistics/"} {
		b.visit(path)
		if got := eval[string](b, `getComputedStyle(document.querySelector(".spark :is(.line, .gap)")).opacity`); got != "1" {
			t.Errorf("%s: small charts are drawn as faint as what stands behind others, %s", path, got)
		}
	}
	b.size(1280, 900)
	for _, path := range []string{"/", "/proof/clm-mmr-and-autism/", "/healthcare-statistics/mcv1/", "/changes/"} {
		b.visit(path)
		edge := `(s) => Math.round(document.querySelector(s).getBoundingClientRect().right)`
		if got := eval[string](b, `[...new Set([".masthead", "main", "footer"].map(`+edge+`))].join()`); strings.Contains(got, ",") {
			t.Errorf("%s ends at %s", path, got)
		}
	}
}

// TestDark: who prefers dark pages gets them.
func TestDark(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/")
	ground := `getComputedStyle(document.body).backgroundColor`
	b.scheme("light")
	light := eval[string](b, ground)
	b.scheme("dark")
	if dark := eval[string](b, ground); dark == light {
		t.Errorf("the ground is %s in both", dark)
	}
}

// TestWithoutScripts: everything that is not interactive works without JavaScript.
func TestWithoutScripts(t *testing.T) {
	b := open(t, serveSample(t))
	b.cdp("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	shown := func(selector string) bool {
		return eval[bool](b, `[...document.querySelectorAll(`+strconv.Quote(selector)+`)].some((e) => e.checkVisibility({ visibilityProperty: true }))`)
	}
	for path, selectors := range map[string][]string{
		"/evidence/":                   {`#table tbody tr:nth-child(18)`, `#table a[href="../evidence/evd-mmr-one-dose/"]`},
		"/healthcare-statistics/mcv1/": {`.still svg .line`, `#figures summary`},
		"/changes/":                    {`.release li`},
		"/graph/":                      {`.tally li`},
		"/developers/":                 {`#example-python`},
		"/proof/clm-one-dose-protects/": {
			`.boundary`, `.stance.supports .card`, `#connections h2`, `#use pre`,
		},
	} {
		b.visit(path)
		for _, s := range selectors {
			if !shown(s) {
				t.Errorf("%s: %s cannot be seen", path, s)
			}
		}
		for _, s := range []string{"main form", "main button", ".interactive"} {
			if shown(s) {
				t.Errorf("%s: %s can be seen", path, s)
			}
		}
	}
}

// TestPrints: a page on paper has the chart that is on the screen, with its areas, colours and
// period, and no controls.
func TestPrints(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/healthcare-statistics/mcv1/?areas=IND*UKR")
	b.ready(".charts[data-ready]")
	drawn := `[...document.querySelectorAll(".charts text.name")].filter((e) => e.getClientRects().length).map((e) => e.textContent + e.classList).join(" ")`
	screen := eval[string](b, drawn)
	visible := `["nav", ".stage", ".still svg"].map(s => document.querySelector(s).getClientRects().length > 0).join(" ")`
	if got := eval[string](b, visible); got != "true true false" {
		t.Errorf("on the screen, navigation, interactive and still chart are visible: %s", got)
	}
	b.paper()
	if got := eval[string](b, visible); got != "false true false" {
		t.Errorf("on paper, navigation, interactive and still chart are visible: %s", got)
	}
	if got := eval[string](b, drawn); got != screen || !strings.Contains(got, "India") {
		t.Errorf("on paper are %s, and on the screen %s", got, screen)
	}
	b.visit("/proof/clm-one-dose-protects/")
	if n := eval[int](b, `[...document.querySelectorAll("#use details:not([open])")].filter((e) => e.getClientRects().length).length`); n > 0 {
		t.Errorf("%d headings stand on paper without what they head", n)
	}
	shown := `["#rests-on ul, #rests-on ol", "#connections"].map((s) => document.querySelector(s).checkVisibility()).join(" ")`
	if got := eval[string](b, shown); got != "true false" {
		t.Errorf("on paper, what the claim rests on and its connections are visible: %s", got)
	}
	b.visit("/healthcare-statistics/mcv1/")
	b.ready(".charts")
	pdf := must.Get(b.Print(t.Context()))(t)
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || len(pdf) < 20_000 {
		t.Errorf("%d bytes that begin with %q", len(pdf), pdf[:min(len(pdf), 8)])
	}
}

// TestKeyboard goes from the first page to a record with the keyboard alone.
func TestKeyboard(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/evidence/")
	b.ready("#table")
	focused := func() string {
		return eval[string](b, `document.activeElement.textContent.trim() || document.activeElement.name || ""`)
	}
	b.press(browsertest.TabKey)
	if got := focused(); got != "Skip to the content" {
		t.Errorf("first in the order is %q", got)
	}
	tabTo(t, b, func() bool { return eval[bool](b, `document.activeElement.matches("#table input")`) }, "the search box of the table")
	b.press("one dose")
	b.wait(`document.querySelectorAll("#table tbody tr").length < 10`)
	tabTo(t, b, func() bool { return strings.HasPrefix(focused(), "Evidence label") }, "the heading that sorts by label")
	b.press(browsertest.Enter)
	b.wait(`location.search.includes("sort=evidence_label")`)
	tabTo(t, b, func() bool { return focused() == "One dose of MMR vaccine and measles" }, "the record")
	b.follow(func() { b.press(browsertest.Enter) })
	if got := eval[string](b, `location.pathname`); got != "/evidence/evd-mmr-one-dose/" {
		t.Errorf("the link leads to %s", got)
	}
	tabTo(t, b, func() bool { return eval[bool](b, `document.activeElement.matches(".badge")`) }, "a label")
	if got := eval[string](b, `getComputedStyle(document.activeElement, "::after").content.replace("attr(data-means)", document.activeElement.dataset.means)`); !strings.Contains(got, "moderately confident") {
		t.Errorf("a label that has the focus says %s", got)
	}
}

// tabTo presses the tabulator key until something has the focus.
func tabTo(t *testing.T, b *tab, reached func() bool, name string) {
	t.Helper()
	for range 60 {
		b.press(browsertest.TabKey)
		if reached() {
			return
		}
	}
	t.Fatalf("the keyboard does not reach %s", name)
}

// TestSignedPage: the page about the signature names the key, and says which place the release has
// in the log.
func TestSignedPage(t *testing.T) {
	needsBrowser(t)
	private, public, err := signing.NewKey("measles.example.org")
	must.Do(t, err)
	files := makeSite(t, withSettings(t, map[string]string{
		"language: en": "language: en\nsigning_keys: [\"" + public + "\"]",
	}), compiler.Options{NoVariants: true})
	opt := signing.SignOptions{Keys: []string{private}}
	s := must.Get(signing.Sign(t.Context(), signing.FS(filesOf(files)), files[layout.ManifestPath], opt))(t)
	for _, f := range s.Files {
		files[f.Path] = f.Data
	}
	b := open(t, serveRelease(t, files))
	b.width(360)
	b.visit("/signed/")
	b.wait(`document.querySelector("#place").textContent === "This release is entry 1 of 1 in the log."`)
	if text := eval[string](b, `document.body.textContent`); !strings.Contains(text, public) {
		t.Errorf("the key is not there:\n%s", text)
	}
	if width := eval[int](b, `document.documentElement.scrollWidth`); width > 360 {
		t.Errorf("the page is %d pixels wide", width)
	}
}
