package records

import (
	"stele/internal/show/site/markup"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the warning about the standing of a record.
var (
	standingForm = markup.Parse(`
		<div class="{class}" role="note">
			<p><strong>{what}</strong> {means}</p>
			<p>{why}</p>
		</div>`)
)

// writeStanding writes a warning if a record is no longer valid as it is, with the path of records
// to the cause. The record's own corrections have separate warnings.
func (p *page) writeStanding(k *record.Kind, i int) {
	is := p.Records.Standing(k, i)
	if is.Standing == standing.Stands || is.Standing.IsSelfReported() {
		return
	}
	class, text := "warning standing", p.Words.Standings[is.Standing.String()]
	if is.Standing.IsLost() {
		class = "warning standing grave"
	}
	p.Fill(standingForm, markup.With("class", class), markup.With("what", text[0]), markup.With("means", text[1]),
		markup.By("why", func() { p.writeCause(k, i, is) }))
}

// writeCause writes the path of records to the cause of a standing, and the cause.
func (p *page) writeCause(k *record.Kind, i int, is standing.Entry) {
	path, _ := p.Records.Explain(k, i)
	for n, id := range path {
		if n > 0 {
			p.Text(" " + p.Words.Arrow + " ")
		}
		p.WriteLink(id)
	}
	if len(path) > 0 {
		p.HTML(": ")
	}
	p.Text(p.Words.Causes[is.Cause.String()])
	p.HTML(" ")
	p.WriteDate(is.Since.Date())
}

// writeSourceWarnings writes a warning if a source was retracted or is in question, with the date
// and the announcement.
func (p *page) writeSourceWarnings(s *record.SourceObject) {
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
				p.WriteDate(n.Date)
				p.HTML(": ")
				p.WritePublisherText(n.Summary)
				if n.NoticeURL != "" {
					p.HTML(" ")
					p.WriteNotice(n.NoticeURL)
				}
			}))
	}
}
