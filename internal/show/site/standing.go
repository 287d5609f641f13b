package site

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
		</div>

		`)
	tallyPartForm = markup.Parse(` · {count} {badge}`)
)

// standing says that a record no longer stands as it is, and why: which records lead from it to the
// one at which something happened. Of what it retracts itself, its corrections tell.
func (p *page) standing(k *record.Kind, i int, e *record.Envelope) {
	is := p.e.Standing(k, i)
	if is.Standing == standing.Stands || is.Standing == standing.Retracted && e.Retracted() {
		return
	}
	class, text := "warning standing", p.words.standings[is.Standing]
	if is.Standing.Lost() {
		class = "warning standing grave"
	}
	if is.Standing == standing.Retracted { // a source
		text = p.words.SourceRetracted
	}
	p.Fill(standingForm, markup.With("class", class), markup.With("what", text[0]), markup.With("means", text[1]),
		markup.By("why", func() {
			if is.Standing == standing.Retracted && k.Name == record.KindSourceObject {
				p.withdrawal(e)
				return
			}
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
			p.Text(p.words.causes[is.Cause])
			p.HTML(" ")
			p.date(is.Since.Date())
		}))
}

// withdrawal tells how a source was retracted: when, in whose words, and where that was announced.
func (p *page) withdrawal(e *record.Envelope) {
	var last *record.SourceUpdate
	for i := range e.SourceUpdates {
		if u := &e.SourceUpdates[i]; u.Withdrawn() && (last == nil || u.Date >= last.Date) {
			last = u
		}
	}
	if last == nil {
		return
	}
	p.date(last.Date)
	p.HTML(": ")
	p.theirs(last.Summary)
	if last.NoticeURL != "" {
		p.HTML(" ")
		p.notice(last.NoticeURL)
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
				markup.By("badge", func() { p.badge(standings, standing.Standing(is).String()) }))
		}
	}
}

// standingBadge marks a record that does not stand as it is, where it is one of many.
func (p *page) standingBadge(is standing.Standing) {
	if is != standing.Stands {
		p.HTML(" ")
		p.plainBadge(standings, is.String())
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
