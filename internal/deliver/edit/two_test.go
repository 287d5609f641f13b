package edit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"stele/internal/author/editing/amend"
	"stele/internal/author/reading/input"
	"stele/internal/base/clock"
	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/deliver/published"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
	"stele/sample"
)

// settle saves a form as a person does: if the folder has changed meanwhile, the proposal is shown
// again, and agreed to again.
func (b *browser) settle(path string, form url.Values) (int, string) {
	status, page := b.save(path, form)
	for range 5 {
		if tokenIn(page) == "" {
			break
		}
		status, page = b.agree(status, page)
	}
	return status, page
}

// TestTwoPeople: two people open a record of any kind in any format and change one member each.
// Both changes are in the file afterwards, and nothing else has changed. If they change the same
// member, the second one gets a page with all three values.
func TestTwoPeople(t *testing.T) {
	race.LeaveOut(t, "one form is sent after the other")
	from := open(t, sampleFolder(t))
	x := must.Get(from.e.currentIndex())(t)
	isEvent := func(r *entry) bool { return r.kind.Name == record.KindChangeEvent }
	records := slices.DeleteFunc(slices.Clone(x.list), isEvent)
	both, conflicts := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := records[rapid.IntRange(0, len(records)-1).Draw(rt, "record")]
		format := rapid.SampledFrom([]string{".yaml", ".json", ".ndjson", ".csv"}).Draw(rt, "format")
		b, path := oneRecord(t, from, r, format)
		at := "record/" + r.id + "/change"
		_, page := b.ask(http.MethodGet, at, nil, nil)
		form, doc := formOf(t, page), must.Get(html.Parse(strings.NewReader(page)))(t)
		var names []string
		for name := range form {
			if !strings.HasPrefix(name, "@") && !strings.HasSuffix(name, "#") && !strings.HasSuffix(name, "@") &&
				!strings.Contains(name, ".name") && !strings.HasSuffix(name, ".value") && another(name, form.Get(name), doc) != "" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		first, second := rapid.SampledFrom(names).Draw(rt, "first"), rapid.SampledFrom(names).Draw(rt, "second")
		before := b.record(path, r.id)
		mine := changed(form, first, another(first, form.Get(first), doc))
		if _, page := b.settle(at, mine); !strings.Contains(page, "Saved in the folder") {
			return // that value would be wrong
		}
		between := b.record(path, r.id)
		other := another(second, form.Get(second), doc)
		if first == second {
			other += "y"
		}
		status, page := b.settle(at, changed(form, second, other))
		after := b.record(path, r.id)
		switch {
		case status == http.StatusConflict:
			if first != second && !strings.HasPrefix(first, second[:strings.LastIndex("."+second, ".")]) {
				rt.Fatalf("%s and %s of %s%s are no conflict: %s", first, second, r.id, format, page)
			}
			if !maps.Equal(after, between) {
				rt.Fatal("a conflict wrote something")
			}
			conflicts++
			return
		case !strings.Contains(page, "Saved in the folder"):
			return // that value would be wrong
		case first == second:
			rt.Fatalf("%s of %s%s: the second change won without a word", first, r.id, format)
		}
		both++
		for name := range after {
			if after[name] != before[name] && name != "updated_date" && name != first && name != second &&
				!strings.HasPrefix(name, first+".") && !strings.HasPrefix(name, second+".") {
				rt.Fatalf("%s and %s of %s%s: %s was %q and is %q", first, second, r.id, format, name, before[name], after[name])
			}
		}
		if after[first] != between[first] && after[first+".0"] != between[first+".0"] {
			rt.Fatalf("%s of %s%s was %q and is %q", first, r.id, format, between[first], after[first])
		}
	})
	t.Logf("%d times both, %d conflicts", both, conflicts)
	if both == 0 {
		t.Error("no two changes were saved")
	}
}

// oneRecord serves a folder with one record of the sample, in a format.
func oneRecord(t *testing.T, from *browser, r *entry, format string) (*browser, string) {
	dir := t.TempDir()
	path := "records/" + r.kind.Folder() + "/one" + format
	file := filepath.Join(dir, filepath.FromSlash(path))
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.CopyFS(dir, only{sample.Files, "stele.yaml"}),
		os.WriteFile(file, inFormat(t, from, r, format), 0o644)))
	return open(t, dir), path
}

// TestSameMoment: two saves of one record at the same moment end as if one came after the other.
func TestSameMoment(t *testing.T) {
	dir := begun(t)
	b := open(t, dir)
	const at = "record/sig-example-rise/change"
	for n := range 60 {
		_, page := b.ask(http.MethodGet, at, nil, nil)
		form := formOf(t, page)
		fields := []string{"title", "summary"}
		if n%2 == 1 {
			fields[1] = "title"
		}
		var done sync.WaitGroup
		statuses := make([]int, 2)
		for i, field := range fields {
			done.Go(func() {
				statuses[i], _ = b.settle(at, changed(form, field, fmt.Sprintf("Text %d of %d", i, n)))
			})
		}
		done.Wait()
		text := string(must.Get(os.ReadFile(filepath.Join(dir, "records/signals/sig-example-rise.yaml")))(t))
		saved := 0
		for i := range fields {
			if strings.Contains(text, fmt.Sprintf("Text %d of %d", i, n)) {
				saved++
			}
		}
		slices.Sort(statuses)
		same := fields[0] == fields[1]
		if !same && saved != 2 || same && (saved != 1 || statuses[1] != http.StatusConflict) {
			t.Fatalf("round %d, %v: %d saved, %v\n%s", n, fields, saved, statuses, text)
		}
	}
}

// TestGridOfTwo: two people change cells of a table, one of them moves its rows, and two rows have
// one ID.
func TestGridOfTwo(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, only{sample.Files, "stele.yaml"}))
	const at = "records/healthcare-statistics/x/values.csv"
	path := filepath.Join(dir, filepath.FromSlash(at))
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(filepath.Join(filepath.Dir(path), "_defaults.yaml"), []byte("version: 1\nupdated_date: 2020-01-01\n"), 0o644)))
	write := func(rows string) {
		must.Do(t, os.WriteFile(path, []byte("id,ref_area,time_period,value\n"+rows), 0o644))
	}
	cell := func(line, column int) string { return fmt.Sprintf("c.%d.%d", line, column) }
	for name, c := range map[string]struct {
		first, then string
		line        int
		conflict    bool
		want        string
	}{
		"a cell of another row": {"a,FRA,2020,1\nb,ITA,2020,2\n", "a,FRA,2020,77\nb,ITA,2020,2\n", 3, false, "a,FRA,2020,77\nb,ITA,2020,9\n"},
		"another cell of a row": {"a,FRA,2020,1\nb,ITA,2020,2\n", "a,FRA,2020,1\nb,ITA,2021,2\n", 3, false, "a,FRA,2020,1\nb,ITA,2021,9\n"},
		"a row before it":       {"a,FRA,2020,1\nb,ITA,2020,2\n", "a,FRA,2020,1\nc,ESP,2020,5\nb,ITA,2020,2\n", 3, false, "a,FRA,2020,1\nc,ESP,2020,5\nb,ITA,2020,9\n"},
		"the same cell":         {"a,FRA,2020,1\nb,ITA,2020,2\n", "a,FRA,2020,1\nb,ITA,2020,3\n", 3, true, "a,FRA,2020,1\nb,ITA,2020,3\n"},
		"twins":                 {"a,FRA,2020,1\na,FRA,2020,2\n", "a,FRA,2020,1\na,FRA,2020,2\n", 3, false, "a,FRA,2020,1\na,FRA,2020,9\n"},
		"a twin that is gone":   {"a,FRA,2020,1\na,FRA,2021,2\n", "a,FRA,2021,2\n", 3, false, "a,FRA,2021,9\n"},
		"a row that is gone":    {"a,FRA,2020,1\nb,ITA,2020,2\n", "a,FRA,2020,1\n", 3, false, "a,FRA,2020,1\n"},
	} {
		write(c.first)
		b := open(t, dir)
		_, page := b.ask(http.MethodGet, "grid/"+at, nil, nil)
		form := changed(formOf(t, page), cell(c.line, 3), "9")
		write(c.then)
		b.e.setFindings(nil)
		status, page := b.settle("grid/"+at, form)
		if c.conflict != (status == http.StatusConflict) {
			t.Errorf("%s: %d %s", name, status, page)
		}
		if got := string(must.Get(os.ReadFile(path))(t)); got != "id,ref_area,time_period,value\n"+c.want {
			t.Errorf("%s: %s", name, got)
		}
		if c.conflict {
			choice := changed(formOf(t, page), "@take."+cell(c.line, 3), "mine")
			if _, page := b.settle("grid/"+at, choice); !strings.Contains(page, "Saved in the folder") {
				t.Errorf("%s: %s", name, page)
			}
			if got := string(must.Get(os.ReadFile(path))(t)); !strings.HasSuffix(got, "b,ITA,2020,9\n") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// TestExactlyShown: what is saved is what was shown. A proposal that another change overtook is
// shown again, and one that was saved is not saved twice.
func TestExactlyShown(t *testing.T) {
	dir := begun(t)
	b := open(t, dir)
	const at = "record/sig-example-rise/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	form := changed(formOf(t, page), "title", "A title of mine")
	_, page = b.ask(http.MethodPost, at, changed(form, "do", "save"), nil)
	before := state(t, dir)
	// other fields on the page that saves change nothing
	other := url.Values{"@proposal": {tokenIn(page)}, "title": {"Another title"}, "do": {"write"}}
	must.Do(t, os.WriteFile(filepath.Join(dir, "records/signals/_note.txt"), []byte("x"), 0o644))
	status, again := b.ask(http.MethodPost, "save", other, nil)
	if status != http.StatusOK || !strings.Contains(again, "The folder has changed") || tokenIn(again) == tokenIn(page) {
		t.Fatalf("%d %s", status, again)
	}
	must.Do(t, os.Remove(filepath.Join(dir, "records/signals/_note.txt")))
	if !maps.Equal(before, state(t, dir)) {
		t.Fatal("it was written although the folder had changed")
	}
	status, page = b.settle(at, form)
	if after := state(t, dir); !strings.Contains(after[filepath.Join(dir, "records/signals/sig-example-rise.yaml")], "A title of mine") {
		t.Fatalf("%d %s", status, page)
	}
	before = state(t, dir)
	for range 2 { // the answer was lost, and the button is pressed again
		_, page := b.ask(http.MethodPost, at, changed(form, "do", "save"), nil)
		token := url.Values{"@proposal": {tokenIn(page)}}
		b.ask(http.MethodPost, "save", token, nil)
		b.ask(http.MethodPost, "save", token, nil)
	}
	if !maps.Equal(before, state(t, dir)) {
		t.Error("it was saved twice")
	}
}

// faulty is a service that panics the first time, and counts what it publishes.
type faulty struct{ asked, published int }

func (f *faulty) Publish(
	_ context.Context, w *strings.Builder, _ string, agree func(string) bool,
) ([]schema.Problem, error) {
	if f.asked++; f.asked == 1 {
		panic("a mistake in the program")
	}
	w.WriteString("One record would change.")
	if !agree(w.String()) {
		return nil, published.ErrNotAgreed
	}
	f.published++
	return nil, nil
}

func (f *faulty) Listing(context.Context, *published.Listing, bool) (*published.Listing, error) {
	return &published.Listing{}, nil
}
func (f *faulty) Local() bool                                            { return true }
func (f *faulty) Record(context.Context, string, string) ([]byte, error) { return nil, fs.ErrNotExist }

// TestPublishOnce: a panic while publishing locks nothing, and pressing Publish twice publishes
// once.
func TestPublishOnce(t *testing.T) {
	dir := begun(t)
	path := filepath.Join(dir, "stele.yaml")
	data := must.Get(os.ReadFile(path))(t)
	must.Do(t, os.WriteFile(path, append(data, "publish:\n  folder: public\n"...), 0o644))
	f := &faulty{}
	b := open(t, dir, f)
	r := must.Get(http.NewRequest(http.MethodGet, b.base+Root+"publish", nil))(t)
	r.AddCookie(b.cookie)
	if answer, err := http.DefaultClient.Do(r); err == nil {
		answer.Body.Close()
		t.Error("it did not panic")
	}
	_, page := b.ask(http.MethodGet, "publish", nil, nil)
	form := changed(formOf(t, page), "do", "publish")
	for range 2 {
		if _, page := b.ask(http.MethodPost, "publish", form, nil); !strings.Contains(page, "It is published") {
			t.Errorf("%s", page)
		}
	}
	if f.published != 1 {
		t.Errorf("it was published %d times", f.published)
	}
}

// TestSettings: the forms change stele.yaml in any way of writing it, or say what to write by hand.
func TestSettings(t *testing.T) {
	dir := begun(t)
	path := filepath.Join(dir, "stele.yaml")
	plain := string(must.Get(os.ReadFile(path))(t))
	var flow []string
	s, _, err := input.ReadSettings(os.DirFS(dir))
	must.Do(t, err)
	for _, of := range [][2]string{
		{"title", s.Title},
		{"base_url", string(s.BaseURL)},
		{"publisher", s.Publisher},
		{"license", s.License},
		{"contact", s.Contact},
		{"language", s.Language},
		{"notice", s.Notice},
	} {
		flow = append(flow, of[0]+": "+string(jsonline.AppendText(nil, of[1])))
	}
	for name, c := range map[string]struct{ text, keeps, refuses string }{
		"lines":                {text: "# of the publisher\n" + plain, keeps: "# of the publisher\n"},
		"an end":               {text: plain + "\n...\n", keeps: "\n...\n"},
		"braces":               {text: "{" + strings.Join(flow, ", ") + "}\n", keeps: "{"},
		"braces with comments": {text: "{ # a comment\n" + strings.Join(flow, ",\n") + "}\n", refuses: "publish:\n  folder: ../site"},
	} {
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o644))
		b := open(t, dir, &faulty{asked: 1})
		_, page := b.ask(http.MethodGet, "publish", nil, nil)
		_, page = b.save("publish", changed(formOf(t, page), "folder", "../site"))
		text := string(must.Get(os.ReadFile(path))(t))
		now, _, err := input.ReadSettings(os.DirFS(dir))
		switch {
		case c.refuses != "":
			if text != c.text || !strings.Contains(page, c.refuses) {
				t.Errorf("%s: %s\n%s", name, text, page)
			}
		case err != nil || now.Publish == nil || now.Publish.Folder != "../site" || !strings.Contains(text, c.keeps):
			t.Errorf("%s: %v %s\n%s", name, err, text, page)
		}
		_, page = b.ask(http.MethodGet, "settings", nil, nil)
		b.save("settings", changed(formOf(t, page), "title", "Another title"))
		if now, _, _ := input.ReadSettings(os.DirFS(dir)); (now.Title == "Another title") == (c.refuses != "") {
			t.Errorf("%s: the title is %q", name, now.Title)
		}
	}
}

// TestDirectionMarks: a value with a mark that is never closed comes back as it is.
func TestDirectionMarks(t *testing.T) {
	dir := begun(t)
	path := filepath.Join(dir, "records/signals/sig-example-rise.yaml")
	data := string(must.Get(os.ReadFile(path))(t))
	title := data[strings.Index(data, "title: "):]
	title = title[:strings.IndexByte(title, '\n')]
	must.Do(t, os.WriteFile(path, []byte(strings.Replace(data, title, "title: \"Rise \\u202e of \\u2066 cases\"", 1)), 0o644))
	b := open(t, dir)
	const at = "record/sig-example-rise/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	form := formOf(t, page)
	if got := form.Get("title"); got != "Rise \u202e of \u2066 cases" {
		t.Errorf("%q", got)
	}
	b.save(at, changed(form, "summary", "Another summary."))
	if now := string(must.Get(os.ReadFile(path))(t)); !strings.Contains(now, `"Rise \u202e of \u2066 cases"`) {
		t.Errorf("%s", now)
	}
}

// TestRedactForm: a required member gets other words, in the versions that are ticked. The reason,
// and other records, must not repeat the removed words.
func TestRedactForm(t *testing.T) {
	dir := begun(t)
	path := filepath.Join(dir, "records/signals/sig-example-rise.yaml")
	data := string(must.Get(os.ReadFile(path))(t))
	summary := data[strings.Index(data, "summary: "):]
	summary = summary[:strings.IndexByte(summary, '\n')]
	must.Do(t, os.WriteFile(path, []byte(strings.Replace(data, summary, "summary: Nurse Quaxworthy noticed it.", 1)), 0o644))
	b := open(t, dir)
	const at = "record/sig-example-rise/redact"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	form := changed(formOf(t, page), "@member", "summary")
	form.Set("@version", "1")
	form.Set("@summary", "A person was named.")
	if _, page := b.save(at, form); !strings.Contains(page, "What to write instead") || strings.Contains(page, "Saved in") {
		t.Errorf("a required member has no other words: %s", page)
	}
	form.Set("@new.summary", "A nurse noticed it.")
	if _, page := b.save(at, changed(form, "@summary", "Anna Quaxworthy was named.")); !strings.Contains(page, "repeat words that you remove") {
		t.Errorf("the reason has the name: %s", page)
	}
	_, shown := b.ask(http.MethodPost, at, changed(form, "do", "save"), nil)
	if !strings.Contains(shown, `name="@ordinary" value="Nurse"`) || strings.Contains(shown, "--ordinary") {
		t.Errorf("words that reveal nothing cannot be allowed: %s", shown)
	}
	form["@ordinary"] = []string{"Nurse", "noticed"}
	_, shown = b.ask(http.MethodPost, at, changed(form, "do", "save"), nil)
	for _, want := range []string{"A nurse noticed it.", "redactions.yaml", "sig-example-rise.yaml"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in %s", want, shown)
		}
	}
	b.agree(0, shown)
	for name, text := range state(t, dir) {
		if strings.Contains(text, "Quaxworthy") {
			t.Errorf("%s has the name:\n%s", name, text)
		}
	}
}

// TestFindingsInOrder: findings are listed in the order of the page, and each links to its field.
func TestFindingsInOrder(t *testing.T) {
	b := open(t, begun(t))
	_, page := b.ask(http.MethodGet, "new/evidence", nil, nil)
	_, page = b.ask(http.MethodPost, "new/evidence", changed(formOf(t, page), "do", "save"), nil)
	_, list, _ := strings.Cut(page, `id="summary"`)
	list, body, _ := strings.Cut(list, "<form")
	last, count := -1, 0
	for part := range strings.SplitSeq(list, `href="#`) {
		id, _, _ := strings.Cut(part, `"`)
		if !strings.HasPrefix(id, "f-") {
			continue
		}
		at := strings.Index(body, `id="`+id+`"`)
		if at <= last {
			t.Errorf("%s is at %d, after %d", id, at, last)
		}
		last, count = at, count+1
	}
	if count < 3 {
		t.Errorf("%d findings: %s", count, list)
	}
}

// TestCellCorrectedTwice: a published cell that is corrected twice before it is published has one
// correction, with the last reason.
func TestCellCorrectedTwice(t *testing.T) {
	dir := sampleFolder(t)
	b := open(t, dir, &everything{dir: dir})
	data := must.Get(os.ReadFile(filepath.Join(dir, "stele.yaml")))(t)
	data = append(data, "publish:\n  folder: public\n"...)
	must.Do(t, os.WriteFile(filepath.Join(dir, "stele.yaml"), data, 0o644))
	b.e.setFindings(nil)
	const at = "grid/records/healthcare-statistics/mcv1/countries/coverage.csv"
	for i, value := range []string{"12.5", "13.5"} {
		_, page := b.ask(http.MethodGet, at, nil, nil)
		form, name := formOf(t, page), ""
		for n := range form {
			if strings.HasPrefix(n, "c.2.") && form.Get(n) == []string{"11", "12.5"}[i] {
				name = n
			}
		}
		form.Set("@why", "correct")
		form.Set("@summary", "Reason "+value+".")
		if _, page := b.settle(at, changed(form, name, value)); name == "" || !strings.Contains(page, "Saved in the folder") {
			t.Fatalf("%s: %v %s", value, form, page)
		}
	}
	text := ""
	for name, data := range state(t, filepath.Join(dir, "records/healthcare-statistics/mcv1/countries")) {
		if strings.Contains(name, "coverage") {
			text += data
		}
	}
	if strings.Contains(text, "Reason 12.5.") || strings.Count(text, "Reason 13.5.") != 1 {
		t.Errorf("%.3000s", text)
	}
}

// everything is a service that has published all records of a folder in version 1.
type everything struct {
	faulty
	dir string
}

func (e *everything) Listing(context.Context, *published.Listing, bool) (*published.Listing, error) {
	l := &published.Listing{Release: "r", Records: map[string]map[string]amend.Published{}}
	x, err := (&Editor{Files: os.DirFS(e.dir)}).currentIndex()
	if err != nil {
		return nil, err
	}
	for _, r := range x.list {
		if l.Records[r.kind.Name] == nil {
			l.Records[r.kind.Name] = map[string]amend.Published{}
		}
		l.Records[r.kind.Name][r.id] = amend.Published{Version: 1}
	}
	return l, nil
}

// TestToday: forms fill in the day of the publisher's time zone, as publish does.
func TestToday(t *testing.T) {
	defer func(now func() time.Time) { clock.Now = now }(clock.Now)
	clock.Now = func() time.Time { return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC) }
	for zone, day := range map[string]string{"UTC": "2026-02-01", "Pacific/Kiritimati": "2026-02-02"} {
		dir := begun(t)
		path := filepath.Join(dir, "stele.yaml")
		text := string(must.Get(os.ReadFile(path))(t)) + "\ntime_zone: " + zone + "\n"
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		_, page := open(t, dir).ask(http.MethodGet, "new/signal", nil, nil)
		if !strings.Contains(page, `"`+day+`"`) {
			t.Errorf("%s: the form of a new record has not the day %s:\n%s", zone, day, page)
		}
	}
}

// TestRedactedIsBack: a form does not save what redactions.yaml withholds, although no release is
// known.
func TestRedactedIsBack(t *testing.T) {
	dir := begun(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "redactions.yaml"), []byte(
		"redactions:\n  - {id: sig-example-rise, versions: 1, members: [/verified_by], date: 2026-02-01, reason: A name.}\n"), 0o644))
	path := filepath.Join(dir, "records/signals/sig-example-rise.yaml")
	text := strings.Replace(string(must.Get(os.ReadFile(path))(t)), "version: 1\n", "version: 2\n", 1)
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	b := open(t, dir)
	const at = "record/sig-example-rise/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	for member, refused := range map[string]bool{"verified_by": true, "title": false} {
		_, page := b.ask(http.MethodPost, at, changed(changed(formOf(t, page), member, "Anna Quaxworthy"), "do", "save"), nil)
		if strings.Contains(page, "RED01") != refused {
			t.Errorf("%s: %s", member, page)
		}
	}
}
