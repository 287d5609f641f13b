package frame

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/assets"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/words"
)

// Site writes pages into a release.
type Site struct {
	*Common
	*lookup.Index
	Out   render.Output
	Pages []string // URLs for the site map, except those of records
}

// NewSite writes the assets of a release's pages and returns a Site.
func NewSite(index *lookup.Index, out render.Output) (*Site, error) {
	s := index.Records.Settings()
	own := words.For(&s)
	set, err := assets.Write(out, &s)
	at, failed := url.Parse(string(s.BaseURL))
	return &Site{
		Common: &Common{
			Settings: s, Words: own, texts: own.Texts(), cited: words.OfRecords(&s), assets: set,
			Base:    strings.TrimSuffix(string(s.BaseURL), "/"),
			foreign: s.IsForeign(), At: at, accent: assets.Accent(s.AccentColor),
		},
		Index: index,
		Out:   out,
	}, errors.Join(err, failed)
}

// Public returns address, an absolute URL, or "" if the service's URL is unknown.
func (c *Common) Public(address string) string {
	if c.Base == "" {
		return ""
	}
	return address
}

// Service returns the service's URL for commands, or a placeholder.
func (c *Common) Service() string { return cmp.Or(c.Base, "ADDRESS") }

// Section writes pages of one sort. P is a page with the additional data that this sort needs.
type Section[P framed] struct {
	*Site
	idle sync.Pool
}

// framed is a page, or contains one.
type framed interface{ framed() *Page }

func (p *Page) framed() *Page { return p }

// NewSection returns a Section. wrap adds the section's data to a page.
func NewSection[P framed](s *Site, wrap func(*Page) P) *Section[P] {
	r := &Section[P]{Site: s}
	r.idle.New = func() any {
		page := &Page{Common: s.Common, Reader: s.NewReader(s.Words)}
		page.Texts, page.Foreign, page.Number = s.texts, page.WriteLang, s.Words.Int
		return wrap(page)
	}
	return r
}

// With calls f with an idle page, and returns the page's error.
func (r *Section[P]) With(f func(p P)) error {
	p := r.idle.Get().(P)
	defer r.idle.Put(p)
	f(p)
	return p.framed().Failed()
}

// page appends the page at path, which f writes, to b.
func (r *Section[P]) page(b []byte, path string, f func(p P)) ([]byte, error) {
	err := r.With(func(p P) {
		w := p.framed()
		w.Own = r.Base + layout.Address(path)
		w.Begin(b, path)
		f(p)
		b = w.Bytes()
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Each writes count pages. path returns the path of page i, and f writes the page.
func (r *Section[P]) Each(count int, path func(i int) string, f func(p P, i int)) error {
	return r.Out.Each(count, path, func(i int, b []byte) ([]byte, error) {
		return r.page(b, path(i), func(p P) { f(p, i) })
	})
}

// EachFile is like Each for files that are not pages: f appends file i to b.
func (r *Section[P]) EachFile(count int, path func(i int) string, f func(p P, i int, b []byte) []byte) error {
	return r.Out.Each(count, path, func(i int, b []byte) ([]byte, error) {
		err := r.With(func(p P) { b = f(p, i, b) })
		return b, err
	})
}

// File writes the file at path, which is not a page. f returns its content.
func (r *Section[P]) File(path string, f func(p P) []byte) error {
	return r.Out.Make(path, func() (data []byte, err error) {
		err = r.With(func(p P) { data = f(p) })
		return data, err
	})
}

// Put writes the page at path, whose content f writes.
func (r *Section[P]) Put(path string, f func(p P)) error {
	r.Pages = append(r.Pages, layout.Address(path))
	return r.Out.Make(path, func() ([]byte, error) { return r.page(nil, path, f) })
}
