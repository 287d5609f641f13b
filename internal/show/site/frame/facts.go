package frame

import "stele/internal/show/site/markup"

// Names and what stands beside them.
var (
	factForm  = markup.Parse(`<dt>{name}</dt><dd>{value}</dd>`)
	codeForm  = markup.Parse(`<code>{text}</code>`)
	PairsForm = markup.Parse(`<dl>{entries}</dl>`)
)

// Entry writes a name and what stands beside it.
func (p *Page) Entry(name string, value func()) {
	p.Fill(factForm, markup.With("name", name), markup.By("value", value))
}

// EntryBy writes a name that is not the page's own, and what stands beside it.
func (p *Page) EntryBy(name, value func()) {
	p.Fill(factForm, markup.By("name", name), markup.By("value", value))
}

// Fact writes a name and a text, unless that is empty.
func (p *Page) Fact(name, text string) {
	if text != "" {
		p.Entry(name, func() { p.Theirs(text) })
	}
}

// Listed writes a name and what is listed beside it, unless that is nothing.
func Listed[T any](p *Page, name string, items []T, write func(T)) {
	if len(items) == 0 {
		return
	}
	p.Entry(name, func() {
		p.HTML("<ul>")
		for _, item := range items[:min(len(items), Shown)] {
			p.Item(func() { write(item) })
		}
		p.HTML("</ul>")
	})
}

// Item writes an element of a list.
func (p *Page) Item(write func()) { p.Fill(itemForm, markup.By("item", write)) }

// Code writes a text as programs have it.
func (p *Page) Code(text string) { p.Fill(codeForm, markup.With("text", text)) }

// Codes writes several, with commas between them.
func (p *Page) Codes(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.Text(p.Words.Comma)
		}
		p.Code(text)
	}
}
