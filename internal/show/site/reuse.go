package site

import (
	"strconv"
	"strings"

	"stele/internal/show/site/markup"
	"stele/record"
)

// How to take a record away.
var (
	useForm = markup.Parse(`
		<section id="use" class="use" data-copy="{copy}" data-copied="{copied}"><h2>{head}</h2>
			<div class="columns3"><div><h3>JSON</h3>`)
	useJSONForm  = markup.Parse(`<p><a href="{address}">{text}</a></p>{snippet}</div><div><h3>{cite}</h3>{citation}{own}`)
	citeOwnForm  = markup.Parse(`<h3 class="apart">{head}</h3>{citation}`)
	preserveForm = markup.Parse(`
			</div><div><h3>{head}</h3>
				<p>{text}</p>
				<ul class="preserve">{list}</ul>
			</div></div>
		</section>

		`)
	citeForm = markup.Parse(`
		<section id="use" class="use" data-copy="{copy}" data-copied="{copied}"><h2>{head}</h2>{citation}</section>

		`)
	snippetForm = markup.Parse(`<pre tabindex="0" class="copy">{text}</pre>`)
	foldedForm  = markup.Parse(`<details><summary>{name}</summary><pre tabindex="0" class="copy">{text}</pre></details>`)
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// reuse tells how to take a record away: as JSON, as a citation, and what has to stay with it. Of a
// source, the citation is that of the source; how to cite the record of it stands apart.
func (p *page) reuse(k *record.Kind, e *record.Envelope, source *record.SourceObject, c *citation) {
	p.again("use", "", func() {
		p.Fill(useForm, markup.With("copy", p.words.Copy), markup.With("copied", p.words.Copied),
			markup.With("head", p.words.Use))
	})
	text, cite := strings.Replace(p.words.UseCollection, "{records}", p.words.Plural(k), 1), p.words.UseCite
	if k.HasSingle() {
		text = p.words.UseJSON
	}
	if source != nil {
		cite = p.words.UseCiteSource
	}
	p.Fill(useJSONForm, markup.With("address", p.json), markup.With("text", text),
		markup.By("snippet", func() { p.snippet("", p.base+p.json) }),
		markup.With("cite", cite), markup.By("citation", func() { p.cite(c) }),
		markup.By("own", func() {
			if source != nil {
				own := p.citation(k, e)
				p.Fill(citeOwnForm, markup.With("head", p.words.UseCiteRecord),
					markup.By("citation", func() { p.cite(&own) }))
			}
		}))
	p.again("preserve", "", p.preserve)
}

// citeSection writes how to cite what a page shows that is no record.
func (p *page) citeSection(c *citation) {
	p.Fill(citeForm, markup.With("copy", p.words.Copy), markup.With("copied", p.words.Copied),
		markup.With("head", p.words.UseCite), markup.By("citation", func() { p.cite(c) }))
}

// preserve says what has to stay with a record.
func (p *page) preserve() {
	p.Fill(preserveForm, markup.With("head", p.words.UsePreserve), markup.With("text", p.words.UsePreserveText),
		markup.By("list", func() {
			for _, item := range p.words.Preserve {
				p.Fill(itemForm, markup.With("item", item))
			}
		}))
}

// snippet writes a text to copy; with a name it can be unfolded.
func (p *page) snippet(name, text string) {
	if name == "" {
		p.Fill(snippetForm, markup.With("text", text))
		return
	}
	p.Fill(foldedForm, markup.With("name", name), markup.With("text", text))
}
