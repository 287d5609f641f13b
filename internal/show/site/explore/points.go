package explore

import (
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The main points of the latest release with changes.
var (
	pointsForm = markup.Parse(`
		<section id="points"><h2>{=PointsHead} <span class="quiet">{date}</span></h2><ul>{points}</ul></section>`)
	pointForm     = markup.Parse(`<li><strong>{head}:</strong> <a href="{address}"{?theirs}{lang}{/}>{title}</a>{rest}</li>`)
	restForm      = markup.Parse(`{?more} {more}{/}{?counts} <span class="quiet">({counts})</span>{/}.{?reason} <span{lang}>{reason}</span>{/}`)
	questionsForm = markup.Parse(` <a href="/in-question/">{=InQuestion}</a>`)
)

// point is a sentence about changes of the same sort: the first of them, and how many others.
type point struct {
	head   string
	first  render.Entry
	count  int
	ofKind map[string]int // number of changes by kind
}

func (t *point) add(e render.Entry) {
	n, kind := 1, ""
	if e.Group != nil {
		n, kind = e.Group.Count, e.Group.Kind
	} else {
		kind = string(e.Event.RecordKind)
	}
	if t.ofKind == nil {
		t.first, t.ofKind = e, map[string]int{}
	}
	t.count += n
	t.ofKind[kind] += n
}

// maxPointEntries is the number of entries of a release that are read for its main points.
const maxPointEntries = 5_000

// Points writes the main points of the latest release with changes, if it changed more records than
// least: what is new, what was revised and why, what is no longer valid, and what comes next.
func (s *Room) Points(to *frame.Page, least int) {
	p := &page{to, s}
	newRecords, newFigures := point{head: p.Words.PointNew}, point{head: p.Words.PointFigures}
	revised, lost := point{head: p.Words.PointRevised}, point{head: p.Words.PointLost}
	corrected := point{head: p.Words.PointRevised}
	release, day, entries := "", record.Date(""), 0
	for e := range lookup.All(p.Reader, p.Records.Entries(nil).From(0)) {
		of, date := frame.BroughtBy(e)
		if entries > 0 && of != release || entries == maxPointEntries {
			break
		}
		release, day = of, date
		entries++
		change, kind := changeOf(e)
		switch {
		case kind == record.KindGraphNode || kind == record.KindGraphEdge || change.OfKind():
		case change == record.ChangeCreated && e.Group != nil && e.Group.Indicator != "":
			newFigures.add(e)
		case change == record.ChangeCreated:
			newRecords.add(e)
		case change == record.ChangeRetracted || change == record.ChangeRemoved:
			lost.add(e)
		case change == record.ChangeCorrected:
			corrected.add(e)
		case change == record.ChangeUpdated || change == record.ChangeSourceUpdated:
			revised.add(e)
		}
	}
	if corrected.count > 0 { // corrections are more important than other revisions
		revised = corrected
	}
	list := []point{newRecords, newFigures, revised, lost}
	list = slices.DeleteFunc(list, func(t point) bool { return t.count == 0 })
	if len(list) == 0 || newRecords.count+newFigures.count+revised.count+lost.count <= least {
		return
	}
	p.Fill(pointsForm, markup.By("date", func() { p.Date(day) }), markup.By("points", func() {
		for _, t := range list {
			p.point(&t, t.head == lost.head)
		}
		p.nextPlan()
	}))
}

func changeOf(e render.Entry) (record.ChangeType, string) {
	if e.Group != nil {
		return record.ChangeType(e.Group.Change), e.Group.Kind
	}
	return e.Event.ChangeType, string(e.Event.RecordKind)
}

func (p *page) point(t *point, lost bool) {
	const most = 240 // bytes of a reason
	title, address, reason, others := "", "", "", t.count-1
	if g := t.first.Group; g != nil {
		title, address, others = p.GroupText(g), p.GroupAddress(g), t.count-g.Count
		if lines := p.reasons(g); len(lines) > 0 {
			reason = words.First(lines[0], most)
		}
	} else {
		title, address = p.SubjectOf(t.first.Event)
		c := p.Changed(t.first.Event)
		reason = words.First(c.Reason, most)
		if c.Figure != "" {
			title += " (" + c.Figure + ")"
		}
	}
	var counts []string
	for _, k := range record.Kinds {
		if n := t.ofKind[k.Name]; n > 0 && others > 0 {
			counts = append(counts, p.Words.Records(k, n))
		}
	}
	more := ""
	if others > 0 {
		more = p.Words.Counted(p.Words.AndMore, others)
	}
	p.Fill(pointForm, markup.With("head", t.head), markup.With("address", address),
		markup.If("theirs", t.first.Group == nil), markup.With("title", title),
		markup.By("rest", func() {
			p.Fill(restForm, markup.With("more", more), markup.With("counts", strings.Join(counts, p.Words.Comma)),
				markup.With("reason", reason))
			if lost {
				p.Fill(questionsForm)
			}
		}))
}

// nextPlan writes what the publisher plans to publish next, if that is known.
func (p *page) nextPlan() {
	if plan := p.Settings.NextPlan(record.Date(p.Records.Release().Date)); plan != nil {
		p.Fill(pointForm, markup.With("head", p.Words.CalendarNext), markup.With("address", layout.Address(layout.CalendarPage)),
			markup.If("theirs", true),
			markup.With("title", plan.What), markup.By("rest", func() {
				p.Text(p.Words.Comma)
				p.Date(plan.Planned.Day())
			}))
	}
}
