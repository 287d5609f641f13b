package frame

import "stele/internal/show/site/markup"

// Names and values.
var (
	factForm  = markup.Parse(`<dt>{name}</dt><dd>{value}</dd>`)
	codeForm  = markup.Parse(`<code>{text}</code>`)
	PairsForm = markup.Parse(`<dl>{entries}</dl>`)
)

func (p *Page) WriteEntry(name string, value func()) {
	p.Fill(factForm, markup.With("name", name), markup.By("value", value))
}

// WriteEntryBy writes an entry whose name and value are written by the given functions.
func (p *Page) WriteEntryBy(name, value func()) {
	p.Fill(factForm, markup.By("name", name), markup.By("value", value))
}

// WriteFact writes name and text, unless text is empty.
func (p *Page) WriteFact(name, text string) {
	if text != "" {
		p.WriteEntry(name, func() { p.WritePublisherText(text) })
	}
}

// WriteList writes name and a list of items, unless the list is empty.
func WriteList[T any](p *Page, name string, items []T, write func(T)) {
	if len(items) == 0 {
		return
	}
	p.WriteEntry(name, func() {
		p.HTML("<ul>")
		for _, item := range items[:min(len(items), Shown)] {
			p.WriteItem(func() { write(item) })
		}
		p.HTML("</ul>")
	})
}

// WriteItem writes an element of a list, whose content write writes.
func (p *Page) WriteItem(write func()) { p.Fill(itemForm, markup.By("item", write)) }

func (p *Page) WriteCode(text string) { p.Fill(codeForm, markup.With("text", text)) }

// WriteCodes writes several texts as code, separated by commas.
func (p *Page) WriteCodes(texts []string) {
	for i, text := range texts {
		if i > 0 {
			p.Text(p.Words.Comma)
		}
		p.WriteCode(text)
	}
}
