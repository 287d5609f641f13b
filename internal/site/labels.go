package site

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"stele/internal/layout"
	"stele/record"
)

// writeLabels makes the page that every badge leads to: all closed lists with what their words
// mean.
func (s *site) writeLabels() error {
	return s.put(layout.LabelsPage, func(p *page) error {
		p.begin(head{title: p.words.Labels, description: p.words.LabelsText})
		p.HTML(`<header class="opening"><h1>`)
		p.Text(p.words.Labels)
		p.HTML(`</h1><p class="lead">`)
		p.Text(p.words.LabelsText)
		p.HTML(`</p></header><div class="lists">`)
		types := slices.SortedFunc(
			maps.Keys(record.Lists),
			func(a, b reflect.Type) int { return strings.Compare(listName(a), listName(b)) },
		)
		shapes := []*record.Shape{standings}
		for _, t := range types {
			shapes = append(shapes, &record.Shape{Go: t, List: record.Lists[t]})
		}
		for _, shape := range shapes {
			name := listName(shape.Go)
			p.HTML("<section><h2")
			p.Attr("id", name)
			p.HTML(">")
			p.Text(phraseOf(name))
			p.HTML(`</h2><dl class="meanings">`)
			for _, v := range shape.List {
				p.HTML("<dt")
				p.Attr("id", name+"-"+v.Word)
				p.HTML(">")
				p.plainBadge(shape, v.Word)
				p.HTML("</dt><dd>")
				p.Text(v.Doc)
				p.HTML(" <code>")
				p.Text(v.Word)
				p.HTML("</code></dd>")
			}
			p.HTML("</dl></section>")
		}
		p.HTML("</div>")
		p.end()
		return nil
	})
}
