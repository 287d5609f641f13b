package site

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"

	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
	"stele/release"
)

// allChanges is the folder whose feeds tell of all kinds.
const allChanges = "changes"

// feedFormats are those of the feeds, which are made beside the pages.
var feedFormats = []struct{ name, suffix, mediaType string }{
	{"Atom", ".atom", layout.TypeAtom},
	{"JSON Feed", ".json", layout.TypeJSONFeed},
}

// writeChanges makes the time line of all changes, the newest first, and the file that its filters
// read.
func (s *site) writeChanges() error {
	k := record.KindNamed(record.KindChangeEvent)
	entries := s.e.Told(nil)
	pages := max(1, (entries.Len()+perPage-1)/perPage)
	for n := range pages {
		s.pages = append(s.pages, listAddress(k, n))
	}
	err := s.each(pages, func(n int) string { return listPath(k, n) },
		func(p *page, n int) error { return p.changesPage(k, entries, n, pages) })
	if err != nil || !searchable(entries) {
		return err
	}
	return s.writeChangesFile(entries)
}

// searchable reports whether the time line has filters: only if there is something to filter, and
// not too much to load.
func searchable(entries render.Entries) bool {
	return entries.Len() > 0 && entries.Len() <= mostSearched
}

func (p *page) changesPage(k *record.Kind, entries render.Entries, n, pages int) error {
	title := p.words.Changes
	if n > 0 {
		title += " · " + p.words.PageOf + " " + strconv.Itoa(n+1)
	}
	h := head{
		title:       title,
		description: p.words.ChangesText,
		section:     layout.Address(layout.ChangesPage),
		alternate:   k.Collection.Path,
		data:        p.dataset(k),
		feeds:       allChanges,
	}
	searched := searchable(entries)
	if searched {
		h.scripts = []string{"changes.js"}
	}
	p.begin(h)
	p.HTML(`<header class="opening"><h1>`)
	p.Text(p.words.Changes)
	p.HTML(`</h1><p class="lead">`)
	p.Text(p.words.ChangesText)
	p.HTML(`</p><p class="meta">`)
	p.Text(p.words.Follow)
	for _, f := range feedFormats {
		p.HTML(" · <a")
		p.Attr("href", layout.Address(layout.FeedPath(allChanges, f.suffix)))
		p.HTML(">")
		p.Text(f.name)
		p.HTML("</a>")
	}
	p.HTML(" · <a")
	p.Attr("href", k.Collection.Path)
	p.HTML(">")
	p.Text(p.words.JSONOfKind)
	p.HTML("</a></p></header>\n")
	if entries.Len() == 0 {
		p.HTML("<p>")
		p.Text(p.words.NoChanges)
		p.HTML("</p>")
	}
	p.HTML(`<div id="changes"`)
	if searched {
		p.Attr("data-search", "changes.json")
	}
	p.HTML(">")
	if err := p.releases(entries, n*perPage); err != nil {
		return err
	}
	p.pager(k, n, pages)
	p.HTML("</div>")
	if searched {
		p.scriptWords()
	}
	p.end()
	return nil
}

// releases writes a page of entries from a number on, by release.
func (p *page) releases(entries render.Entries, from int) error {
	const end = "</ul></section>\n"
	release, written := "", 0
	for e, err := range entries.From(from) {
		if err != nil {
			return err
		}
		of, date := broughtBy(e)
		if written == 0 || of != release {
			if written > 0 {
				p.HTML(end)
			}
			p.HTML(`<section class="release"><h2>`)
			p.date(date)
			p.HTML(` <span class="quiet">`)
			p.Text(p.words.Release)
			p.HTML(" <code>")
			p.Text(of)
			p.HTML("</code></span></h2><ul>")
			release = of
		}
		if e.Group != nil {
			p.groupEntry(e.Group)
		} else {
			p.changeEntry(e.Event)
		}
		if written++; written == perPage {
			break
		}
	}
	if written > 0 {
		p.HTML(end)
	}
	return nil
}

// broughtBy returns the release that brought an entry, and its date.
func broughtBy(e render.Entry) (id string, date record.Date) {
	if e.Group != nil {
		return e.Group.Release, record.Date(e.Group.Date)
	}
	return e.Event.Release, e.Event.PublishedDate
}

// groupEntry tells of many events at once, and leads to them.
func (p *page) groupEntry(g *release.Group) {
	p.HTML("<li")
	p.Attr("id", "group-"+g.ID)
	p.HTML(">")
	p.plainBadge(changeTypes, g.Change)
	p.HTML("<div>")
	p.groupSubject(g)
	p.HTML("</div></li>")
}

// groupSubject says what a group is about, with a link to the list of the events.
func (p *page) groupSubject(g *release.Group) {
	p.HTML("<a")
	p.Attr("href", "/"+p.eventsOf(g))
	p.HTML(">")
	p.Text(p.groupText(g))
	p.HTML("</a>")
	if g.Source != "" {
		p.HTML(` <span class="quiet">`)
		p.Text(p.words.GroupSource)
		p.HTML(" ")
		p.link(g.Source)
		p.HTML("</span>")
	}
}

// groupText counts what a group is about.
func (p *page) groupText(g *release.Group) string {
	text := strconv.Itoa(g.Count) + " " + g.Kind
	if k := record.KindNamed(g.Kind); k != nil {
		text = strconv.Itoa(g.Count) + " " + k.Many
	}
	if g.Indicator != "" {
		text += " " + p.words.GroupIndicator + " " + g.Indicator
	}
	return text
}

// eventsOf is the path of the file that has the events of a group: the collection, or an archive.
func (p *page) eventsOf(g *release.Group) string {
	m := p.e.Release()
	for _, a := range m.Archives() {
		if g.Date <= fmt.Sprintf("%04d-12-31", a.Year) {
			return a.Path
		}
	}
	return m.Kind(record.KindChangeEvent).Collection
}

func (p *page) changeEntry(e *record.ChangeEvent) {
	p.HTML("<li")
	p.Attr("id", string(e.ID))
	p.HTML(">")
	p.plainBadge(changeTypes, string(e.ChangeType))
	p.HTML("<div>")
	p.subject(e)
	p.HTML(` <span class="quiet">`)
	if k := record.KindNamed(string(e.RecordKind)); k != nil {
		p.Text(k.One)
	}
	p.versions(e)
	p.HTML("</span>")
	if e.Summary != "" {
		p.HTML("<p>")
		p.Text(e.Summary)
		p.HTML("</p>")
	}
	if len(e.ChangedFields) > 0 {
		p.HTML(`<p class="quiet">`)
		p.changed(e.ChangedFields)
		p.HTML("</p>")
	}
	p.HTML("</div></li>")
}

// subjectOf returns what an event is about, and where that is: a record, or all records of a kind.
func (p *page) subjectOf(e *record.ChangeEvent) (title, address string) {
	if k := record.KindNamed(string(e.RecordKind)); k != nil && e.ChangeType == record.ChangeRelicensed {
		return capital(k.Many), listAddress(k, 0)
	}
	r := p.refer(string(e.RecordID))
	return r.title, r.address
}

// subject writes a link to it.
func (p *page) subject(e *record.ChangeEvent) {
	if e.ChangeType != record.ChangeRelicensed {
		p.link(string(e.RecordID))
		return
	}
	title, address := p.subjectOf(e)
	p.HTML("<a")
	p.Attr("href", address)
	p.HTML(">")
	p.Text(title)
	p.HTML("</a>")
}

// versions writes which versions an event leads from and to.
func (p *page) versions(e *record.ChangeEvent) {
	switch {
	case e.Before != nil && e.After != nil && e.Before.Version != e.After.Version:
		p.HTML(" · ")
		p.Text(p.words.FromVersion)
		p.HTML(" ")
		p.Int(e.Before.Version)
		p.HTML(" → ")
		p.Int(e.After.Version)
	case e.After != nil:
		p.HTML(" · ")
		p.Text(p.words.FromVersion)
		p.HTML(" ")
		p.Int(e.After.Version)
	}
}

// writeChangesFile writes what the filters of the time line read: a row for each entry, the newest
// first.
func (s *site) writeChangesFile(entries render.Entries) error {
	f, err := s.out.Create(layout.SearchPath("changes"))
	if err != nil {
		return err
	}
	p := s.idle.Get().(*page)
	defer s.idle.Put(p)
	p.Begin(nil, layout.ChangesPage)
	head := struct {
		Columns []string      `json:"columns"`
		Labels  []searchLabel `json:"labels"`
		Kinds   [][2]string   `json:"kinds"`
	}{Columns: changeColumns, Labels: []searchLabel{newSearchLabel(p.words.Change, changeTypes)}}
	for _, k := range record.Kinds {
		head.Kinds = append(head.Kinds, [2]string{k.Name, k.One})
	}
	w := bufio.NewWriter(f)
	w.Write(bytes.TrimSuffix(encode(head), []byte{'}'})) // errors stay until Flush
	separator := `,"rows":[` + "\n"
	for e, err := range entries.From(0) {
		if err != nil {
			return err
		}
		w.WriteString(separator)
		if g := e.Group; g != nil {
			w.Write(encode([]any{
				"group-" + g.ID, g.Date, g.Release, g.Change, g.Kind, p.groupText(g), "/" + p.eventsOf(g), 0, 0, "", []string{},
			}))
		} else {
			w.Write(p.changesRow(e.Event))
		}
		separator = ",\n"
	}
	w.WriteString("\n]}\n")
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// changeColumns are the columns of a row.
var changeColumns = []string{"id", "date", "release", "type", "kind", "title", "address", "before", "after", "summary", "fields"}

func (p *page) changesRow(e *record.ChangeEvent) []byte {
	title, address := p.subjectOf(e)
	before, after := int64(0), int64(0)
	if e.Before != nil {
		before = e.Before.Version
	}
	if e.After != nil {
		after = e.After.Version
	}
	fields := e.ChangedFields[:min(len(e.ChangedFields), shown)]
	return encode(
		[]any{
			e.ID,
			e.PublishedDate,
			e.Release,
			e.ChangeType,
			e.RecordKind,
			title,
			address,
			before,
			after,
			e.Summary,
			fields,
		},
	)
}
