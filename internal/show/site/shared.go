package site

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/cards"
	"stele/internal/show/site/words"
	"stele/record"
)

// writeCards writes the pictures that many pages share: the default, and one for each kind.
func (s *site) writeCards() error {
	pages := []string{"/"}
	for _, k := range record.Kinds {
		pages = append(pages, layout.ListAddress(k.Folder(), 0))
	}
	return s.PutCards(len(pages), func(i int) string { return pages[i] }, func(p *page, i int) *cards.Card {
		if i > 0 {
			k := record.Kinds[i-1]
			c := p.Card("", words.Capital(p.Words.Plural(k)))
			c.Lead = p.Words.Doc(k)
			return c
		}
		c := p.Card("", p.Settings.Title)
		c.Site = p.Settings.Publisher
		s.figures.LeadCard(p.Page, c)
		return c
	})
}
