package site

import (
	"reflect"
	"strings"

	"stele/internal/show/site/markup"
	"stele/internal/trust/standing"
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
	name := listName(s.Go)
	b := &badgeText{
		class:   "badge " + name + " " + word,
		address: "/labels/#" + name + "-" + word,
		means:   meaning(s.List, word),
		text:    wordOf(s, word),
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

// The closed lists that pages show by name.
var (
	changeTypes     = shapeFor[record.ChangeType]()
	correctionTypes = shapeFor[record.CorrectionType]()
	decisionLabels  = shapeFor[record.DecisionLabel]()
	directions      = shapeFor[record.Direction]()
	evidenceLabels  = shapeFor[record.EvidenceLabel]()
	evidenceTypes   = shapeFor[record.EvidenceType]()
	obsStatuses     = shapeFor[record.ObsStatus]()
	signalTypes     = shapeFor[record.SignalType]()
	sourceRoles     = shapeFor[record.SourceRole]()
	standings       = &record.Shape{Go: reflect.TypeFor[standing.Standing](), List: standing.Words[:]}
	strengths       = shapeFor[record.Strength]()
	updateTypes     = shapeFor[record.UpdateType]()
)

// shapeFor is the shape of a type that draws on a closed list.
func shapeFor[T ~string]() *record.Shape {
	t := reflect.TypeFor[T]()
	return &record.Shape{Type: record.String, Go: t, List: record.Lists[t]}
}

// wordOf is how a word of a closed list is written. Codes of one letter say nothing, so what they
// mean stands for them.
func wordOf(s *record.Shape, word string) string {
	if text := written[listName(s.Go)][word]; text != "" {
		return text
	}
	if len(word) == 1 {
		return capital(meaning(s.List, word))
	}
	return phraseOf(word)
}

// listName is the name of a closed list: evidence_label for record.EvidenceLabel.
func listName(t reflect.Type) string {
	var b strings.Builder
	for i, r := range t.Name() {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
