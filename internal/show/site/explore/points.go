package explore

import (
	"iter"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the main points of a release.
var (
	pointsForm = markup.Parse(`
		<section id="points"><h2>{=PointsHead} <a class="quiet" href="{address}">{date}</a></h2><ul>{points}</ul></section>`)
	pointForm     = markup.Parse(`<li><strong>{head}:</strong> <a href="{address}"{?theirs}{lang}{/}>{title}</a>{rest}</li>`)
	restForm      = markup.Parse(`{?more} {more}{/}{?counts} <span class="quiet">({counts})</span>{/}.{?reason} <span{lang}>{reason}</span>{/}`)
	questionsForm = markup.Parse(` <a href="/in-question/">{=InQuestion}</a>`)
)

// point is a sentence about changes of the same sort: the first change, and the number of changes.
type point struct {
	head   string
	first  render.Entry
	count  int
	ofKind map[string]int // number of changes by kind
}

func (t *point) add(e render.Entry, kind string, n int) {
	if t.ofKind == nil {
		t.first, t.ofKind = e, map[string]int{}
	}
	t.count += n
	t.ofKind[kind] += n
}

// summary contains the changes of one release.
type summary struct {
	release                          string
	date                             record.Date
	from, entries                    int // its entries among all, and how many it has
	counts                           map[record.ChangeType]int
	records, figures, revised, fixed point // fixed are the corrections among what was revised
	lost                             point
}

func (s *summary) add(e render.Entry) {
	s.entries++
	change, kind, n := changeOf(e)
	s.counts[change] += n
	switch {
	case kind == record.KindGraphNode || kind == record.KindGraphEdge || change.OfKind():
	case change == record.ChangeCreated && e.Group != nil && e.Group.Indicator != "":
		s.figures.add(e, kind, n)
	case change == record.ChangeCreated:
		s.records.add(e, kind, n)
	case change == record.ChangeRetracted || change == record.ChangeRemoved:
		s.lost.add(e, kind, n)
	case change == record.ChangeCorrected:
		s.fixed.add(e, kind, n)
	case change == record.ChangeUpdated || change == record.ChangeSourceUpdated:
		s.revised.add(e, kind, n)
	}
}

// summaries yields a summary of each release with changes, newest first.
func (p *page) summaries() iter.Seq[*summary] {
	return func(yield func(*summary) bool) {
		var s *summary
		at := 0
		for e := range lookup.All(p.Reader, p.Records.Entries(nil).From(0)) {
			if of, date := frame.IntroducedBy(e); s == nil || of != s.release {
				if s != nil && !yield(s) {
					return
				}
				s = &summary{release: of, date: date, from: at, counts: map[record.ChangeType]int{}}
			}
			s.add(e)
			at++
		}
		if s != nil {
			yield(s)
		}
	}
}

// WritePoints writes the main points of the latest release with changes, if it changed more records
// than least.
func (s *Section) WritePoints(to *frame.Page, least int) {
	p := &page{to, s}
	for of := range p.summaries() {
		p.writePoints(of, least)
		return
	}
}

// writePoints writes the main points of a release: new records, revisions with their reasons,
// records that are no longer valid and, for the latest release, the next planned publication.
func (p *page) writePoints(s *summary, least int) {
	s.records.head, s.figures.head, s.lost.head = p.Words.PointNew, p.Words.PointFigures, p.Words.PointLost
	revised := &s.revised
	if s.fixed.count > 0 { // corrections are more important than other revisions
		revised = &s.fixed
	}
	revised.head = p.Words.PointRevised
	list, count := []*point{&s.records, &s.figures, revised, &s.lost}, 0
	for _, t := range list {
		count += t.count
	}
	if count == 0 || count <= least {
		return
	}
	p.Fill(pointsForm, markup.With("address", p.releaseAddress(s.release)), markup.By("date", func() { p.WriteDate(s.date) }),
		markup.By("points", func() {
			for _, t := range list {
				if t.count > 0 {
					p.writePoint(t, t == &s.lost)
				}
			}
			if s.release == p.Records.Release().Release {
				p.writeNextPlan()
			}
		}))
}

// changeOf returns the type of the change that e describes, and the kind and number of its records.
func changeOf(e render.Entry) (change record.ChangeType, kind string, n int) {
	if g := e.Group; g != nil {
		return record.ChangeType(g.Change), g.Kind, g.Count
	}
	return e.Event.ChangeType, string(e.Event.RecordKind), 1
}

func (p *page) writePoint(t *point, lost bool) {
	const most = 240 // bytes of a reason
	_, kind, first := changeOf(t.first)
	title, address, reason, others := "", "", "", t.count-first
	if g := t.first.Group; g != nil {
		title, address = p.GroupText(g), p.GroupAddress(g)
		if lines := p.of.ChangeReasons(p.Page, g); len(lines) > 0 {
			reason = words.Truncate(lines[0], most)
		}
	} else {
		title, address = p.SubjectOf(t.first.Event)
		c := p.Changed(t.first.Event)
		reason = words.Truncate(c.Reason, most)
		if c.Figure != "" {
			title += ": " + c.Figure
		}
	}
	var counts []string
	t.ofKind[kind] -= first
	for _, k := range record.Kinds {
		if n := t.ofKind[k.Name]; n > 0 {
			counts = append(counts, p.Words.RecordCount(k, n))
		}
	}
	more := ""
	if others > 0 {
		more = p.Words.Counted(p.Words.AndMore, others)
	}
	p.Fill(pointForm, markup.With("head", t.head), markup.With("address", address),
		markup.ShowIf("theirs", t.first.Group == nil), markup.With("title", title),
		markup.By("rest", func() {
			p.Fill(restForm, markup.With("more", more), markup.With("counts", strings.Join(counts, p.Words.Comma)),
				markup.With("reason", reason))
			if lost {
				p.Fill(questionsForm)
			}
		}))
}

// writeNextPlan writes the next planned publication, if there is one.
func (p *page) writeNextPlan() {
	if plan := p.Settings.NextPlan(record.Date(p.Records.Release().Date)); plan != nil {
		p.Fill(pointForm, markup.With("head", p.Words.CalendarNext), markup.With("address", layout.Address(layout.CalendarPage)),
			markup.ShowIf("theirs", true),
			markup.With("title", plan.What), markup.By("rest", func() {
				p.Text(p.Words.Comma)
				p.WriteDate(plan.Planned.Day())
			}))
	}
}
