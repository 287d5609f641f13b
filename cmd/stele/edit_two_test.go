package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/testkit/browsertest"
	"stele/internal/testkit/must"
)

// publishedFolder is a starter folder that is published to a folder beside it.
func publishedFolder(t *testing.T) (dir, folder string) {
	t.Helper()
	dir = memoryDir(t)
	folder = filepath.Join(dir, "folder")
	stele(t, "init", folder)
	path := filepath.Join(folder, "stele.yaml")
	text := string(must.Get(os.ReadFile(path))(t))
	text = strings.ReplaceAll(text, "https://data.example.org", "https://records.example.net") + "publish:\n  folder: ../public\n"
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	stele(t, "publish", folder, "--first", "--yes", "--date", "2026-11-15")
	return dir, folder
}

// person is a user with a tab and separate cookies.
func person(t *testing.T, browser, name string) *publisher {
	t.Helper()
	b, err := browsertest.Shared(browser)
	if errors.Is(err, browsertest.ErrMissing) {
		t.Skip(err)
	}
	must.Do(t, err)
	tab := must.Get(b.Open(t.Context(), func(browsertest.Event) {}))(t)
	t.Cleanup(func() { must.Do(t, tab.Close(context.Background())) })
	return &publisher{t, tab, nil, name}
}

func (p *publisher) signIn(address string) {
	p.Helper()
	must.Do(p.T, p.tab.Navigate(p.Context(), address))
	p.await(`document.querySelector(".kinds")`)
}

func (p *publisher) here() (text string) {
	p.Helper()
	p.eval("location.href", &text)
	return text
}

func (p *publisher) text() (text string) {
	p.Helper()
	p.eval("document.body.innerText", &text)
	return text
}

// has ends the test unless the page has a text.
func (p *publisher) has(texts ...string) {
	p.Helper()
	for _, text := range texts {
		if page := p.text(); !strings.Contains(page, text) {
			p.Fatalf("%s: no %q in\n%s", p.here(), text, page)
		}
	}
}

// agree saves what the page proposes; if the folder has changed meanwhile, after it is shown again.
func (p *publisher) agree() {
	p.Helper()
	for range 3 {
		var token string
		p.eval(`document.querySelector("[name='@proposal']").value`, &token)
		p.press("write", `document.querySelector("[data-saved]") || (document.querySelector("[name='@proposal']")?.value ?? `+quoted(token)+`) !== `+quoted(token))
		var saved bool
		if p.eval(`!!document.querySelector("[data-saved]")`, &saved); saved {
			return
		}
	}
	p.Fatalf("it was not saved:\n%s", p.text())
}

// TestEditTwo: two people in two browsers correct one published record, with the program stopped
// and started in between, and another server and program looking on.
func TestEditTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs a browser")
	}
	_, folder := publishedFolder(t)
	r := must.Get(runAs(folder, nil, "edit", "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(r.kill)
	a, b := person(t, browsertest.Chromium, "a"), person(t, browsertest.Chromium, "b")
	a.signIn(r.url)
	forms := a.here()
	file := filepath.Join(folder, "records/signals/sig-example-rise.yaml")
	const record = "record/sig-example-rise"

	t.Log("a key works once, and a second browser gets another one")
	must.Do(t, b.tab.Navigate(t.Context(), r.url))
	b.await(`document.querySelector("main")`)
	b.has("Sign in to go on")
	a.focus(`form.key button`)
	must.Do(t, a.tab.Type(t.Context(), browsertest.Enter))
	a.await(`document.querySelector("pre")`)
	var second string
	a.eval(`document.querySelector("pre").innerText.trim()`, &second)
	b.signIn(second)
	strangers(t, a, forms, folder)

	t.Log("two people correct different members, and then the same one")
	a.open(forms + record + "/correct")
	b.open(forms + record + "/correct")
	a.fill("title", "Cases rose, says one")
	a.fill("@summary", "The title was too long.")
	a.press("save", `document.querySelector("button[value=write]")`)
	b.fill("summary", "Says the other.")
	b.fill("@summary", "The summary was vague.")
	b.press("save", `document.querySelector("button[value=write]")`)
	if strings.Contains(b.text(), "says one") {
		t.Errorf("the change of another person is listed as one's own:\n%s", b.text())
	}
	a.agree()
	b.agree()
	b.has("published as version 1", "The title was too long.", "The summary was vague.")
	text := string(must.Get(os.ReadFile(file))(t))
	for _, want := range []string{"version: 2", "title: Cases rose, says one", "Says the other.", "fields: [title]", "fields: [summary]"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	const claim = "record/clm-example-vaccine/correct"
	a.open(forms + claim)
	b.open(forms + claim)
	for i, p := range []*publisher{a, b} {
		p.fill("claim", fmt.Sprintf("Two doses protect, says %d.", i))
		p.fill("@summary", fmt.Sprintf("Reason %d.", i))
		p.press("save", `document.querySelector("button[value=write]")`)
	}
	a.agree()
	b.press("write", `document.querySelector("[name='@take.claim']")`)
	b.has("Another person changed this", "Two doses protect, says 0.", "Two doses protect, says 1.")
	data := string(must.Get(os.ReadFile(filepath.Join(folder, "records/proof/clm-example-vaccine.yaml")))(t))
	if !strings.Contains(data, "says 0") || strings.Contains(data, "says 1") {
		t.Errorf("%s", data)
	}
	a.open(forms + record + "/undo?of=1")
	a.agree()
	if text = string(must.Get(os.ReadFile(file))(t)); strings.Contains(text, "Says the other.") || !strings.Contains(text, "says one") {
		t.Errorf("one correction was to be undone:\n%s", text)
	}

	t.Log("what was typed is still there after the program was started again")
	a.open(forms + record + "/correct?of=0")
	a.fill("title", "Cases rose by a third")
	r.kill()
	<-r.ended
	port := must.Get(url.Parse(forms))(t).Host
	r = must.Get(runAs(folder, nil, "edit", "--listen", port))(t)
	t.Cleanup(r.kill)
	a.press("save", `document.querySelector("main")`)
	a.has("Sign in to go on", "What you wrote is kept here")
	a.signIn(r.url)
	a.open(forms + record + "/correct?of=0")
	a.await(`document.querySelector("[name=title]").value === "Cases rose by a third"`)
	a.press("save", `document.querySelector("button[value=write]")`)
	a.agree()
	if text = string(must.Get(os.ReadFile(file))(t)); strings.Count(text, "in_version: 2") != 1 || !strings.Contains(text, "title: Cases rose by a third") {
		t.Errorf("one correction was to be changed:\n%s", text)
	}

	t.Log("a published record that was deleted is restored")
	must.Do(t, os.Remove(file))
	a.open(forms + record)
	a.has("no longer in the folder")
	a.press("restore", `document.querySelector("button[value=write]")`)
	a.agree()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	if out, code := outputOf(t, "check", folder); code != 0 {
		t.Errorf("%s", out)
	}
}

// strangers try to read and write without being signed in.
func strangers(t *testing.T, a *publisher, forms, folder string) {
	t.Helper()
	var cookies []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<main>another server</main>")
	}))
	defer other.Close()
	must.Do(t, os.WriteFile(filepath.Join(folder, "records/signals/sig-draft.yaml"), []byte("id: sig-draft\ndraft: true\ntitle: SECRETWORD\n"), 0o644))
	for _, at := range []string{"/", "/.stele/edit/", "/.stele/edit/record/sig-draft"} {
		a.open(other.URL + at)
	}
	if got := strings.Join(cookies, ""); got != "" {
		t.Errorf("a server on another port got the cookie %q", got)
	}
	host := "http://" + must.Get(url.Parse(forms))(t).Host
	prefix := strings.TrimSuffix(must.Get(url.Parse(forms))(t).Path, "/.stele/edit/")
	for _, at := range []string{
		"/", "/.stele/edit/", "/.stele/events", "/signals/sig-draft/", "/api/v1/signals.json", prefix + "/",
		prefix + "/.stele/edit/", prefix + "/signals/sig-draft/", prefix + "/api/v1/signals/sig-draft.json", "/.stele/edit/?key=guess",
	} {
		answer := must.Get(http.Get(host + at))(t)
		text := make([]byte, 1<<16)
		n, _ := answer.Body.Read(text)
		answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden || strings.Contains(string(text[:n]), "SECRETWORD") {
			t.Errorf("%s: %s %s", at, answer.Status, text[:n])
		}
	}
	must.Do(t, os.Remove(filepath.Join(folder, "records/signals/sig-draft.yaml")))
}

// TestEditImport: a messy table is imported in the browser. Each question is asked once, the
// records are shown beside the rows that they come from, and the next edition takes the saved map.
func TestEditImport(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it needs a browser")
	}
	_, folder := publishedFolder(t)
	r := must.Get(runAs(folder, nil, "edit", "--listen", "127.0.0.1:0"))(t)
	t.Cleanup(r.kill)
	p := person(t, browsertest.Chromium, "import")
	must.Do(t, p.tab.Resize(t.Context(), 360, 740))
	p.examine()
	p.signIn(r.url)
	forms := p.here()
	upload := func(rows string) {
		t.Helper()
		must.Do(t, p.tab.Run(t.Context(), `{ const files = new DataTransfer();
			files.items.add(new File([`+quoted(rows)+`], "measles.csv", {type: "text/csv"}));
			const input = document.querySelector("[type=file]"); input.files = files.files; input.form.requestSubmit(); }`))
		p.await(`document.querySelector("[name='@map']")`)
	}
	const head = "Country;Year;Cases;Vaccinated (%);Remarks;Rank\n"
	const first = "France;2019;1.234;87,6;ok;1\nItaly;2019;12.345;90,1;;2\nSpain;2019;987;88,0;checked;3\n"
	p.open(forms + "import")
	upload(head + first)
	p.page("questions")
	p.choose("@answer.column Rank", "figures")
	p.press("check", `[...document.querySelectorAll("legend")].some((l) => l.textContent === "Rank")`)
	p.choose("@drop", "rank")
	p.choose("@answer.column Remarks", "ignore")
	for name, text := range map[string]string{
		"@answer.unit cases": "cases", "@answer.unit_label cases": "cases", "@shared.summary": "Reported to the ministry.",
		"@shared.claim_boundary.statement": "Reported cases alone.", "@shared.source_links.0.url": "https://example.org/",
	} {
		p.fill(name, text)
	}
	p.press("check", `document.querySelector("button[value=save]")`)
	p.page("becomes")
	p.has("12345", "87.6", "3 rows were read; 3 of them", "What you answered (1)")
	must.Do(t, p.tab.Resize(t.Context(), 1280, 900))
	p.page("becomes-wide")
	must.Do(t, p.tab.Resize(t.Context(), 390, 800))
	p.press("save", `document.querySelector("button[value=write]")`)
	p.agree()
	text := string(must.Get(os.ReadFile(filepath.Join(folder, "records/healthcare-statistics/cases/values.csv")))(t))
	for _, want := range []string{"1234", "12345", "987"} {
		if !strings.Contains(text, ","+want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	p.open(forms + "import")
	must.Do(t, p.tab.Run(t.Context(), `document.querySelector("[name=map]").value = "measles.yaml"`))
	upload(head + first + "France;2020;1.300;87,6;ok;1\n")
	p.press("check", `document.querySelector("button[value=save]")`)
	p.has("1300")
	p.open(forms + "grid/records/healthcare-statistics/cases/values.csv")
	p.page("table")
	p.has("No row of this table is published yet")
	p.open(forms + "shared/records/healthcare-statistics/cases/values.csv")
	p.page("shared")
	p.fill("unit_label", "reported cases")
	p.press("save", `document.querySelector("button[value=write]")`)
	p.agree()
	p.has("Saved in the folder")
	must.Do(t, p.tab.Resize(t.Context(), 1280, 900))
	p.page("shared-wide")
	if out, code := outputOf(t, "check", folder); code != 0 {
		t.Errorf("%s", out)
	}
}
