package site_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTable: a kind's table is searched, filtered and sorted, and the address keeps all of it.
func TestTable(t *testing.T) {
	base := serveSample(t)
	b := open(t, base)
	b.visit("/evidence/")
	b.ready("#table")
	titles := `[...document.querySelectorAll("#table tbody th a")].map(a => a.textContent)`
	all := eval[[]string](b, titles)
	if len(all) != 18 {
		t.Fatalf("%d rows", len(all))
	}
	b.do(chromedp.SendKeys(chromedp.CSS(`#table input[name=q]`), "vacc"))
	b.wait(`document.querySelectorAll("#table tbody tr").length < 18 && location.search === "?q=vacc"`)
	found := eval[[]string](b, titles)
	if !slices.ContainsFunc(found, func(title string) bool { return strings.Contains(title, "vaccine") }) {
		t.Errorf("found is %q", found)
	}
	b.do(chromedp.SetValue(chromedp.CSS(`select[name=evidence_label]`), "moderate"))
	eval[bool](b, `document.querySelector("select[name=evidence_label]").dispatchEvent(new Event("change"))`)
	b.wait(`location.search.includes("evidence_label=moderate")`)
	b.do(chromedp.Click(chromedp.Search(`//button[@class="sort" and .="Title"]`)), chromedp.Click(chromedp.Search(`//button[@class="sort" and .="Title"]`)))
	b.wait(`location.search.includes("sort=-title")`)
	filtered := eval[[]string](b, titles)
	if len(filtered) == 0 || len(filtered) >= len(found) ||
		!slices.IsSortedFunc(filtered, func(x, y string) int { return strings.Compare(y, x) }) {
		t.Errorf("filtered and sorted: %q", filtered)
	}
	if got := eval[string](b, `document.querySelector("#table thead th").getAttribute("aria-sort")`); got != "descending" {
		t.Errorf("the column is sorted %s", got)
	}

	// Somebody else opens the address.
	shared := eval[string](b, `location.href`)
	other := open(t, base)
	other.visit(strings.TrimPrefix(shared, base))
	other.ready("#table")
	if got := eval[[]string](other, titles); !slices.Equal(got, filtered) {
		t.Errorf("the shared address shows %q, and not %q", got, filtered)
	}
	other.do(chromedp.Click(chromedp.CSS(`button[type=reset]`)))
	other.wait(`document.querySelectorAll("#table tbody tr").length === 18 && location.search === ""`)
}

// TestTableFinds: the box of a table finds what the search over everything finds: by other words,
// in summaries, and with slips; and what has only been typed in part.
func TestTableFinds(t *testing.T) {
	b := open(t, serveSample(t))
	for address, want := range map[string]string{
		"/proof/?q=mortality":  "Estimated measles deaths fell from 2022 to 2023",
		"/entities/?q=rubeola": "Measles",
		"/evidence/?q=jab":     "One dose of MMR vaccine and measles",
		"/evidence/?q=measels": "One dose of MMR vaccine and measles",
		"/evidence/?q=one-do":  "One dose of MMR vaccine and measles",
	} {
		b.visit(address)
		b.ready("#table")
		found := eval[[]string](b, `[...document.querySelectorAll("#table tbody th a")].map((a) => a.textContent)`)
		if !slices.Contains(found, want) {
			t.Errorf("%s: %q is not among %q", address, want, found)
		}
	}
}

// TestTableWithoutDates: columns stay where they are, and are sorted by, where there is none for
// dates.
func TestTableWithoutDates(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/graph-edges/?sort=-version")
	b.ready("#table")
	for selector, want := range map[string]string{"thead th": "Title Relation Version", "thead th[aria-sort=descending]": "Version", "tbody tr:first-child td": "Qualifies 1"} {
		if got := eval[string](b, `[...document.querySelectorAll("#table `+selector+`")].map(e => e.textContent).join(" ")`); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
}

// TestLargeTable: of 20,000 records, only those are drawn that are looked at; all are searched.
func TestLargeTable(t *testing.T) {
	files := copyOf(t)
	var rows []string
	for i := range 20_000 {
		rows = append(rows, fmt.Sprintf(`["sig-%05[1]d","Signal number %[1]d of district %[2]d","/signals/sig-%05[1]d/","2026-01-%02[3]d",1,0,["MeSH D%05[2]d"],"trend"]`, i, i%977, i%28+1))
	}
	old := string(files["search/signals.json"])
	head, _, _ := strings.Cut(old, `"rows":[`)
	files["search/signals.json"] = []byte(head + `"rows":[` + strings.Join(rows, ",\n") + "]}")
	b := open(t, serveFiles(t, filesOf(files)))
	b.visit("/signals/")
	b.ready("#table")
	if n := eval[int](b, `document.querySelectorAll("#table tbody tr").length`); n < 100 || n > 400 {
		t.Errorf("%d rows are drawn at first", n)
	}
	b.do(chromedp.SendKeys(chromedp.CSS(`#table input[name=q]`), "19999"))
	b.wait(`document.querySelector(".found").textContent.startsWith("1 of 20,000")`)
	eval[bool](b, `(i => { i.value = ""; return i.dispatchEvent(new Event("input")); })(document.querySelector("#table input[name=q]"))`)
	b.wait(`document.querySelector(".found").textContent.startsWith("20,000 of")`)
	before := eval[int](b, `document.querySelectorAll("#table tbody tr").length`)
	eval[bool](b, `(scrollTo(0, document.body.scrollHeight), true)`)
	b.wait(fmt.Sprintf(`document.querySelectorAll("#table tbody tr").length > %d`, before))
}

// copyOf is the sample's site, to be changed.
func copyOf(t *testing.T) map[string][]byte {
	t.Helper()
	needsBrowser(t)
	files, err := sampleSite()
	if err != nil {
		t.Fatal(err)
	}
	copied := map[string][]byte{}
	for path, data := range files {
		copied[path] = data
	}
	return copied
}

// TestChart: values can be read by pointing at the chart and with the arrow keys, and areas can be
// picked.
func TestChart(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/healthcare-statistics/mcv1/")
	b.ready(".charts")
	values := `document.querySelector(".values").textContent`
	box := eval[[]float64](b, `(r => [r.left, r.top, r.width, r.height])(document.querySelector(".stage").getBoundingClientRect())`)
	b.do(chromedp.MouseEvent(chromedp.MouseMoved, box[0]+box[2]-180, box[1]+box[3]/2))
	b.wait(values + `.startsWith("2015")`)
	if got := eval[string](b, values); !strings.Contains(got, "World: 85, estimated") || strings.Contains(got, "Brazil") {
		t.Errorf("at the right end stands %q", got)
	}
	eval[bool](b, `(document.querySelector(".stage").focus(), true)`)
	b.do(chromedp.KeyEvent("\u0302")) // arrow left
	b.wait(values + `.startsWith("2014")`)
	b.do(chromedp.Click(chromedp.Search(`//fieldset[contains(@class, "areas")]//label[contains(., "Brazil")]`)))
	b.wait(values + `.includes("Brazil: ")`)

	// What is taken away leaves the values, and the others keep their colours.
	colors := `JSON.stringify([...document.querySelectorAll(".values span")].map((s) => [s.textContent.split(":")[0], s.firstChild.className]))`
	before := eval[string](b, colors)
	b.do(chromedp.Click(chromedp.Search(`//fieldset[contains(@class, "areas")]//label[contains(., "World")]`)))
	b.wait(`!` + values + `.includes("World")`)
	after := eval[string](b, colors)
	_, others, _ := strings.Cut(before, `],`)
	if after != "["+others {
		t.Errorf("with the world %s, without it %s", before, after)
	}
	for selector, want := range map[string]bool{".stage text.name": true, ".stage .other .line": true, ".stage text.cut": false} {
		if got := eval[bool](b, `document.querySelector("`+selector+`") !== null`); got != want {
			t.Errorf("%s: %v", selector, got)
		}
	}
	eval[bool](b, `(document.querySelectorAll(".areas input:checked").forEach((i) => { if (!i.closest("label").textContent.includes("Brazil")) i.click(); }), true)`)
	b.do(chromedp.Click(chromedp.CSS(`.filters .check input`)))
	b.wait(`document.querySelector(".stage text.cut") !== null`)
}

// TestChanges: the time line is filtered by kind and by what happened, and the address keeps that.
func TestChanges(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/changes/?type=corrected")
	b.ready("#changes")
	if got := eval[[]string](b, `[...new Set([...document.querySelectorAll(".release .badge")].map(e => e.textContent))]`); !slices.Equal(got, []string{"Corrected"}) {
		t.Errorf("shown are %q", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS(`select[name=kind]`), "evidence"))
	eval[bool](b, `document.querySelector("select[name=kind]").dispatchEvent(new Event("change"))`)
	b.wait(`location.search === "?kind=evidence&type=corrected"`)
	if got := eval[int](b, `document.querySelectorAll(".release li").length`); got != 1 {
		t.Errorf("%d corrections of evidence", got)
	}
	b.visit("/changes/?since=2026-11-01")
	b.ready("#changes")
	if got := eval[[]string](b, `[...document.querySelectorAll(".release time")].map(e => e.textContent)`); !slices.Equal(got, []string{"2026-11-10"}) {
		t.Errorf("since November there are %q", got)
	}
	eval[bool](b, `(Object.assign(document.querySelector("[name=since]"), { value: "2026-10-26" }).dispatchEvent(new Event("change")), true)`)
	b.wait(`location.search === "?since=2026-10-26" && document.querySelectorAll(".release").length > 1`)
}

// TestTryIt: the box fetches an address and shows the answer with its headers.
func TestTryIt(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/developers/")
	b.do(chromedp.Click(chromedp.CSS(`#try button`)))
	b.wait(`document.querySelector("#try .answer .body")?.textContent.includes('"signal_id"')`)
	if got := eval[string](b, `document.querySelector("#try .answer").textContent`); !strings.Contains(got, "Status 200") || !strings.Contains(got, "content-type: application/json") {
		t.Errorf("the answer is shown as %.200q", got)
	}
}

// TestCopy: a citation can be copied with a button.
func TestCopy(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/proof/clm-one-dose-protects/")
	eval[bool](b, `(navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
	b.do(chromedp.Click(chromedp.CSS(`#use pre + button`)))
	b.wait(`window.copied?.endsWith("/api/v1/proof/clm-one-dose-protects.json")`)
}
