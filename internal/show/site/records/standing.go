package records

import (
	"stele/internal/show/site/markup"
	"stele/internal/trust/standing"
	"stele/record"
)

// What says that a record no longer stands as it is.
var (
	standingForm = markup.Parse(`
		<div class="{class}" role="note">
			<p><strong>{what}</strong> {means}</p>
			<p>{why}</p>
		</div>`)
)

// standing shows that a record no longer stands as it is, and why: which records lead from it to
// the one at which something happened. What it says of itself is shown by warnings.
func (p *page) standing(k *record.Kind, i int) {
	is := p.Records.Standing(k, i)
	if is.Standing == standing.Stands || is.Standing.SelfReported() {
		return
	}
	class, text := "warning standing", p.Words.Standings[is.Standing.String()]
	if is.Standing.Lost() {
		class = "warning standing grave"
	}
	p.Fill(standingForm, markup.With("class", class), markup.With("what", text[0]), markup.With("means", text[1]),
		markup.By("why", func() { p.because(k, i, is) }))
}

// because says which records lead from one to another at which something happened, and what did.
func (p *page) because(k *record.Kind, i int, is standing.Entry) {
	path, _ := p.Records.Explain(k, i)
	for n, id := range path {
		if n > 0 {
			p.Text(" " + p.Words.Arrow + " ")
		}
		p.Link(id)
	}
	if len(path) > 0 {
		p.HTML(": ")
	}
	p.Text(p.Words.Causes[is.Cause.String()])
	p.HTML(" ")
	p.Date(is.Since.Date())
}

// sourceWarnings show that a source was retracted or is in question: when, in whose words, and
// where that was announced.
func (p *page) sourceWarnings(s *record.SourceObject) {
	withdrawn, partial, concern := s.Notices()
	for _, n := range []struct {
		*record.SourceUpdate
		class string
		text  [2]string
	}{
		{withdrawn, "warning standing grave", p.Words.SourceRetracted},
		{partial, "warning standing", p.Words.SourcePartial},
		{concern, "warning standing", p.Words.SourceConcern},
	} {
		if n.SourceUpdate == nil {
			continue
		}
		p.Fill(standingForm, markup.With("class", n.class), markup.With("what", n.text[0]), markup.With("means", n.text[1]),
			markup.By("why", func() {
				p.Date(n.Date)
				p.HTML(": ")
				p.Theirs(n.Summary)
				if n.NoticeURL != "" {
					p.HTML(" ")
					p.Notice(n.NoticeURL)
				}
			}))
	}
}
