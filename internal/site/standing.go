package site

import (
	"stele/internal/standing"
	"stele/record"
)

// standing says that a record no longer stands as it is, and why: which records lead from it to the
// one at which something happened. Of what it retracts itself, its corrections tell.
func (p *page) standing(k *record.Kind, i int, e *record.Envelope) {
	is := p.e.Standing(k, i)
	if is.Standing == standing.Stands || is.Standing == standing.Retracted && e.Retracted() {
		return
	}
	p.HTML(`<div class="warning standing`)
	if is.Standing.Lost() {
		p.HTML(` grave`)
	}
	p.HTML(`" role="note"><p><strong>`)
	text := p.words.standings[is.Standing]
	if is.Standing == standing.Retracted { // a source
		text = p.words.SourceRetracted
	}
	p.Text(text[0])
	p.HTML("</strong> ")
	p.Text(text[1])
	p.HTML("</p><p>")
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
	p.HTML("</p></div>\n")
}

// withdrawal tells how a source was retracted: when, in whose words, and where that was announced.
func (p *page) withdrawal(e *record.Envelope) {
	var last *record.SourceUpdate
	for i := range e.SourceUpdates {
		if u := &e.SourceUpdates[i]; u.Withdrawn() && (last == nil || u.Date >= last.Date) {
			last = u
		}
	}
	if last != nil {
		p.date(last.Date)
		p.HTML(": ")
		p.Text(last.Summary)
		if last.NoticeURL != "" {
			p.HTML(" ")
			p.notice(last.NoticeURL)
		}
	}
	p.HTML("</p></div>\n")
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
			p.HTML(" · ")
			p.Int(int64(t[is]))
			p.HTML(" ")
			p.badge(standings, standing.Standing(is).String())
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
