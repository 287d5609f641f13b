package figures

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"stele/internal/base/sheet/areas"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/record"
)

// areaChange is a change to areas of some series on one day.
type areaChange struct {
	at      float64 // the day, in years
	date    record.Date
	scheme  *areas.Scheme
	changes []*areas.Change // the changes in one sentence
	keys    []string        // of the areas, as series have them
	steps   []step
}

// step joins a series to the series of the same area with another code.
type step struct{ from, to *series }

// mostTurns is the maximum number of area changes on a page.
const mostTurns = 500

// areaChangesOf returns the changes to the areas of the series in list between their first and last
// periods, in order of time.
func areaChangesOf(list []*series) (all []areaChange) {
	first, last := math.Inf(1), math.Inf(-1)
	for _, o := range each(list) {
		if !math.IsNaN(o.at) {
			first, last = min(first, o.at), max(last, o.at)
		}
	}
	seen := map[string]bool{}
	for _, s := range list {
		if s.scheme == nil {
			continue
		}
		for _, c := range slices.Concat(s.scheme.ChangesTo(s.code.Code), s.scheme.ChangesFrom(s.code.Code)) {
			t := newAreaChange(s.scheme, c)
			t.at = min(t.at, firstYearAfter(list, &t))
			if id := s.scheme.Name + " " + c.Date + " " + strings.Join(t.keys, " "); t.at > first && t.at <= last && !seen[id] {
				seen[id] = true
				all = append(all, t)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b areaChange) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Compare(a.keys, b.keys))
	})
	all = all[:min(len(all), mostTurns)]
	for i := range all {
		all[i].steps = all[i].findSteps(list)
	}
	return all
}

// firstYearAfter returns the beginning of the first value of an area that t created, in years. A
// year in which areas changed has the values of the new areas.
func firstYearAfter(list []*series, t *areaChange) float64 {
	first := math.Inf(1)
	for _, s := range list {
		if s.scheme != t.scheme || s.code.From != string(t.date) || !slices.Contains(t.keys, s.areaKey) {
			continue
		}
		if o := s.firstDrawn(); o != nil {
			first = min(first, o.at)
		}
	}
	return first
}

// newAreaChange returns the area change that c belongs to: that of all areas that went whole to its
// successor, or of all successors of its predecessor.
func newAreaChange(scheme *areas.Scheme, c *areas.Change) areaChange {
	t := areaChange{at: beginYear(record.Period(c.Date)), date: record.Date(c.Date), scheme: scheme}
	list, whole := scheme.ChangesTo(c.To), c.Kind == areas.Merge || c.Kind == areas.Recode
	if c.Kind == areas.Split || c.Kind == areas.Part {
		list = scheme.ChangesFrom(c.From)
	}
	for _, other := range list {
		same := other.Kind == c.Kind || whole && (other.Kind == areas.Merge || other.Kind == areas.Recode)
		if other.Date == c.Date && same {
			t.changes = append(t.changes, other)
		}
	}
	if len(t.changes) == 0 {
		t.changes = []*areas.Change{c}
	}
	for _, other := range t.changes {
		for _, code := range []string{other.From, other.To} {
			if key := record.AreaScheme(scheme.Name).Key(code); code != "" && !slices.Contains(t.keys, key) {
				t.keys = append(t.keys, key)
			}
		}
	}
	return t
}

// findSteps returns the steps between series whose area got a new code with the change.
func (t *areaChange) findSteps(list []*series) (steps []step) {
	for _, c := range t.changes {
		if c.Kind != areas.Recode {
			continue
		}
		for _, a := range list {
			for _, b := range list {
				if a.scheme == t.scheme && b.scheme == t.scheme && a.code.Code == c.From && b.code.Code == c.To &&
					a.detail == b.detail && a.unit == b.unit && a.lastDrawn() != nil && b.firstDrawn() != nil {
					steps = append(steps, step{a, b})
				}
			}
		}
	}
	return steps
}

func (s *series) firstDrawn() *observation {
	if i := slices.IndexFunc(s.values, func(o observation) bool { return o.isDrawable() }); i >= 0 {
		return &s.values[i]
	}
	return nil
}

func (s *series) lastDrawn() *observation {
	for i := range slices.Backward(s.values) {
		if s.values[i].isDrawable() {
			return &s.values[i]
		}
	}
	return nil
}

func (t *areaChange) isOfAny(list []*series) bool {
	return slices.ContainsFunc(list, func(s *series) bool { return slices.Contains(t.keys, s.areaKey) })
}

// writeAreaChangeText writes a sentence about the change without its date. Names link to area
// pages.
func (p *page) writeAreaChangeText(t *areaChange) {
	c := t.changes[0]
	form := map[string]string{
		areas.Recode: p.Words.AreaBecame, areas.Merge: p.Words.AreaBecame, areas.Split: p.Words.AreaDivided,
		areas.Part: p.Words.AreaPart, areas.Boundary: p.Words.AreaBoundary, areas.New: p.Words.AreaBegan,
		areas.Gone: p.Words.AreaGone,
	}[c.Kind]
	names := func(of func(*areas.Change) string) {
		var codes []string
		for _, c := range t.changes {
			if code := of(c); !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
		for i, code := range codes {
			if i > 0 {
				p.Text(p.Words.Comma)
			}
			p.writeAreaLink(t.scheme, code)
		}
	}
	for form != "" {
		before, rest, found := strings.Cut(form, "{")
		p.Text(before)
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		if name == "from" {
			names(func(c *areas.Change) string { return c.From })
		} else {
			names(func(c *areas.Change) string { return c.To })
		}
		form = after
	}
	if c.Note != "" {
		p.HTML(" (")
		p.WritePublisherText(c.Note)
		p.HTML(")")
	}
}

// writeAreaLink writes the name of an area as a link to its page.
func (p *page) writeAreaLink(scheme *areas.Scheme, code string) {
	c := scheme.Code(code)
	if c == nil {
		p.Text(code)
		return
	}
	p.WriteAnchor(lookup.AreaAddress(scheme.Name, code), p.AreaName(scheme, c))
}

var (
	turnsForm    = markup.Parse(`<ul class="turns">{list}</ul>`)
	turnItemForm = markup.Parse(`<li{?hidden} hidden{/}>{date}: {text}</li>`)
	turnForm     = markup.Parse(`<path d="M{x} {top}V{ground}"/>`)
	stepForm     = markup.Parse(`<path class="step" d="M{fromX} {fromY}H{x}V{y}H{toX}"/>`)
	stepTextForm = markup.Parse(`<text class="step" x="{x}" y="{y}">`)
)

// writeAreaChanges writes the changes to the areas of the series in list that shown selects. The
// script shows the changes that concern the picked series.
func (p *page) writeAreaChanges(list []*series, shown func(*areaChange) bool) {
	all := areaChangesOf(list)
	if len(all) == 0 {
		return
	}
	p.Fill(turnsForm, markup.Each("list", all, func(t areaChange) {
		p.writeAreaChangeItem(&t, shown(&t))
	}))
}

func (p *page) writeAreaChangeItem(t *areaChange, shown bool) {
	p.Fill(turnItemForm, markup.ShowIf("hidden", !shown), markup.By("date", func() { p.WriteDate(t.date) }),
		markup.By("text", func() { p.writeAreaChangeText(t) }))
}

// drawAreaChanges draws a line at each day on which areas in the chart c changed, and the steps
// between codes of the same area.
func (p *page) drawAreaChanges(c *panel, x, y scale, ground float64) {
	row, last := 0, record.Date("")
	for _, t := range areaChangesOf(c.all) {
		if !t.isOfAny(c.shown) {
			continue
		}
		for _, s := range t.steps {
			i, j := slices.Index(c.shown, s.from), slices.Index(c.shown, s.to)
			if i < 0 || j < 0 {
				continue
			}
			from, to := s.from.lastDrawn(), s.to.firstDrawn()
			at, middle := x.at(t.at), (y.at(from.value())+y.at(to.value()))/2
			p.HTML("<g")
			p.Attr("class", lineClass(j))
			p.HTML(">")
			p.Draw(stepForm, x.at(from.at), y.at(from.value()), at, y.at(to.value()), x.at(to.at))
			p.Draw(stepTextForm, at+5, middle-6)
			p.writeLabel(p.stepLabel(&s))
			p.HTML("</g>")
		}
		if t.date == last {
			continue
		}
		at, class, place := x.at(t.at), "start", 5.0
		if x.to-at < at-x.from {
			class, place = "end", -5
		}
		p.HTML(`<g class="turn">`)
		p.Draw(turnForm, at, chartTop, ground)
		p.HTML("<text")
		p.Attr("class", class)
		p.Draw(breakTextForm, at+place, ground-8-float64(row%3)*14)
		p.writeLabel(p.Words.Day(t.date))
		p.HTML("</g>")
		row, last = row+1, t.date
	}
}

// stepLabel returns both codes of a step.
func (p *page) stepLabel(s *step) string {
	return s.from.code.Code + " " + p.Words.Arrow + " " + s.to.code.Code
}

// endedBefore reports whether the area of a series ended before the end of period, and has no value
// in period or later.
func (s *series) endedBefore(period record.Period) bool {
	return s.code != nil && s.code.To != "" && period.Valid() && s.code.To < string(period.End()) &&
		s.values[len(s.values)-1].at < beginYear(period)
}

// withoutEnded returns list without the series of areas that had ended in the latest period of all
// series, so that areas are not compared with their successors.
func withoutEnded(list []*series) []*series {
	var last *observation
	for _, s := range list {
		if o := s.trend().latest; o != nil && (last == nil || o.at > last.at) {
			last = o
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(s *series) bool {
		return last != nil && s.endedBefore(last.TimePeriod)
	})
}

// endYear returns the first of periods in which the area of s had ended, in years, or nil.
func (s *series) endYear(periods map[record.Period]int) (end *float64) {
	for period := range periods {
		if at := beginYear(period); s.endedBefore(period) && (end == nil || at < *end) {
			end = &at
		}
	}
	return end
}

// plottedAreaChange is an area change for the script: its date, the affected series, and the steps.
type plottedAreaChange struct {
	At    float64  `json:"at"`
	Day   string   `json:"day"`
	Of    []int    `json:"of"`
	Steps [][3]any `json:"steps,omitempty"` // the numbers of two series, and a label
}

// plotAreaChanges returns the changes to the areas of list. They refer to indexes in plotted.
func (p *page) plotAreaChanges(list, plotted []*series) (out []plottedAreaChange) {
	for _, t := range areaChangesOf(list) {
		one := plottedAreaChange{At: t.at, Day: p.Words.Day(t.date)}
		for i, s := range plotted {
			if slices.Contains(t.keys, s.areaKey) {
				one.Of = append(one.Of, i)
			}
		}
		for _, s := range t.steps {
			from, to := slices.Index(plotted, s.from), slices.Index(plotted, s.to)
			one.Steps = append(one.Steps, [3]any{from, to, p.stepLabel(&s)})
		}
		out = append(out, one)
	}
	return out
}
