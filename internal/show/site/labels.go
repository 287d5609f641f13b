package site

import (
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
)

// The forms of the page of labels.
var (
	listsForm = markup.Parse(`{heading}<div class="lists">{lists}</div>`)
	listForm  = markup.Parse(`<section><h2 id="{id}">{name}</h2><dl class="meanings">{words}</dl></section>`)
	wordForm  = markup.Parse(`<dt id="{id}">{badge}</dt><dd>{means} <code>{word}</code></dd>`)
)

// writeLabels writes the page that badges link to. It contains all closed lists with their
// meanings.
func (s *site) writeLabels() error {
	shapes := append([]*schema.Shape{words.Standings}, schema.Lists(words.ListName)...)
	return s.Put(layout.LabelsPage, func(p *page) {
		p.Open(frame.Head{Title: p.Words.Labels, Description: p.Words.LabelsText})
		p.Fill(listsForm,
			markup.By("heading", func() { p.WriteHeading(p.Words.Labels, p.Words.LabelsText, nil) }),
			markup.Each("lists", shapes, p.writeLabels))
		p.Close()
	})
}

func (p *page) writeLabels(shape *schema.Shape) {
	name := words.ListName(shape.Go)
	p.Fill(listForm, markup.With("id", name), markup.With("name", p.Words.Member(name)),
		markup.Each("words", shape.List, func(v schema.Value) {
			p.Fill(wordForm, markup.With("id", name+"-"+v.Word),
				markup.By("badge", func() { p.WritePlainBadge(shape, v.Word) }),
				markup.With("means", p.Words.Meaning(shape, v.Word)), markup.With("word", v.Word))
		}))
}
