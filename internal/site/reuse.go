package site

import (
	"strconv"

	"stele/record"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// reuse tells how to take a record away: as JSON, as a citation, and what has to stay with it. Of a
// source, the citation is that of the source; how to cite the record of it stands apart.
func (p *page) reuse(k *record.Kind, e *record.Envelope, source *record.SourceObject, c *citation) {
	p.again("use", "", func() {
		p.HTML(`<section id="use" class="use"`)
		p.Attr("data-copy", p.words.Copy)
		p.Attr("data-copied", p.words.Copied)
		p.HTML("><h2>")
		p.Text(p.words.Use)
		p.HTML(`</h2><div class="columns3"><div><h3>JSON</h3><p><a`)
	})
	p.Attr("href", p.json)
	p.HTML(">")
	if k.HasSingle() {
		p.Text(p.words.UseJSON)
	} else {
		p.Text(p.words.UseCollection)
	}
	p.HTML("</a></p>")
	p.snippet("", p.base+p.json)
	p.HTML("</div><div><h3>")
	if source == nil {
		p.Text(p.words.UseCite)
		p.HTML("</h3>")
		p.cite(c)
	} else {
		p.Text(p.words.UseCiteSource)
		p.HTML("</h3>")
		p.cite(c)
		own := p.citation(k, e)
		p.HTML(`<h3 class="apart">`)
		p.Text(p.words.UseCiteRecord)
		p.HTML("</h3>")
		p.cite(&own)
	}
	p.again("preserve", "", p.preserve)
}

// citeSection writes how to cite what a page shows that is no record.
func (p *page) citeSection(c *citation) {
	p.HTML(`<section id="use" class="use"`)
	p.Attr("data-copy", p.words.Copy)
	p.Attr("data-copied", p.words.Copied)
	p.HTML("><h2>")
	p.Text(p.words.UseCite)
	p.HTML("</h2>")
	p.cite(c)
	p.HTML("</section>\n")
}

// preserve says what has to stay with a record.
func (p *page) preserve() {
	p.HTML("</div><div><h3>")
	p.Text(p.words.UsePreserve)
	p.HTML("</h3><p>")
	p.Text(p.words.UsePreserveText)
	p.HTML(`</p><ul class="preserve">`)
	for _, item := range p.words.Preserve {
		p.HTML("<li>")
		p.Text(item)
		p.HTML("</li>")
	}
	p.HTML("</ul></div></div></section>\n")
}

// snippet writes a text to copy; with a name it can be unfolded.
func (p *page) snippet(name, text string) {
	if name != "" {
		p.HTML("<details><summary>")
		p.Text(name)
		p.HTML("</summary>")
	}
	p.HTML(`<pre tabindex="0" class="copy">`)
	p.Text(text)
	p.HTML("</pre>")
	if name != "" {
		p.HTML("</details>")
	}
}
