package site

import (
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// What says that a record no longer stands as it is.
var (
	standingForm = markup.Parse(`
		<div class="{class}" role="note">
			<p><strong>{what}</strong> {means}</p>
			<p>{why}</p>
		</div>

		`)
	tallyPartForm = markup.Parse(` · {count} {badge}`)
)

// standing shows that a record no longer stands as it is, and why: which records lead from it to
// the one at which something happened. What it says of itself is shown by warnings.
func (p *page) standing(k *record.Kind, i int) {
	is := p.e.Standing(k, i)
	if is.Standing == standing.Stands || is.Standing.SelfReported() {
		return
	}
	class, text := "warning standing", p.words.Standings[is.Standing]
	if is.Standing.Lost() {
		class = "warning standing grave"
	}
	p.Fill(standingForm, markup.With("class", class), markup.With("what", text[0]), markup.With("means", text[1]),
		markup.By("why", func() {
			path, _ := p.e.Explain(k, i)
			for n, id := range path {
				if n > 0 {
					p.HTML(" → ")
				}
				p.link(id)
			}
			if len(path) > 0 {
				p.HTML(": ")
			}
			p.Text(p.words.Causes[is.Cause])
			p.HTML(" ")
			p.date(is.Since.Date())
		}))
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
		{withdrawn, "warning standing grave", p.words.SourceRetracted},
		{partial, "warning standing", p.words.SourcePartial},
		{concern, "warning standing", p.words.SourceConcern},
	} {
		if n.SourceUpdate == nil {
			continue
		}
		p.Fill(standingForm, markup.With("class", n.class), markup.With("what", n.text[0]), markup.With("means", n.text[1]),
			markup.By("why", func() {
				p.date(n.Date)
				p.HTML(": ")
				p.theirs(n.Summary)
				if n.NoticeURL != "" {
					p.HTML(" ")
					p.notice(n.NoticeURL)
				}
			}))
	}
}

// tally counts records by their standing.
type tally [len(standing.Words)]int

// countStandings counts the records of each kind, once for all pages.
func (s *site) countStandings() {
	s.tallies = map[*record.Kind]*tally{}
	for _, k := range record.Kinds {
		if !k.HasNode() {
			continue
		}
		t := new(tally)
		for i := range s.e.Len(k) {
			t[s.e.Standing(k, i).Standing]++
		}
		s.tallies[k] = t
	}
}

// tally writes how many records do not stand as they are, the worst first.
func (p *page) tally(t *tally) {
	if t == nil {
		return
	}
	for is := len(t) - 1; standing.Standing(is) > standing.Stands; is-- {
		if t[is] > 0 {
			p.Fill(tallyPartForm, markup.Number("count", t[is]),
				markup.By("badge", func() { p.badge(words.Standings, standing.Standing(is).String()) }))
		}
	}
}

// standingBadge marks a record that does not stand as it is, where it is one of many.
func (p *page) standingBadge(is standing.Standing) {
	if is != standing.Stands {
		p.HTML(" ")
		p.plainBadge(words.Standings, is.String())
	}
}

// standingOf is the standing of the record with an ID.
func (p *page) standingOf(id string) standing.Standing {
	k, i, ok := p.e.Find(id)
	if !ok || !k.HasNode() {
		return standing.Stands
	}
	return p.e.Standing(k, i).Standing
}
