package site

import (
	"slices"

	"stele/internal/compile/render"
	"stele/internal/show/series"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the downloads page.
var allDownloadsForm = markup.Parse(`
	<section id="downloads"><h2>{=Downloads}</h2>
		<p>{=DownloadsText} <a href="/bulk/README.md"><code>bulk/README.md</code></a>.</p>
		{table}
	</section>`)

// Options contains links to files that other packages write.
type Options struct {
	Downloads render.Downloads
	Series    *series.Series // nil if indicators have no files
}

// writeAllDownloads writes a list of the downloads of each kind with records, and of the downloads
// that contain all kinds.
func (p *page) writeAllDownloads() {
	if len(p.of.downloads) == 0 {
		return
	}
	columns := []frame.Column{{Name: p.Words.Kind, Head: true}, {Name: p.Words.Formats}}
	p.Fill(allDownloadsForm, markup.By("table", func() {
		p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
			for _, k := range record.Kinds {
				if p.Published(k) > 0 {
					p.writeDownloadRow(t, k, p.Words.Name(k))
				}
			}
			p.writeDownloadRow(t, nil, p.Words.AllKinds)
		})
	}))
}

// writeDownloadRow writes the row of k or, if k is nil, of all kinds, if there are downloads.
func (p *page) writeDownloadRow(t *frame.Table, k *record.Kind, name string) {
	list := slices.DeleteFunc(slices.Clone(p.of.downloads), func(d render.Download) bool { return d.Kind != k })
	if len(list) > 0 {
		t.Row("", p.Cell(name), func() { p.WriteDownloadLinks(list) })
	}
}
