package figures

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/show/vintage"
	"stele/internal/trust/standing"
	"stele/record"
)

// The figures that earlier releases had: the newest changes in a table, and all of them in a file
// that the script reads which shows a release that the address names.
var pastForm = markup.Parse(`
	<section id="past"><h2>{=PastHead}</h2><p>{=PastText}{?file} {file}{/}</p>{table}{more}</section>`)

// mostPast is how many changes a page has.
const mostPast = 50

// pastOf are the vintages of an indicator; none where all releases have the same figures.
func (p *page) pastOf(x *lookup.Indicator) []vintage.Row {
	if h := p.heldOf(x); h != nil {
		return h.past
	}
	return p.readPast(x)
}

func (p *page) readPast(x *lookup.Indicator) []vintage.Row {
	now := func(i int) *record.HealthcareStatistic { return p.Statistic(int(x.Records[i])) }
	rows, err := vintage.Of(p.Records, x.Records, x.Code, now)
	p.Fail(err)
	return rows
}

// lastRelease is the newest release in which a figure changed; "" while there is but one, which
// needs no name.
func (p *page) lastRelease(rows []vintage.Row) string {
	last, all := 0, p.Records.Releases()
	if len(all) == 1 {
		return ""
	}
	for i := range rows {
		last = max(last, rows[i].From, rows[i].Until)
	}
	return all[last].Release
}

func pastAddress(x *lookup.Indicator) string { return x.Address() + "vintages.json" }

// writePast makes the files of those indicators whose figures changed.
func (s *Room) writePast(list []*lookup.Indicator) error {
	if len(s.Records.Releases()) == 1 {
		return nil
	}
	var changed []*lookup.Indicator
	err := s.With(func(p *page) {
		for _, x := range list {
			if p.pastOf(x) != nil {
				changed = append(changed, x)
			}
		}
	})
	err = errors.Join(err, s.EachFile(len(changed), func(i int) string { return pastAddress(changed[i])[1:] },
		func(p *page, i int, b []byte) []byte { return p.pastFile(b, changed[i]) }))
	if len(s.Files.Formats) == 0 {
		return err
	}
	return errors.Join(err, s.EachFile(len(changed), func(i int) string { return changed[i].File(vintage.Suffix) },
		func(p *page, i int, b []byte) []byte {
			b, err := vintage.AppendCSV(b, p.pastOf(changed[i]), p.Records.Releases())
			p.Fail(err)
			return b
		}))
}

// pastCell is what a place of the chart had from one release until another, by their places among
// all.
type pastCell struct {
	Series int          `json:"s"`
	Period int          `json:"p"`
	From   int          `json:"from"`
	Until  int          `json:"until,omitempty"`
	Status string       `json:"status"`
	Text   string       `json:"text,omitempty"`
	Value  *json.Number `json:"value,omitempty"`
	Lower  *json.Number `json:"lower,omitempty"`
	Upper  *json.Number `json:"upper,omitempty"`
	Below  *json.Number `json:"below,omitempty"`
	Above  *json.Number `json:"above,omitempty"`
}

// pastJoint is how a value was joined to the one before, from one release until another.
type pastJoint struct {
	Series int `json:"s"`
	Period int `json:"p"`
	From   int `json:"from"`
	Until  int `json:"until,omitempty"`
	joint
}

// pastFile appends what the chart draws of all figures that there ever were, and of those that
// changed when they did.
func (p *page) pastFile(b []byte, x *lookup.Indicator) []byte {
	rows := slices.Clone(p.pastOf(x))
	newest := map[string]int{}
	for i := range rows {
		at := rows[i].Key()
		if n, ok := newest[at]; !ok || rows[n].From <= rows[i].From {
			newest[at] = i
		}
	}
	list := p.sorted(func(yield func(*record.HealthcareStatistic, standing.Standing) bool) {
		for i := range rows {
			st := rows[i].HealthcareStatistic
			if newest[st.Key()] == i && !yield(st, rows[i].Standing) {
				return
			}
		}
	})
	f := struct {
		*plotted
		Past   []pastCell  `json:"past"`
		Joints []pastJoint `json:"joints"` // of the series that changed
	}{plotted: p.plotOf(x, list), Joints: []pastJoint{}}
	index, columns := map[string]int{}, map[record.Period]int{}
	for i, name := range f.Names {
		columns[record.Period(name)] = i
	}
	ofSeries, lost := map[string][]*vintage.Row{}, map[record.ID]standing.Standing{}
	for i := range rows {
		if is := rows[i].Standing; is.Lost() {
			lost[rows[i].ID] = is
		}
	}
	for i := range rows {
		rows[i].Standing = max(rows[i].Standing, lost[rows[i].ID]) // what was retracted since is marked
		key := rows[i].SeriesKey()
		ofSeries[key] = append(ofSeries[key], &rows[i])
	}
	for _, c := range panels(list, p.of.axisFrom(x)) {
		for _, s := range c.all {
			index[s.key] = len(index)
			f.Joints = append(f.Joints, p.pastJoints(s, index[s.key], ofSeries[s.key], columns)...)
		}
	}
	for i := range rows {
		r := &rows[i]
		period, known := columns[r.TimePeriod]
		at, drawn := index[r.SeriesKey()]
		if drawn && known && (r.From > 0 || r.Until > 0) {
			f.Past = append(f.Past, p.pastCell(r, at, period, list[0].measure.Codes))
		}
	}
	return append(append(b, markup.Encode(f)...), '\n')
}

// pastJoints are the joints that a series had in each release, if its figures changed.
func (p *page) pastJoints(
	s *series, number int, rows []*vintage.Row, columns map[record.Period]int,
) (list []pastJoint) {
	var places []int
	values := map[*vintage.Row]observation{}
	for _, r := range rows {
		places = append(places, r.From, r.Until)
		values[r] = observe(r.HealthcareStatistic, r.Standing, nil)
	}
	slices.Sort(places)
	if places = slices.Compact(places); len(places) == 1 {
		return nil
	}
	slices.SortStableFunc(rows, func(x, y *vintage.Row) int {
		return cmp.Or(cmp.Compare(values[x].at, values[y].at), cmp.Compare(x.TimePeriod, y.TimePeriod))
	})
	for _, place := range places {
		then := &series{}
		for _, r := range rows {
			if r.At(place) {
				then.values = append(then.values, values[r])
			}
		}
		then.mark(s.measure.Breaks)
		is := maps.Collect(p.joints(then, columns))
		for i := range list {
			if j := &list[i]; j.Until == 0 && is[j.Period] == j.joint {
				delete(is, j.Period)
			} else if j.Until == 0 {
				j.Until = place
			}
		}
		for _, at := range slices.Sorted(maps.Keys(is)) {
			list = append(list, pastJoint{number, at, place, 0, is[at]})
		}
	}
	return list
}

func (p *page) pastCell(r *vintage.Row, at, period int, codes record.Terms) pastCell {
	c := pastCell{Series: at, Period: period, From: r.From, Until: r.Until, Status: string(r.ObsStatus)}
	if r.Standing.Lost() {
		c.Status = r.Standing.String()
		if r.Retracted() {
			return c
		}
	}
	c.Text, c.Value = p.Words.Instead(r.HealthcareStatistic, codes), number(r.Value)
	c.Lower, c.Upper = number(r.Lower), number(r.Upper)
	c.Below, c.Above = number(r.LessThan), number(r.GreaterThan)
	return c
}

// past writes which figures changed and when, the newest changes first.
func (p *page) past(x *lookup.Indicator, rows []vintage.Row) {
	type change struct {
		place         int
		before, after *vintage.Row
	}
	var list []change
	for i := range rows {
		r := &rows[i]
		if i > 0 && rows[i-1].ID == r.ID && rows[i-1].Until == r.From {
			list = append(list, change{r.From, &rows[i-1], r})
			continue
		}
		if r.From > 0 {
			list = append(list, change{r.From, nil, r})
		}
		if i > 0 && rows[i-1].ID != r.ID && rows[i-1].Until > 0 {
			list = append(list, change{rows[i-1].Until, &rows[i-1], nil})
		}
	}
	if n := len(rows); n > 0 && rows[n-1].Until > 0 {
		list = append(list, change{rows[n-1].Until, &rows[n-1], nil})
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b change) int { return b.place - a.place })
	columns := []frame.Column{
		{Name: p.Words.Release},
		{Name: p.Words.Area, Head: true, Theirs: true},
		{Name: p.Words.Script["period"]},
		{Name: p.Words.PastBefore, Named: true, Theirs: true},
		{Name: p.Words.PastAfter, Named: true, Theirs: true},
	}
	p.Fill(pastForm, markup.When(len(p.of.Files.Formats) > 0, "file", func() {
		p.Download(render.Download{Path: x.File(vintage.Suffix), Format: "CSV"})
	}), markup.By("table", func() {
		p.Table(frame.Table{Class: "list", Columns: columns}, func(t *frame.Table) {
			for _, c := range list[:min(len(list), mostPast)] {
				r := c.after
				if r == nil {
					r = c.before
				}
				release := p.Records.Releases()[c.place]
				t.Row("", func() {
					p.Anchor(x.Address()+"?as-of="+release.Release, p.Words.Day(record.Date(release.Date)))
				}, p.Cell(strings.TrimSuffix(p.AreaOf(r.HealthcareStatistic)+", "+breakdown(r.Dimensions), ", ")),
					p.Cell(p.Words.When(r.TimePeriod)), p.Cell(p.pastText(c.before)), p.Cell(p.pastText(c.after)))
			}
		})
	}), markup.By("more", func() { p.AndMore(len(list) - mostPast) }))
}

// pastText is a figure as it was, for people.
func (p *page) pastText(r *vintage.Row) string {
	switch {
	case r == nil:
		return "–"
	case r.Standing.Lost():
		return p.Words.Written(words.Standings, r.Standing.String())
	case r.Value != "":
		return p.Words.Figure(r.Value, r.Decimals)
	}
	text := p.Words.Instead(r.HealthcareStatistic, nil)
	if text == "" {
		return p.Words.Written(words.ObsStatuses, string(r.ObsStatus))
	}
	return text
}
