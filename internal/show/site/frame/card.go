package frame

import (
	"stele/internal/show/site/cards"
)

// MostCards is the maximum number of records of a kind, or of indicators, that have a picture each.
// If there are more, they share a picture, because pictures take longer than pages.
const MostCards = 500

// Card returns the card of a page, for the picture that other sites show when the page is shared.
func (c *Common) Card(kicker, title string) *cards.Card {
	return &cards.Card{
		Accent: c.accent, Kicker: kicker, Title: title, Site: c.Settings.Title, Host: c.At.Host,
		Latin: &cards.Card{Title: c.At.Host},
	}
}

// CardAddress returns the URL of the picture of page.
func CardAddress(page string) string { return page + "card.png" }

// PutCards writes the pictures of count pages. page returns the path of page i, and draw its card.
func (r *Section[P]) PutCards(count int, page func(i int) string, draw func(p P, i int) *cards.Card) error {
	if r.Base == "" { // pages cannot link to them
		return nil
	}
	path := func(i int) string { return CardAddress(page(i))[1:] }
	return r.EachFile(count, path, func(p P, i int, b []byte) []byte { return cards.Append(b, draw(p, i)) })
}
