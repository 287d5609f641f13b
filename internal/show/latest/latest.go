// Package latest decides which value of a series is its latest. Pages, pictures, the search, files
// and agents all ask it, so that none shows a forecast or a withdrawn value as today's figure.
package latest

import (
	"stele/internal/trust/standing"
	"stele/record"
)

// Value is what decides whether a value is the latest of its series, and what readers must know of
// it.
type Value struct {
	Known    bool // there is a number, a bound or a code
	Period   record.Period
	Status   record.ObsStatus
	Standing standing.Standing
}

// Forecast reports whether the value is for a time that was still to come.
func (v Value) Forecast() bool { return v.Status == record.StatusForecast }

// holds reports whether there is something that was not withdrawn.
func (v Value) holds() bool { return v.Known && !v.Standing.Lost() }

// Replaces reports whether next, the next value of a series in the order of time, is its latest in
// place of now: a forecast only takes the place of nothing.
func Replaces(now, next Value) bool {
	if !now.holds() || !next.holds() {
		return !now.holds()
	}
	return !next.Forecast()
}

// Index returns the index of the latest of n values of one series, which value returns in the order
// of time; -1 if there is none. withdrawn is the index of the last value behind it that was
// withdrawn, and projected that of the last forecast behind it; -1 if there is none.
func Index(n int, value func(i int) Value) (latest, withdrawn, projected int) {
	latest, withdrawn, projected = -1, -1, -1
	var now Value
	for i := range n {
		switch v := value(i); {
		case v.holds() && Replaces(now, v):
			latest, now, withdrawn, projected = i, v, -1, -1
		case v.holds() && !now.Forecast():
			projected = i
		case v.Known && !v.holds() && !v.Forecast():
			withdrawn = i
		}
	}
	return latest, withdrawn, projected
}
