package site

import (
	"encoding/json"
	"math"
	"slices"

	"stele/internal/standing"
	"stele/record"
)

// plotted is what a chart draws where scripts run: the times of all values, and for each series its
// values at those times.
type plotted struct {
	At     []float64       `json:"at"`
	Names  []string        `json:"names"` // of the periods
	Series []plottedSeries `json:"series"`
	Status [][2]string     `json:"status"` // what the words below mean
	Lost   []string        `json:"lost"`   // those of values that were taken back
}

type plottedSeries struct {
	Name   string         `json:"name"`
	Unit   string         `json:"unit"`
	Values []*json.Number `json:"values"` // null where there is none
	Lower  []*json.Number `json:"lower,omitempty"`
	Upper  []*json.Number `json:"upper,omitempty"`
	Status []string       `json:"status"`
}

// seriesFile is the file of an indicator's values for its chart.
func (p *page) seriesFile(list []*series) []byte {
	f := plotted{At: []float64{}, Names: []string{}, Series: []plottedSeries{}}
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
	place := map[float64]int{}
	for i, at := range f.At {
		place[at] = i
		f.Names = append(f.Names, string(periods[at]))
	}
	for _, s := range list {
		f.Series = append(f.Series, plot(s, place))
	}
	for _, v := range obsStatuses.List {
		f.Status = append(f.Status, [2]string{v.Word, v.Doc})
	}
	for is := standing.Unsupported; is <= standing.Retracted; is++ {
		f.Lost = append(f.Lost, is.String())
		f.Status = append(f.Status, [2]string{is.String(), wordOf(standings, is.String())})
	}
	return append(encode(f), '\n')
}

func plot(s *series, place map[float64]int) plottedSeries {
	n := len(place)
	out := plottedSeries{Name: s.name(), Unit: s.label, Values: make([]*json.Number, n), Status: make([]string, n)}
	for i := range s.values {
		o := &s.values[i]
		at, ok := place[o.at]
		if !ok {
			continue
		}
		out.Values[at], out.Status[at] = number(o.Value), string(o.ObsStatus)
		if o.standing.Lost() {
			out.Status[at] = o.standing.String()
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
