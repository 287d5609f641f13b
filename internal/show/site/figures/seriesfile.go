package figures

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/lookup"
	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// plotted is what a chart draws where scripts run: the times of all values, and for each series its
// values at those times. What is shown and how is decided as for the chart that the page draws.
type plotted struct {
	Title   string             `json:"title"`
	Credit  string             `json:"credit"`  // who published it, with licence and day
	Sources string             `json:"sources"` // their titles
	License string             `json:"license"`
	Page    string             `json:"page"`              // the address of the indicator's page
	Release string             `json:"release,omitempty"` // the newest in which a value changed
	At      []float64          `json:"at"`
	Names   []string           `json:"names"` // of the periods
	Charts  []plottedChart     `json:"charts"`
	Series  []plottedSeries    `json:"series"`
	Status  [][2]string        `json:"status"` // what the words below mean
	Lost    []string           `json:"lost"`   // those of values that were taken back
	Hollow  []record.ObsStatus `json:"hollow"` // those of values that are not certain
	Reach   int                `json:"reach"`  // how many periods back a missing value is looked for
}

// plottedChart is one for each unit.
type plottedChart struct {
	Unit     string   `json:"unit"`
	From     *float64 `json:"from,omitempty"`     // where the axis begins, if the publisher does not want it to begin at zero
	Decimals *int64   `json:"decimals,omitempty"` // of all values, if they have as many
	Picked   []int    `json:"picked"`             // the series that are shown by name at first
	Behind   []int    `json:"behind"`             // those that are drawn thin behind them
	// The least and the greatest value that there can be, if that is known.
	Min *json.Number `json:"min,omitempty"`
	Max *json.Number `json:"max,omitempty"`
}

type plottedSeries struct {
	Name   string         `json:"name"`
	Detail string         `json:"detail,omitempty"` // the breakdown, which the name ends in
	Area   string         `json:"area"`
	Rank   int            `json:"rank"` // 0 for the world, 1 for a region
	Chart  int            `json:"chart"`
	Dots   bool           `json:"dots"`
	Values []*json.Number `json:"values"` // null where there is none
	Lower  []*json.Number `json:"lower,omitempty"`
	Upper  []*json.Number `json:"upper,omitempty"`
	Status any            `json:"status"`         // a word for each value, or one for all
	Gaps   []int          `json:"gaps,omitempty"` // values that are not of the period after the one before
	// What stands in the place of values that are none, by the number of the period: such as <5.
	Texts map[int]string `json:"texts,omitempty"`
	// What values are below or above of, likewise, and why they do not compare with those before.
	Below  map[int]*json.Number `json:"below,omitempty"`
	Above  map[int]*json.Number `json:"above,omitempty"`
	Breaks map[int]string       `json:"breaks,omitempty"`
}

// seriesFile is the file of an indicator's values for its chart.
func (p *page) seriesFile(x *lookup.Indicator, list []*series) []byte {
	f := p.plotOf(x, list)
	f.Credit += p.Words.Comma + p.Words.Day(lastChanged(list))
	return append(markup.Encode(f), '\n')
}

// plotOf is what there is to draw of an indicator, by some series of it.
func (p *page) plotOf(x *lookup.Indicator, list []*series) *plotted {
	f := p.plotSeries(list, p.of.axisFrom(x))
	f.Title, f.Sources, f.License = x.Title, strings.Join(p.sourceTitles(list), "; "), p.Settings.License
	f.Credit, f.Page = p.Settings.Title+p.Words.Comma+p.Settings.Publisher, p.Base+x.Address()
	f.Release = p.lastRelease(p.pastOf(x))
	return f
}

func (p *page) plotSeries(list []*series, from float64) *plotted {
	f := &plotted{
		At: []float64{}, Names: []string{}, Charts: []plottedChart{}, Hollow: hollowStatuses,
	}
	columns := f.addPeriods(list)
	f.Series = make([]plottedSeries, 0, len(list))
	for n, c := range panels(list, from) {
		f.Reach = reach(&c.all[0].measure)
		f.Charts = append(f.Charts, plotChart(&c, len(f.Series)))
		for _, s := range c.all {
			f.Series = append(f.Series, p.plot(s, columns, n))
		}
	}
	for _, v := range words.ObsStatuses.List {
		f.Status = append(f.Status, [2]string{v.Word, strings.ToLower(p.Words.Written(words.ObsStatuses, v.Word))})
	}
	for is := standing.SourceChanged; is <= standing.Retracted; is++ {
		if is.Lost() {
			f.Lost = append(f.Lost, is.String())
		}
		written := strings.ToLower(p.Words.Written(words.Standings, is.String()))
		f.Status = append(f.Status, [2]string{is.String(), written})
	}
	return f
}

// addPeriods adds the periods of all values, and returns their numbers.
func (f *plotted) addPeriods(list []*series) map[record.Period]int {
	at, columns := map[record.Period]float64{}, map[record.Period]int{}
	for _, o := range each(list) {
		if !math.IsNaN(o.at) {
			at[o.TimePeriod] = o.at
		}
	}
	periods := slices.SortedFunc(maps.Keys(at), func(a, b record.Period) int {
		return cmp.Or(cmp.Compare(at[a], at[b]), cmp.Compare(a, b))
	})
	for i, period := range periods {
		columns[period] = i
		f.At, f.Names = append(f.At, at[period]), append(f.Names, string(period))
	}
	return columns
}

// plotChart says what is shown of the series of a panel, of which the first has a number.
func plotChart(c *panel, first int) plottedChart {
	measure := &c.all[0].measure
	out := plottedChart{
		Unit: c.label, Picked: []int{}, Behind: []int{}, Decimals: decimals(c.all),
		Min: number(measure.Min), Max: number(measure.Max),
	}
	if !math.IsNaN(c.from) {
		out.From = &c.from
	}
	for _, s := range c.shown {
		out.Picked = append(out.Picked, first+slices.Index(c.all, s))
	}
	for _, s := range c.behind {
		out.Behind = append(out.Behind, first+slices.Index(c.all, s))
	}
	return out
}

// decimals is how many of them all values of some series have; nil if that differs.
func decimals(list []*series) (all *int64) {
	for _, o := range each(list) {
		if o.Decimals == nil || all != nil && *o.Decimals != *all {
			return nil
		}
		all = o.Decimals
	}
	return all
}

func (p *page) plot(s *series, columns map[record.Period]int, chart int) plottedSeries {
	n := len(columns)
	out := plottedSeries{
		Name: s.name(), Detail: s.detail, Area: s.areaKey, Rank: s.rank(), Chart: chart, Dots: s.dotted(),
		Values: make([]*json.Number, n), Texts: map[int]string{}, Breaks: map[int]string{},
		Below: map[int]*json.Number{}, Above: map[int]*json.Number{},
	}
	status := make([]string, n)
	for i := range s.values {
		o := &s.values[i]
		at, ok := columns[o.TimePeriod]
		if !ok {
			continue
		}
		out.Values[at], status[at] = number(o.Value), string(o.ObsStatus)
		if o.standing.Lost() {
			status[at] = o.standing.String()
		} else if o.standing > standing.Due {
			status[at] += " " + o.standing.String()
		}
		if o.text != "" {
			out.Texts[at] = o.text
		}
		if limit, below := o.bound(); below {
			out.Below[at] = number(o.LessThan)
		} else if !math.IsNaN(limit) {
			out.Above[at] = number(o.GreaterThan)
		}
		if o.banded() {
			if out.Lower == nil {
				out.Lower, out.Upper = make([]*json.Number, n), make([]*json.Number, n)
			}
			out.Lower[at], out.Upper[at] = number(o.Lower), number(o.Upper)
		}
	}
	for at, j := range p.joints(s, columns) {
		if j.Gap {
			out.Gaps = append(out.Gaps, at)
		}
		if j.Break != "" {
			out.Breaks[at] = j.Break
		}
	}
	out.Status = status
	used := slices.Compact(slices.DeleteFunc(slices.Clone(status), func(w string) bool { return w == "" }))
	if len(used) == 1 {
		out.Status = used[0]
	}
	return out
}

// joint is how a value is joined to the one before: whether there is a gap between them, and why
// they do not compare; "" if they do.
type joint struct {
	Gap   bool   `json:"gap,omitempty"`
	Break string `json:"break,omitempty"`
}

// joints yields the values that are not simply joined to the one before, by the numbers of their
// periods.
func (p *page) joints(s *series, columns map[record.Period]int) iter.Seq2[int, joint] {
	return func(yield func(int, joint) bool) {
		last := -1
		for i := range s.values {
			o := &s.values[i]
			at, ok := columns[o.TimePeriod]
			if !ok {
				continue
			}
			var j joint
			if i > 0 && o.breaks() {
				j.Break = p.whyBroken(o)
			}
			if o.drawable() {
				j.Gap = last >= 0 && !s.joined(last, i)
				last = i
			}
			if j != (joint{}) && !yield(at, j) {
				return
			}
		}
	}
}

func number(n record.Number) *json.Number {
	if n == "" {
		return nil
	}
	v := json.Number(n)
	return &v
}

// sourceTitles names the sources of some values, the first of them if there are many.
func (p *page) sourceTitles(list []*series) (titles []string) {
	const most = 3
	for _, l := range sourceLinks(list) {
		title := string(l.URL)
		if l.SourceID != "" {
			title = p.Refer(string(l.SourceID)).Title
		}
		if !slices.Contains(titles, title) && len(titles) < most {
			titles = append(titles, title)
		}
	}
	return titles
}
