package frame

import (
	"reflect"

	"stele/internal/base/schema"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
)

// A word of a closed list.
var (
	badgeForm      = markup.Parse(`<a class="{class}" href="{address}" data-means="{means}">{text}</a>`)
	plainBadgeForm = markup.Parse(`<span class="{class}" title="{means}">{text}</span>`)
	tallyPartForm  = markup.Parse(` · {count} {badge}`)
)

// badgeText is what a badge of a word says, and how it is written.
type badgeText struct {
	class, address, means, text string
	link, plain                 markup.Piece
}

// badgeKey is a word of a closed list.
type badgeKey struct {
	list reflect.Type
	word string
}

// badgeText finds the words of a badge, which are the same on every page.
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

// Badge writes a word of a closed list. It leads to what the word means, and says so when it is
// pointed at or reached by keyboard.
func (p *Page) Badge(s *schema.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.link, func() {
		p.Fill(badgeForm, markup.With("class", b.class), markup.With("address", b.address),
			markup.With("means", b.means), markup.With("text", b.text))
	})
}

// PlainBadge writes a word of a closed list where many stand together, as in a table, or where its
// meaning stands beside it: without a link.
func (p *Page) PlainBadge(s *schema.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.plain, func() {
		p.Fill(plainBadgeForm, markup.With("class", b.class), markup.With("means", b.means), markup.With("text", b.text))
	})
}

// StandingBadge marks a record that does not stand as it is, where it is one of many.
func (p *Page) StandingBadge(is standing.Standing) {
	if is != standing.Stands {
		p.HTML(" ")
		p.PlainBadge(words.Standings, is.String())
	}
}

// Tally counts records by their standing.
type Tally [len(standing.Words)]int

// Tally writes how many records do not stand as they are, the worst first.
func (p *Page) Tally(t *Tally) {
	if t == nil {
		return
	}
	for is := len(t) - 1; standing.Standing(is) > standing.Stands; is-- {
		if t[is] > 0 {
			p.Fill(tallyPartForm, markup.Number("count", t[is]),
				markup.By("badge", func() { p.Badge(words.Standings, standing.Standing(is).String()) }))
		}
	}
}
