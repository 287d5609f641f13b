// Package site makes the pages of a release: what people open in a browser, from the same records
// and in the same build as the JSON.
//
// A page of a record depends on the record, what it is linked with and its events alone, so that it
// keeps its bytes from release to release while those do not change. Everything works without
// JavaScript but for what is interactive; nothing is requested from another site.
package site

import (
	"fmt"
	"net/url"
	"strings"
	"sync"

	"stele/internal/author/settings"
	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

var (
	fileForm = markup.Parse(`<a href="{address}"><code>{address}</code></a>`)
	dateForm = markup.Parse(`<time>{date}</time>`)
)

// site is what all pages share.
type site struct {
	e         render.Records
	out       render.Output
	downloads []render.Download
	settings  settings.Settings
	words     *words.Set
	foreign   bool // whether the publisher's texts are in another language than the words
	assets    *assets.Set
	plans     map[*record.Kind]*plan
	stats     *statistics
	finder    *finder
	// the versions that are not the newest any more and have a page
	superseded map[*record.Kind][]render.Superseded
	tallies    map[*record.Kind]*tally // of records by their standing
	areas      map[string]render.Area  // by their code
	base       string                  // base_url without a slash at its end
	idle       sync.Pool
	pages      []string // addresses for the site map, but for the records'
	sparkMu    sync.Mutex
	sparks     map[*indicator]*spark // of the indicators whose pages were made
}

// page is a page in the making. A goroutine makes one after the other with it.
type page struct {
	*site
	markup.Writer
	records render.Reader
	parser  *record.Parser
	known   map[string]*reference
	badges  map[badgeKey]*badgeText
	pieces  map[pieceKey]*markup.Piece
	groups  []group // of the page before; their memory is used again
	own     string  // the page's address
	json    string  // where its record is published, from the root of the site
}

// pieceKey says which part of a page a piece is, and what it depends on.
type pieceKey struct{ part, of string }

// again writes a part that many pages have alike.
func (p *page) again(part, of string, write func()) {
	key := pieceKey{part, of}
	piece := p.pieces[key]
	if piece == nil {
		if p.pieces == nil {
			p.pieces = map[pieceKey]*markup.Piece{}
		}
		piece = new(markup.Piece)
		p.pieces[key] = piece
	}
	p.Again(piece, write)
}

// Write makes all pages. It is a render.Renderer.
func (o Options) Write(e render.Records, out render.Output) error {
	s := &site{
		e:         e,
		out:       out,
		downloads: o.Downloads.Of(e.Release()),
		settings:  e.Settings(),
		words:     &words.English,
		plans:     map[*record.Kind]*plan{},
	}
	s.foreign = isForeign(s.settings.Language)
	s.base = strings.TrimSuffix(string(s.settings.BaseURL), "/")
	s.idle.New = func() any { return &page{site: s, records: e.Reader(), parser: new(record.Parser)} }
	for _, k := range record.Kinds {
		s.plans[k] = newPlan(k)
	}
	var err error
	if s.assets, err = assets.Write(out, &s.settings); err != nil {
		return err
	}
	for _, step := range []func() error{
		s.gatherStatistics, s.gatherAreas, s.gatherFinder, s.gatherVersions,
		s.writeKinds, s.writeVersions, s.writeRemoved, s.writeIndicators, s.writeHome, s.writeSearch,
		s.writeChanges, s.writeGraph, s.writeDevelopers, s.writeLabels, s.writeSigned, s.writeForHosts,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// page lets f make one page, and appends it to b.
func (s *site) page(b []byte, path string, f func(p *page) error) ([]byte, error) {
	p := s.idle.Get().(*page)
	defer s.idle.Put(p)
	p.own = s.base + layout.Address(path)
	p.Begin(b, path)
	if err := f(p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p.Bytes(), nil
}

// each makes many pages.
func (s *site) each(count int, path func(i int) string, f func(p *page, i int) error) error {
	return s.out.Each(count, path, func(i int, b []byte) ([]byte, error) {
		return s.page(b, path(i), func(p *page) error { return f(p, i) })
	})
}

// put makes a single page and writes it.
func (s *site) put(path string, f func(p *page) error) error {
	s.pages = append(s.pages, layout.Address(path))
	return s.out.Make(path, func() ([]byte, error) { return s.page(nil, path, f) })
}

// writeRecords makes the page of each record of a kind.
func (s *site) writeRecords(k *record.Kind, search *searchFile) error {
	return s.each(s.e.Len(k), func(i int) string { return render.Page(k, s.e.ID(k, i)) },
		func(p *page, i int) error { return p.record(k, i, search) })
}

// read reads record i of a kind.
func (p *page) read(k *record.Kind, i int) (record.Record, error) {
	data, err := p.records.Record(k, i)
	if err != nil {
		return nil, err
	}
	return p.parser.Parse(k, data)
}

// find reads the record that has an ID; nil if there is none of that type.
func find[T record.Record](p *page, id record.ID) (T, error) {
	var none T
	k, i, ok := p.e.Find(string(id))
	if !ok {
		return none, nil
	}
	rec, err := p.read(k, i)
	if err != nil {
		return none, err
	}
	typed, _ := rec.(T)
	return typed, nil
}

// address is where the record with an ID can be read; "" if nowhere.
func (p *page) address(id string) string {
	k, i, ok := p.e.Find(id)
	switch {
	case !ok:
		return ""
	case k.HasPage():
		return "/" + k.Folder() + "/" + id + "/"
	case k.Name == record.KindHealthcareStatistic:
		return p.statisticAddress(k, i)
	}
	return "/" + k.Folder() + "/"
}

// title is what to call the record with an ID.
func (s *site) title(id string) string {
	if t := s.e.Title(id); t != "" {
		return t
	}
	return id
}

// outside writes a link to another site: the address itself, without what everybody knows.
func (p *page) outside(u record.URL) {
	short := strings.TrimPrefix(strings.TrimPrefix(string(u), "https://"), "http://")
	p.Fill(outsideForm, markup.With("address", string(u)),
		markup.With("text", strings.TrimSuffix(strings.TrimPrefix(short, "www."), "/")))
}

// file writes a link to a file of the release: its address.
func (p *page) file(address string) { p.Fill(fileForm, markup.With("address", address)) }

// notice writes where a change to a source was announced.
func (p *page) notice(at record.URL) {
	p.Text(p.words.Notice)
	p.HTML(" ")
	p.outside(at)
}

// date writes a date.
func (p *page) date(d record.Date) { p.Fill(dateForm, markup.With("date", string(d))) }

// rootPath is the path of the base address, for pages that are shown at any address.
func (s *site) rootPath() string {
	u, err := url.Parse(s.base)
	if err != nil {
		return "/"
	}
	return strings.TrimSuffix(u.EscapedPath(), "/") + "/"
}
