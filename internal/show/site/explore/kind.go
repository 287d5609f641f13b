package explore

import (
	"bytes"
	"cmp"
	"slices"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/records"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the page of a kind.
var (
	listedForm   = markup.Parse(`<a href="{address}"{lang}>{title}</a> <code>{id}</code>{standing}{?summary}<span class="summary"{lang}>{summary}</span>{/}`)
	kindPageForm = markup.Parse(`
		{crumbs}{opening}
		<div id="table"{search}>{filters}{rows}{pager}</div>
		{words}`)
	// filled in by the script; it reserves the space
	filtersForm = markup.Parse(`
		<form class="filters" role="search" hidden>
			<label>{search}<input type="search" name="q" placeholder="{hint}" autocomplete="off" spellcheck="false"></label>
			{filters}
			<button type="reset">{clear}</button>
		</form><p class="quiet found" role="status" hidden></p>`)
	filterForm    = markup.Parse(`<label>{title}<select name="{name}"><option value="">{any}</option></select></label>`)
	kindEmptyForm = markup.Parse(`{crumbs}{opening}<p>{=KindEmpty}</p>`)
	kindMetaForm  = markup.Parse(`<p class="meta">{records}{tally}{?newest} · {=Newest} {newest}{/}{files}</p>`)
	derivedForm   = markup.Parse(`<p>{=WrittenText} <a href="/` + layout.GraphFolder + `">{=ExploreGraph}</a></p>`)
	pagerForm     = markup.Parse(`
		<nav class="pager" aria-label="{=Pages}">
			{?previous}<a rel="prev" href="{previous}">{=Previous}</a>{/}
			<span>{=PageOf} {number} / {count}</span>
			{?next}<a rel="next" href="{next}">{=Next}</a>{/}
		</nav>`)
)

// perPage is the maximum number of records on a page of a list.
const perPage = 100

// WriteKinds writes the pages of each kind except statistics and changes, which have other pages.
func (s *Section) WriteKinds() error {
	s.countStandings()
	for _, k := range record.Kinds {
		if k.Name == record.KindHealthcareStatistic || k.Name == record.KindChangeEvent {
			continue
		}
		if err := s.writeKind(k); err != nil {
			return err
		}
	}
	return nil
}

// kindList is the list of a kind's records.
type kindList struct {
	kind  *record.Kind
	pages int  // number of pages, for readers without JavaScript
	dated bool // whether it has a column for the day of the last change
	// whether it has a column for the day of verification instead of the version
	verified bool
	search   *searchFile
}

// writeKind writes the pages of the records of k, then their list, and the file that the table of
// the list searches.
func (s *Section) writeKind(k *record.Kind) error {
	list := &kindList{kind: k, pages: max(1, (s.Records.Len(k)+perPage-1)/perPage), search: newSearchFile(s, k)}
	if k.HasPage() {
		plan := s.records.Plan(k)
		made := func(l *lookup.Reader, i int, rec record.Record) {
			row := newListRow(l, plan, i, rec)
			list.search.add(i, &row)
			s.finder.addRecord(k, i, plan, rec)
		}
		if err := s.records.WriteRecords(k, made); err != nil {
			return err
		}
	}
	var err error
	list.verified = requires(k, "verification_date")
	if list.dated, err = s.hasDates(k); err != nil {
		return err
	}
	for n := range list.pages {
		s.Pages = append(s.Pages, layout.ListAddress(k.Folder(), n))
	}
	err = s.Each(list.pages, func(n int) string { return listPath(k, n) },
		func(p *page, n int) { p.writeKindPage(list, n) })
	if err != nil {
		return err
	}
	return list.search.write()
}

// hasDates reports whether the list of k has a column for the date of the last change. Unless k
// requires the date, records rarely have it, and an empty column is useless. A custom member that
// contains a member of this name also counts, which is harmless.
func (s *Section) hasDates(k *record.Kind) (bool, error) {
	const member = "updated_date"
	if requires(k, member) {
		return true, nil
	}
	records := s.Records.Reader()
	for i := range s.Records.Len(k) {
		data, err := records.Record(k, i)
		if err != nil || bytes.Contains(data, []byte(`"`+member+`":`)) {
			return true, err
		}
	}
	return false, nil
}

func requires(k *record.Kind, member string) bool {
	return slices.ContainsFunc(k.Shape().Members, func(m schema.Member) bool { return m.Name == member && m.Required })
}

func listPath(k *record.Kind, n int) string {
	return layout.ResolveIndex(layout.ListAddress(k.Folder(), n)[1:])
}

func (p *page) writeKindPage(list *kindList, n int) {
	k, search := list.kind, list.search
	title := p.Words.Name(k)
	if n > 0 {
		title += " · " + p.Words.PageOf + " " + p.Words.Int(int64(n+1))
	}
	h := frame.Head{
		Title: title, Description: p.Words.Doc(k), Alternate: k.Collection.Path, Data: p.Dataset(k), Wide: true,
		Feeds: k.Folder(), Picture: frame.CardAddress(layout.ListAddress(k.Folder(), 0)),
	}
	if search.isNeeded() {
		h.Scripts = []string{"table.js"}
	}
	p.Open(h)
	crumbs := markup.By("crumbs", func() { p.WriteBreadcrumbs(k, "") })
	opening := markup.By("opening", func() { p.writeKindOpening(k) })
	if p.Records.Len(k) == 0 {
		p.Fill(kindEmptyForm, crumbs, opening)
		p.Close()
		return
	}
	rows := p.listRows(list, n)
	p.Fill(kindPageForm, crumbs, opening,
		markup.When(search.isNeeded(), "search", func() {
			p.Attr("data-search", search.name)
			p.Attr("data-folder", k.Folder())
		}),
		markup.When(search.isNeeded(), "filters", func() { p.writeFilters(k, rows) }),
		markup.By("rows", func() { p.writeRows(list, rows) }),
		markup.By("pager", func() { p.writePager(k, n, list.pages) }),
		markup.When(search.isNeeded(), "words", p.WriteScriptWords))
	p.Close()
}

func (p *page) writeFilters(k *record.Kind, rows []listRow) {
	script := p.Words.Script
	p.Fill(filtersForm, markup.With("search", script["search"]), markup.With("hint", script["searchHint"]),
		markup.With("clear", script["clear"]),
		markup.By("filters", func() {
			for _, l := range p.of.records.Plan(k).Labels {
				p.Fill(filterForm, markup.With("title", l.Title), markup.With("name", words.ListName(l.Shape.Go)),
					markup.With("any", script["any"]))
			}
			if slices.ContainsFunc(rows, func(r listRow) bool { return len(r.subjects) > 0 }) {
				p.Fill(filterForm, markup.With("title", script["subject"]), markup.With("name", "subject"),
					markup.With("any", script["any"]))
			}
		}))
}

// writeKindOpening writes the description of k and links to its files.
func (p *page) writeKindOpening(k *record.Kind) {
	p.WriteHeading(p.Words.Name(k), p.Words.Doc(k), func() { p.writeKindMeta(k) })
	p.HTML("\n")
	if p.Published(k) > p.Records.Len(k) {
		p.Fill(derivedForm)
	}
}

// writeKindMeta writes the number of records of k, their standings, and links to their files.
func (p *page) writeKindMeta(k *record.Kind) {
	p.Fill(kindMetaForm, markup.With("records", p.Words.Counted(p.Words.CountedRecords, p.Published(k))),
		markup.By("tally", func() { p.WriteTally(p.of.tallies[k]) }),
		markup.By("newest", p.DateCell(p.Records.AsOf(k))),
		markup.By("files", func() {
			for _, l := range []struct{ text, address string }{
				{p.Words.JSONOfKind, k.Collection.Path},
				{p.Words.ListingOfKind, layout.Address(layout.ListingPath(k.Folder()))},
				{p.Words.SchemaOfKind, layout.Address(layout.CollectionSchemaPath(k.Folder()))},
			} {
				p.HTML(" · ")
				p.WriteAnchor(l.address, l.text)
			}
			for _, d := range p.of.downloads {
				if d.Kind == k {
					p.HTML(" · ")
					p.WriteDownload(d)
				}
			}
		}))
}

func (p *page) listRows(list *kindList, n int) (rows []listRow) {
	order := list.search.order(p)
	for i := n * perPage; i < min(p.Records.Len(list.kind), (n+1)*perPage); i++ {
		i := i
		if order != nil {
			i = order[i]
		}
		row, ok, err := list.search.row(i)
		if p.Fail(err); !ok {
			row = list.search.makeRow(p, i)
		}
		rows = append(rows, row)
	}
	return rows
}

func (p *page) writeRows(list *kindList, rows []listRow) {
	plan := p.of.records.Plan(list.kind)
	columns := []frame.Column{{Name: p.Words.Title, Head: true}}
	for _, f := range plan.Labels {
		columns = append(columns, frame.Column{Name: f.Title})
	}
	if list.dated {
		columns = append(columns, frame.Column{Name: p.Words.Updated, Named: true, Latest: list.search.order(p) != nil})
	}
	if list.verified {
		columns = append(columns, frame.Column{Name: p.Words.Verified, Named: true})
	} else {
		columns = append(columns, frame.Column{Name: p.Words.Version, Number: true})
	}
	p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
		for i := range rows {
			t.Row("", p.rowCells(plan, &rows[i], list)...)
		}
	})
}

// rowCells returns functions that write the cells of a row.
func (p *page) rowCells(plan *records.Plan, r *listRow, list *kindList) []func() {
	address := cmp.Or(r.address, layout.PageAddress(plan.Kind.Folder(), r.id))
	cells := []func(){func() {
		p.Fill(listedForm, markup.With("address", address), markup.With("title", r.title), markup.With("id", r.id),
			markup.By("standing", func() { p.WriteStandingBadge(r.standing) }), markup.With("summary", r.summary))
	}}
	for i, word := range r.words {
		cells = append(cells, func() {
			if word != "" {
				p.WritePlainBadge(plan.Labels[i].Shape, word)
			}
		})
	}
	if list.dated {
		cells = append(cells, p.DateCell(record.Date(r.updated)))
	}
	if list.verified {
		return append(cells, p.DateCell(record.Date(r.verified)))
	}
	return append(cells, func() { p.Int(r.version) })
}

// rowTitle returns the title of rec in a list. Nodes and edges are named after their records.
func rowTitle(l *lookup.Reader, rec record.Record) string {
	switch r := rec.(type) {
	case *record.GraphNode:
		return r.Label
	case *record.GraphEdge:
		return l.Title(string(r.Source)) + " → " + l.Title(string(r.Target))
	}
	return lookup.Name(rec.Common())
}

// rowAddress returns the URL that the row of rec links to, or "" for the record's own page. Nodes
// and edges link to the graph, and entities of indicators link to the indicators.
func rowAddress(l *lookup.Reader, rec record.Record) string {
	switch r := rec.(type) {
	case *record.GraphNode:
		return graphNodeOf(l, r.RecordID)
	case *record.GraphEdge:
		return graphNodeOf(l, r.Source)
	case *record.Entity:
		if x := l.IndicatorBy(string(r.ID)); x != nil {
			return x.Address()
		}
	}
	return ""
}

// writePager writes links to the other pages of a list.
func (p *page) writePager(k *record.Kind, n, pages int) {
	if pages == 1 {
		return
	}
	at := func(n int) string {
		if n < 0 || n == pages {
			return ""
		}
		return layout.ListAddress(k.Folder(), n)
	}
	p.Fill(pagerForm, markup.Number("number", n+1), markup.Number("count", pages),
		markup.With("previous", at(n-1)), markup.With("next", at(n+1)))
}

// countStandings counts the standings of the records of each kind, once for all pages.
func (s *Section) countStandings() {
	s.tallies = map[*record.Kind]*frame.Tally{}
	for _, k := range record.Kinds {
		if !k.HasNode() {
			continue
		}
		t := new(frame.Tally)
		for i := range s.Records.Len(k) {
			t[s.Records.Standing(k, i).Standing]++
		}
		s.tallies[k] = t
	}
}
