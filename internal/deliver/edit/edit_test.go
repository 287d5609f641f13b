package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"golang.org/x/net/html"

	"stele/internal/author/editing/amend"
	"stele/internal/author/editing/starter"
	"stele/internal/base/schema"
	"stele/internal/deliver/fields"
	"stele/internal/deliver/published"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/sample"
)

// browser is a browser without JavaScript that is signed in.
type browser struct {
	t      testing.TB
	e      *Editor
	base   string // with the prefix
	cookie *http.Cookie
}

// open serves the forms of a folder, which is published where the service says.
func open(t testing.TB, dir string, service ...published.Service) *browser {
	t.Helper()
	e := &Editor{Files: os.DirFS(dir), Dir: dir}
	if len(service) > 0 {
		e.Service = service[0]
	}
	server := httptest.NewServer(e.Guard(e))
	t.Cleanup(func() { server.Close(); must.Do(t, e.Close()) })
	b := &browser{t: t, e: e, base: server.URL + e.Prefix()}
	b.cookie = signIn(t, server.URL+e.Gate().NewKey())
	return b
}

// signIn opens an address that the terminal printed.
func signIn(t testing.TB, address string) *http.Cookie {
	t.Helper()
	answer := must.Get(http.Get(address))(t)
	answer.Body.Close()
	for _, c := range answer.Cookies() {
		return c
	}
	return &http.Cookie{Name: "none", Value: "none"}
}

// ask asks for a page below the forms, and returns its answer.
func (b *browser) ask(method, path string, form url.Values, change func(*http.Request)) (int, string) {
	b.t.Helper()
	r := must.Get(http.NewRequest(method, b.base+Root+path, strings.NewReader(form.Encode())))(b.t)
	r.AddCookie(b.cookie)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.URL.Host)
	}
	if change != nil {
		change(r)
	}
	client := &http.Client{CheckRedirect: func(next *http.Request, _ []*http.Request) error {
		next.AddCookie(b.cookie)
		return nil
	}}
	answer := must.Get(client.Do(r))(b.t)
	defer answer.Body.Close()
	text := must.Get(io.ReadAll(answer.Body))(b.t)
	return answer.StatusCode, string(text)
}

// save sends a form, and saves what it proposes. It returns the last page.
func (b *browser) save(path string, form url.Values) (int, string) {
	b.t.Helper()
	status, page := b.ask(http.MethodPost, path, changed(form, "do", "save"), nil)
	return b.agree(status, page)
}

// agree presses Save it on a page with a proposal.
func (b *browser) agree(status int, page string) (int, string) {
	b.t.Helper()
	token := tokenIn(page)
	if token == "" {
		return status, page
	}
	return b.ask(http.MethodPost, "save", url.Values{"@proposal": {token}, "do": {"write"}}, nil)
}

// tokenIn returns the token of the proposal on a page; "" if it has none.
func tokenIn(page string) string {
	_, rest, _ := strings.Cut(page, `name="@proposal" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	return token
}

// form are the values that a browser would send of the page's form.
func formOf(t testing.TB, page string) url.Values {
	t.Helper()
	doc := must.Get(html.Parse(strings.NewReader(page)))(t)
	values := url.Values{}
	attr := func(n *html.Node, name string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val, true
			}
		}
		return "", false
	}
	var walk func(n *html.Node, inside bool)
	walk = func(n *html.Node, inside bool) {
		if n.Type == html.ElementNode {
			if class, _ := attr(n, "class"); n.Data == "form" && class == "record" {
				inside = true
			}
			name, named := attr(n, "name")
			value, _ := attr(n, "value")
			if inside && named {
				typ, _ := attr(n, "type")
				_, checked := attr(n, "checked")
				switch {
				case n.Data == "input" && (typ == "radio" || typ == "checkbox") && !checked:
				case n.Data == "input":
					values.Add(name, value)
				case n.Data == "textarea":
					text := ""
					if n.FirstChild != nil {
						text = n.FirstChild.Data
					}
					values.Add(name, strings.ReplaceAll(text, "\n", "\r\n"))
				case n.Data == "select":
					for o := n.FirstChild; o != nil; o = o.NextSibling {
						if _, chosen := attr(o, "selected"); chosen {
							v, _ := attr(o, "value")
							values.Add(name, v)
						}
					}
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, inside)
		}
	}
	walk(doc, false)
	return values
}

// state are the bytes of all files of a folder.
func state(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

func sampleFolder(t testing.TB) string {
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, sample.Files))
	return dir
}

// TestOpenAndSave: opening the form of any record of the sample and of the starter and saving it
// writes nothing.
func TestOpenAndSave(t *testing.T) {
	race.LeaveOut(t, "one form is sent after the other")
	begun := t.TempDir()
	must.Do(t, starter.Init(begun))
	for _, dir := range []string{begun, sampleFolder(t)} {
		b := open(t, dir)
		x := must.Get(b.e.currentIndex())(t)
		before := state(t, dir)
		for _, r := range x.list {
			if r.kind.Name == record.KindChangeEvent {
				continue
			}
			at := "record/" + r.id + "/change"
			status, page := b.ask(http.MethodGet, at, nil, nil)
			if status != http.StatusOK {
				t.Fatalf("%s: %d %s", at, status, page)
			}
			form := formOf(t, page)
			form.Set("do", "save")
			status, page = b.ask(http.MethodPost, at, form, nil)
			if status != http.StatusOK || !strings.Contains(page, "nothing was saved") {
				t.Errorf("%s: %d %s\n%v", at, status, page, form)
			}
		}
		if !maps.Equal(state(t, dir), before) {
			t.Errorf("%s was changed", dir)
		}
	}
}

// flat are the values of a record by their paths.
func flat(n *fields.Node, path string, into map[string]string) {
	if n.IsPlain() {
		into[path] = n.Text
	}
	for i, c := range n.List {
		name := c.Name
		if n.Type == schema.Array {
			name = strconv.Itoa(i)
		}
		flat(c, fields.JoinPath(path, name), into)
	}
}

func (b *browser) record(path, id string) map[string]string {
	b.t.Helper()
	r := must.Get(amend.Open(b.e.Files, path, id))(b.t)
	all := map[string]string{}
	flat(fields.NodeOf(r.Merged, 0), "", all)
	return all
}

// another is a value that a field can have instead of the one that it has; "" where none is known.
func another(name, value string, page *html.Node) string {
	var words []string
	for n := range page.Descendants() {
		if n.Type != html.ElementNode || n.Data != "input" && n.Data != "option" {
			continue
		}
		attrs := map[string]string{}
		for _, a := range n.Attr {
			attrs[a.Key] = a.Val
		}
		if of := n.Parent; n.Data == "option" {
			for _, a := range of.Attr {
				if a.Key == "name" {
					attrs["name"] = a.Val
				}
			}
		} else if attrs["type"] != "radio" {
			continue
		}
		if attrs["name"] == name {
			words = append(words, attrs["value"])
		}
	}
	for _, word := range words {
		if word != value && word != "" {
			return word
		}
	}
	switch {
	case words != nil:
		return ""
	case record.Date(value).Valid():
		return "2020-01-02"
	case value != "" && strings.Trim(value, "0123456789.-") == "":
		return value + "1"
	}
	return strings.TrimSpace(value + "x")
}

// TestEachMember: one member is changed at a time, of a record of each kind in each format. That
// member becomes what was written, and nothing else differs but the day of the change.
func TestEachMember(t *testing.T) {
	race.LeaveOut(t, "one form is sent after the other")
	from := open(t, sampleFolder(t))
	x := must.Get(from.e.currentIndex())(t)
	saved, formats := 0, []string{".yaml", ".json", ".ndjson", ".csv"}
	if testing.Short() {
		formats = formats[:1]
	}
	for _, format := range formats {
		for _, k := range record.Kinds {
			if k.Name == record.KindChangeEvent {
				continue
			}
			for _, r := range x.list {
				if r.kind != k {
					continue
				}
				saved += eachMember(t, from, r, format)
				break
			}
		}
	}
	t.Logf("%d members were changed", saved)
	if saved < 180+20*len(formats) {
		t.Errorf("only %d members were changed", saved)
	}
}

// inFormat returns a record of the sample as a file of a format.
func inFormat(t *testing.T, from *browser, r *entry, format string) []byte {
	is := must.Get(amend.Open(from.e.Files, r.file, r.id))(t)
	value := fields.NodeOf(is.Merged, 0)
	data := value.AppendJSON(nil, r.kind.Shape())
	switch format {
	case ".yaml":
		var indented bytes.Buffer
		must.Do(t, json.Indent(&indented, data, "", "  "))
		var v yaml.Node
		must.Do(t, yaml.Unmarshal(indented.Bytes(), &v))
		plainStyle(&v)
		data = append([]byte("# a comment\n"), must.Get(yaml.Marshal(&v))(t)...)
	case ".csv":
		cells := map[string]string{}
		flat(value, "", cells)
		var head, row []string
		for _, name := range slices.Sorted(maps.Keys(cells)) {
			head, row = append(head, name), append(row, `"`+strings.ReplaceAll(cells[name], `"`, `""`)+`"`)
		}
		data = []byte(strings.Join(head, ",") + "\n" + strings.Join(row, ",") + "\n")
	}
	return append(data, '\n')
}

func eachMember(t *testing.T, from *browser, r *entry, format string) (saved int) {
	data := inFormat(t, from, r, format)
	dir := t.TempDir()
	path := "records/" + r.kind.Folder() + "/one" + format
	file := filepath.Join(dir, filepath.FromSlash(path))
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.CopyFS(dir, only{sample.Files, "stele.yaml"}),
		os.WriteFile(file, data, 0o644)))
	b := open(t, dir)
	at := "record/" + r.id + "/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	empty := formOf(t, page)
	doc := must.Get(html.Parse(strings.NewReader(page)))(t)
	for i, name := range slices.Sorted(maps.Keys(empty)) {
		if format != ".yaml" && i%4 != len(r.id)%4 { // of other formats it is the writing that differs
			continue
		}
		if strings.HasPrefix(name, "@") || strings.HasSuffix(name, "#") || strings.HasSuffix(name, "@") ||
			strings.Contains(name, ".name") {
			continue
		}
		now := another(name, empty.Get(name), doc)
		if now == "" {
			continue
		}
		must.Do(t, os.WriteFile(file, data, 0o644))
		b.e.setFindings(nil)
		before := b.record(path, r.id)
		form := maps.Clone(empty)
		form.Set(name, now)
		_, answer := b.ask(http.MethodPost, at, changed(form, "do", "save"), nil)
		if tokenIn(answer) == "" { // it would be wrong
			continue
		}
		if _, answer := b.agree(0, answer); !strings.Contains(answer, "Saved in the folder") {
			t.Fatalf("%s of %s%s: %s", name, r.id, format, answer)
		}
		saved++
		after := b.record(path, r.id)
		for _, at := range slices.Sorted(maps.Keys(after)) {
			terms, _, isTerm := strings.Cut(name, ".") // identifiers.0.value changes identifiers.doi
			isTerm = isTerm && strings.HasSuffix(name, ".value") && strings.HasPrefix(at, terms+".")
			if after[at] != before[at] && at != "updated_date" && at != name && !strings.HasPrefix(at, name+".") && !isTerm {
				t.Errorf("%s of %s%s: %s was %q and is %q", name, r.id, format, at, before[at], after[at])
			}
		}
		if got := after[name]; got != now && !strings.Contains(name, ".value") && after[name+".0"] == "" {
			t.Errorf("%s of %s%s is %q, not %q", name, r.id, format, got, now)
		}
	}
	return saved
}

// plainStyle writes YAML as people do, and not as JSON.
func plainStyle(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		plainStyle(c)
	}
}

// only is a folder with one file.
type only struct {
	fs.FS
	name string
}

func (o only) Open(name string) (fs.File, error) { return o.FS.Open(name) }

func (o only) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, dir)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() != o.name }), err
}
