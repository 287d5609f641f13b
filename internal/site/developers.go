package site

import (
	"strings"

	"stele/internal/layout"
	"stele/record"
)

// writeDevelopers makes the page for those who read the JSON: routes, examples, a box to try it,
// and what a release holds.
func (s *site) writeDevelopers() error {
	return s.put(layout.DevelopersPage, func(p *page) error {
		p.begin(
			head{
				title:       p.words.Developers,
				description: p.words.DevelopersText,
				section:     "/developers/",
				scripts:     []string{"try.js", "record.js"},
				feeds:       allChanges,
			},
		)
		p.HTML(`<header class="opening"><h1>`)
		p.Text(p.words.Developers)
		p.HTML(`</h1><p class="lead">`)
		p.Text(p.words.DevelopersText)
		p.HTML("</p></header>\n")
		p.routes()
		p.allDownloads()
		p.try()
		p.examples()
		p.more()
		p.scriptWords()
		p.end()
		return nil
	})
}

// routes lists the addresses of the specification, the two listings side by side, and the schema of
// what is there.
func (p *page) routes() {
	p.HTML(`<section id="routes"><h2>`)
	p.Text(p.words.Routes)
	p.HTML("</h2><p>")
	p.Text(p.words.RoutesText)
	for _, l := range p.listings() {
		p.HTML(" <a")
		p.Attr("href", l.address)
		p.HTML(">")
		p.Text(l.name)
		p.HTML("</a> ")
		p.Text(p.words.HasAlone)
		p.HTML(" ")
		for i, path := range onlyIn(l.Listing) {
			if i > 0 {
				p.HTML(", ")
			}
			p.HTML("<code>")
			p.Text(path)
			p.HTML("</code>")
		}
		p.HTML(".")
	}
	p.HTML(`</p><table class="list"><thead><tr><th scope="col">GET</th><th scope="col">`)
	p.Text(p.words.Returns)
	for _, l := range p.listings() {
		p.HTML(`</th><th scope="col">`)
		p.Text(l.name)
	}
	p.HTML(`</th><th scope="col">`)
	p.Text(p.words.SchemaOfKind)
	p.HTML("</th></tr></thead><tbody>\n")
	for _, k := range record.Kinds {
		for _, r := range k.Routes() {
			p.HTML(`<tr><th scope="row">`)
			if r == k.Single {
				p.HTML(`<code class="route">`)
				p.Text(r.Path)
				p.HTML("</code>")
			} else {
				p.HTML(`<a class="route"`)
				p.Attr("href", r.Path)
				p.HTML("><code>")
				p.Text(r.Path)
				p.HTML("</code></a>")
			}
			p.HTML("</th><td>")
			schema := k.Folder()
			if r == k.Collection {
				p.Text(p.words.All + " " + k.Many)
			} else {
				schema += "/record"
				p.Text(p.words.One + " " + k.One)
			}
			for _, l := range p.listings() {
				p.HTML("</td><td>")
				if r.Listing&l.Listing != 0 {
					p.Text(l.mark)
				} else {
					p.HTML("–")
				}
			}
			p.HTML("</td><td><a")
			p.Attr("href", "/"+layout.CollectionSchemaPath(schema))
			p.HTML(">")
			p.Text(schema + ".json")
			p.HTML("</a></td></tr>\n")
		}
	}
	p.HTML("</tbody></table></section>\n")
}

// listing is one of the two published route listings.
type listing struct {
	record.Listing
	address, name string
	mark          string // beside a route that it has
}

func (p *page) listings() [2]listing {
	return [2]listing{
		{record.First, layout.Address(layout.RoutesPath("first")), p.words.FirstListing, p.words.First},
		{record.Second, layout.Address(layout.RoutesPath("second")), p.words.SecondListing, p.words.Second},
	}
}

// onlyIn returns the paths that one listing has and the other has not.
func onlyIn(l record.Listing) []string {
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

// try is filled by a script: a box that fetches an address of this site and shows the answer and
// its headers.
func (p *page) try() {
	p.HTML(`<section id="try" hidden><h2>`)
	p.Text(p.words.Try)
	p.HTML(`</h2><form class="try"><label>`)
	p.Text(p.words.Address)
	p.HTML(` <input name="path" list="addresses" size="48" autocomplete="off" spellcheck="false"`)
	p.Attr("value", p.exampleAddress())
	p.HTML(`></label><datalist id="addresses">`)
	for _, k := range record.Kinds {
		p.HTML("<option")
		p.Attr("value", k.Collection.Path)
		p.HTML(">")
	}
	p.HTML(`</datalist><button>`)
	p.Text(p.words.Fetch)
	p.HTML(`</button></form><div class="answer" aria-live="polite"></div></section>` + "\n")
}

// exampleAddress is that of the first record that has a file of its own, or else of the first
// collection.
func (p *page) exampleAddress() string {
	for _, k := range record.Kinds {
		if k.HasSingle() && p.e.Len(k) > 0 {
			return k.JSONPath(p.e.ID(k, 0))
		}
	}
	return record.Kinds[0].Collection.Path
}

// example is a program that reads all records of a kind and prints the ID and title of each. {url}
// stands for the address.
type example struct{ language, name, code string }

// Examples are whole programs: they work when they are pasted.
var examples = []example{
	{"curl", "curl", `curl --silent {url} | head --bytes 400
`},
	{"python", "Python", `import json
from urllib.request import urlopen

with urlopen("{url}") as response:
    collection = json.load(response)
for record in collection["records"]:
    print(record["id"], record["version"], record["title"])
`},
	{"javascript", "JavaScript", `const response = await fetch("{url}");
const { records } = await response.json();
for (const record of records) {
  console.log(record.id, record.version, record.title);
}
`},
	{"r", "R", `collection <- jsonlite::fromJSON("{url}")
print(collection$records[c("id", "version", "title")])
`},
	{"go", "Go", `package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
)

func main() {
	response, err := http.Get("{url}")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var collection struct {
		Records []struct {
			ID      string
			Version int
			Title   string
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&collection); err != nil {
		log.Fatal(err)
	}
	for _, record := range collection.Records {
		fmt.Println(record.ID, record.Version, record.Title)
	}
}
`},
}

func (p *page) examples() {
	url := p.base + record.Kinds[0].Collection.Path
	p.HTML(`<section id="examples"`)
	p.Attr("data-copy", p.words.Copy)
	p.Attr("data-copied", p.words.Copied)
	p.HTML("><h2>")
	p.Text(p.words.Examples)
	p.HTML("</h2>")
	for i, x := range examples {
		p.HTML("<details")
		if i < 2 {
			p.HTML(" open")
		}
		p.HTML("><summary>")
		p.Text(x.name)
		p.HTML(`</summary><pre tabindex="0" class="copy"`)
		p.Attr("id", "example-"+x.language)
		p.HTML(">")
		p.Text(strings.ReplaceAll(x.code, "{url}", url))
		p.HTML("</pre></details>")
	}
	p.HTML("</section>\n")
}

// more leads to what else a release holds.
func (p *page) more() {
	p.HTML(`<section id="more"><h2>`)
	p.Text(p.words.More)
	p.HTML(`</h2><dl class="meanings">`)
	for _, f := range []struct{ address, text string }{
		{layout.Address(layout.OpenAPIPath), p.words.MoreOpenAPI},
		{layout.Address(layout.ManifestPath), p.words.MoreManifest},
		{layout.Address(layout.ListingPath("signals")), p.words.MoreIndex},
		{layout.Address(layout.FeedPath(allChanges, feedFormats[0].suffix)), p.words.MoreFeeds},
		{layout.Address(layout.FeedPath(allChanges, feedFormats[1].suffix)), p.words.MoreFeeds},
		{layout.Address(layout.SitemapPath), p.words.MoreSitemap},
		{p.assets.address("licenses.txt"), p.words.MoreLicenses},
	} {
		p.HTML("<dt>")
		p.file(f.address)
		p.HTML("</dt><dd>")
		p.Text(f.text)
		p.HTML("</dd>")
	}
	p.HTML("</dl><p>")
	p.Text(p.words.NothingPromised)
	p.HTML("</p></section>\n")
}
