package frame

import (
	"stele/internal/show/site/cards"
)

// MostCards is how many records of a kind, or indicators, have a picture of their own. Where there
// are more, all of them share one: pictures take longer than pages.
const MostCards = 500

// Card begins the picture of a page, which other sites show where somebody shares it.
func (c *Common) Card(kicker, title string) *cards.Card {
	return &cards.Card{
		Accent: c.accent, Kicker: kicker, Title: title, Site: c.Settings.Title, Host: c.At.Host,
		Latin: &cards.Card{Title: c.At.Host},
	}
}

// CardAddress is where the picture of the page at an address is.
func CardAddress(page string) string { return page + "card.png" }

// PutCards draws the pictures of pages, by their addresses.
func (r *Room[P]) PutCards(count int, page func(i int) string, draw func(p P, i int) *cards.Card) error {
	if r.Base == "" { // no page can name them
		return nil
	}
	path := func(i int) string { return CardAddress(page(i))[1:] }
	return r.EachFile(count, path, func(p P, i int, b []byte) []byte { return cards.Append(b, draw(p, i)) })
}
