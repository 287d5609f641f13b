package site

import (
	"slices"

	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
)

// Options says what pages lead to that is not made here.
type Options struct {
	Downloads []render.Download
}

// download links to a download.
func (p *page) download(d render.Download) {
	p.HTML("<a")
	p.Attr("href", "/"+d.Path)
	p.HTML(" download>")
	p.Text(d.Format)
	p.HTML("</a>")
}

// allDownloads lists the downloads of each kind that has records, and those of all kinds.
func (p *page) allDownloads() {
	if len(p.downloads) == 0 {
		return
	}
	p.HTML(`<section id="downloads"><h2>`)
	p.Text(p.words.Downloads)
	p.HTML("</h2><p>")
	p.Text(p.words.DownloadsText)
	p.HTML(" <a")
	p.Attr("href", "/bulk/README.md")
	p.HTML("><code>bulk/README.md</code></a>, ")
	p.Text(p.words.DataPackageText)
	p.HTML(" <a")
	p.Attr("href", layout.Address(layout.DataPackagePath))
	p.HTML("><code>datapackage.json</code></a>.</p>")
	p.HTML(`<table class="list"><thead><tr><th scope="col">`)
	p.Text(p.words.Kind)
	p.HTML(`</th><th scope="col">`)
	p.Text(p.words.Formats)
	p.HTML("</th></tr></thead><tbody>\n")
	for _, k := range record.Kinds {
		if p.published(k) > 0 {
			p.downloadRow(k, capital(k.Many))
		}
	}
	p.downloadRow(nil, p.words.AllKinds)
	p.HTML("</tbody></table></section>\n")
}

// downloadRow is the row of a kind, or of all of them for nil, if there is something in it.
func (p *page) downloadRow(k *record.Kind, name string) {
	list := slices.DeleteFunc(slices.Clone(p.downloads), func(d render.Download) bool { return d.Kind != k })
	if len(list) == 0 {
		return
	}
	p.HTML(`<tr><th scope="row">`)
	p.Text(name)
	p.HTML("</th><td>")
	for i, d := range list {
		if i > 0 {
			p.HTML(" · ")
		}
		p.download(d)
	}
	p.HTML("</td></tr>\n")
}
