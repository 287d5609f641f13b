package edit

import (
	"bytes"
	"html"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/internal/author/editing/starter"
	"stele/internal/deliver/signin"
	"stele/internal/testkit/must"
)

func begun(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, starter.Init(dir))
	return dir
}

// TestAttacks: nothing that another site, another user or a guess sends is written, and nothing
// that is written runs.
func TestAttacks(t *testing.T) {
	dir := begun(t)
	b := open(t, dir)
	at := "record/sig-example-rise/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	good := formOf(t, page)
	good.Set("title", "Written by somebody else")
	good.Set("do", "save")
	before := state(t, dir)
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	cookie := func(value string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del("Cookie")
			if value != "" {
				r.AddCookie(&http.Cookie{Name: b.cookie.Name, Value: value})
			}
		}
	}
	for name, c := range map[string]struct {
		method, at string
		form       url.Values
		change     func(*http.Request)
	}{
		"another origin": {"POST", at, good, header("Origin", "https://evil.example")},
		"another port":   {"POST", at, good, header("Origin", "http://127.0.0.1:1")},
		"another scheme": {"POST", at, good, header("Origin", "https://"+strings.TrimPrefix(b.base,
			"http://"))},
		"an origin of nobody":    {"POST", at, good, header("Origin", "null")},
		"no origin":              {"POST", at, good, func(r *http.Request) { r.Header.Del("Origin") }},
		"cross-site":             {"POST", at, good, header("Sec-Fetch-Site", "cross-site")},
		"no cookie":              {"POST", at, good, cookie("")},
		"a guessed cookie":       {"POST", at, good, cookie("AAAAAAAAAAAAAAAAAAAAAAAAAA")},
		"a part of the cookie":   {"POST", at, good, cookie(b.cookie.Value[:25])},
		"a guessed key":          {"GET", "?key=x", nil, cookie("")},
		"reading without a key":  {"GET", at, nil, cookie("")},
		"another method":         {"PUT", at, good, nil},
		"deleting":               {"DELETE", at, nil, nil},
		"writing by GET":         {"GET", at + "?" + good.Encode(), nil, nil},
		"a path as ID":           {"POST", "record/..%2f..%2fstele.yaml/change", good, nil},
		"a new record elsewhere": {"POST", "new/signal", changed(good, "@id", "../../../etc/x"), nil},
		"a reserved name":        {"POST", "new/signal", changed(good, "@id", "con"), nil},
		"an ID that is taken":    {"POST", "new/signal", changed(good, "@id", "sig-example-rise"), nil},
		"a table elsewhere":      {"POST", "grid/..%2fstele.yaml", url.Values{"do": {"write"}}, nil},
		"a broken form":          {"POST", at, changed(good, "@base", "0000"), nil},
		"a guessed proposal":     {"POST", "save", url.Values{"@proposal": {"AAAAAAAAAAAAAAAAAAAAAAAAAA"}}, nil},
		"a kind of builds":       {"POST", "new/change_event", good, nil},
		"another ID":             {"POST", at, changed(without(good, "title"), "id", "sig-b"), nil},
		"a version":              {"POST", at, changed(without(good, "title"), "version", "9"), nil},
		"a huge list":            {"POST", at, changed(without(good, "title"), "source_links.#", "999999999"), nil},
		"a huge form":            {"POST", at, changed(good, "summary", strings.Repeat("x", signin.MaxForm)), nil},
		"an unknown door":        {"POST", "record/sig-example-rise/erase", good, nil},
	} {
		status, page := b.ask(c.method, c.at, c.form, c.change)
		if strings.Contains(page, "Saved in the folder") {
			t.Errorf("%s: %d %s", name, status, page)
		}
		if now := state(t, dir); !maps.Equal(now, before) {
			t.Fatalf("%s wrote something: %d %s", name, status, page)
		}
	}
	status, page := b.ask(http.MethodGet, "", nil, nil)
	if status != http.StatusOK || !strings.Contains(page, "<h1>") {
		t.Errorf("after all that: %d", status)
	}
}

func changed(form url.Values, name, value string) url.Values {
	c := maps.Clone(form)
	c.Set(name, value)
	return c
}

func without(form url.Values, name string) url.Values {
	c := maps.Clone(form)
	delete(c, name)
	return c
}

// TestMarkupInFields: whatever is written in a field stands on pages as text.
func TestMarkupInFields(t *testing.T) {
	b := open(t, begun(t))
	at := "record/sig-example-rise/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	form := formOf(t, page)
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	for name := range form {
		if name != "@base" && !strings.HasSuffix(name, "#") {
			form.Set(name, evil)
		}
	}
	for _, do := range []string{"check", "save", "add source_links", "set title=" + evil} {
		_, page := b.ask(http.MethodPost, at, changed(form, "do", do), nil)
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img src=x") {
			t.Errorf("%s: %s", do, page)
		}
	}
	r := must.Get(http.NewRequest(http.MethodGet, b.base+Root, nil))(t)
	r.AddCookie(b.cookie)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	if h := answer.Header; h.Get("X-Frame-Options") != "DENY" || !strings.Contains(h.Get("Content-Security-Policy"),
		"frame-ancestors 'none'") ||
		!strings.Contains(h.Get("Content-Security-Policy"), "script-src 'self'") {
		t.Errorf("headers: %v", h)
	}
}

// TestMakesWrong: a change that makes another record wrong is shown, and only written when somebody
// says so.
func TestMakesWrong(t *testing.T) {
	dir := begun(t)
	b := open(t, dir)
	x := must.Get(b.e.currentIndex())(t)
	var id string
	for _, r := range x.list {
		if r.kind.Name == "evidence" {
			id = r.id
		}
	}
	at := "record/" + id + "/retract"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	form := changed(formOf(t, page), "@summary", "It was made up.")
	form.Set("do", "save")
	before := state(t, dir)
	_, page = b.ask(http.MethodPost, at, form, nil)
	if tokenIn(page) == "" || !strings.Contains(page, "would cause errors") || !strings.Contains(page, "Save it anyway") {
		t.Errorf("%s", page)
	}
	if !maps.Equal(before, state(t, dir)) {
		t.Error("it was written before anybody agreed")
	}
}

// TestGrid: cells of a table are changed and rows are added, and nothing else.
func TestGrid(t *testing.T) {
	dir := sampleFolder(t)
	b := open(t, dir)
	const at = "records/healthcare-statistics/mcv1/countries/coverage.csv"
	_, page := b.ask(http.MethodGet, "grid/"+at, nil, nil)
	form := formOf(t, page)
	path := filepath.Join(dir, filepath.FromSlash(at))
	was := string(must.Get(os.ReadFile(path))(t))
	form.Set("do", "save")
	if _, page := b.ask(http.MethodPost, "grid/"+at, form, nil); !strings.Contains(page, "nothing was saved") {
		t.Errorf("%s", page)
	}
	head, rows, _ := strings.Cut(was, "\n")
	column := -1
	for i, name := range strings.Split(head, ",") {
		if name == "value" {
			column = i
		}
	}
	first, _, _ := strings.Cut(rows, "\n")
	name := "c.2." + string(rune('0'+column))
	old := form.Get(name)
	if column < 0 || old == "" {
		t.Fatalf("%s: %v", head, form)
	}
	form.Set(name, "12.5")
	_, page = b.save("grid/"+at, form)
	now := string(must.Get(os.ReadFile(path))(t))
	if !strings.Contains(page, "Saved in the folder") || now == was ||
		!strings.HasPrefix(now, head+"\n"+strings.Replace(first, old, "12.5", 1)) {
		t.Errorf("%s\n%s", page, now)
	}
}

// upload sends a table, and returns the page that follows.
func (b *browser) upload(t *testing.T, rows string) string {
	t.Helper()
	var body, page bytes.Buffer
	w := multipart.NewWriter(&body)
	part := must.Get(w.CreateFormFile("table", "deaths.csv"))(t)
	must.Get(part.Write([]byte(rows)))(t)
	must.Do(t, w.Close())
	r := must.Get(http.NewRequest(http.MethodPost, b.base+Root+"import", &body))(t)
	r.AddCookie(b.cookie)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", b.base)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	must.Get(page.ReadFrom(answer.Body))(t)
	return page.String()
}

// TestImportAnswers: answers can be changed, columns taken and left out, and the form says what
// became of all rows.
func TestImportAnswers(t *testing.T) {
	b := open(t, begun(t))
	page := b.upload(t, "Country,Year,Cases,Rank\nFrance,2019,10p,1\nItaly,2019,12,2\nTotal,2019,22,3\n")
	ask := func(change ...string) string {
		form := changed(formOf(t, page), "do", "check")
		for i := 0; i < len(change); i += 2 {
			form.Set(change[i], change[i+1])
		}
		_, page = b.ask(http.MethodPost, "import", form, nil)
		return page
	}
	has := func(page string, texts ...string) {
		t.Helper()
		for _, text := range texts {
			if !strings.Contains(html.UnescapeString(page), text) {
				t.Errorf("no %q in\n%s", text, page)
			}
		}
	}
	has(page, "Or a footnote for these figures", "Take Rank (codes or ranks)")
	has(ask("@free.mark p", "A first count."), `note: "A first count."`, "What you answered (1)",
		"3 rows were read; 2 of them have figures", `1 rows are not taken: "Total"`)
	has(ask("@free.mark p", "", "@answer.mark p", "obs_status=P"), `obs_status: "P"`, `value="obs_status=P" checked`)
	has(ask("@answer.column Rank", "figures", "@answer.title cases", "Cases of measles"), "<legend>Rank</legend>", "folder: rank", "Cases of measles")
	page = ask("@drop", "rank", "@answer.unit cases", "cases", "@answer.unit_label cases", "cases",
		"@shared.summary", "Reported.", "@shared.claim_boundary.statement", "Reported alone.", "@shared.source_links.0.url", "https://example.org/")
	if strings.Contains(page, "folder: rank") {
		t.Errorf("the column is not left out:\n%s", page)
	}
	typed := formOf(t, page)
	_, proposal := b.ask(http.MethodPost, "import", changed(typed, "do", "save"), nil)
	_, back, ok := strings.Cut(proposal, `class="back"`)
	if !ok {
		t.Fatalf("nothing is proposed:\n%s", proposal)
	}
	_, page = b.ask(http.MethodPost, "import", changed(formOf(t, `<form class="record"`+back), "do", "check"), nil)
	for name := range typed {
		if again := formOf(t, page); name != "do" && again.Get(name) != typed.Get(name) {
			t.Errorf("Back shows %s as %q, and it was %q", name, again.Get(name), typed.Get(name))
		}
	}
}

// TestImport: a table that is sent becomes records, once what only a person knows is filled in.
func TestImport(t *testing.T) {
	dir := begun(t)
	b := open(t, dir)
	form := formOf(t, b.upload(t, "Country,Year,Measles deaths\nKenya,2020,12\nUganda,2020,<5\n"))
	for name, text := range map[string]string{
		"@shared.source_links.0.url": "https://example.org/", "@shared.summary": "Deaths from measles.",
		"@shared.claim_boundary.statement": "Reported deaths alone.", "@answer.unit measles-deaths": "deaths",
		"@answer.unit_label measles-deaths": "deaths",
	} {
		form.Set(name, text)
	}
	form.Set("do", "check")
	if _, text := b.ask(http.MethodPost, "import", form, nil); !strings.Contains(text, ": &lt;5</td>") {
		t.Errorf("the preview does not show the bound:\n%s", text)
	}
	_, text := b.save("import", form)
	data, err := os.ReadFile(filepath.Join(dir, "records/healthcare-statistics/measles-deaths/values.csv"))
	if err != nil || !strings.Contains(string(data), "KEN") || !strings.Contains(string(data), "12") {
		t.Errorf("%v %s\n%s", err, data, text)
	}
}

// TestUnfinished: what is not finished, or wrong, is saved as a draft; what was never published
// can be
// deleted, and the folder is then as it was.
func TestUnfinished(t *testing.T) {
	dir := sampleFolder(t)
	b := open(t, dir)
	before := state(t, dir)
	_, page := b.ask(http.MethodGet, "new/evidence", nil, nil)
	form := changed(formOf(t, page), "title", "Half a thought")
	form.Set("source_links.0.url", "www.who.int")
	form.Set("verification_date", "")
	form.Set("do", "save")
	if _, page := b.ask(http.MethodPost, "new/evidence", form, nil); tokenIn(page) != "" {
		t.Errorf("what is wrong can be saved: %s", page)
	}
	form.Set("do", "draft")
	_, page = b.ask(http.MethodPost, "new/evidence", form, nil)
	if _, page := b.agree(0, page); !strings.Contains(page, "Saved in the folder") {
		t.Fatalf("%s", page)
	}
	for _, id := range []string{"evd-half-a-thought", "sta-mcv1-AFG-1982"} {
		_, page = b.ask(http.MethodGet, "record/"+id+"/remove", nil, nil)
		if _, page := b.save("record/"+id+"/remove", formOf(t, page)); !strings.Contains(page,
			"Saved in the folder") {
			t.Errorf("%s: %s", id, page)
		}
	}
	const table = "records/healthcare-statistics/mcv1/countries/coverage.csv"
	at := filepath.Join(dir, filepath.FromSlash(table))
	before[at] = strings.Replace(before[at], "AFG,Afghanistan,1982,8\n", "", 1)
	if now := state(t, dir); !maps.Equal(now, before) {
		t.Errorf("%s", now[at])
	}
}

// TestImportInArabic: the questions about a table, their choices and what import says are in the
// language of the pages, with the same answers.
func TestImportInArabic(t *testing.T) {
	dir := begun(t)
	at := filepath.Join(dir, "stele.yaml")
	settings := string(must.Get(os.ReadFile(at))(t))
	must.Do(t, os.WriteFile(at, []byte(strings.Replace(settings, "language: en", "language: ar", 1)), 0o600))
	b := open(t, dir)
	page := b.upload(t, "Country,Year,Coverage (%),Rank\nFrance,2019,0.91p,1\nItaly,2019,0.93,2\nTotal,2019,0.92,3\n")
	for _, want := range []string{
		"ماذا تعني «\u2068p\u2069» في «\u20680.91p\u2069»، السطر 2؟", "أولي: قد يتغير الرقم", "نسبة مئوية كما هي",
		`value="fraction"`, "أسماء بلدان", "لأن في السطر 2 \u2068France\u2069", "(رموز أو مراتب)",
	} {
		if !strings.Contains(html.UnescapeString(page), want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if strings.Contains(page, `lang="en"`) {
		t.Errorf("English in\n%s", page)
	}
	form := changed(formOf(t, page), "do", "check")
	form.Set("@answer.mark p", "obs_status=P")
	form.Set("@answer.per cent", "fraction")
	_, page = b.ask(http.MethodPost, "import", form, nil)
	if !strings.Contains(html.UnescapeString(page), `reading: "1234.5 as a fraction"`) {
		t.Errorf("the answers are not used:\n%s", page)
	}
}
