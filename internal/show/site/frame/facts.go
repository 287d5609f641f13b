package frame

import "stele/internal/show/site/markup"

// Names and values.
var (
	factForm  = markup.Parse(`<dt>{name}</dt><dd>{value}</dd>`)
	codeForm  = markup.Parse(`<code>{text}</code>`)
	PairsForm = markup.Parse(`<dl>{entries}</dl>`)
)

func (p *Page) Entry(name string, value func()) {
	p.Fill(factForm, markup.With("name", name), markup.By("value", value))
}

// EntryBy writes an entry whose name and value are written by the given functions.
func (p *Page) EntryBy(name, value func()) {
	p.Fill(factForm, markup.By("name", name), markup.By("value", value))
}

// Fact writes name and text, unless text is empty.
func (p *Page) Fact(name, text string) {
	if text != "" {
		p.Entry(name, func() { p.PublisherText(text) })
	}
}

// Listed writes name and a list of items, unless the list is empty.
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

// Item writes an element of a list, whose content write writes.
func (p *Page) Item(write func()) { p.Fill(itemForm, markup.By("item", write)) }

func (p *Page) Code(text string) { p.Fill(codeForm, markup.With("text", text)) }

// Codes writes several texts as code, separated by commas.
func (p *Page) Codes(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.Text(p.Words.Comma)
		}
		p.Code(text)
	}
}
