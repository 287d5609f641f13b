package site

import (
	"slices"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/show/site/markup"
	"stele/record"
)

// What can be downloaded.
var (
	downloadForm     = markup.Parse(`<a href="{path}" download>{format}</a>`)
	allDownloadsForm = markup.Parse(`
		<section id="downloads"><h2>{head}</h2>
			<p>{text} <a href="/bulk/README.md"><code>bulk/README.md</code></a>, {package} <a href="/` + layout.DataPackagePath + `"><code>datapackage.json</code></a>.</p>
			<table class="list">
				<thead><tr><th scope="col">{kind}</th><th scope="col">{formats}</th></tr></thead>
				<tbody>

				{rows}
				</tbody>
			</table>
		</section>

		`)
	downloadRowForm = markup.Parse(`<tr><th scope="row">{name}</th><td>{downloads}</td></tr>

		`)
)

// Options says what pages lead to that is not made here.
type Options struct {
	Downloads render.Downloads
}

// download links to a download.
func (p *page) download(d render.Download) {
	p.Fill(downloadForm, markup.With("path", "/"+d.Path), markup.With("format", d.Format))
}

// allDownloads lists the downloads of each kind that has records, and those of all kinds.
func (p *page) allDownloads() {
	if len(p.downloads) == 0 {
		return
	}
	p.Fill(allDownloadsForm, markup.With("head", p.words.Downloads), markup.With("text", p.words.DownloadsText),
		markup.With("package", p.words.DataPackageText), markup.With("kind", p.words.Kind),
		markup.With("formats", p.words.Formats),
		markup.By("rows", func() {
			for _, k := range record.Kinds {
				if p.published(k) > 0 {
					p.downloadRow(k, p.words.Name(k))
				}
			}
			p.downloadRow(nil, p.words.AllKinds)
		}))
}

// downloadRow is the row of a kind, or of all of them for nil, if there is something in it.
func (p *page) downloadRow(k *record.Kind, name string) {
	list := slices.DeleteFunc(slices.Clone(p.downloads), func(d render.Download) bool { return d.Kind != k })
	if len(list) == 0 {
		return
	}
	p.Fill(downloadRowForm, markup.With("name", name), markup.By("downloads", func() {
		for i, d := range list {
			if i > 0 {
				p.HTML(" · ")
			}
			p.download(d)
		}
	}))
}
