package site

import (
	"embed"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/record"
)

// The forms of the page for developers.
var (
	routesForm = markup.Parse(`<section id="routes"><h2>{=Routes}</h2><p>{=RoutesText}</p>{table}<p class="quiet">{=RoutesListed}{alone}</p></section>`)
	aloneForm  = markup.Parse(` {=HasAlone} <a href="{address}">{name}</a>: {paths}.`)

	singleForm     = markup.Parse(`<code class="route">{path}</code>`)
	collectionForm = markup.Parse(`<a class="route" href="{path}"><code>{path}</code></a>`)

	// A script fills in the answer, which it fetches from this site.
	tryForm = markup.Parse(`
		<section id="try" hidden><h2>{=Try}</h2>
			<form class="try">
				<label>{=Address} <input name="path" list="addresses" size="48" autocomplete="off" spellcheck="false" value="{example}"></label>
				<datalist id="addresses">{addresses}</datalist>
				<button>{=Fetch}</button>
			</form>
			<div class="answer" aria-live="polite"></div>
		</section>`)
	optionForm   = markup.Parse(`<option value="{value}">`)
	examplesForm = markup.Parse(`
		<section id="examples" data-copy="{=Copy}" data-copied="{=Copied}"><h2>{=Examples}</h2>
			{examples}
		</section>`)
	exampleForm = markup.Parse(`
		<details{?open} open{/}>
			<summary>{name}</summary>
			<pre tabindex="0" class="copy" id="{id}">{code}</pre>
		</details>`)
	elseForm = markup.Parse(`
		<section id="more"><h2>{=More}</h2>
			<dl class="meanings">{files}</dl>
			<p>{=NothingPromised}</p>
		</section>`)
	schemasForm = markup.Parse(`
		<section id="schemas"><h2>{=SchemaChanges}</h2>
			<p>{=SchemaChangesText} {file}</p>
			{changes}
		</section>`)

	elseFileForm = markup.Parse(`<dt>{file}</dt><dd>{text}</dd>`)
)

// writeDevelopers writes the page for developers: routes, examples, a form to try the routes, and
// the files of the release.
func (s *site) writeDevelopers() error {
	return s.Put(layout.DevelopersPage, func(p *page) {
		p.Open(frame.Head{
			Title: p.Words.Developers, Description: p.Words.DevelopersText, Section: "/developers/",
			Scripts: []string{"try.js", "record.js"}, Feeds: frame.AllChanges,
		})
		p.WriteHeading(p.Words.Developers, p.Words.DevelopersText, nil)
		p.HTML("\n")
		p.writeExamples()
		p.writeTryForm()
		p.writeAllDownloads()
		p.writeRoutes()
		p.writeSchemaChanges()
		p.writeOtherFiles()
		p.WriteScriptWords()
		p.Close()
	})
}

// writeRoutes writes the routes of the specification with their schemas, and the routes that only
// one listing contains.
func (p *page) writeRoutes() {
	columns := []frame.Column{{Name: p.Words.Kind, Head: true}, {Name: "GET"}, {Name: p.Words.SchemaOfKind, Named: true}}
	p.Fill(routesForm,
		markup.By("alone", func() {
			for _, l := range []struct {
				listing   layout.Listing
				of, title string
			}{{layout.First, "first", p.Words.FirstListing}, {layout.Second, "second", p.Words.SecondListing}} {
				p.Fill(aloneForm, markup.With("address", layout.Address(layout.RoutesPath(l.of))), markup.With("name", l.title),
					markup.By("paths", func() { p.WriteCodes(pathsListedOnly(l.listing)) }))
			}
		}),
		markup.By("table", func() {
			p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
				for _, k := range record.Kinds {
					p.writeKindRoutes(t, k)
				}
			})
		}))
}

// writeKindRoutes writes the row of k: the routes of the collection and single records, and
// schemas.
func (p *page) writeKindRoutes(t *frame.Table, k *record.Kind) {
	routes := k.Routes()
	t.Row("", p.Cell(p.Words.Name(k)), func() {
		for _, r := range routes {
			form := collectionForm
			if r == k.Single {
				form = singleForm
			}
			p.Fill(form, markup.With("path", r.Path))
		}
	}, func() {
		for _, r := range routes {
			schema := k.Folder()
			if r != k.Collection {
				schema += "/record"
			}
			p.WriteAnchor("/"+layout.CollectionSchemaPath(schema), schema+".json")
		}
	})
}

// pathsListedOnly returns the paths that only listing l contains.
func pathsListedOnly(l layout.Listing) []string {
	var paths []string
	for _, k := range record.Kinds {
		for _, r := range k.Routes() {
			if r.Listing == l {
				paths = append(paths, r.Path)
			}
		}
	}
	return paths
}

// writeTryForm writes a form that fetches a URL of this site and shows the response and its
// headers.
func (p *page) writeTryForm() {
	p.Fill(tryForm, markup.With("example", p.exampleAddress()),
		markup.Each("addresses", record.Kinds, func(k *record.Kind) {
			p.Fill(optionForm, markup.With("value", k.Collection.Path))
		}))
}

// exampleAddress returns the URL of the first record with its own file, or otherwise of the first
// collection.
func (p *page) exampleAddress() string {
	for _, k := range record.Kinds {
		if k.HasSingle() && p.Records.Len(k) > 0 {
			return k.JSONPath(p.Records.ID(k, 0))
		}
	}
	return record.Kinds[0].Collection.Path
}

// examples are programs that read all records of a kind and print the ID and title of each. {url}
// is replaced by the URL.
//
//go:embed programs
var examples embed.FS

func (p *page) writeExamples() {
	url := p.Service() + record.Kinds[0].Collection.Path
	p.Fill(examplesForm,
		markup.By("examples", func() {
			for i, name := range []string{"curl", "Python", "JavaScript", "R", "Go"} {
				language := strings.ToLower(name)
				code, err := examples.ReadFile("programs/" + language + ".txt")
				p.Fail(err)
				p.Fill(exampleForm, markup.ShowIf("open", i < 2), markup.With("name", name),
					markup.With("id", "example-"+language),
					markup.With("code", strings.ReplaceAll(string(code), "{url}", url)))
			}
		}))
}

// writeSchemaChanges writes a list of the changes to schemas since earlier releases.
func (p *page) writeSchemaChanges() {
	const most = 50 // the file contains all
	changes, err := render.SchemaChanges(p.Records)
	p.Fail(err)
	columns := []frame.Column{
		{Name: p.Words.SchemaSince}, {Name: p.Words.SchemaOfKind}, {Name: p.Words.SchemaMember}, {Name: p.Words.Change},
	}
	p.Fill(schemasForm, markup.By("file", func() { p.WriteFileLink(layout.Address(layout.SchemasPath)) }),
		markup.When(len(changes) > 0, "changes", func() {
			p.Table(frame.Table{Columns: columns}, func(t *frame.Table) {
				for _, c := range changes[:min(len(changes), most)] {
					folder := record.KindNamed(string(c.Kind)).Folder()
					t.Row("", p.DateCell(c.Date), func() { p.WriteAnchor("/"+layout.RecordSchemaPath(folder), folder) },
						func() { p.WriteCode(c.Member) }, p.Cell(p.Words.SchemaChange[c.Change]))
				}
			})
		}))
}

// writeOtherFiles writes links to the other files of a release.
func (p *page) writeOtherFiles() {
	feed := func(format int) string {
		return p.Public(layout.Address(layout.FeedPath(frame.AllChanges, frame.FeedFormats[format].Suffix)))
	}
	p.Fill(elseForm,
		markup.By("files", func() {
			for _, f := range []struct{ address, text string }{
				{layout.Address(layout.OpenAPIPath), p.Words.MoreOpenAPI},
				{layout.Address(layout.ManifestPath), p.Words.MoreManifest},
				{layout.Address(layout.ListingPath("signals")), p.Words.MoreIndex},
				{feed(0), p.Words.MoreFeeds},
				{feed(1), p.Words.MoreFeeds},
				{p.Public(layout.Address(layout.SitemapPath)), p.Words.MoreSitemap},
			} {
				if f.address == "" { // it does not exist without a URL of the service
					continue
				}
				p.Fill(elseFileForm, markup.By("file", func() { p.WriteFileLink(f.address) }), markup.With("text", f.text))
			}
		}))
}
