package figures

import (
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The newest values: that of the indicator in words, those of the lines beside the chart, and those
// of all areas by size.
var (
	latestForm = markup.Parse(`
		<p class="latest"><strong>{value}</strong> <span{lang}>{unit}</span> <span class="quiet"><span{lang}>{area}</span>{=Comma}{period}{status}</span> <span class="change">{change}</span></p>`)
	readoutNameForm    = markup.Parse(`<i class="{class}"></i>{area}`)
	readoutCaptionForm = markup.Parse(`<strong>{period}</strong> <span{lang}>{unit}</span>`)
	rankingForm        = markup.Parse(`
		<section id="ranking"><h2>{=Ranking}</h2><details{?open} open{/}><summary>{text}</summary>{tables}</details></section>`)
	barForm = markup.Parse(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H{to}V8H0z"/></svg>`)
)

// shown is a value as pages write it; "–" where there is none.
func (p *page) shown(o *observation) string {
	switch {
	case o.text != "":
		return o.text
	case o.Value != "":
		return p.Words.Figure(o.Value, o.Decimals)
	}
	return "–"
}

// known reports whether something is known of a value that was not taken back, if only a bound.
func (o *observation) known() bool {
	return o.drawable() || o.text != "" && !math.IsNaN(o.at) && !o.standing.Lost()
}

// trend is the newest value of a series with what it is compared with: the value before, and the
// first since the last break.
type trend struct{ latest, before, first *observation }

func (s *series) trend() (t trend) {
	for i := range s.values {
		o := &s.values[i]
		if !o.known() {
			continue
		}
		if t.before = t.latest; o.breaks() {
			t.before, t.first = nil, nil
		}
		if t.latest = o; t.first == nil {
			t.first = o
		}
	}
	return t
}

// change says how the newest value compares.
func (p *page) change(t trend) string {
	if t.before == nil {
		return ""
	}
	compared := func(o *observation) string {
		if t.latest.Value == "" || o.Value == "" {
			return p.Words.After
		}
		return p.Words.Compared[1+t.latest.Value.Compare(o.Value)]
	}
	in := func(o *observation) string {
		return " " + p.shown(o) + " " + p.Words.In + " " + p.Words.When(o.TimePeriod)
	}
	text := compared(t.before) + in(t.before)
	switch {
	case t.first == t.before:
	case compared(t.first) == compared(t.before):
		text += " " + p.Words.And + in(t.first)
	default:
		text += p.Words.Comma + compared(t.first) + in(t.first)
	}
	return text
}

// remarkOn is what a reader must know of a value beside it; "" for a normal one.
func (p *page) remarkOn(o *observation) string {
	switch {
	case o.standing.Lost():
		return p.Words.Written(words.Standings, o.standing.String())
	case o.ObsStatus != record.StatusNormal && o.ObsStatus != "":
		return strings.ToLower(p.Words.Written(words.ObsStatuses, string(o.ObsStatus)))
	}
	return ""
}

// latest writes the newest value of an indicator, and how it changed.
func (p *page) latest(list []*series) {
	s := headline(list)
	if s == nil {
		return
	}
	t := s.trend()
	p.Fill(latestForm, markup.By("value", func() { p.figure(t.latest) }), markup.With("unit", s.label),
		markup.With("area", s.name()), markup.With("period", p.Words.When(t.latest.TimePeriod)),
		markup.By("status", func() {
			if remark := p.remarkOn(t.latest); remark != "" {
				p.Text(p.Words.Comma + remark)
			}
		}),
		markup.With("change", words.Capital(p.change(t))))
}

// summary says in a sentence what a chart shows.
func (p *page) summary(c *panel) string {
	if len(c.shown) == 0 {
		return c.label
	}
	s := c.shown[0]
	t := s.trend()
	text := s.name() + ": " + p.shown(t.latest) + " " + s.label + " " + p.Words.In + " " + p.Words.When(t.latest.TimePeriod)
	if change := p.change(t); change != "" {
		text += p.Words.Comma + change
	}
	if more := len(c.shown) - 1; more > 0 {
		text += "; " + p.Words.Counted(p.Words.MoreLines, more)
	}
	return text + "."
}

// readout writes the values of the lines that are shown at the end of the chart, the largest first,
// as the script does for any period.
func (p *page) readout(c *panel) {
	last := ""
	var at float64
	for _, s := range c.all {
		for i := range s.values {
			if o := &s.values[i]; o.Value != "" && (last == "" || o.at > at || o.at == at && string(o.TimePeriod) > last) {
				last, at = string(o.TimePeriod), o.at
			}
		}
	}
	type row struct {
		line  int
		value *observation
	}
	rows := make([]row, len(c.shown))
	for i, s := range c.shown {
		rows[i].line = i
		for j := range s.values {
			if string(s.values[j].TimePeriod) == last {
				rows[i].value = &s.values[j]
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return descending(a.value, b.value) })
	columns := []frame.Column{
		{Name: p.Words.Script.Area, Head: true, Theirs: true},
		{Name: p.Words.Value, Number: true},
		{Name: words.Capital(p.Words.Interval), Number: true},
		{Name: p.Words.Status},
	}
	p.Table(frame.Table{Class: "readout", Hidden: true, Columns: columns, Caption: func() {
		p.Fill(readoutCaptionForm, markup.With("period", p.Words.When(record.Period(last))), markup.With("unit", c.label))
	}}, func(t *frame.Table) {
		for _, r := range rows {
			p.readoutRow(t, c.shown[r.line], r.line, r.value)
		}
	})
}

func (p *page) readoutRow(t *frame.Table, s *series, line int, o *observation) {
	if o == nil {
		o = &observation{HealthcareStatistic: &record.HealthcareStatistic{}}
	}
	t.Row("", func() {
		p.Fill(readoutNameForm, markup.With("class", lineClass(line)), markup.With("area", s.name()))
	}, func() { p.figure(o) }, func() {
		if o.banded() {
			p.intervalOf(o)
		}
	}, p.Cell(p.remarkOn(o)))
}

// descending compares values, the largest first and what has none last.
func descending(a, b *observation) int {
	switch x, y := a != nil && a.Value != "", b != nil && b.Value != ""; {
	case x && y:
		return b.Value.Compare(a.Value)
	case x:
		return -1
	case y:
		return 1
	}
	return 0
}

// figure writes what is shown of a value; what a code means is in the words of the publisher.
func (p *page) figure(o *observation) {
	if o.Code != "" {
		p.Theirs(p.shown(o))
		return
	}
	p.Text(p.shown(o))
}

// mostRanked is how many areas stand there at once; more unfold.
const mostRanked = 40

// ranking writes the newest value of each area, the largest first. Where the values of an area have
// a page of their own, it leads there.
func (p *page) ranking(x *lookup.Indicator, list []*series) {
	groups := slices.DeleteFunc(byUnit(list), func(g []*series) bool { // codes and bounds have no rank
		return !x.Apart() && (len(alike(g)) == 0 || highest(g) < 0)
	})
	if len(list) < 2 || len(groups) == 0 {
		return
	}
	text := p.Words.RankingText
	if x.Apart() {
		text += " " + p.Words.FiguresByArea
	}
	p.Fill(rankingForm, markup.With("text", text), markup.If("open", len(list) <= mostRanked),
		markup.By("tables", func() {
			for _, group := range groups {
				p.rankingTable(x, group)
			}
		}))
}

func (p *page) rankingTable(x *lookup.Indicator, group []*series) {
	type row struct {
		*series
		newest *observation
	}
	rows := make([]row, 0, len(group))
	largest, least := 0.0, 0.0
	for _, s := range group {
		newest := s.trend().latest
		if newest == nil {
			newest = &s.values[len(s.values)-1]
		}
		if newest.drawable() {
			largest, least = max(largest, newest.value()), min(least, newest.value())
		}
		rows = append(rows, row{s, newest})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return descending(a.newest, b.newest) })
	columns := []frame.Column{
		{Name: p.Words.Script.Area, Head: true, Theirs: true},
		{Name: p.Words.Value, Number: true},
		{Name: p.Words.Chart},
		{Name: p.Words.Period},
	}
	caption := func() { p.Theirs(group[0].label) }
	p.Table(frame.Table{Class: "ranks", Hidden: true, Caption: caption, Columns: columns}, func(t *frame.Table) {
		for _, r := range rows {
			area := p.Cell(r.name())
			if x.Apart() {
				area = func() { p.Anchor(x.AreaAddress(r.areaKey), r.name()) }
			}
			t.Row("", area, func() { p.figure(r.newest) }, func() {
				if least >= 0 && largest > 0 && r.newest.drawable() {
					p.Draw(barForm, r.newest.value()/largest*100)
				}
			}, p.Cell(p.Words.When(r.newest.TimePeriod)))
		}
	})
}
