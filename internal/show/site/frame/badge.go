package frame

import (
	"reflect"

	"stele/internal/base/schema"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
)

// A value of a closed list.
var (
	badgeForm      = markup.Parse(`<a class="{class}" href="{address}" data-means="{means}">{text}</a>`)
	plainBadgeForm = markup.Parse(`<span class="{class}" title="{means}">{text}</span>`)
	tallyPartForm  = markup.Parse(` · {count} {badge}`)
)

// badgeText is the text and the markup of a badge.
type badgeText struct {
	class, address, means, text string
	link, plain                 markup.Piece
}

// badgeKey identifies a value of a closed list.
type badgeKey struct {
	list reflect.Type
	word string
}

// badgeText returns the badge of word, which is the same on every page.
func (p *Page) badgeText(s *schema.Shape, word string) *badgeText {
	key := badgeKey{s.Go, word}
	if b := p.badges[key]; b != nil {
		return b
	}
	name := words.ListName(s.Go)
	b := &badgeText{
		class: "badge " + name + " " + word, address: "/labels/#" + name + "-" + word,
		means: p.Words.Meaning(s, word), text: p.Words.Written(s, word),
	}
	if p.badges == nil {
		p.badges = map[badgeKey]*badgeText{}
	}
	p.badges[key] = b
	return b
}

// WriteBadge writes word, a value of a closed list, as a link to its meaning, also shown on hover
// and focus.
func (p *Page) WriteBadge(s *schema.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.link, func() {
		p.Fill(badgeForm, markup.With("class", b.class), markup.With("address", b.address),
			markup.With("means", b.means), markup.With("text", b.text))
	})
}

// WritePlainBadge writes word, a value of a closed list, without a link, for tables and for places
// with the meaning next to it.
func (p *Page) WritePlainBadge(s *schema.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.plain, func() {
		p.Fill(plainBadgeForm, markup.With("class", b.class), markup.With("means", b.means), markup.With("text", b.text))
	})
}

// WriteStandingBadge writes the standing of a record in a list, unless it is Stands.
func (p *Page) WriteStandingBadge(is standing.Standing) {
	if is != standing.Stands {
		p.HTML(" ")
		p.WritePlainBadge(words.Standings, is.String())
	}
}

// Tally counts records by standing.
type Tally [len(standing.Words)]int

// WriteTally writes the number of records with each standing except Stands, the worst standing
// first.
func (p *Page) WriteTally(t *Tally) {
	if t == nil {
		return
	}
	for is := len(t) - 1; standing.Standing(is) > standing.Stands; is-- {
		if t[is] > 0 {
			p.Fill(tallyPartForm, markup.Number("count", t[is]),
				markup.By("badge", func() { p.WriteBadge(words.Standings, standing.Standing(is).String()) }))
		}
	}
}
