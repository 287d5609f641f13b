package figures

import (
	"cmp"
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
		<p class="latest"><strong>{value}</strong> <span{lang}>{unit}</span> <span class="quiet">{area}{=Comma}{period}{status}</span> <span class="change">{change}</span></p>`)
	readoutNameForm    = markup.Parse(`<i class="{class}"></i>{area}`)
	readoutCaptionForm = markup.Parse(`<strong>{period}</strong> <span{lang}>{unit}</span>`)
	rankingForm        = markup.Parse(`
		<section id="ranking"><h2>{=Ranking}</h2><details{?open} open{/}><summary>{text}</summary>{tables}</details></section>`)
	barForm      = markup.Parse(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H{to}V8H0z"/></svg>`)
	boundBarForm = markup.Parse(`<svg class="bar bound" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H{to}V8H0z"/></svg>`)
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
	broken := false
	for i := range s.values {
		o := &s.values[i]
		if o.breaks() {
			broken = true
		}
		if !o.known() {
			continue
		}
		if t.before = t.latest; broken {
			t.before, t.first, broken = nil, nil, false
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

// leading is the series that the newest value above a chart is of, among those that it shows: the
// world, or the only area; nil where several areas stand beside each other.
func leading(shown []*series) *series {
	of := shown
	if i := slices.IndexFunc(shown, func(s *series) bool { return s.areaKey == lookup.World }); i >= 0 {
		of = shown[i:]
	} else if slices.ContainsFunc(shown, func(s *series) bool { return s.areaKey != shown[0].areaKey }) {
		return nil
	}
	if i := slices.IndexFunc(of, func(s *series) bool { return s.areaKey == of[0].areaKey && s.detail == "" }); i >= 0 {
		return of[i]
	}
	return of[0]
}

// latest writes the newest value of what a chart shows first, and how it changed; of several areas,
// none of which stands for the others, the lowest and the highest.
func (p *page) latest(list []*series) {
	charts := panels(list, math.NaN())
	if len(charts) == 0 || len(charts[0].shown) == 0 {
		return
	}
	s := leading(charts[0].shown)
	if s == nil {
		p.latestRange(charts[0].shown)
		return
	}
	t := s.trend()
	p.Fill(latestForm, markup.By("value", func() { p.figure(t.latest) }), markup.With("unit", s.label),
		markup.By("area", func() { p.Theirs(s.name()) }), markup.With("period", p.Words.When(t.latest.TimePeriod)),
		markup.By("status", func() {
			if remark := p.remarkOn(t.latest); remark != "" {
				p.Text(p.Words.Comma + remark)
			}
		}),
		markup.With("change", words.Capital(p.change(t))))
}

// latestRange writes the lowest and the highest of the values of the newest period.
func (p *page) latestRange(shown []*series) {
	type row struct {
		*series
		*observation
	}
	var rows []row
	for _, s := range shown {
		switch o := s.trend().latest; {
		case o == nil || math.IsNaN(o.size()):
		case len(rows) > 0 && o.at < rows[0].at:
		case len(rows) > 0 && o.at == rows[0].at:
			rows = append(rows, row{s, o})
		default:
			rows = []row{{s, o}}
		}
	}
	if len(rows) == 0 {
		return
	}
	slices.SortStableFunc(rows, func(a, b row) int { return descending(a.observation, b.observation) })
	high, low := rows[0], rows[len(rows)-1]
	value := p.shown(low.observation)
	if len(rows) > 1 {
		value += "–" + p.shown(high.observation)
	}
	p.Fill(latestForm, markup.With("value", value), markup.With("unit", low.label),
		markup.By("area", func() {
			p.Theirs(low.name())
			if len(rows) > 1 {
				p.Text(" – ")
				p.Theirs(high.name())
			}
		}),
		markup.With("period", p.Words.When(low.TimePeriod)), markup.With("status", ""), markup.With("change", ""))
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
	for _, o := range each(c.all) {
		if o.Value != "" && (last == "" || o.at > at || o.at == at && string(o.TimePeriod) > last) {
			last, at = string(o.TimePeriod), o.at
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
		{Name: p.Words.Script["area"], Head: true, Theirs: true},
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
		o = &observation{common: &common{}}
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
	size := func(o *observation) float64 {
		if o == nil {
			return math.NaN() // which is less than any number
		}
		return o.size()
	}
	return cmp.Compare(size(b), size(a))
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
	list = slices.DeleteFunc(slices.Clone(list), func(s *series) bool { return s.older })
	groups := slices.DeleteFunc(byUnit(list), func(g []*series) bool { // codes and bounds have no rank
		return !x.Apart() && (len(alike(g)) == 0 || highest(g) < 0)
	})
	if len(list) < 2 || len(groups) == 0 {
		return
	}
	var apart [][]*series // countries, and then what is larger: they are not ranked with each other
	for _, group := range groups {
		countries := slices.DeleteFunc(slices.Clone(group), func(s *series) bool { return s.rank() < 2 })
		regions := slices.DeleteFunc(slices.Clone(group), func(s *series) bool { return s.rank() == 2 })
		apart = append(apart, countries, regions)
	}
	text := p.Words.RankingText
	if x.Apart() {
		text += " " + p.Words.FiguresByArea
	}
	p.Fill(rankingForm, markup.With("text", text), markup.If("open", len(list) <= mostRanked),
		markup.By("tables", func() {
			for _, group := range apart {
				if len(group) > 0 {
					p.rankingTable(x, group)
				}
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
		limit, _ := newest.bound()
		for _, v := range []float64{newest.size(), limit} {
			if !math.IsNaN(v) {
				largest, least = max(largest, v), min(least, v)
			}
		}
		rows = append(rows, row{s, newest})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return descending(a.newest, b.newest) })
	columns := []frame.Column{
		{Name: p.Words.Script["area"], Head: true, Theirs: true},
		{Name: p.Words.Value, Number: true},
		{Name: p.Words.Chart},
		{Name: p.Words.Period},
	}
	caption := func() {
		p.Theirs(group[0].label)
		if group[0].rank() < 2 {
			p.Text(p.Words.Comma + p.Words.Script["regions"])
		}
	}
	p.Table(frame.Table{Class: "ranks", Hidden: true, Caption: caption, Columns: columns}, func(t *frame.Table) {
		for _, r := range rows {
			area := p.Cell(r.name())
			if x.Apart() {
				area = func() { p.Anchor(x.AreaAddress(r.areaKey), r.name()) }
			}
			bar := func() {
				if least >= 0 && largest > 0 {
					p.bar(r.newest, largest)
				}
			}
			t.Row("", area, func() { p.figure(r.newest) }, bar, p.Cell(p.Words.When(r.newest.TimePeriod)))
		}
	})
}

// bar draws a value beside the largest of all; a bound as far as the value may reach.
func (p *page) bar(o *observation, largest float64) {
	if limit, below := o.bound(); below {
		p.Draw(boundBarForm, limit/largest*100)
	} else if o.drawable() {
		p.Draw(barForm, o.value()/largest*100)
	}
}
