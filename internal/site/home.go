package site

import (
	"stele/internal/layout"
	"stele/internal/render"
	"stele/record"
)

// writeHome makes the first page: what the service is, what there is, what is new, and how to get
// the data.
func (s *site) writeHome() error {
	return s.put(layout.Index, func(p *page) error {
		p.begin(
			head{
				title:       p.settings.Title,
				description: p.settings.Description,
				section:     "/",
				data:        p.catalog(),
				feeds:       true,
			},
		)
		p.HTML(`<header class="opening home"><h1>`)
		p.Text(p.settings.Title)
		p.HTML(`</h1><p class="lead">`)
		p.Text(p.settings.Description)
		p.HTML(`</p><p class="meta">`)
		m := p.e.Release()
		p.Text(p.words.Release)
		p.HTML(" <code>")
		p.Text(m.Release)
		p.HTML("</code> · ")
		p.date(record.Date(m.Date))
		p.HTML(" · ")
		p.Text(p.settings.Publisher)
		p.HTML("</p></header><div class=\"front\">\n")
		p.kindTable()
		p.HTML("<div>")
		if err := p.latestChanges(); err != nil {
			return err
		}
		p.getData()
		p.HTML("</div></div>")
		p.end()
		return nil
	})
}

// kindTable lists the kinds with counts and newest dates.
func (p *page) kindTable() {
	p.HTML(`<section id="records"><h2>`)
	p.Text(p.words.KindsHead)
	p.HTML(`</h2><table class="kinds"><thead><tr><th scope="col">`)
	p.Text(p.words.Kind)
	p.HTML(`</th><th scope="col" class="num">`)
	p.Text(p.words.Count)
	p.HTML(`</th><th scope="col">`)
	p.Text(p.words.Newest)
	p.HTML("</th></tr></thead><tbody>\n")
	for _, k := range record.Kinds {
		p.HTML(`<tr><th scope="row"><a`)
		p.Attr("href", "/"+k.Folder()+"/")
		p.HTML(">")
		p.Text(capital(k.Many))
		p.HTML("</a><span>")
		p.Text(k.Doc)
		p.HTML(`</span></th><td class="num">`)
		p.Int(int64(p.published(k)))
		p.HTML("</td><td>")
		if d := p.e.AsOf(k); d != "" {
			p.date(d)
		}
		p.HTML("</td></tr>\n")
	}
	p.HTML("</tbody></table></section>\n")
}

// published is how many records a kind's collection holds, derived ones too.
func (p *page) published(k *record.Kind) int {
	for _, row := range p.e.Release().Kinds {
		if row.Kind == k.Name {
			return row.Count
		}
	}
	return p.e.Len(k)
}

func (p *page) latestChanges() error {
	const most = 8
	p.HTML("<section><h2>")
	p.Text(p.words.HomeHead)
	p.HTML("</h2>")
	events := p.e.Events(nil)
	if events.Len() == 0 {
		p.HTML(`<p class="quiet">`)
		p.Text(p.words.NoChanges)
		p.HTML("</p>")
	}
	p.HTML(`<ol class="latest">`)
	written := 0
	for e, err := range events.From(0) {
		if err != nil {
			return err
		}
		p.HTML("<li>")
		p.date(e.PublishedDate)
		p.HTML(" ")
		p.plainBadge(changeTypes, string(e.ChangeType))
		p.HTML(" ")
		p.subject(e)
		p.HTML("</li>")
		if written++; written == most {
			break
		}
	}
	p.HTML("</ol><p><a")
	p.Attr("href", layout.Address(layout.ChangesPage))
	p.HTML(">")
	p.Text(p.words.AllChanges)
	p.HTML("</a></p></section>\n")
	return nil
}

// getData tells how to read the files, in three lines.
func (p *page) getData() {
	first := record.Kinds[0]
	p.HTML("<section><h2>")
	p.Text(p.words.GetData)
	p.HTML("</h2><p>")
	p.Text(p.words.GetDataText)
	p.HTML("</p><pre tabindex=\"0\">curl ")
	p.Text(p.base + first.Collection.Path)
	p.HTML("\ncurl ")
	p.Text(p.base + layout.Address(layout.ListingPath(first.Folder())))
	p.HTML("\ncurl ")
	p.Text(p.base + layout.Address(layout.ManifestPath))
	p.HTML(`</pre><p><a`)
	p.Attr("href", "/developers/")
	p.HTML(">")
	p.Text(p.words.Developers)
	p.HTML("</a>")
	if len(p.downloads) > 0 {
		p.HTML(" · <a")
		p.Attr("href", "/developers/#downloads")
		p.HTML(">")
		p.Text(p.words.Downloads)
		p.HTML("</a>")
	}
	p.HTML("</p><p class=\"quiet\">")
	p.Text(p.words.NothingPromised)
	p.HTML("</p></section>\n")
}

// catalog describes the service.
func (p *page) catalog() *linked {
	l := &linked{
		Context: schemaOrg, Type: "DataCatalog", ID: p.base + "/", Name: p.settings.Title, Description: p.settings.Description,
		Version:  p.e.Release().Release,
		Modified: p.e.Release().Date, License: render.LicenseURL(p.settings.License), Language: p.settings.Language,
		Publisher: &linkedName{"Organization", "", p.settings.Publisher},
	}
	for _, k := range record.Kinds {
		l.Datasets = append(l.Datasets, linkedName{"Dataset", p.base + "/" + k.Folder() + "/", capital(k.Many)})
	}
	return l
}
