package describe_test

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stele/internal/compile/compiler"
	"stele/internal/show/describe"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
	"stele/record"
	"stele/release"
)

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

// atomFeed is what the tests read of a feed. Names have their namespaces, so that a feed in another
// one is none.
type atomFeed struct {
	XMLName xml.Name   `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string     `xml:"http://www.w3.org/2005/Atom id"`
	Title   string     `xml:"http://www.w3.org/2005/Atom title"`
	About   string     `xml:"http://www.w3.org/2005/Atom subtitle"`
	Updated string     `xml:"http://www.w3.org/2005/Atom updated"`
	Author  string     `xml:"http://www.w3.org/2005/Atom author>name"`
	Links   []atomLink `xml:"http://www.w3.org/2005/Atom link"`
	Archive *struct{}  `xml:"http://purl.org/syndication/history/1.0 archive"`
	Entries []struct {
		ID      string     `xml:"id"`
		Title   string     `xml:"title"`
		Updated string     `xml:"updated"`
		Links   []atomLink `xml:"link"`
		Content string     `xml:"content"`
	} `xml:"http://www.w3.org/2005/Atom entry"`
}

func (f *atomFeed) link(rel string) string {
	for _, l := range f.Links {
		if l.Rel == rel {
			return strings.TrimPrefix(l.Href, base+"/")
		}
	}
	return ""
}

type jsonFeed struct {
	Version     string
	Title       string
	HomePageURL string `json:"home_page_url"`
	FeedURL     string `json:"feed_url"`
	NextURL     string `json:"next_url"`
	Description string
	Items       []struct {
		ID, URL, Title string
		ContentText    string          `json:"content_text"`
		DatePublished  string          `json:"date_published"`
		Event          json.RawMessage `json:"_event"`
	}
}

func readAtom(t *testing.T, files fstest.MapFS, path string) (f atomFeed) {
	t.Helper()
	if err := xml.Unmarshal(file(t, files, path), &f); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return f
}

// TestFeeds: what RFC 4287 and JSON Feed 1.1 require is there, and the two forms have the same
// entries.
func TestFeeds(t *testing.T) {
	files := theSample()
	indicators := len(paths(files, "feeds/indicator-", ""))
	if got := len(paths(files, "feeds/", "")); indicators < 10 || got != 2*len(record.Kinds)+indicators {
		t.Errorf("%d feeds, %d of indicators", got, indicators)
	}
	entries := map[string]int{}
	for _, k := range record.Kinds {
		path := "feeds/" + k.Folder()
		a, j := readAtom(t, files, path+".atom"), parse[jsonFeed](t, files, path+".json")
		if a.ID != base+"/"+path+".atom" || a.link("self") != path+".atom" || a.Title == "" || a.Author == "" || a.Archive != nil {
			t.Errorf("%s begins %+v", path, a)
		}
		if j.Version != "https://jsonfeed.org/version/1.1" || j.Title != a.Title ||
			j.FeedURL != base+"/"+path+".json" ||
			j.HomePageURL != base+"/" ||
			j.Items == nil {
			t.Errorf("%s begins %+v", path, j)
		}
		tells(t, path+".atom", a.About)
		tells(t, path+".json", j.Description)
		if len(a.Entries) != len(j.Items) {
			t.Fatalf("%s has %d and %d entries", path, len(a.Entries), len(j.Items))
		}
		newest := a.Updated
		for i, e := range a.Entries {
			entries[e.ID]++
			x := j.Items[i]
			if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.Updated > newest || e.ID != x.ID ||
				e.Title != x.Title ||
				e.Content != x.ContentText ||
				e.Updated != x.DatePublished ||
				e.Links[0].Href != x.URL {
				t.Errorf("%s: %+v and %+v", path, e, x)
			}
			if !strings.Contains(string(file(t, files, "api/v1/changes.json")), string(compact(t, x.Event))) {
				t.Errorf("%s: the event is not as it is published: %s", path, x.Event)
			}
			newest = e.Updated
		}
	}
	if len(entries) != 18 {
		t.Errorf("%d entries", len(entries))
	}
	for id, count := range entries {
		if count != 2 { // in the feed of all changes, and in that of its kind
			t.Errorf("%s stands in %d feeds", id, count)
		}
	}
}

// growing is the sample with a number of entities more.
func growing(more int) fstest.MapFS {
	files, err := specimen.Sample()
	if err != nil {
		panic(err) // it is embedded
	}
	var b strings.Builder
	for i := range more {
		fmt.Fprintf(&b, `{"id":"ent-more-%05d","version":1,"title":"More","summary":"More.","source_links":[{"url":"https://example.org/","role":"primary"}],"verification_date":"2026-11-01","source_updates":[],"corrections":[],"published_date":"2026-11-01","updated_date":"2026-11-01","first_published_elsewhere":"In an atlas.","entity_type":"place","name":"More"}`+"\n", i)
	}
	files["records/entities/more.ndjson"] = &fstest.MapFile{Data: []byte(b.String())}
	return files
}

// reader polls a feed as RFC 5005 tells it to: back through the archive, until it comes to a page
// that it knows.
type reader struct {
	path    string
	entries map[string]int
	pages   map[string]string
}

func (r *reader) poll(t *testing.T, files fstest.MapFS) {
	t.Helper()
	seen := map[string]bool{}
	f := readAtom(t, files, r.path)
	for {
		for _, e := range f.Entries {
			seen[e.ID] = true
		}
		before := f.link("prev-archive")
		if before == "" || r.pages[before] != "" {
			break
		}
		f = readAtom(t, files, before)
		if f.Archive == nil || f.link("current") != r.path || f.link("self") != before {
			t.Errorf("%s is no page of the archive of %s", before, r.path)
		}
		r.pages[before] = string(file(t, files, before))
	}
	for id := range seen {
		r.entries[id]++
	}
}

// TestReadersSeeEachChangeOnce follows a service through some releases, with one reader that polls
// every time and one that does so now and then.
func TestReadersSeeEachChangeOnce(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	var previous *release.Release
	often := &reader{"feeds/changes.atom", map[string]int{}, map[string]string{}}
	seldom := &reader{"feeds/entities.atom", map[string]int{}, map[string]string{}}
	total := 0
	for i, more := range []int{0, 3, 150, 1, 199, 200, 450} { // the last of which is told as one
		total += more
		date := record.Date(fmt.Sprintf("2026-11-%02d", 15+i))
		files := described(t, growing(total), describe.Options{}, compiler.Options{Date: date, Previous: previous})
		var err error
		if previous, err = release.Open(context.Background(), files); err != nil {
			t.Fatal(err)
		}
		often.poll(t, files)
		if i == 0 || i == 3 || i == 6 {
			seldom.poll(t, files)
		}
		for path, was := range often.pages {
			if got := string(file(t, files, path)); got != was {
				t.Errorf("%s changed in release %d", path, i)
			}
		}
	}
	total -= 450
	entries := 18 + total + 1
	if len(often.pages) != entries/200 {
		t.Errorf("%d pages", len(often.pages))
	}
	ids := slices.Sorted(maps.Keys(often.entries))
	if len(ids) != entries || len(ids) != len(slices.Compact(ids)) {
		t.Errorf("%d entries, not %d", len(ids), entries)
	}
	if id := base + "/api/v1/changes.json#" + previous.Manifest.Release + "-entity-created"; often.entries[id] == 0 || seldom.entries[id] == 0 {
		t.Errorf("nobody saw %s", id)
	}
	created := 0
	for id := range seldom.entries {
		if strings.Contains(id, "ent-more-") {
			created++
		}
	}
	if created != total {
		t.Errorf("who polls seldom saw %d of %d changes", created, total)
	}
}

// TestSecondReleaseOfADay: what it brings is the newest, whatever its ID.
func TestSecondReleaseOfADay(t *testing.T) {
	race.LeaveOut(t, "makes several releases, as others make one")
	var previous *release.Release
	for i, more := range []int{0, 200, 400, 600} {
		files := described(t, growing(more), describe.Options{}, compiler.Options{Previous: previous})
		var err error
		if previous, err = release.Open(context.Background(), files); err != nil {
			t.Fatal(err)
		}
		f := readAtom(t, files, "feeds/changes.atom")
		for _, e := range f.Entries {
			if i > 0 && !strings.Contains(e.ID, previous.Manifest.Release) {
				t.Fatalf("release %d: %s is among its newest", i, e.ID)
			}
		}
	}
}

// TestArchiveIsBounded: the oldest pages go, and nothing leads to them.
func TestArchiveIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it takes long")
	}
	const more = 55 * 200
	told := growing(0)
	var b strings.Builder
	for i := range more {
		fmt.Fprintf(&b, `{"id":"chg-%05d","version":1,"record_id":"gone-%[1]d","record_kind":"entity","change_type":"removed",`+
			`"before":{"version":1,"sha256":"%[2]s"},"after":null,"changed_fields":[],"release":"old-%[3]d","published_date":"2026-11-01"}`+"\n",
			i, strings.Repeat("ab", 32), i/100) // few enough of each release to be listed
	}
	told["records/changes/more.ndjson"] = &fstest.MapFile{Data: []byte(b.String())}
	files := described(t, told, describe.Options{}, compiler.Options{})
	pages := paths(files, "feeds/archive/changes-", ".atom")
	if len(pages) != 50 {
		t.Fatalf("%d pages", len(pages))
	}
	r := &reader{"feeds/changes.atom", map[string]int{}, map[string]string{}}
	r.poll(t, files)
	if len(r.pages) != 50 || len(r.entries) < 50*200 {
		t.Errorf("%d pages with %d entries", len(r.pages), len(r.entries))
	}
	j := parse[jsonFeed](t, files, "feeds/changes.json")
	for steps := 0; j.NextURL != ""; steps++ {
		if steps > 50 {
			t.Fatal("the pages go round in a circle")
		}
		j = parse[jsonFeed](t, files, strings.TrimPrefix(j.NextURL, base+"/"))
	}
	if j.FeedURL != base+"/feeds/archive/changes-6.json" {
		t.Errorf("the oldest page is %s", j.FeedURL)
	}
}
