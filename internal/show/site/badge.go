package site

import (
	"reflect"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// A word of a closed list.
var (
	badgeForm      = markup.Parse(`<a class="{class}" href="{address}" data-means="{means}">{text}</a>`)
	plainBadgeForm = markup.Parse(`<span class="{class}" title="{means}">{text}</span>`)
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
func (p *page) badgeText(s *record.Shape, word string) *badgeText {
	key := badgeKey{s.Go, word}
	if b := p.badges[key]; b != nil {
		return b
	}
	name := words.ListName(s.Go)
	b := &badgeText{
		class:   "badge " + name + " " + word,
		address: "/labels/#" + name + "-" + word,
		means:   words.Meaning(s.List, word),
		text:    words.Written(s, word),
	}
	if p.badges == nil {
		p.badges = map[badgeKey]*badgeText{}
	}
	p.badges[key] = b
	return b
}

// badge writes a word of a closed list. It leads to what the word means, and says so when it is
// pointed at or reached by keyboard.
func (p *page) badge(s *record.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.link, func() {
		p.Fill(badgeForm, markup.With("class", b.class), markup.With("address", b.address),
			markup.With("means", b.means), markup.With("text", b.text))
	})
}

// plainBadge writes a word of a closed list where many stand together, as in a table, or where its
// meaning stands beside it: without a link.
func (p *page) plainBadge(s *record.Shape, word string) {
	b := p.badgeText(s, word)
	p.Again(&b.plain, func() {
		p.Fill(plainBadgeForm, markup.With("class", b.class), markup.With("means", b.means), markup.With("text", b.text))
	})
}
