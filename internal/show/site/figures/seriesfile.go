package figures

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"stele/internal/show/site/markup"
	"stele/internal/show/site/words"
	"stele/internal/trust/standing"
	"stele/record"
)

// plotted is what a chart draws where scripts run: the times of all values, and for each series its
// values at those times. What is shown and how is decided as for the chart that the page draws.
type plotted struct {
	At     []float64          `json:"at"`
	Names  []string           `json:"names"` // of the periods
	Charts []plottedChart     `json:"charts"`
	Series []plottedSeries    `json:"series"`
	Status [][2]string        `json:"status"` // what the words below mean
	Lost   []string           `json:"lost"`   // those of values that were taken back
	Hollow []record.ObsStatus `json:"hollow"` // those of values that are not certain
	Broken []record.ObsStatus `json:"broken"` // those of values that are not comparable with what was before
}

// plottedChart is one for each unit.
type plottedChart struct {
	Unit   string   `json:"unit"`
	From   *float64 `json:"from,omitempty"` // where the axis begins, if the publisher does not want it to begin at zero
	Picked []int    `json:"picked"`         // the series that are shown by name at first
	Behind []int    `json:"behind"`         // those that are drawn thin behind them
}

type plottedSeries struct {
	Name   string         `json:"name"`
	Area   string         `json:"area"`
	Chart  int            `json:"chart"`
	Color  int            `json:"color"`
	Dash   int            `json:"dash,omitempty"`
	Dots   bool           `json:"dots"`
	Values []*json.Number `json:"values"` // null where there is none
	Lower  []*json.Number `json:"lower,omitempty"`
	Upper  []*json.Number `json:"upper,omitempty"`
	Status []string       `json:"status"`
	Gaps   []int          `json:"gaps,omitempty"` // values that the line does not lead to
}

// seriesFile is the file of an indicator's values for its chart.
func (p *page) seriesFile(list []*series, from float64) []byte {
	f := plotted{
		At: []float64{}, Names: []string{}, Charts: []plottedChart{}, Hollow: hollowStatuses, Broken: breakStatuses,
	}
	periods := map[float64]record.Period{}
	for _, s := range list {
		for i := range s.values {
			if o := &s.values[i]; !math.IsNaN(o.at) && periods[o.at] == "" {
				periods[o.at] = o.TimePeriod
				f.At = append(f.At, o.at)
			}
		}
	}
	slices.Sort(f.At)
	columns := map[float64]int{}
	for i, at := range f.At {
		columns[at] = i
		f.Names = append(f.Names, string(periods[at]))
	}
	f.Series = make([]plottedSeries, 0, len(list))
	for n, group := range byUnit(list) {
		f.Charts = append(f.Charts, plotChart(group, len(f.Series), from))
		for _, s := range group {
			f.Series = append(f.Series, plot(s, columns, n))
		}
	}
	for _, v := range words.ObsStatuses.List {
		f.Status = append(f.Status, [2]string{v.Word, strings.ToLower(words.Written(words.ObsStatuses, v.Word))})
	}
	for is := standing.Unsupported; is <= standing.Retracted; is++ {
		f.Lost = append(f.Lost, is.String())
		f.Status = append(f.Status, [2]string{is.String(), words.Written(words.Standings, is.String())})
	}
	return append(markup.Encode(f), '\n')
}

// plotChart says what is shown of some series of one unit, of which the first has a number. Where
// their sizes are too different, only those are shown that can be compared with the first.
func plotChart(group []*series, first int, from float64) plottedChart {
	c := plottedChart{Unit: group[0].label, Picked: []int{}, Behind: []int{}}
	if !math.IsNaN(from) {
		c.From = &from
	}
	large := group[0].top()
	for i, s := range group {
		top := s.top()
		switch {
		case top > muchLarger*large || large > muchLarger*top:
		case len(c.Picked) < namedLines:
			c.Picked = append(c.Picked, first+i)
		case len(c.Picked)+len(c.Behind) < mostLines:
			c.Behind = append(c.Behind, first+i)
		}
	}
	return c
}

func plot(s *series, columns map[float64]int, chart int) plottedSeries {
	n := len(columns)
	out := plottedSeries{
		Name: s.name(), Area: s.areaKey, Chart: chart, Color: s.color, Dash: s.dash, Dots: s.dotted(),
		Values: make([]*json.Number, n), Status: make([]string, n),
	}
	last := -1
	for i := range s.values {
		o := &s.values[i]
		at, ok := columns[o.at]
		if !ok {
			continue
		}
		out.Values[at], out.Status[at] = number(o.Value), string(o.ObsStatus)
		if o.standing.Lost() {
			out.Status[at] = o.standing.String()
		}
		if o.drawable() {
			if last >= 0 && !s.joined(last, i) {
				out.Gaps = append(out.Gaps, at)
			}
			last = i
		}
		if o.banded() {
			if out.Lower == nil {
				out.Lower, out.Upper = make([]*json.Number, n), make([]*json.Number, n)
			}
			out.Lower[at], out.Upper[at] = number(o.Lower), number(o.Upper)
		}
	}
	return out
}

func number(n record.Number) *json.Number {
	if n == "" {
		return nil
	}
	v := json.Number(n)
	return &v
}
