package site_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"stele/internal/compile/compiler"
	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/must"
)

// TestTable: a kind's table is searched, filtered and sorted, and the address keeps all of it.
func TestTable(t *testing.T) {
	base := serveSample(t)
	b := open(t, base)
	b.visit("/evidence/")
	b.ready("#table")
	titles := `[...document.querySelectorAll("#table tbody th a")].map(a => a.textContent)`
	all := eval[[]string](b, titles)
	if len(all) != 27 {
		t.Fatalf("%d rows", len(all))
	}
	b.enter(`#table input[name=q]`, "vacc")
	b.wait(`document.querySelectorAll("#table tbody tr").length < 27 && location.search === "?q=vacc"`)
	found := eval[[]string](b, titles)
	if !slices.ContainsFunc(found, func(title string) bool { return strings.Contains(title, "vaccine") }) {
		t.Errorf("found is %q", found)
	}
	b.set(`select[name=evidence_label]`, "moderate")
	b.wait(`location.search.includes("evidence_label=moderate")`)
	b.click(`//button[@class="sort" and .="Title"]`)
	b.click(`//button[@class="sort" and .="Title"]`)
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
	other.click(`button[type=reset]`)
	other.wait(`document.querySelectorAll("#table tbody tr").length === 27 && location.search === ""`)
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

// TestLargeTable: of 20,000 records, only those are drawn that are looked at; all are searched.
func TestLargeTable(t *testing.T) {
	files := copyOf(t)
	var rows []string
	for i := range 20_000 {
		rows = append(rows, fmt.Sprintf(`["sig-%05[1]d","Signal number %[1]d of district %[2]d","/signals/sig-%05[1]d/","","2026-01-%02[3]d","2026-02-01",1,0,["MeSH D%05[2]d"],"trend"]`, i, i%977, i%28+1))
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
	b.enter(`#table input[name=q]`, "19999")
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
	files := must.Get(sampleSite())(t)
	copied := map[string][]byte{}
	for path, data := range files {
		copied[path] = data
	}
	return copied
}

// TestChart: values can be read by pointing at the chart and with the arrow keys; areas can be
// found and picked, and the address keeps all of it.
func TestChart(t *testing.T) {
	base := serveSample(t)
	b := open(t, base)
	b.visit("/healthcare-statistics/mcv1/")
	still := eval[string](b, `document.querySelector(".still svg").innerHTML.replace(/[\d.]+/g, "")`)
	b.ready(".charts")
	if drawn := eval[string](b, `document.querySelector(".stage svg").innerHTML.replace(/[\d.]+/g, "")`); len(drawn) < len(still)/2 {
		t.Errorf("the script draws\n%s\nand the page\n%s", drawn, still)
	}
	values := `[...document.querySelectorAll(".readout tr")].map((r) => r.textContent).join("|")`
	period := `document.querySelector(".readout caption strong").textContent`
	end := eval[[]float64](b, `(() => { const s = document.querySelector(".stage"), r = s.getBoundingClientRect(); const g = s.querySelector(".grid").getAttribute("d"); return [r.left + Number(g.split("H")[1]), r.top + r.height / 2]; })()`)
	b.point(end[0], end[1])
	b.wait(`document.querySelectorAll(".snap circle").length > 0`)
	if got := eval[string](b, values); eval[string](b, period) != "2015" ||
		!strings.Contains(got, "World85estimated") || strings.Contains(got, "Brazil") {
		t.Errorf("at the right end stands %q", got)
	}
	near := eval[[]float64](b, `(() => { const r = document.querySelector(".snap circle").getBoundingClientRect(); return [r.left + 4, r.top + 4]; })()`)
	b.point(near[0], near[1])
	b.wait(`document.querySelector(".readout .hot") && document.querySelector(".stage g.dim") && document.querySelector(".stage g[class^=s]:not(.dim)")`)
	eval[bool](b, `(document.querySelector(".stage").focus(), true)`)
	b.press(browsertest.ArrowLeft)
	b.wait(period + ` === "2014"`)
	b.enter(`.areas input[type=search]`, "braz")
	b.wait(`document.querySelectorAll(".areas label:not([hidden])").length === 1`)
	b.click(`//fieldset[contains(@class, "areas")]//label[contains(., "Brazil")]`)
	b.wait(values + `.includes("Brazil")`)

	// One stop leads past the list.
	eval[bool](b, `(document.querySelector(".areas .skip").focus(), true)`)
	b.press(browsertest.Enter)
	b.wait(`document.activeElement.id === "after-areas"`)

	// What is taken away leaves the values, and the others keep their colours.
	colors := `JSON.stringify([...document.querySelectorAll(".readout tbody th")].map((s) => [s.textContent, s.firstChild.className]).filter(([n]) => n !== "World").sort())`
	before := eval[string](b, colors)
	eval[bool](b, `((i) => { i.value = ""; return i.dispatchEvent(new Event("input")); })(document.querySelector(".areas input[type=search]"))`)
	b.click(`//fieldset[contains(@class, "areas")]//label[contains(., "World")]`)
	b.wait(`!` + values + `.includes("World")`)
	if after := eval[string](b, colors); after != before {
		t.Errorf("with the world %s, without it %s", before, after)
	}
	for selector, want := range map[string]bool{".stage text.name": true, ".stage .leader": true, ".stage .other .line": true, ".stage text.cut": false} {
		if got := eval[bool](b, `document.querySelector("`+selector+`") !== null`); got != want {
			t.Errorf("%s: %v", selector, got)
		}
	}
	eval[bool](b, `(document.querySelectorAll(".areas input:checked").forEach((i) => { if (!i.closest("label").textContent.includes("Brazil")) i.click(); }), true)`)
	b.click(`//label[contains(., "Start axis at zero")]`)
	b.wait(`document.querySelector(".stage text.cut") !== null`)

	// Somebody else opens the address.
	seen := `document.querySelector(".stage svg").innerHTML`
	other := open(t, base)
	other.visit(strings.TrimPrefix(eval[string](b, `location.href`), base))
	other.ready(".charts")
	if !strings.Contains(eval[string](other, `location.search`), "zero=0") || eval[string](other, seen+`.replace(/ class="dim"/g, "").split("cursor")[0]`) != eval[string](b, seen+`.split("cursor")[0]`) {
		t.Errorf("%s shows another chart", eval[string](other, `location.search`))
	}
}

// TestViews: the same values stand in a table that can be sorted, by size and on a map, for any
// period; and the time of the chart can be cut.
func TestViews(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/healthcare-statistics/mcv1/")
	b.ready(".charts")
	tab := func(name string) {
		b.click(`//fieldset[@class="tabs"]//label[.="` + name + `"]`)
	}
	slide := func(nth, to int) {
		eval[bool](b, fmt.Sprintf(`((i) => { i.value = %d; return i.dispatchEvent(new Event("input")); })(document.querySelectorAll(".time input")[%d])`, to, nth))
	}
	column := `[...document.querySelectorAll(".scroll tbody tr")].map((r) => r.cells[%d].textContent)`
	for part, rows := range map[string]string{"#ranking": "tbody tr", "#figures": "details"} {
		b.enter(part+` input[type=search]`, "ukr")
		b.wait(`[...document.querySelectorAll("` + part + ` ` + rows + `:not([hidden])")].map((e) => e.querySelector("th, summary").textContent.split(" ")[0]).join() === "Ukraine"`)
	}
	tab("Table")
	b.wait(`document.querySelectorAll(".scroll tbody tr").length > 5 && location.search === "?tab=table"`)
	b.enter(`.side input[type=search]`, "brazil")
	b.wait(`[...document.querySelectorAll(".scroll tbody tr:not([hidden]) th")].map((e) => e.textContent).join() === "Brazil"`)
	b.run(`((e) => { e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector(".side input[type=search]"))`)
	b.wait(`!document.querySelector(".scroll tbody tr[hidden]")`)
	if first := eval[[]string](b, fmt.Sprintf(column, 0)); first[0] != "World" {
		t.Errorf("the table begins with %q", first[:2])
	}
	b.click(`//button[@class="sort" and .="2015"]`)
	b.wait(`location.search.includes("sort=-to")`)
	var last float64 = 101
	for _, text := range eval[[]string](b, fmt.Sprintf(column, 2)) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil { // no value, and so at the end
			last = -1
			continue
		}
		if v > last {
			t.Fatalf("%s stands behind %v", text, last)
		}
		last = v
	}
	tab("Ranking")
	b.wait(`document.querySelectorAll(".stage .bar").length > 5`)
	bars := eval[[]float64](b, `[...document.querySelectorAll(".stage .bar")].filter((r) => r.getAttribute("y") < Number(document.querySelector(".stage .group").getAttribute("y"))).map((r) => Number(r.getAttribute("width")))`)
	if !slices.IsSortedFunc(bars, func(a, b float64) int { return cmp.Compare(b, a) }) {
		t.Errorf("the bars are %v long", bars)
	}
	keyShown := `document.querySelector(".charts .key span").getClientRects().length > 0`
	tab("Map")
	b.wait(`document.querySelectorAll(".stage .land path").length > 150`)
	if eval[bool](b, keyShown) {
		t.Error("what marks on lines mean stands below the map")
	}
	color := `document.querySelector(".stage .land [data-series]:not(.none)").getAttribute("class")`
	before := eval[string](b, color)
	eval[bool](b, `(document.querySelector(".stage .land [data-series]").dispatchEvent(new MouseEvent("click", { bubbles: true })), true)`)
	b.wait(`document.querySelector(".stage .land .picked") !== null && location.search.includes("areas=")`)
	if got := eval[string](b, `document.querySelector(".stage .land .none").getAttribute("fill")`); got != "url(#missing)" {
		t.Errorf("areas without a value are filled with %s", got)
	}
	b.run(`document.querySelector(".stage").focus()`)
	b.press(browsertest.ArrowRight + browsertest.ArrowRight)
	b.wait(`document.querySelectorAll(".stage .land .hot").length === 1 && document.querySelector(".readout .hot")`)
	second := eval[string](b, `document.querySelector(".readout .hot th").textContent`)
	b.press(browsertest.Enter)
	b.wait(`[...document.querySelectorAll(".areas :checked")].some((i) => i.closest("label").textContent === "` + second + `")`)
	slide(1, 0)
	b.wait(`location.search.includes("time=1980..1980") && (` + color + `) !== "` + before + ` picked"`)
	b.click(`.time button`)
	b.wait(`location.search.includes("..1982")`)
	b.click(`.time button`)
	tab("Chart")
	b.wait(keyShown)
	slide(1, 35)
	slide(0, 20)
	b.wait(`location.search.includes("..2015") && !location.search.includes("=1980") && [...document.querySelectorAll(".stage .year")].every((y) => Number(y.textContent) >= 1990)`)
	b.click(`//label[contains(., "Relative change")]`)
	b.wait(`location.search.includes("scale=relative") && document.querySelector(".plot > .unit").textContent.includes("per cent")`)
}

// TestTakeaway: what is seen can be taken away as a picture and as a table, both of which say where
// they come from, and as a frame for other pages, which no other page may be.
func TestTakeaway(t *testing.T) {
	base := serveSample(t)
	b := open(t, base)
	b.visit("/healthcare-statistics/mcv1/?areas=GBR~WSM&time=1998..2010")
	b.ready(".charts")
	eval[bool](b, `(URL.createObjectURL = (blob) => { window.saved = blob; return "#"; }, HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }, navigator.clipboard.writeText = async (text) => { window.copied = text; }, true)`)
	save := func(name string) string {
		eval[bool](b, `(window.saved = null, true)`)
		b.click(`//div[@class="takeaway"]//button[.="` + name + `"]`)
		b.wait(`window.saved`)
		return eval[string](b, `window.saved.type === "image/png" ? createImageBitmap(window.saved).then((p) => window.savedAs + " " + (p.width > 900 && p.height > 500)) : window.saved.text()`)
	}
	picture := save("SVG")
	for _, want := range []string{"United Kingdom", "Samoa", "Coverage with a first dose of measles vaccine", "per cent of", "1998–2010", "Source: ", "CC-BY-4.0", "areas=GBR", `stroke="rgb(`} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture does not have %s: %.600s", want, picture)
		}
	}
	b.width(360)
	b.wait(`!document.querySelector(".stage .name")`)
	if small := save("SVG"); strings.Count(picture, `unicode-bidi="plaintext"`) < 10 || !strings.Contains(small, ">Samoa<") {
		t.Errorf("the picture does not keep the direction of names, or lacks them where they have no room: %.600s", small)
	}
	b.width(1280)
	if strings.Contains(picture, "class=") {
		t.Error("the picture needs a style sheet")
	}
	if got := save("PNG"); got != "mcv1-line.png true" {
		t.Errorf("the bitmap: %s", got)
	}
	table := strings.Split(save("CSV"), "\r\n")
	if len(table) < 8 || !strings.HasPrefix(table[0], "indicator,area,area_code,period,value,") ||
		!strings.Contains(table[1], "United Kingdom,GBR,1998,") || !strings.Contains(table[1], ",CC-BY-4.0,") {
		t.Errorf("the table is %q", table)
	}
	b.click(`//div[@class="takeaway"]//summary`)
	b.click(`//div[@class="takeaway"]//button[.="Copy"]`)
	b.wait(`window.copied?.startsWith("<iframe src=")`)
	code := eval[string](b, `window.copied`)

	// In a page without a policy, only what is made for it is shown.
	src, _, _ := strings.Cut(strings.TrimPrefix(code, `<iframe src="`), `"`)
	framing := open(t, base)
	framing.mayFail.Store(true)
	framing.visit("/api/v1/signals.json")
	frame := func(src string) string {
		return fmt.Sprintf(`Object.assign(document.createElement("iframe"), { src: %q })`, src)
	}
	eval[bool](framing, `(document.body.append(window.chart = `+frame(strings.ReplaceAll(src, "&amp;", "&"))+`, window.page = `+frame(base+"/healthcare-statistics/mcv1/")+`), true)`)
	framing.wait(`window.chart.contentDocument?.querySelector(".charts[data-ready]")`)
	if got := eval[string](framing, `[...window.chart.contentDocument.querySelectorAll(".readout tbody th")].map((n) => n.textContent).sort().join()`); got != "Samoa,United Kingdom" {
		t.Errorf("the frame shows %s", got)
	}
	framing.wait(`window.page.contentDocument === null`) // nor may its own pages show it
}

// trialSite is the sample with an indicator that is hard to draw: its method changed, an area
// begins at zero, a figure is only known to be below a bound, and there is no world.
func trialSite(t *testing.T) map[string][]byte {
	folder := withSettings(t, nil)
	put := func(path, text string) { folder["records/"+path] = &fstest.MapFile{Data: []byte(text)} }
	links := "source_links:\n  - {url: https://apps.who.int/gho/data/node.home, source_id: src-who-gho, role: primary}\n"
	dates := "verification_date: 2026-11-04\npublished_date: 2026-11-10\nupdated_date: 2026-11-10\nsource_updates: []\ncorrections: []\nversion: 1\n"
	put("entities/trial.yaml", "id: ent-ind-trial\ntitle: Trial rate\nsummary: A rate.\nentity_type: indicator\nname: Trial rate\n"+
		"measure: {code: trial, definition: A rate., unit: rate, breaks: [{time_period: \"2013\", summary: Cases are counted by another definition.}]}\n"+links+dates)
	put("healthcare-statistics/trial/_defaults.yaml", "indicator: trial\nindicator_id: ent-ind-trial\ntitle: \"Trial, {ref_area}, {time_period}\"\n"+
		"summary: A figure.\nunit: rate\nunit_label: per 100,000\nobs_status: A\nref_area_scheme: iso3166\nclaim_boundary: {statement: A trial.}\n"+links)
	rows := "id,ref_area,time_period,value,less_than\n"
	for area, values := range map[string][]string{
		"FRA": {"10", "9", "8", "7", "3", "3", "2"}, "DEU": {"14", "13", "", "12", "11", "10", "9"},
		"ITA": {"0", "1", "2", "<5", "3", "4", "5"},
	} {
		for i, v := range values {
			value, bound := v, ""
			if strings.HasPrefix(v, "<") {
				value, bound = "", v[1:]
			}
			if v != "" {
				rows += fmt.Sprintf("sta-trial-%s-%d,%s,%d,%s,%s\n", strings.ToLower(area), 2009+i, area, 2009+i, value, bound)
			}
		}
	}
	put("healthcare-statistics/trial/rows.csv", rows)
	return makeSite(t, folder, compiler.Options{NoVariants: true})
}

// TestTrueCharts: charts say nothing untrue of breaks, bounds, relative changes, regions and what
// is seen, to those who do not see it either.
func TestTrueCharts(t *testing.T) {
	needsBrowser(t)
	files := trialSite(t)
	b := open(t, serveRelease(t, files))
	page := string(files["healthcare-statistics/trial/index.html"])
	for want, times := range map[string]int{
		`<g class="break"><path`: 1, `>2013: Cases are counted by another definition.</p>`: 1, `class="bound"`: 1,
		`Lowest: 2 (France`: 1, `Highest: 9 (Germany`: 1,
	} {
		if got := strings.Count(page, want); got != times {
			t.Errorf("the page has %s %d times", want, got)
		}
	}
	text := func(selector string) string {
		return eval[string](b, `[...document.querySelectorAll("`+selector+`")].map((e) => e.textContent).join("|")`)
	}
	has := func(what, got, want string) {
		t.Helper()
		if !strings.Contains(got, want) {
			t.Errorf("%s is %q, and does not have %q", what, got, want)
		}
	}
	name := func() string { return eval[string](b, `document.querySelector(".stage").getAttribute("aria-label")`) }
	b.visit("/healthcare-statistics/trial/")
	b.ready(".charts")
	has("the rule", text(".stage .break text"), "2013")
	has("the note", text(".plot > .note"), "2013: Cases are counted by another definition.")
	has("how many bounds are drawn", eval[string](b, `String(document.querySelectorAll(".stage .bound").length)`), "1")
	// where the line is interrupted, not even a dotted one leads on
	if d := eval[string](b, `document.querySelector(".stage .s1 .line").getAttribute("d")`); strings.Count(d, "M") != 2 {
		t.Errorf("the line of France is %s", d)
	}
	has("what passes over a break", eval[string](b, `String(document.querySelector(".stage .s1 .gap"))`), "null")
	has("the name", name(), "France: 2; ")
	b.visit("/healthcare-statistics/trial/?scale=relative")
	b.ready(".charts")
	has("the unit", text(".plot > .unit"), "change since 2009, in per cent")
	has("the ticks", text(".stage .tick"), "0%|")
	has("the note", text(".plot > .note"), "Not shown: Italy. They have no value above zero in 2009")
	has("the readout", text(".readout tr"), "Germany– (9)")
	has("the readout", text(".readout caption"), "change since 2009")
	has("the name", name(), "change since 2009")
	eval[bool](b, `(URL.createObjectURL = (blob) => { window.saved = blob; return "#"; }, HTMLAnchorElement.prototype.click = () => {}, true)`)
	b.click(`//div[@class="takeaway"]//button[.="SVG"]`)
	b.wait(`window.saved`)
	for _, want := range []string{"2013: Cases are counted by another definition.", "Not shown: Italy", "change since 2009, in per cent, 2009–2015", ">−30%<"} {
		has("the picture to take away", eval[string](b, `window.saved.text()`), want)
	}
	b.visit("/healthcare-statistics/trial/?tab=ranking&time=2009..2012")
	b.ready(".charts")
	if got := text(".stage .tick"); got != "Germany|France|Italy" {
		t.Errorf("ranked are %s", got)
	}
	has("the bar", eval[string](b, `document.querySelector(".stage .bar.bound").parentElement.textContent`), "<5")
	b.visit("/healthcare-statistics/trial/?areas=ITA&tab=table")
	b.ready(".charts")
	has("the change of France", text(".scroll tbody tr"), "France102–")
	has("what stands above the chart", text(".latest"), "5 per 100,000 Italy, 2015")
	b.visit("/healthcare-statistics/mcv1/?tab=ranking")
	b.ready(".charts")
	ranks := text(".stage .tick")
	if world, last := strings.Index(ranks, "World"), strings.Index(ranks, "Ukraine"); world < last || last < 0 {
		t.Errorf("ranked are %s", ranks)
	}
	b.visit("/healthcare-statistics/mcv1/?tab=map")
	b.ready(".charts")
	b.wait(`document.querySelectorAll(".stage .land path").length > 150`)
	if got := strings.Split(text(".stage text.year"), "|"); len(got) < 5 || got[0] != "0" || got[len(got)-1] != "100" {
		t.Errorf("the classes are %q", got)
	}
	if got := eval[bool](b, `document.querySelector("table.readout").hidden || !document.querySelector("table.readout").textContent.includes("Region")`); !got {
		t.Error("below the map stands what it does not show")
	}
	has("the name", name(), "Map, 2015")
}

// TestChanges: the time line is filtered by kind and by what happened, and the address keeps that.
func TestChanges(t *testing.T) {
	b := open(t, serveSample(t))
	b.visit("/changes/?type=corrected")
	b.ready("#changes")
	if got := eval[string](b, `document.querySelector(".release h2").textContent.trim()`); got != "2026-10-26" {
		t.Errorf("a release whose name is its date has the heading %q", got)
	}
	if got := eval[[]string](b, `[...new Set([...document.querySelectorAll(".release .badge")].map(e => e.textContent))]`); !slices.Equal(got, []string{"Corrected"}) {
		t.Errorf("shown are %q", got)
	}
	b.set(`select[name=kind]`, "evidence")
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
	b.click(`#try button`)
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
	b.click(`#use pre + button`)
	b.wait(`window.copied?.endsWith("/api/v1/proof/clm-one-dose-protects.json")`)
}
