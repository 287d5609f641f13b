package site

import (
	"strings"

	"stele/internal/show/site/markup"
	"stele/record"
)

// referenceForm leads to another record.
var referenceForm = markup.Parse(`<a href="{address}"{lang}>{title}</a>`)

// reference is what pages show of a record that they refer to.
type reference struct {
	title   string
	address string // "" where the record cannot be read: it was removed
	kind    *record.Kind
	link    markup.Piece
	detail  detail
	above   []string // the records that rest on it, once they were looked for
	below   []string // the records on which it rests
}

// mostKnown is how many references a goroutine remembers. The same few records are referred to
// again and again, and looking one up costs more than writing the rest of a link.
const mostKnown = 4096

// refer looks up the record that has an ID.
func (p *page) refer(id string) *reference {
	if r, ok := p.known[id]; ok {
		return r
	}
	if len(p.known) >= mostKnown || p.known == nil {
		p.known = make(map[string]*reference, mostKnown)
	}
	r := &reference{title: p.title(id), address: p.address(id)}
	r.kind, _, _ = p.e.Find(id)
	p.known[strings.Clone(id)] = r // the record's text must not be kept
	return r
}

// link writes a link to the record with an ID, by its title.
func (p *page) link(id string) {
	r := p.refer(id)
	p.Again(&r.link, func() {
		p.Fill(referenceForm, markup.With("address", r.address), markup.By("lang", p.lang), markup.With("title", r.title))
	})
}
