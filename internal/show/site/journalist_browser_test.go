package site_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"stele/internal/testkit/browsertest"
)

// TestJournalist goes the ways of somebody who writes about what is published, from the first page
// and by what can be seen, and none of them ends before its aim.
func TestJournalist(t *testing.T) {
	b := open(t, serveSample(t))
	text := func() string { return eval[string](b, `document.querySelector("main").innerText`) }

	// Does it hold?
	b.visit("/")
	b.follow(func() { b.enter(`main input[type=search]`, "vaccine causes autism"+browsertest.Enter) })
	b.ready("#search")
	b.follow(func() { b.click(`.results a`) })
	for _, want := range []string{"MMR vaccine and autism are not linked", "Moderate certainty", "Cochrane", "verified 20"} {
		if !strings.Contains(text(), want) {
			t.Errorf("of vaccines and autism there is no %q", want)
		}
	}
	b.run(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`)
	b.click(`#use pre + button`)
	b.wait(`window.copied?.includes("/clm-mmr-and-autism")`)

	// One indicator: its values, its chart for another page, and how to cite it.
	b.follow(func() { b.click(`//nav//a[.="Statistics"]`) })
	b.follow(func() { b.click(`//main//a[contains(., "Coverage with a first dose of measles vaccine")]`) })
	b.ready(".charts")
	response, err := http.Get(eval[string](b, `[...document.querySelectorAll("main a")].find((a) => a.textContent === "CSV").href`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() // it was only read
	table, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || strings.Count(string(table), "Samoa") < 5 {
		t.Errorf("the table is %d %.200s, %v", response.StatusCode, table, err)
	}
	b.run(`navigator.clipboard.writeText = async (text) => { window.copied = text; }`)
	b.click(`//div[@class="takeaway"]//summary`)
	b.click(`//div[@class="takeaway"]//button[.="Copy"]`)
	b.wait(`window.copied?.startsWith("<iframe src=")`)
	b.click(`//h2[.="Cite it"]/following::button[.="Copy"][1]`)
	b.wait(`window.copied?.includes("/healthcare-statistics/mcv1/") && window.copied.includes("verified")`)
}
