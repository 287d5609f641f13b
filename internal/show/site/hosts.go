package site

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The form of the page for unknown URLs.
var notFoundForm = markup.Parse(`{heading}<p id="nearest" role="status" hidden>{=DidYouMean} <a></a></p>{kinds}`)

// writeForHosts writes files for hosts and search engines.
func (s *site) writeForHosts() error {
	err := s.With(func(p *page) {
		p.BeginAnywhere(strings.TrimSuffix(s.At.EscapedPath(), "/") + "/") // it is shown at any URL
		p.writeNotFound()
		p.Fail(s.Out.Put(layout.NotFoundPage, p.Bytes()))
	})
	if err != nil {
		return err
	}
	robots := "User-agent: *\nAllow: /\n"
	if s.Base != "" {
		robots += "Sitemap: " + s.Base + layout.Address(layout.SitemapPath) + "\n"
	}
	for _, f := range []struct{ path, text string }{
		{layout.HeadersPath, string(layout.HeadersFile())},
		{layout.NoJekyllPath, ""},
		{layout.RobotsPath, robots},
	} {
		if err := s.Out.Put(f.path, []byte(f.text)); err != nil {
			return err
		}
	}
	return s.writeSitemap()
}

// writeNotFound writes the page that hosts show for unknown URLs.
func (p *page) writeNotFound() {
	p.Open(frame.Head{Title: p.Words.NotFound, Description: p.Words.NotFoundText, Hidden: true, Scripts: []string{"lost.js"}})
	p.Fill(notFoundForm,
		markup.By("heading", func() { p.WriteHeading(p.Words.NotFound, p.Words.NotFoundText, nil) }),
		markup.By("kinds", p.WriteKindLinks))
	p.Close()
}

func xmlText(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a builder does not fail
	return b.String()
}

// perSitemap is the maximum number of URLs that sitemaps.org allows in a site map.
const perSitemap = 50_000

// writeSitemap writes a site map of all pages. If it needs several files, sitemap.xml lists them.
func (s *site) writeSitemap() error {
	if s.Base == "" { // it needs absolute URLs
		return nil
	}
	total := len(s.Pages)
	for _, k := range record.Kinds {
		if k.HasPage() {
			total += s.Records.Len(k)
		}
	}
	if total <= perSitemap {
		return s.writeSitemapPart(layout.SitemapPath, 0, total)
	}
	index := []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for n := 0; n*perSitemap < total; n++ {
		name := "sitemap-" + strconv.Itoa(n+1) + ".xml"
		if err := s.writeSitemapPart(name, n*perSitemap, min(total, (n+1)*perSitemap)); err != nil {
			return err
		}
		index = fmt.Appendf(index, "<sitemap><loc>%s/%s</loc></sitemap>\n", xmlText(s.Base), name)
	}
	return s.Out.Put(layout.SitemapPath, append(index, "</sitemapindex>\n"...))
}

// writeSitemapPart writes a site map of the pages with numbers from from up to to. The pages that
// are not about records come first.
func (s *site) writeSitemapPart(path string, from, to int) error {
	f, err := s.Out.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	write := func(parts ...string) {
		for _, p := range parts {
			w.WriteString(p) // Flush returns the error
		}
	}
	write(`<?xml version="1.0" encoding="UTF-8"?>`, "\n", `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`, "\n")
	base := xmlText(s.Base)
	for i := from; i < min(to, len(s.Pages)); i++ {
		write("<url><loc>", base, s.Pages[i], "</loc></url>\n")
	}
	first := len(s.Pages)
	for _, k := range record.Kinds {
		if !k.HasPage() {
			continue
		}
		for i := max(from-first, 0); i < min(to-first, s.Records.Len(k)); i++ {
			if k.Name == record.KindEntity && s.IndicatorBy(s.Records.ID(k, i)) != nil {
				continue // it redirects
			}
			write("<url><loc>", base, "/", k.Folder(), "/", s.Records.ID(k, i), "/</loc></url>\n")
		}
		first += s.Records.Len(k)
	}
	write("</urlset>\n")
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
