package figures

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/compile/render"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/show/vintage"
	"stele/internal/trust/standing"
	"stele/record"
)

// The forms of the changes to figures in earlier releases.
var pastForm = markup.Parse(`
	<section id="past"><h2>{=PastHead}</h2><p>{=PastText}{?file} {file}{/}</p><ol class="timeline">{list}</ol>{more}</section>`)

var updatedForm = markup.Parse(`<li><a href="{address}">{date}</a> {badge}{reason}<p class="quiet">{text}</p></li>`)

// pastOf returns the vintages of x. It returns none if all releases have the same figures.
func (p *page) pastOf(x *lookup.Indicator) []vintage.Row {
	if h := p.openSeries(x); h != nil {
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

// lastRelease returns the latest release in which a figure changed, or "" if there is only one
// release.
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

// writePast writes the files with past figures for the indicators in list whose figures changed.
func (s *Section) writePast(list []*lookup.Indicator) error {
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

// pastCell is a cell of the chart in the releases from one index up to another.
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

// pastJoint describes how a value was connected to the previous value, in the releases from one
// index up to another.
type pastJoint struct {
	Series int `json:"s"`
	Period int `json:"p"`
	From   int `json:"from"`
	Until  int `json:"until,omitempty"`
	joint
}

// pastFile appends the chart data of the figures of x in all releases, and the dates of changes.
func (p *page) pastFile(b []byte, x *lookup.Indicator) []byte {
	rows := slices.Clone(p.pastOf(x))
	newest := map[string]int{}
	for i := range rows {
		at := rows[i].Key()
		if n, ok := newest[at]; !ok || rows[n].From <= rows[i].From {
			newest[at] = i
		}
	}
	list := p.readSorted(func(yield func(*record.HealthcareStatistic, standing.Standing) bool) {
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
		if is := rows[i].Standing; is.IsLost() {
			lost[rows[i].ID] = is
		}
	}
	for i := range rows {
		rows[i].Standing = max(rows[i].Standing, lost[rows[i].ID]) // mark what was retracted since
		key := rows[i].SeriesKey()
		ofSeries[key] = append(ofSeries[key], &rows[i])
	}
	for _, c := range shownPanels(list, p.of.axisFrom(x)) {
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

// pastJoints returns the connections of the values of s in each release, if its figures changed.
func (p *page) pastJoints(
	s *series, number int, rows []*vintage.Row, columns map[record.Period]int,
) (list []pastJoint) {
	var places []int
	values := map[*vintage.Row]observation{}
	for _, r := range rows {
		places = append(places, r.From, r.Until)
		values[r] = newObservation(r.HealthcareStatistic, r.Standing, nil)
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
		then.markBreaks(s.measure.Breaks)
		is := maps.Collect(p.jointsOf(then, columns))
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
	if r.Standing.IsLost() {
		c.Status = r.Standing.String()
		if r.Retracted() {
			return c
		}
	}
	c.Text, c.Value = p.Words.Replacement(r.HealthcareStatistic, codes), number(r.Value)
	c.Lower, c.Upper = number(r.Lower), number(r.Upper)
	c.Below, c.Above = number(r.LessThan), number(r.GreaterThan)
	return c
}

// Updated is an update to an indicator's figures as text, for one release and reason.
type Updated struct {
	release *layout.Past
	change  record.ChangeType
	reason  string // in the publisher's words
	text    string // number of figures and their periods, with examples
}

// updates returns the updates to the figures of x, newest first.
func (p *page) updates(x *lookup.Indicator) []Updated {
	p.of.sparkMu.Lock()
	list, known := p.of.updates[x]
	p.of.sparkMu.Unlock()
	if known {
		return list
	}
	releases := p.Records.Releases()
	for _, u := range vintage.Updates(p.pastOf(x)) {
		text := u.Text(p.Words, p.AreaWith)
		list = append(list, Updated{&releases[u.Release], u.Change, strings.Clone(u.Reason), text})
	}
	p.of.sparkMu.Lock()
	defer p.of.sparkMu.Unlock()
	p.of.updates[x] = list
	return list
}

// Updates returns the updates to the figures of x in a release that have the given type of change:
// a line for each reason.
func (s *Section) Updates(to *frame.Page, x *lookup.Indicator, release, change string) (lines []string) {
	for _, u := range (&page{to, s}).updates(x) {
		if u.release.Release == release && string(u.change) == change {
			lines = append(lines, strings.TrimSpace(u.reason+" ")+" "+u.text)
		}
	}
	return lines
}

// mostPast is the maximum number of updates on a page.
const mostPast = 50

// writeUpdates writes the updates to the figures of x: a line for each release and reason.
func (p *page) writeUpdates(x *lookup.Indicator) {
	list := p.updates(x)
	if len(list) == 0 {
		return
	}
	p.Fill(pastForm, markup.When(len(p.of.Files.Formats) > 0, "file", func() {
		p.WriteDownload(render.Download{Path: x.File(vintage.Suffix), Format: "CSV"})
	}), markup.Each("list", list[:min(len(list), mostPast)], func(u Updated) {
		p.Fill(updatedForm, markup.With("address", x.Address()+"?as-of="+u.release.Release),
			markup.By("date", func() { p.WriteDate(record.Date(u.release.Date)) }),
			markup.By("badge", func() { p.WritePlainBadge(words.ChangeTypes, string(u.change)) }),
			markup.By("reason", func() { p.WriteSummary(u.reason) }),
			markup.By("text", func() { p.WritePublisherText(u.text) }))
	}), markup.By("more", func() { p.WriteAndMore(len(list) - mostPast) }))
}
