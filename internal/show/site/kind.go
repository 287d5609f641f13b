package site

import (
	"bytes"
	"slices"
	"strconv"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The page of a kind.
var (
	kindPageForm = markup.Parse(`
		{crumbs}{opening}
		<div id="table"{search}>{filters}{rows}{pager}</div>
		{words}`)
	// what the script fills: it stands here so that the list need not move
	filtersForm = markup.Parse(`
		<form class="filters" role="search" hidden>
			<label>{search}<input type="search" name="q" placeholder="{hint}" autocomplete="off" spellcheck="false"></label>
			{filters}
			<button type="reset">{clear}</button>
		</form><p class="quiet found" role="status" hidden></p>`)
	filterForm    = markup.Parse(`<label>{title}<select name="{name}"><option value="">{any}</option></select></label>`)
	kindEmptyForm = markup.Parse(`{crumbs}{opening}<p>{empty}</p>`)
	kindMetaForm  = markup.Parse(`<p class="meta">{count} {records}{tally}{newest}{files}</p>`)
	newestForm    = markup.Parse(` · {newest} {date}`)
	derivedForm   = markup.Parse(`<p>{text} <a href="/` + layout.GraphFolder + `">{explore}</a></p>`)
	rowsForm      = markup.Parse(`
		<table class="list">
			<thead><tr>
				<th scope="col">{title}</th>
				{labels}{updated}
				<th scope="col" class="num">{version}</th>
			</tr></thead>
			<tbody>

			{rows}
			</tbody>
		</table>

		`)
	rowForm = markup.Parse(`
		<tr>
			<th scope="row"><a href="{address}"{lang}>{title}</a> <code>{id}</code>{standing}</th>
			{words}{updated}
			<td class="num">{version}</td>
		</tr>

		`)
	cellForm  = markup.Parse(`<td>{value}</td>`)
	datedForm = markup.Parse(`<td data-column="{name}">{date}</td>`)
	pagerForm = markup.Parse(`
		<nav class="pager" aria-label="{pages}">
			{previous}
			<span>{page} {number} / {count}</span>
			{next}
		</nav>

		`)
	previousForm = markup.Parse(`<a rel="prev" href="{address}">← {previous}</a>`)
	nextForm     = markup.Parse(`<a rel="next" href="{address}">{next} →</a>`)
)

// perPage is how many records a page of a list has.
const perPage = 100

// writeKinds makes the pages of each kind. Statistics and changes have pages of another sort.
func (s *site) writeKinds() error {
	s.countStandings()
	for _, k := range record.Kinds {
		var err error
		switch k.Name {
		case record.KindHealthcareStatistic:
			err = s.writeStatistics(k)
		case record.KindChangeEvent:
			continue
		default:
			err = s.writeKind(k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kindList is the list of a kind's records.
type kindList struct {
	kind   *record.Kind
	pages  int  // it is paged for those without JavaScript
	dated  bool // whether it has a column for the day on which a record last changed
	search *searchFile
}

// writeKind makes the pages of the records of a kind, then their list, and the file that its table
// searches.
func (s *site) writeKind(k *record.Kind) error {
	list := &kindList{kind: k, pages: max(1, (s.e.Len(k)+perPage-1)/perPage), search: newSearchFile(s, k)}
	if k.HasPage() {
		if err := s.writeRecords(k, list.search); err != nil {
			return err
		}
	}
	var err error
	if list.dated, err = s.dated(k); err != nil {
		return err
	}
	for n := range list.pages {
		s.pages = append(s.pages, listAddress(k, n))
	}
	err = s.each(list.pages, func(n int) string { return listPath(k, n) },
		func(p *page, n int) error { return p.kindPage(list, n) })
	if err != nil {
		return err
	}
	return list.search.put()
}

// dated reports whether records of a kind have the day on which they last changed. All have it
// where the kind requires it. Those that point at others rarely do, and a column of empty cells
// tells nothing. A member of the publisher's own that has a member of this name is taken for one,
// which only means that the column is there.
func (s *site) dated(k *record.Kind) (bool, error) {
	const member = "updated_date"
	if slices.ContainsFunc(k.Shape().Members, func(m record.Member) bool { return m.Name == member && m.Required }) {
		return true, nil
	}
	records := s.e.Reader()
	for i := range s.e.Len(k) {
		data, err := records.Record(k, i)
		if err != nil || bytes.Contains(data, []byte(`"`+member+`":`)) {
			return true, err
		}
	}
	return false, nil
}

// listAddress is the address of page n of a kind's list; the first is 0.
func listAddress(k *record.Kind, n int) string {
	if n == 0 {
		return "/" + k.Folder() + "/"
	}
	return "/" + k.Folder() + "/page/" + strconv.Itoa(n+1) + "/"
}

// listPath is the path of that page.
func listPath(k *record.Kind, n int) string { return layout.Indexed(listAddress(k, n)[1:]) }

func (p *page) kindPage(list *kindList, n int) error {
	k, search := list.kind, list.search
	title := p.words.Name(k)
	if n > 0 {
		title += " · " + p.words.PageOf + " " + strconv.Itoa(n+1)
	}
	h := head{
		title: title, description: k.Doc, alternate: k.Collection.Path, data: p.dataset(k), wide: true,
		feeds: k.Folder(),
	}
	if search.made() {
		h.scripts = []string{"table.js"}
	}
	p.begin(h)
	crumbs := markup.By("crumbs", func() { p.crumbs(k, "") })
	opening := markup.By("opening", func() { p.kindOpening(k) })
	if p.e.Len(k) == 0 {
		p.Fill(kindEmptyForm, crumbs, opening, markup.With("empty", p.words.KindEmpty))
		p.end()
		return nil
	}
	rows, err := p.listRows(list, n)
	if err != nil {
		return err
	}
	p.Fill(kindPageForm, crumbs, opening,
		markup.By("search", func() {
			if search.made() {
				p.Attr("data-search", search.name)
				p.Attr("data-folder", k.Folder())
			}
		}),
		markup.By("filters", func() {
			if search.made() {
				p.filters(k, rows)
			}
		}),
		markup.By("rows", func() { p.rows(list, rows) }),
		markup.By("pager", func() { p.pager(k, n, list.pages) }),
		markup.By("words", func() {
			if search.made() {
				p.scriptWords()
			}
		}))
	p.end()
	return nil
}

// filters writes what a list can be searched and filtered by.
func (p *page) filters(k *record.Kind, rows []listRow) {
	script := &p.words.Script
	p.Fill(filtersForm, markup.With("search", script.Search), markup.With("hint", script.SearchHint), markup.With("clear", script.Clear),
		markup.By("filters", func() {
			for _, l := range p.plans[k].labels {
				p.Fill(filterForm, markup.With("title", l.name), markup.With("name", words.ListName(l.Shape.Go)),
					markup.With("any", script.Any))
			}
			if slices.ContainsFunc(rows, func(r listRow) bool { return len(r.subjects) > 0 }) {
				p.Fill(filterForm, markup.With("title", script.Subject), markup.With("name", "subject"), markup.With("any", script.Any))
			}
		}))
}

// kindOpening writes what a kind is and where its files are.
func (p *page) kindOpening(k *record.Kind) {
	p.heading(p.words.Name(k), k.Doc, func() { p.kindMeta(k) })
	p.HTML("\n")
	if p.published(k) > p.e.Len(k) {
		p.Fill(derivedForm, markup.With("text", p.words.WrittenText), markup.With("explore", p.words.ExploreGraph))
	}
}

// kindMeta says how many records of a kind there are, how they stand, and where their files are.
func (p *page) kindMeta(k *record.Kind) {
	count, records := p.published(k), p.words.RecordsN
	if count == 1 {
		records = p.words.Records1
	}
	p.Fill(kindMetaForm, markup.Number("count", count), markup.With("records", records),
		markup.By("tally", func() { p.tally(p.tallies[k]) }),
		markup.By("newest", func() {
			if d := p.e.AsOf(k); d != "" {
				p.Fill(newestForm, markup.With("newest", p.words.Newest), markup.By("date", func() { p.date(d) }))
			}
		}),
		markup.By("files", func() {
			for _, l := range []struct{ text, address string }{
				{p.words.JSONOfKind, k.Collection.Path},
				{p.words.ListingOfKind, layout.Address(layout.ListingPath(k.Folder()))},
				{p.words.SchemaOfKind, layout.Address(layout.CollectionSchemaPath(k.Folder()))},
			} {
				p.HTML(" · ")
				p.anchor(l.address, l.text)
			}
			for _, d := range p.downloads {
				if d.Kind == k {
					p.HTML(" · ")
					p.download(d)
				}
			}
		}))
}

// listRows reads the rows of page n.
func (p *page) listRows(list *kindList, n int) (rows []listRow, err error) {
	k := list.kind
	for i := n * perPage; i < min(p.e.Len(k), (n+1)*perPage); i++ {
		row, ok, err := list.search.row(i)
		if err != nil {
			return nil, err
		}
		if !ok {
			rec, err := p.read(k, i)
			if err != nil {
				return nil, err
			}
			row = p.listRow(p.plans[k], rec, p.e.Standing(k, i).Standing)
			list.search.add(i, &row)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// rows writes the table of a page.
func (p *page) rows(list *kindList, rows []listRow) {
	plan := p.plans[list.kind]
	p.Fill(rowsForm, markup.With("title", p.words.Title), markup.With("version", p.words.Version),
		markup.By("labels", func() {
			for _, f := range plan.labels {
				p.Fill(columnForm, markup.With("name", f.name))
			}
		}),
		markup.By("updated", func() {
			if list.dated {
				p.Fill(columnForm, markup.With("name", p.words.Updated))
			}
		}),
		markup.By("rows", func() {
			for i := range rows {
				p.row(plan, &rows[i], list.dated)
			}
		}))
}

func (p *page) row(plan *plan, r *listRow, dated bool) {
	address := r.address
	if address == "" {
		address = "/" + plan.kind.Folder() + "/" + r.id + "/"
	}
	p.Fill(rowForm, markup.With("address", address), markup.By("lang", p.lang), markup.With("title", r.title),
		markup.With("id", r.id), markup.By("standing", func() { p.standingBadge(r.standing) }),
		markup.By("words", func() {
			for i, word := range r.words {
				p.Fill(cellForm, markup.By("value", func() {
					if word != "" {
						p.plainBadge(plan.labels[i].Shape, word)
					}
				}))
			}
		}),
		markup.By("updated", func() {
			switch {
			case dated && r.updated == "":
				p.Fill(cellForm, markup.By("value", nothing))
			case dated:
				p.Fill(datedForm, markup.With("name", p.words.Updated),
					markup.By("date", func() { p.date(record.Date(r.updated)) }))
			}
		}),
		markup.Number("version", r.version))
}

// rowTitle is what a list calls a record. Nodes and edges have no title: they are called by what
// they join.
func (p *page) rowTitle(rec record.Record) string {
	switch r := rec.(type) {
	case *record.GraphNode:
		return r.Label
	case *record.GraphEdge:
		return p.title(string(r.Source)) + " → " + p.title(string(r.Target))
	}
	return p.name(rec.Common())
}

// rowAddress is where a row of a list leads: "" for the record's own page. Nodes and edges have
// none; they lead to the graph.
func (p *page) rowAddress(rec record.Record) string {
	switch r := rec.(type) {
	case *record.GraphNode:
		return p.inGraph(r.RecordID)
	case *record.GraphEdge:
		return p.inGraph(r.Source)
	}
	return ""
}

// pager leads to the other pages of a list.
func (p *page) pager(k *record.Kind, n, pages int) {
	if pages == 1 {
		return
	}
	p.Fill(pagerForm, markup.With("pages", p.words.Pages), markup.With("page", p.words.PageOf),
		markup.Number("number", n+1), markup.Number("count", pages),
		markup.By("previous", func() {
			if n > 0 {
				p.Fill(previousForm, markup.With("address", listAddress(k, n-1)), markup.With("previous", p.words.Previous))
			}
		}),
		markup.By("next", func() {
			if n < pages-1 {
				p.Fill(nextForm, markup.With("address", listAddress(k, n+1)), markup.With("next", p.words.Next))
			}
		}))
}

// dataset describes a kind.
func (p *page) dataset(k *record.Kind) *linked {
	return &linked{
		Context: schemaOrg, Type: "Dataset", ID: p.base + "/" + k.Folder() + "/", Name: p.words.Name(k), Description: k.Doc,
		Modified: string(p.e.AsOf(k)),
		License: render.LicenseURL(
			p.settings.License,
		), Language: p.settings.Language, Publisher: &linkedName{"Organization", "", p.settings.Publisher},
		PartOf:       &linkedName{"DataCatalog", p.base + "/", p.settings.Title},
		Distribution: []linkedFile{{"DataDownload", p.base + k.Collection.Path, layout.TypeJSON}},
	}
}
