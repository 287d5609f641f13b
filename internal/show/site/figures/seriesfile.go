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

// plotted is the data of an interactive chart: the times of all values, and for each series its
// values at those times. At first, it shows the same series as the static chart.
type plotted struct {
	Title   string              `json:"title"`
	Credit  string              `json:"credit"`  // the publisher, licence and day
	Sources string              `json:"sources"` // their titles
	License string              `json:"license"`
	Page    string              `json:"page"`              // URL of the indicator's page
	Release string              `json:"release,omitempty"` // the latest in which a value changed
	At      []float64           `json:"at"`
	Names   []string            `json:"names"` // of the periods
	Charts  []plottedChart      `json:"charts"`
	Series  []plottedSeries     `json:"series"`
	Turns   []plottedAreaChange `json:"turns,omitempty"` // changes of areas
	Status  [][2]string         `json:"status"`          // the meanings of the statuses below
	Lost    []string            `json:"lost"`            // statuses of retracted values
	Hollow  []record.ObsStatus  `json:"hollow"`          // statuses of uncertain values
	Reach   int                 `json:"reach"`           // how many periods back a missing value is looked for
}

// plottedChart is the data of the chart of one unit.
type plottedChart struct {
	Unit     string   `json:"unit"`
	From     *float64 `json:"from,omitempty"`     // start of the axis, if the publisher sets it
	Decimals *int64   `json:"decimals,omitempty"` // of all values, if they agree
	Picked   []int    `json:"picked"`             // the series that are shown by name at first
	Behind   []int    `json:"behind"`             // the series that are drawn thin behind them
	// What readers choose slices by, if the values are broken down: each dimension with its values.
	Dimensions []plottedDimension `json:"dimensions,omitempty"`
	// The limits of the colours of a map, with its ends.
	Classes []float64 `json:"classes,omitempty"`
}

// plottedDimension is a menu for a dimension, with its name and values.
type plottedDimension struct {
	Label  string   `json:"label"`
	Values []string `json:"values"`
}

type plottedSeries struct {
	Name   string         `json:"name"`
	Detail string         `json:"detail,omitempty"` // the breakdown, at the end of the name
	Slice  *string        `json:"slice,omitempty"`  // for the latest of several editions: Detail without the edition
	ID     string         `json:"id,omitempty"`     // its name in addresses, if that is not Area and Detail
	Area   string         `json:"area"`
	Rank   int            `json:"rank"`           // 0 for the world, 1 for a region
	Ends   *float64       `json:"ends,omitempty"` // the first period in which the area had ended, in years
	By     []int          `json:"by,omitempty"`   // indexes of its values among those of the chart's dimensions
	Chart  int            `json:"chart"`
	Dots   bool           `json:"dots"`
	Values []*json.Number `json:"values"` // null if missing
	Lower  []*json.Number `json:"lower,omitempty"`
	Upper  []*json.Number `json:"upper,omitempty"`
	Status any            `json:"status"`         // a word for each value, or one for all
	Gaps   []int          `json:"gaps,omitempty"` // values that do not follow the previous period
	// What replaces missing values, by the index of the period: such as <5.
	Texts map[int]string `json:"texts,omitempty"`
	// Bounds by the index of the period, and why values are not comparable with earlier ones.
	Below  map[int]*json.Number `json:"below,omitempty"`
	Above  map[int]*json.Number `json:"above,omitempty"`
	Breaks map[int]string       `json:"breaks,omitempty"`
}

// seriesFile returns the chart data of the series in list as JSON.
func (p *page) seriesFile(x *lookup.Indicator, list []*series) []byte {
	f := p.plotOf(x, list)
	f.Credit += p.Words.Comma + p.Words.Day(lastChanged(list))
	return append(markup.Encode(f), '\n')
}

// plotOf returns the chart data of the series in list, which are of x.
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
	var plotted []*series
	for n, c := range shownPanels(list, from) {
		plotted = append(plotted, c.all...)
		f.Reach = lookBackPeriods(&c.all[0].measure)
		chart, total := plotChart(&c, len(f.Series)), p.Words.Script["total"]
		chart.Dimensions = dimensionsOf(&c, total)
		for _, s := range c.all {
			one := p.plotOne(s, columns, n)
			for _, d := range chart.Dimensions {
				one.By = append(one.By, slices.Index(d.Values, d.valueOf(s, total)))
			}
			f.Series = append(f.Series, one)
		}
		f.Charts = append(f.Charts, chart)
	}
	f.Turns = p.plotAreaChanges(list, plotted)
	for _, v := range words.ObsStatuses.List {
		f.Status = append(f.Status, [2]string{v.Word, strings.ToLower(p.Words.Written(words.ObsStatuses, v.Word))})
	}
	for is := standing.SourceChanged; is <= standing.Retracted; is++ {
		if is.IsLost() {
			f.Lost = append(f.Lost, is.String())
		}
		written := strings.ToLower(p.Words.Written(words.Standings, is.String()))
		f.Status = append(f.Status, [2]string{is.String(), written})
	}
	return f
}

// dimensionsOf returns the dimensions by which readers choose a slice of c. It returns none if none
// is needed.
func dimensionsOf(c *panel, total string) (list []plottedDimension) {
	if !needsSlice(c.all) {
		return nil
	}
	labelled := func(label string) int {
		return slices.IndexFunc(list, func(d plottedDimension) bool { return d.Label == label })
	}
	for _, s := range c.all {
		for _, of := range s.by {
			if labelled(of.Label) < 0 {
				list = append(list, plottedDimension{Label: of.Label})
			}
		}
	}
	for i := range list {
		for _, s := range c.all {
			if v := list[i].valueOf(s, total); !slices.Contains(list[i].Values, v) {
				list[i].Values = append(list[i].Values, v)
			}
		}
		order := []string{total} // then that of the publisher
		for _, m := range c.all[0].measure.Dimensions {
			for _, code := range m.Codes {
				order = append(order, code.Text)
			}
		}
		slices.SortStableFunc(list[i].Values, func(a, b string) int {
			return slices.Index(order, a) - slices.Index(order, b)
		})
	}
	return list
}

// valueOf returns the value of dimension d that s has, or total if s is not broken down by d.
func (d *plottedDimension) valueOf(s *series, total string) string {
	for _, of := range s.by {
		if of.Label == d.Label && !of.Whole {
			return of.Value
		}
	}
	return total
}

// addPeriods adds the periods of all values in list, and returns their indexes.
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

// plotChart returns the data of the chart c. first is the index of its first series.
func plotChart(c *panel, first int) plottedChart {
	measure := &c.all[0].measure
	out := plottedChart{
		Unit: c.label, Picked: []int{}, Behind: []int{}, Decimals: decimals(c.all),
		Classes: mapClasses(c.all, measure),
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

// decimals returns the number of decimals that all values in list have, or nil if the numbers
// differ or one is unknown.
func decimals(list []*series) (all *int64) {
	for _, o := range each(list) {
		if o.Decimals == nil || all != nil && *o.Decimals != *all {
			return nil
		}
		all = o.Decimals
	}
	return all
}

func (p *page) plotOne(s *series, columns map[record.Period]int, chart int) plottedSeries {
	n := len(columns)
	out := plottedSeries{
		Name: s.name(), Detail: s.detail, Slice: s.slice, ID: s.address, Area: s.areaKey, Rank: s.rank(), Chart: chart,
		Dots: s.hasDots(), Values: make([]*json.Number, n), Texts: map[int]string{}, Breaks: map[int]string{},
		Ends: s.endYear(columns), Below: map[int]*json.Number{}, Above: map[int]*json.Number{},
	}
	status := make([]string, n)
	for i := range s.values {
		o := &s.values[i]
		at, ok := columns[o.TimePeriod]
		if !ok {
			continue
		}
		out.Values[at], status[at] = number(o.Value), string(o.ObsStatus)
		if o.standing.IsLost() {
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
		if o.hasInterval() {
			if out.Lower == nil {
				out.Lower, out.Upper = make([]*json.Number, n), make([]*json.Number, n)
			}
			out.Lower[at], out.Upper[at] = number(o.Lower), number(o.Upper)
		}
	}
	for at, j := range p.jointsOf(s, columns) {
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

// joint describes how a value is connected to the previous value: whether there is a gap, and the
// reason why they are not comparable, or "".
type joint struct {
	Gap   bool   `json:"gap,omitempty"`
	Break string `json:"break,omitempty"`
}

// jointsOf yields the joints of values that are not simply connected to the previous value, by the
// indexes of their periods.
func (p *page) jointsOf(s *series, columns map[record.Period]int) iter.Seq2[int, joint] {
	return func(yield func(int, joint) bool) {
		last := -1
		for i := range s.values {
			o := &s.values[i]
			at, ok := columns[o.TimePeriod]
			if !ok {
				continue
			}
			var j joint
			if i > 0 && o.isBreak() {
				j.Break = p.breakReason(o)
			}
			if o.isDrawable() {
				j.Gap = last >= 0 && !s.isJoined(last, i)
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

// sourceTitles returns the titles of the first sources of the values in list.
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
