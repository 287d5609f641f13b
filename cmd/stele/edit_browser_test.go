package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/record"
)

// publisher is somebody who never saw a text file of records, at the keyboard of a browser.
type publisher struct {
	*testing.T
	tab  *browsertest.Tab
	seen map[string]bool // pages that axe-core has examined; nil to examine none
	name string
}

func (p *publisher) eval(expression string, v any) {
	p.Helper()
	must.Do(p.T, p.tab.Evaluate(p.Context(), expression, v))
}

// await waits until something is true of the page.
func (p *publisher) await(expression string) {
	p.Helper()
	var is bool
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if err := p.tab.Evaluate(p.Context(), "document.readyState === 'complete' && !!("+expression+")",
			&is); err == nil && is {
			return
		}
	}
	var text string
	p.eval(`location.href + "\n" + document.body.innerText`, &text)
	p.Fatalf("%s never came:\n%s", expression, text)
}

// examine lets axe-core examine each page once.
func (p *publisher) examine() {
	p.Helper()
	axe := must.Get(os.ReadFile("../../internal/show/site/testdata/axe-core-4.14.0/axe.min.js"))(p.T)
	must.Do(p.T, p.tab.Preload(p.Context(), string(axe)))
	p.seen = map[string]bool{}
}

// page looks at the page that is open: nothing wider than the window, nothing that axe finds the
// first time.
func (p *publisher) page(name string) {
	p.Helper()
	var wide bool
	if p.eval(`document.documentElement.scrollWidth > innerWidth + 1`, &wide); wide {
		p.Errorf("%s is wider than the window", name)
	}
	if dir := os.Getenv("STELE_PICTURES"); dir != "" {
		must.Do(p.T, os.WriteFile(filepath.Join(dir, p.name+"-"+name+".png"), must.Get(p.tab.Screenshot(p.Context(),
			true))(p.T), 0o644))
	}
	if p.seen == nil || p.seen[name] {
		return
	}
	p.seen[name] = true
	var found string
	p.eval(`axe.run(document, {resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(r => JSON.stringify(r.violations.map(v => ({id: v.id, nodes: v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary)}))))`, &found)
	if found != "[]" {
		p.Errorf("%s: %s", name, found)
	}
}

// focus brings the keyboard to a field, unfolding what it is in.
func (p *publisher) focus(selector string) {
	p.Helper()
	p.await("document.querySelector(" + quoted(selector) + ")")
	must.Do(p.T, p.tab.Run(p.Context(), `{ const e = document.querySelector(`+quoted(selector)+`);
		for (let d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
		e.focus(); if (e.select) e.select(); }`))
}

func quoted(s string) string { return string(must.Get(json.Marshal(s))(nil)) }

func (p *publisher) fill(name, text string) {
	p.Helper()
	p.focus(`[name="` + name + `"]`)
	must.Do(p.T, p.tab.Type(p.Context(), text))
}

func (p *publisher) choose(name, value string) {
	p.Helper()
	p.focus(`[name="` + name + `"][value="` + value + `"]`)
	must.Do(p.T, p.tab.Type(p.Context(), " "))
}

// press presses a button by the keyboard, and waits for the next page.
func (p *publisher) press(do, then string) {
	p.Helper()
	p.focus(`button[name="do"][value="` + do + `"]`)
	must.Do(p.T, p.tab.Type(p.Context(), browsertest.Enter))
	p.await(then)
}

func (p *publisher) open(address string) {
	p.Helper()
	must.Do(p.T, p.tab.Navigate(p.Context(), address))
	p.await("document.querySelector('main')")
}

// save saves the form that is open, looking at what it would write first.
func (p *publisher) save(name string) {
	p.Helper()
	p.page(name)
	p.press("save", `document.querySelector("button[value=write]")`)
	p.page("agree")
	p.press("write", `document.querySelector(".note")`)
}

// TestEdit: a publisher without a folder makes one, writes a source, evidence that quotes it and a
// claim with its boundary, publishes, corrects the claim and publishes that: in Chromium, by
// keyboard, on a telephone's width, in Arabic. axe examines the pages.
func TestEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs a browser")
	}
	testEdit(t, browsertest.Chromium, "ar", true)
}

// TestLongEdit does the same in Firefox, in English.
func TestLongEdit(t *testing.T) {
	long.Only(t)
	testEdit(t, browsertest.Firefox, "en", false)
}

func testEdit(t *testing.T, browser, language string, examined bool) {
	p := person(t, browser, language)
	if examined {
		p.examine()
	}
	must.Do(t, p.tab.Resize(t.Context(), 360, 740))
	dir := filepath.Join(t.TempDir(), "records of mine")
	must.Do(t, os.Mkdir(dir, 0o755))
	r := must.Get(runAs(dir, nil, "edit", "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(r.kill)
	p.story(r.url, dir, language)
}

func (p *publisher) story(address, dir, language string) {
	p.open(address)
	p.await(`document.querySelector("[name=title]")`)
	var here string
	p.eval("location.href", &here)
	base, _, _ := strings.Cut(here, "/.stele/")
	forms := base + "/.stele/edit/"
	p.page("begin")
	p.fill("title", "Measles & more")
	p.fill("publisher", "A <b>department</b>")
	p.fill("contact", "a@example.org")
	p.fill("address", "https://records.example.net")
	p.fill("language", language)
	p.press("save", `document.querySelector("main pre, .kinds")`)
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if err := p.tab.Navigate(p.Context(), forms); err == nil {
			var is bool
			if p.tab.Evaluate(p.Context(), `!!document.querySelector(".kinds")`, &is) == nil && is {
				break
			}
		}
		if time.Now().After(end) {
			p.Fatal("the forms never came")
		}
	}
	p.page("overview")

	p.open(forms + "new/source_object")
	p.fill("title", "Report of the ministry")
	p.fill("summary", "The yearly report.")
	p.fill("source_links.0.url", "https://example.org/report")
	p.choose("source_links.0.role", "primary")
	p.choose("source_type", "report")
	p.fill("producer", "The ministry")
	p.fill("citation_full", "The ministry. Report. 2026.")
	p.fill("url_main", "https://example.org/report")
	p.save("source_object")

	p.open(forms + "new/evidence")
	p.fill("title", "Cases rose")
	p.press("save", `document.querySelector(".finding.error")`) // what is missing is asked for
	p.fill("summary", "Cases rose by a third.")
	p.fill("claim_boundary.statement", "One country, one year.")
	p.fill("source_links.0.url", "https://example.org/report")
	p.choose("source_links.0.role", "primary")
	p.fill("source_links.0.source_id", "report min")
	p.await(`document.querySelector("#c-source_links\\.0\\.source_id")?.dataset.found?.includes("=src-report")`)
	// Enter takes the record, and sends nothing
	must.Do(p.T, p.tab.Type(p.Context(), browsertest.ArrowDown+browsertest.Enter))
	p.await(`document.querySelector("#i-source_links\\.0\\.source_id").value === "src-report-of-the-ministry"`)
	p.fill("source_links.0.quote.text", "Cases rose by a third.")
	p.choose("evidence_type", "official_statistic")
	p.fill("finding", "Cases rose by a third.")
	p.choose("evidence_label", "not_rated")
	p.save("evidence")

	p.open(forms + "new/proof_claim")
	p.fill("title", "Measles came back")
	p.fill("summary", "It did.")
	p.fill("claim", "Measles came back in the country.")
	p.fill("claim_boundary.statement", "One country, one year.")
	p.fill("source_links.0.url", "https://example.org/report")
	p.choose("source_links.0.role", "primary")
	p.fill("evidence.0.evidence_id", "evd-cases-rose")
	p.choose("evidence.0.stance", "supports")
	p.choose("evidence_label", "not_rated")
	p.save("proof_claim")

	p.open(forms + "new/healthcare_statistic")
	p.fill("title", "Cases in 2025")
	p.fill("summary", "Reported cases of measles in 2025.")
	p.fill("claim_boundary.statement", "Reported cases alone.")
	p.fill("source_links.0.url", "https://example.org/report")
	p.choose("source_links.0.role", "primary")
	p.fill("indicator", "measles_cases")
	p.choose("ref_area_scheme", "iso3166")
	p.fill("ref_area", "KEN")
	p.fill("time_period", "2025")
	p.fill("value", "1300")
	p.fill("unit", "cases")
	p.fill("unit_label", "reported cases")
	p.focus(`[name="obs_status"]`)
	must.Do(p.T, p.tab.Run(p.Context(), `document.querySelector("[name=obs_status]").value = "A"`))
	p.save("healthcare_statistic")

	p.open(forms + "publish")
	p.page("publish")
	p.press("publish", `document.querySelector(".note")`)
	p.isPublished(dir, "Measles came back in the country.")

	p.open(forms + "record/clm-measles-came-back")
	p.page("doors")
	p.open(forms + "record/clm-measles-came-back/correct")
	p.fill("claim", "Measles came back in two districts.")
	p.fill("@summary", "It was two districts, not the country.")
	p.save("correct")
	p.open(forms + "record/sta-cases-in-2025/correct")
	p.fill("value", "1310")
	p.fill("@summary", "Ten late reports were missing.")
	p.save("correct-figure")
	p.open(forms + "publish")
	p.press("publish", `document.querySelector(".note")`)
	p.isPublished(dir, "It was two districts, not the country.") // by an event too
	p.isPublished(dir, "Ten late reports were missing.")
	must.Do(p.T, filepath.WalkDir(filepath.Join(dir, "public"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if data, _ := os.ReadFile(path); strings.Contains(string(data), ".stele/") {
			p.Errorf("%s has something of the forms", path)
		}
		return nil
	}))
	p.open(base + "/proof/clm-measles-came-back/")
	p.page("as-read")
	const table = "records/healthcare-statistics/cases/values.csv"
	must.Do(p.T, os.MkdirAll(filepath.Join(dir, filepath.Dir(table)), 0o755))
	must.Do(p.T, os.WriteFile(filepath.Join(dir, table),
		[]byte("id,ref_area_scheme,ref_area,x_area_name,time_period,value\nsta-measles-cases-UKR-2006,iso3166,UKR,Ukraine,2006,42724\n"), 0o644))
	for _, k := range record.Kinds {
		if k.Name != record.KindChangeEvent {
			p.open(forms + "new/" + k.Name)
			p.page(k.Name)
		}
	}
	for _, door := range []string{"revise", "reverify", "retract", "redact"} {
		p.open(forms + "record/clm-measles-came-back/" + door)
		p.page(door)
	}
	p.open(forms + "import")
	p.page("import")
	p.open(forms + "grid/" + table)
	p.page("grid")
	p.await(`document.querySelector(".grid tbody tr").offsetHeight < 100`) // IDs are not broken after each letter
}

// isPublished makes sure that the folder of releases has a text, in JSON.
func (p *publisher) isPublished(dir, text string) {
	p.Helper()
	found := 0
	must.Do(p.T, filepath.WalkDir(filepath.Join(dir, "public", "api"), func(path string, d os.DirEntry,
		err error,
	) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			found++
		}
		return err
	}))
	if found == 0 {
		p.Errorf("%q is not published", text)
	}
}
