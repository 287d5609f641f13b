package figures

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"stele/internal/show/latest"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/record"
)

// The forms of the latest values: the value of the indicator in words, the values of lines next to
// the chart, and the values of all areas by size.
var (
	latestForm = markup.Parse(`
		<p class="latest"><strong>{value}</strong> <span{lang}>{unit}</span> <span class="quiet">{where}</span> <span class="change">{change}</span></p>`)
	readoutNameForm    = markup.Parse(`<i class="{class}"></i>{area}`)
	readoutCaptionForm = markup.Parse(`<strong>{period}</strong> <span{lang}>{unit}</span>`)
	rankingForm        = markup.Parse(`
		<section id="ranking"><h2>{=Ranking}</h2><details class="narrow"{?open} open{/}><summary>{text}</summary>{narrow}{tables}</details></section>`)
	barForm      = markup.Parse(`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H{to}V8H0z"/></svg>`)
	boundBarForm = markup.Parse(`<svg class="bar bound" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0H{to}V8H0z"/></svg>`)
)

// valueText returns o as pages show it, or "–" if it is missing.
func (p *page) valueText(o *observation) string {
	switch {
	case o.text != "":
		return o.text
	case o.Value != "":
		return p.Words.Brief(o.Value, o.Decimals)
	}
	return "–"
}

// isKnown reports whether the observation has a value or bound and was not retracted.
func (o *observation) isKnown() bool { return o.latestValue().Known && !o.standing.IsLost() }

// latestValue returns the properties that decide whether a value is the latest of its series.
func (o *observation) latestValue() latest.Value {
	return latest.Value{
		Known: (o.Value != "" || o.text != "") && !math.IsNaN(o.at), Period: o.TimePeriod, Status: o.ObsStatus,
		Standing: o.standing,
	}
}

// trend contains the latest value of a series, the values that it is compared with (the previous
// value, and the first value since the last break), a later retracted value, and the last forecast.
type trend struct{ latest, before, first, withdrawn, projected *observation }

func (s *series) trend() (t trend) {
	at := func(i int) *observation {
		if i < 0 {
			return nil
		}
		return &s.values[i]
	}
	now, withdrawn, projected := latest.Index(len(s.values), func(i int) latest.Value {
		is := s.values[i].latestValue()
		is.Known = is.Known && !s.newer.has(s.values[i].TimePeriod) // a later edition replaces it
		return is
	})
	t.latest, t.withdrawn, t.projected = at(now), at(withdrawn), at(projected)
	for i := now - 1; i >= 0 && !s.values[i+1].isBreak(); i-- {
		if o := at(i); o.isKnown() && !o.latestValue().IsForecast() {
			t.before, t.first = cmp.Or(t.before, o), o
		}
	}
	return t
}

// trendText compares the latest value of t with earlier values in words, and names the forecast.
func (p *page) trendText(t trend) (text string) {
	in := func(o *observation) string {
		return " " + p.valueText(o) + " " + p.Words.In + " " + p.Words.When(o.TimePeriod)
	}
	compared := func(o *observation) string {
		if t.latest.Value == "" || o.Value == "" {
			return p.Words.After
		}
		return p.Words.Compared[1+t.latest.Value.Compare(o.Value)]
	}
	if t.before != nil {
		text = compared(t.before) + in(t.before)
		switch {
		case t.first == t.before:
		case compared(t.first) == compared(t.before):
			text += " " + p.Words.And + in(t.first)
		default:
			text += p.Words.Comma + compared(t.first) + in(t.first)
		}
	}
	if o := t.projected; o != nil {
		forecast := p.Words.Written(words.ObsStatuses, string(o.ObsStatus))
		text += ". " + forecast + p.Words.Comma + p.Words.When(o.TimePeriod) + ": " + p.valueText(o)
		text = strings.TrimPrefix(text, ". ")
	}
	return text
}

// stated is the latest value of a series as pages, lists, pictures and the search show it. If no
// series represents all areas, it is a value of all areas.
type stated struct {
	value  string
	code   bool   // whether the value is a code in the publisher's words
	unit   string // in words; "" for a code
	where  string // the area, the period, the interval and the status
	change string
	series *series // nil for all areas
	latest *observation
}

// text returns the value on one line, such as "86 per cent of one-year-olds, France, 2015,
// provisional". comma separates its parts.
func (v *stated) text(comma string) string {
	if v == nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSpace(v.value+" "+v.unit)+comma+v.where, comma)
}

// periodText returns the period of a value with its interval and remarks.
func (p *page) periodText(o *observation) string {
	text := p.Words.When(o.TimePeriod)
	if o.hasInterval() {
		text += p.Words.Comma + p.Words.Interval + " " + p.intervalText(o)
	}
	return text + p.withComma(p.Words.Remark(o.latestValue()))
}

// withComma returns text with a leading comma, or "" if text is empty.
func (p *page) withComma(text string) string {
	if text == "" {
		return ""
	}
	return p.Words.Comma + text
}

// latestOf returns the latest value of s, or nil if there is none. name is the name of the area on
// pages about other areas.
func (p *page) latestOf(s *series, name string) *stated {
	t := s.trend()
	if t.latest == nil {
		return nil
	}
	v := p.newStated(s, t.latest, name)
	v.where += p.withdrawnText(t.withdrawn)
	v.change = words.Capital(p.trendText(t))
	return v
}

// withdrawnText returns the period of o, a retracted value, and that it was retracted, such as
// "; 2015: retracted". It returns "" if o is nil.
func (p *page) withdrawnText(o *observation) string {
	if o == nil {
		return ""
	}
	return "; " + p.Words.When(o.TimePeriod) + ": " + p.Words.Remark(o.latestValue())
}

func (p *page) newStated(s *series, o *observation, name string) *stated {
	v := &stated{value: p.valueText(o), code: o.Code != "", series: s, latest: o}
	v.unit = p.Words.UnitOf(v.value, s.label)
	if v.code {
		v.unit = ""
	}
	v.where = strings.TrimPrefix(p.withComma(name)+p.Words.Comma+p.periodText(o), p.Words.Comma)
	return v
}

// latestOfAll returns the value that represents all areas of an indicator: the value of the world
// or of the only area, or otherwise the median of the latest values of all areas, with the lowest
// and the highest value. It returns nil if there is no value.
func (p *page) latestOfAll(list []*series) *stated {
	if s := representative(list); s != nil {
		return p.latestOf(s, s.name())
	}
	var rows []*series
	for _, s := range medianSeries(list) {
		if o := s.trend().latest; o != nil && !math.IsNaN(o.size()) {
			rows = append(rows, s)
		}
	}
	if len(rows) < 2 {
		return nil
	}
	latestOf := func(s *series) *observation { return s.trend().latest }
	slices.SortStableFunc(rows, func(a, b *series) int { return compareDescending(latestOf(b), latestOf(a)) })
	v := &stated{value: p.median(latestOf(rows[(len(rows)-1)/2]), latestOf(rows[len(rows)/2]))}
	v.unit = p.Words.UnitOf(v.value, rows[0].label)
	byTime := func(a, b *series) int { return cmp.Compare(latestOf(a).at, latestOf(b).at) }
	from, to := latestOf(slices.MinFunc(rows, byTime)).TimePeriod, latestOf(slices.MaxFunc(rows, byTime)).TimePeriod
	areas := p.Words.Counted(p.Words.CountedAreas, len(rows))
	v.where = words.Fill(p.Words.MedianOf, "areas", areas) + p.Words.Comma + p.Words.When(from)
	if from != to {
		v.where += "–" + p.Words.When(to)
	}
	v.where += p.remarkCounts(rows)
	end := func(s *series) string {
		text, o := s.name(), latestOf(s)
		if from != to {
			text += p.Words.Comma + p.Words.When(o.TimePeriod)
		}
		return p.valueText(o) + " (" + text + p.withComma(p.Words.Remark(o.latestValue())) + ")"
	}
	v.change = words.Fill(p.Words.Spread, "low", end(rows[0]), "high", end(rows[len(rows)-1]))
	return v
}

// medianSeries returns the series for a median, all of the most common unit: each country, or
// otherwise each region, once, without breakdowns and in its latest edition.
func medianSeries(list []*series) (rows []*series) {
	seen, countries := map[string]bool{}, false
	for _, s := range withoutEnded(slices.Concat(byUnit(list)[:min(1, len(list))]...)) {
		if s.whole && !s.older && !seen[s.areaKey] {
			rows, seen[s.areaKey], countries = append(rows, s), true, countries || s.rank() == 2
		}
	}
	return slices.DeleteFunc(rows, func(s *series) bool { return countries && s.rank() < 2 })
}

// median returns the mean of a and b, the two middle values, which may be the same value. A bound
// has no mean with another value.
func (p *page) median(a, b *observation) string {
	if a == b || a.Value == "" || b.Value == "" {
		return p.valueText(a)
	}
	decimals := int64(0)
	for _, o := range []*observation{a, b} {
		_, fraction, _ := strings.Cut(string(o.Value), ".")
		decimals = max(decimals, int64(len(fraction)))
		if o.Decimals != nil {
			decimals = *o.Decimals
			break
		}
	}
	middle := a.value()/2 + b.value()/2
	return p.Words.Brief(record.Number(strconv.FormatFloat(middle, 'f', -1, 64)), &decimals)
}

// remarkCounts returns the number of latest values with each remark, such as ", 12 provisional".
func (p *page) remarkCounts(rows []*series) (text string) {
	counts := map[string]int{}
	for _, s := range rows {
		counts[p.Words.Remark(s.trend().latest.latestValue())]++
	}
	delete(counts, "")
	for _, remark := range slices.Sorted(maps.Keys(counts)) {
		text += p.Words.Comma + p.Words.Int(int64(counts[remark])) + " " + remark
	}
	return text
}

// writeLatest writes the value that represents all series in list.
func (p *page) writeLatest(list []*series) {
	if v := p.latestOfAll(list); v != nil {
		p.Fill(latestForm, markup.By("value", func() { p.writeStatedValue(v) }), markup.With("unit", v.unit),
			markup.By("where", func() { p.WritePublisherText(v.where) }), markup.With("change", v.change))
	}
}

// writeStatedValue writes only the value of v.
func (p *page) writeStatedValue(v *stated) {
	if v.code {
		p.WritePublisherText(v.value)
		return
	}
	p.Text(v.value)
}

// chartSummary returns a sentence that summarizes the chart c.
func (p *page) chartSummary(c *panel) string {
	if len(c.shown) == 0 {
		return c.label
	}
	text := c.label
	if v := p.latestOf(c.shown[0], c.shown[0].name()); v != nil {
		text = strings.TrimSuffix(v.text(p.Words.Comma)+". "+v.change, ". ")
	}
	if more := len(c.shown) - 1; more > 0 {
		text += "; " + p.Words.Counted(p.Words.MoreLines, more)
	}
	return text + "."
}

// writeReadout writes the values of the shown lines in the latest period without forecasts, or in
// the closest earlier period, the largest value first. The script does the same for any period.
func (p *page) writeReadout(c *panel) {
	var last *observation
	for _, s := range c.all {
		if o := s.trend().latest; o != nil && (last == nil || o.at > last.at) {
			last = o
		}
	}
	if last == nil {
		return
	}
	lines, values := make([]int, len(c.shown)), make([]*observation, len(c.shown))
	withdrawn := slices.Clone(values)
	for i, s := range c.shown {
		lines[i] = i
		values[i], withdrawn[i] = c.closest(s, last)
	}
	slices.SortStableFunc(lines, func(a, b int) int { return compareDescending(values[a], values[b]) })
	columns := []frame.Column{
		{Name: p.Words.Script["area"], Head: true, Theirs: true},
		{Name: p.Words.Value, Number: true},
		{Name: words.Capital(p.Words.Interval), Number: true},
		{Name: p.Words.Status},
	}
	p.Table(frame.Table{Class: "readout", Hidden: true, Columns: columns, Caption: func() {
		p.Fill(readoutCaptionForm, markup.With("period", p.Words.When(last.TimePeriod)), markup.With("unit", c.label))
	}}, func(t *frame.Table) {
		for _, i := range lines {
			p.writeReadoutRow(t, i, c.shown[i].name(), values[i], last, withdrawn[i])
		}
	})
}

// closest returns the value of s in the period of to, or otherwise the latest earlier value that is
// not a forecast and within the indicator's limit of periods, or nil if there is none. withdrawn is
// the value in the period of to if that was retracted.
func (c *panel) closest(s *series, to *observation) (value, withdrawn *observation) {
	var times []float64
	for _, o := range each(c.all) {
		if o.at <= to.at {
			times = append(times, o.at)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	first := times[max(0, len(times)-1-lookBackPeriods(&s.measure))]
	for i := range slices.Backward(s.values) {
		o := &s.values[i]
		earlier := !o.latestValue().IsForecast() && !s.endedBefore(to.TimePeriod)
		switch {
		case o.isKnown() && first <= o.at && o.at <= to.at && (o.at == to.at || earlier):
			return o, withdrawn
		case o.at == to.at && o.latestValue().Known && o.standing.IsLost():
			withdrawn = o
		}
	}
	return nil, withdrawn
}

// lookBackPeriods returns the number of periods by which a value may precede the period shown.
func lookBackPeriods(m *record.Measure) int {
	const usual = 5
	if m.LookBack == nil {
		return usual
	}
	return int(min(*m.LookBack, math.MaxInt32))
}

// writeReadoutRow writes o, the value of an area at or before the period of last.
func (p *page) writeReadoutRow(t *frame.Table, line int, area string, o, last, withdrawn *observation) {
	if o == nil {
		o = &observation{common: &common{}}
	}
	note := p.Words.Remark(o.latestValue())
	if o.TimePeriod != last.TimePeriod && o.TimePeriod != "" {
		note = p.Words.When(o.TimePeriod) + p.withComma(note)
	}
	note = strings.TrimPrefix(note+p.withdrawnText(withdrawn), "; ")
	t.Row("", func() {
		p.Fill(readoutNameForm, markup.With("class", lineClass(line)), markup.With("area", area))
	}, func() { p.writeFigure(o) }, func() {
		if o.hasInterval() {
			p.writeInterval(o)
		}
	}, p.Cell(note))
}

// compareDescending compares a and b so that the largest value is first, and missing ones are last.
func compareDescending(a, b *observation) int {
	size := func(o *observation) float64 {
		if o == nil {
			return math.NaN() // less than any number
		}
		return o.size()
	}
	return cmp.Compare(size(b), size(a))
}

// writeFigure writes o. If it is a code, it writes the meaning in the publisher's words.
func (p *page) writeFigure(o *observation) {
	if o.Code != "" {
		p.WritePublisherText(p.valueText(o))
		return
	}
	p.Text(p.valueText(o))
}

// mostRanked is the maximum number of areas that are visible at first. Others are folded.
const mostRanked = 40

// writeRanking writes the latest value of each area, the largest first, with links to the areas'
// pages if areas have pages.
func (p *page) writeRanking(x *lookup.Indicator, list []*series) {
	list = slices.DeleteFunc(withoutEnded(list), func(s *series) bool { return s.older })
	units := byUnit(list)
	for i := range units {
		units[i] = chooseSlice(units[i])
	}
	groups := slices.DeleteFunc(units, func(g []*series) bool { // codes and bounds cannot be ranked
		return !x.HasAreaPages() && (len(onOneScale(g)) == 0 || highest(g) < 0)
	})
	if len(list) < 2 || len(groups) == 0 {
		return
	}
	var apart [][]*series // countries, and larger areas: they are ranked separately
	for _, group := range groups {
		countries := slices.DeleteFunc(slices.Clone(group), func(s *series) bool { return s.rank() < 2 })
		regions := slices.DeleteFunc(slices.Clone(group), func(s *series) bool { return s.rank() == 2 })
		apart = append(apart, countries, regions)
	}
	text := p.Words.RankingText
	if x.HasAreaPages() {
		text += " " + p.Words.FiguresByArea
	}
	p.Fill(rankingForm, markup.With("text", text), markup.ShowIf("open", len(list) <= mostRanked),
		markup.When(len(list) >= manyAreas, "narrow", func() { p.WriteFilterBox("findArea") }),
		markup.By("tables", func() {
			for _, group := range apart {
				if len(group) > 0 {
					p.writeRankingTable(x, group)
				}
			}
		}))
}

func (p *page) writeRankingTable(x *lookup.Indicator, group []*series) {
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
	slices.SortStableFunc(rows, func(a, b row) int { return compareDescending(a.newest, b.newest) })
	columns := []frame.Column{
		{Name: p.Words.Script["area"], Head: true, Theirs: true},
		{Name: p.Words.Value, Number: true},
		{Name: p.Words.Chart},
		{Name: p.Words.Period},
	}
	caption := func() {
		p.WritePublisherText(group[0].label)
		if group[0].rank() < 2 {
			p.Text(p.Words.Comma + p.Words.Script["ownScale"])
		}
	}
	p.Table(frame.Table{Class: "ranks", Hidden: true, Caption: caption, Columns: columns}, func(t *frame.Table) {
		for _, r := range rows {
			area := p.Cell(r.name())
			if x.HasAreaPages() {
				area = func() { p.WriteAnchor(x.AreaAddress(r.areaKey), r.name()) }
			}
			bar := func() {
				if least >= 0 && largest > 0 {
					p.drawBar(r.newest, largest)
				}
			}
			t.Row("", area, func() { p.writeFigure(r.newest) }, bar, p.Cell(p.periodText(r.newest)))
		}
	})
}

// drawBar draws o as a bar relative to the largest value. For a bound, the bar extends as far as
// the value may reach.
func (p *page) drawBar(o *observation, largest float64) {
	if limit, below := o.bound(); below {
		p.Draw(boundBarForm, limit/largest*100)
	} else if o.isDrawable() {
		p.Draw(barForm, o.value()/largest*100)
	}
}
