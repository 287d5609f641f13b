package site

import (
	"reflect"
	"strings"

	"stele/record"
)

// badge writes a word of a closed list. It leads to what the word means, and says so when it is pointed at or reached by keyboard.
func (p *page) badge(s *record.Shape, word string) {
	name := listName(s.Go)
	p.HTML("<a")
	p.Attr("class", "badge "+name+" "+word)
	p.Attr("href", "/labels/#"+name+"-"+word)
	p.Attr("data-means", meaning(s.List, word))
	p.HTML(">")
	p.Text(wordOf(s, word))
	p.HTML("</a>")
}

// plainBadge writes a word of a closed list where many stand together, as in a table: without a link.
func (p *page) plainBadge(s *record.Shape, word string) {
	p.HTML("<span")
	p.Attr("class", "badge "+listName(s.Go)+" "+word)
	p.Attr("title", meaning(s.List, word))
	p.HTML(">")
	p.Text(wordOf(s, word))
	p.HTML("</span>")
}

// badgeOf writes a badge of a Go type that draws on a closed list.
func badgeOf[T ~string](p *page, word T) { p.badge(shapeFor[T](), string(word)) }

// shapeFor is the shape of a type that draws on a closed list.
func shapeFor[T ~string]() *record.Shape {
	t := reflect.TypeFor[T]()
	return &record.Shape{Type: record.String, Go: t, List: record.Lists[t]}
}

// wordOf is how a word of a closed list is written. Codes of one letter say nothing, so what they mean stands for them.
func wordOf(s *record.Shape, word string) string {
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
