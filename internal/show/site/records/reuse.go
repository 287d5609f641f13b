package records

import (
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the section about reuse of a record.
var (
	useForm = markup.Parse(`
		<section id="use" class="use" data-copy="{=Copy}" data-copied="{=Copied}"><h2>{=Use}</h2>
			<div class="columns3"><div><h3>JSON</h3>`)
	useJSONForm  = markup.Parse(`<p><a href="{address}">{text}</a></p>{snippet}</div><div><h3>{cite}</h3>{citation}{own}`)
	citeOwnForm  = markup.Parse(`<h3 class="apart">{=UseCiteRecord}</h3>{citation}`)
	preserveForm = markup.Parse(`
			</div><div><h3>{=UsePreserve}</h3>
				<p>{=UsePreserveText}</p>
				<ul class="preserve">{list}</ul>
			</div></div>
		</section>`)
)

// writeReuse writes how to reuse a record: links to its JSON, its citation, and what must be
// preserved with it. If source is not nil, the first citation is that of the source, and the
// citation of the record is separate.
func (p *page) writeReuse(k *record.Kind, e *record.Envelope, source *record.SourceObject, c *frame.Citation) {
	p.Repeat("use", "", func() {
		p.Fill(useForm)
	})
	text, cite := words.Fill(p.Words.UseCollection, "records", p.Words.Plural(k)), p.Words.UseCite
	if k.HasSingle() {
		text = p.Words.UseJSON
	}
	if source != nil {
		cite = p.Words.UseCiteSource
	}
	p.Fill(useJSONForm, markup.With("address", p.json), markup.With("text", text),
		markup.By("snippet", func() { p.WriteSnippet("", p.Service()+p.json) }),
		markup.With("cite", cite), markup.By("citation", func() { p.WriteCitation(c) }),
		markup.When(source != nil, "own", func() {
			own := p.CiteRecord(k, e)
			p.Fill(citeOwnForm, markup.By("citation", func() { p.WriteCitation(&own) }))
		}))
	p.Repeat("preserve", "", func() {
		p.Fill(preserveForm, markup.Each("list", p.Words.Preserve, func(text string) { p.WriteItem(p.Cell(text)) }))
	})
}
