package explore

import (
	"bufio"
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the list of changes.
var (
	changesForm = markup.Parse(`
		{heading}
		{?none}<p>{=NoChanges}</p>{/}
		{points}
		<div id="changes"{search}>
			{releases}
			{pager}
		</div>
		{words}`)
	metaForm    = markup.Parse(`<p class="meta">{parts}</p>`)
	releaseForm = markup.Parse(`
		<section class="release">
			<h2>{date}{?named} <a class="quiet" href="{address}">{=Release} <code>{id}</code></a>{/}</h2>
			<ul>`)
	releaseEndForm = markup.Parse(`</ul></section>`)
	changeForm     = markup.Parse(`
		<li id="{id}">
			{badge}
			<div>
				{subject} <span class="quiet">{kind}{versions}</span>
				{summary}
				{?fields}<p class="quiet">{fields}</p>{/}
			</div>
		</li>`)
	groupForm = markup.Parse(`<li id="{id}">{badge}<div>{subject}{?events} <a class="quiet" href="{events}">{=JSONOfKind}</a>{/}{reasons}</div></li>`)
)

// WriteChanges writes the list of all changes, newest first, and the file that its filters read.
func (s *Section) WriteChanges() error {
	k := record.KindNamed(record.KindChangeEvent)
	entries := s.Records.Entries(nil)
	pages := max(1, (entries.Len()+perPage-1)/perPage)
	for n := range pages {
		s.Pages = append(s.Pages, layout.ListAddress(k.Folder(), n))
	}
	err := s.Each(pages, func(n int) string { return listPath(k, n) },
		func(p *page, n int) { p.writeChangesPage(k, entries, n, pages) })
	if err != nil || !searchable(entries) {
		return err
	}
	return s.writeChangesFile(entries)
}

// searchable reports whether the list has filters: there are entries, but not too many to load.
func searchable(entries render.Entries) bool {
	return entries.Len() > 0 && entries.Len() <= mostSearched
}

func (p *page) writeChangesPage(k *record.Kind, entries render.Entries, n, pages int) {
	title := p.Words.Changes
	if n > 0 {
		title += " · " + p.Words.PageOf + " " + p.Words.Int(int64(n+1))
	}
	h := frame.Head{
		Title: title, Description: p.Words.ChangesText, Section: layout.Address(layout.ChangesPage),
		Alternate: k.Collection.Path, Data: p.Dataset(k), Feeds: frame.AllChanges,
	}
	searched := searchable(entries)
	if searched {
		h.Scripts = []string{"changes.js"}
	}
	p.Open(h)
	p.Fill(changesForm,
		markup.By("heading", func() { p.WriteHeading(p.Words.Changes, p.Words.ChangesText, func() { p.writeChangesLinks(k) }) }),
		markup.ShowIf("none", entries.Len() == 0), markup.When(n == 0, "points", func() { p.of.WritePoints(p.Page, 0) }),
		markup.When(searched, "search", func() { p.Attr("data-search", "changes.json") }),
		markup.By("releases", func() { p.writeReleases(entries, n*perPage) }),
		markup.By("pager", func() { p.writePager(k, n, pages) }), markup.When(searched, "words", p.WriteScriptWords))
	p.Close()
}

// writeChangesLinks writes links to the changes in other formats, if the service has feeds.
func (p *page) writeChangesLinks(k *record.Kind) {
	if p.Base == "" { // without feeds
		return
	}
	p.Fill(metaForm, markup.By("parts", func() {
		p.Text(p.Words.Follow)
		for _, f := range frame.FeedFormats {
			p.HTML(" · ")
			p.WriteAnchor(layout.Address(layout.FeedPath(frame.AllChanges, f.Suffix)), f.Name)
		}
		p.HTML(" · ")
		p.WriteAnchor(k.Collection.Path, p.Words.JSONOfKind)
	}))
}

// writeReleases writes a page of entries, starting with index from, grouped by release.
func (p *page) writeReleases(entries render.Entries, from int) {
	release, written := "", 0
	for e := range lookup.All(p.Reader, entries.From(from)) {
		of, date := frame.IntroducedBy(e)
		if written == 0 || of != release {
			if written > 0 {
				p.Fill(releaseEndForm)
			}
			p.Fill(releaseForm, markup.By("date", func() { p.WriteDate(date) }), markup.ShowIf("named", of != string(date)),
				markup.With("id", of), markup.With("address", p.releaseAddress(of)))
			release = of
		}
		p.writeEntry(e)
		if written++; written == perPage {
			break
		}
	}
	if written > 0 {
		p.Fill(releaseEndForm)
	}
}

func (p *page) writeEntry(e render.Entry) {
	if e.Group != nil {
		p.writeGroupEntry(e.Group)
	} else {
		p.writeChangeEntry(e.Event)
	}
}

// writeGroupEntry writes an entry about a group of events, with a link to the events.
func (p *page) writeGroupEntry(g *render.Group) {
	events := ""
	if g.Indicator != "" {
		events = "/" + p.EventsOf(g)
	}
	p.Fill(groupForm, markup.With("id", "group-"+g.ID()), markup.With("events", events),
		markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, g.Change) }),
		markup.By("subject", func() { p.WriteGroupSubject(g) }), markup.Each("reasons", p.of.ChangeReasons(p.Page, g), p.WriteSummary))
}

// ChangeReasons returns the reasons for the changes in g, with examples: a line for each reason.
func (s *Section) ChangeReasons(p *frame.Page, g *render.Group) []string {
	if x := p.IndicatorCalled(g.Indicator); x != nil {
		return s.figures.Updates(p, x, g.Release, g.Change)
	}
	return nil
}

func (p *page) writeChangeEntry(e *record.ChangeEvent) {
	c := p.Changed(e)
	p.Fill(changeForm, markup.With("id", string(e.ID)),
		markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, string(e.ChangeType)) }),
		markup.By("subject", func() { p.WriteSubject(e, &c) }),
		markup.By("kind", func() {
			if k := record.KindNamed(string(e.RecordKind)); k != nil {
				p.Text(p.Words.Singular(k))
			}
		}),
		markup.By("versions", func() { p.WriteEventVersions(e) }),
		markup.By("summary", func() { p.WriteSummary(c.Reason) }),
		markup.When(len(p.Words.Changed(e.ChangedFields)) > 0, "fields", func() { p.WriteChangedMembers(e.ChangedFields) }))
}

// writeChangesFile writes the file for the filters: a row for each entry, newest first.
func (s *Section) writeChangesFile(entries render.Entries) error {
	f, err := s.Out.Create(layout.SearchPath("changes"))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = s.With(func(p *page) { p.writeChangesFile(w, entries) })
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	return f.Close()
}

func (p *page) writeChangesFile(w *bufio.Writer, entries render.Entries) {
	p.Begin(nil, layout.ChangesPage)
	used := map[string]bool{} // kinds and types
	separator := `{"rows":[` + "\n"
	for e := range lookup.All(p.Reader, entries.From(0)) {
		w.WriteString(separator) // Flush returns the error
		if g := e.Group; g != nil {
			used[g.Kind], used[g.Change] = true, true
			w.Write(markup.Encode([]any{
				"group-" + g.ID(), g.Date, g.Release, g.Change, g.Kind, p.GroupText(g), p.GroupAddress(g), 0, 0,
				strings.Join(p.of.ChangeReasons(p.Page, g), "\n"), "", "",
			}))
		} else {
			used[string(e.Event.RecordKind)], used[string(e.Event.ChangeType)] = true, true
			w.Write(p.changesRow(e.Event))
		}
		separator = ",\n"
	}
	w.WriteString("\n],")
	rest := struct {
		Columns []string      `json:"columns"`
		Labels  []searchLabel `json:"labels"`
		Kinds   [][2]string   `json:"kinds"`
		Pages   []string      `json:"releases"` // that have a page
	}{
		Columns: changeColumns, Labels: []searchLabel{newSearchLabel(p.Words, p.Words.Change, words.ChangeTypes, used)},
		Pages: slices.Sorted(maps.Keys(p.of.past())),
	}
	for _, k := range record.Kinds {
		if used[k.Name] {
			rest.Kinds = append(rest.Kinds, [2]string{k.Name, p.Words.Singular(k)})
		}
	}
	w.Write(append(bytes.TrimPrefix(markup.Encode(rest), []byte{'{'}), '\n'))
}

// changeColumns lists the columns of a row.
var changeColumns = []string{"id", "date", "release", "type", "kind", "title", "address", "before", "after", "summary", "fields", "figure"}

func (p *page) changesRow(e *record.ChangeEvent) []byte {
	title, address := p.SubjectOf(e)
	c := p.Changed(e)
	fields := p.Words.Changed(e.ChangedFields)
	return markup.Encode([]any{
		e.ID, e.PublishedDate, e.Release, e.ChangeType, e.RecordKind, title, address,
		frame.VersionOf(e.Before), frame.VersionOf(e.After), c.Reason,
		strings.Join(fields[:min(len(fields), frame.Shown)], p.Words.Comma), c.Figure,
	})
}
