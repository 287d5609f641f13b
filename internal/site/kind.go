package site

import (
	"bytes"
	"slices"
	"strconv"

	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
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
	title := capital(k.Many)
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
	p.crumbs(k, "")
	p.kindOpening(k)
	if p.e.Len(k) == 0 {
		p.HTML("<p>")
		p.Text(p.words.KindEmpty)
		p.HTML("</p>")
		p.end()
		return nil
	}
	p.HTML(`<div id="table"`)
	if search.made() {
		p.Attr("data-search", search.name)
		p.Attr("data-folder", k.Folder())
	}
	p.HTML(">")
	if err := p.rows(list, n); err != nil {
		return err
	}
	p.pager(k, n, list.pages)
	p.HTML("</div>")
	if search.made() {
		p.scriptWords()
	}
	p.end()
	return nil
}

// kindOpening writes what a kind is and where its files are.
func (p *page) kindOpening(k *record.Kind) {
	p.HTML(`<header class="opening"><h1>`)
	p.Text(capital(k.Many))
	p.HTML(`</h1><p class="lead">`)
	p.Text(k.Doc)
	p.HTML(`</p><p class="meta">`)
	count := p.published(k)
	p.Int(int64(count))
	p.HTML(" ")
	if count == 1 {
		p.Text(p.words.Records1)
	} else {
		p.Text(p.words.RecordsN)
	}
	p.tally(p.tallies[k])
	if d := p.e.AsOf(k); d != "" {
		p.HTML(" · ")
		p.Text(p.words.Newest)
		p.HTML(" ")
		p.date(d)
	}
	for _, l := range []struct{ text, address string }{
		{p.words.JSONOfKind, k.Collection.Path},
		{p.words.ListingOfKind, layout.Address(layout.ListingPath(k.Folder()))},
		{p.words.SchemaOfKind, layout.Address(layout.CollectionSchemaPath(k.Folder()))},
	} {
		p.HTML(" · <a")
		p.Attr("href", l.address)
		p.HTML(">")
		p.Text(l.text)
		p.HTML("</a>")
	}
	for _, d := range p.downloads {
		if d.Kind == k {
			p.HTML(" · ")
			p.download(d)
		}
	}
	p.HTML("</p></header>\n")
	if count > p.e.Len(k) {
		p.HTML("<p>")
		p.Text(p.words.WrittenText)
		p.HTML(" <a")
		p.Attr("href", layout.Address(layout.GraphPage))
		p.HTML(">")
		p.Text(p.words.ExploreGraph)
		p.HTML("</a></p>")
	}
}

// rows writes the table with the records of page n.
func (p *page) rows(list *kindList, n int) error {
	k, plan := list.kind, p.plans[list.kind]
	p.HTML(`<table class="list"><thead><tr><th scope="col">`)
	p.Text(p.words.Title)
	p.HTML("</th>")
	for _, f := range plan.labels {
		p.HTML(`<th scope="col">`)
		p.Text(f.name)
		p.HTML("</th>")
	}
	if list.dated {
		p.HTML(`<th scope="col">`)
		p.Text(p.words.Updated)
		p.HTML("</th>")
	}
	p.HTML(`<th scope="col" class="num">`)
	p.Text(p.words.Version)
	p.HTML("</th></tr></thead><tbody>\n")
	for i := n * perPage; i < min(p.e.Len(k), (n+1)*perPage); i++ {
		row, ok := list.search.row(i)
		if !ok {
			rec, err := p.read(k, i)
			if err != nil {
				return err
			}
			row = p.listRow(plan, rec, p.e.Standing(k, i).Standing)
			list.search.add(i, &row)
		}
		p.row(plan, &row, list.dated)
	}
	p.HTML("</tbody></table>\n")
	return nil
}

func (p *page) row(plan *plan, r *listRow, dated bool) {
	address := r.address
	if address == "" {
		address = "/" + plan.kind.Folder() + "/" + r.id + "/"
	}
	p.HTML(`<tr><th scope="row"><a`)
	p.Attr("href", address)
	p.lang()
	p.HTML(">")
	p.Text(r.title)
	p.HTML("</a> <code>")
	p.Text(r.id)
	p.HTML("</code>")
	p.standingBadge(r.standing)
	p.HTML("</th>")
	for i, word := range r.words {
		p.HTML("<td>")
		if word != "" {
			p.plainBadge(plan.labels[i].Shape, word)
		}
		p.HTML("</td>")
	}
	if dated {
		p.HTML("<td>")
		p.date(record.Date(r.updated))
		p.HTML("</td>")
	}
	p.HTML(`<td class="num">`)
	p.Int(r.version)
	p.HTML("</td></tr>\n")
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
func rowAddress(rec record.Record) string {
	switch r := rec.(type) {
	case *record.GraphNode:
		return "/" + layout.GraphFolder + "#" + string(r.RecordID)
	case *record.GraphEdge:
		return "/" + layout.GraphFolder + "#" + string(r.Source)
	}
	return ""
}

// pager leads to the other pages of a list.
func (p *page) pager(k *record.Kind, n, pages int) {
	if pages == 1 {
		return
	}
	p.HTML(`<nav class="pager"`)
	p.Attr("aria-label", p.words.Pages)
	p.HTML(">")
	if n > 0 {
		p.HTML(`<a rel="prev"`)
		p.Attr("href", listAddress(k, n-1))
		p.HTML(">← ")
		p.Text(p.words.Previous)
		p.HTML("</a>")
	}
	p.HTML("<span>")
	p.Text(p.words.PageOf)
	p.HTML(" ")
	p.Int(int64(n + 1))
	p.HTML(" / ")
	p.Int(int64(pages))
	p.HTML("</span>")
	if n < pages-1 {
		p.HTML(`<a rel="next"`)
		p.Attr("href", listAddress(k, n+1))
		p.HTML(">")
		p.Text(p.words.Next)
		p.HTML(" →</a>")
	}
	p.HTML("</nav>\n")
}

// dataset describes a kind.
func (p *page) dataset(k *record.Kind) *linked {
	return &linked{
		Context: schemaOrg, Type: "Dataset", ID: p.base + "/" + k.Folder() + "/", Name: capital(k.Many), Description: k.Doc,
		Modified: string(p.e.AsOf(k)),
		License: render.LicenseURL(
			p.settings.License,
		), Language: p.settings.Language, Publisher: &linkedName{"Organization", "", p.settings.Publisher},
		PartOf:       &linkedName{"DataCatalog", p.base + "/", p.settings.Title},
		Distribution: []linkedFile{{"DataDownload", p.base + k.Collection.Path, layout.TypeJSON}},
	}
}
