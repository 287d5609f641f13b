// Package latest decides which value of a series is its latest. Pages, pictures, the search, files
// and agents all use it, so that none shows a forecast or a retracted value as the current figure.
package latest

import (
	"stele/internal/trust/standing"
	"stele/record"
)

// Value contains the properties that decide whether a value is the latest of its series.
type Value struct {
	Known    bool // whether there is a number, a bound or a code
	Period   record.Period
	Status   record.ObsStatus
	Standing standing.Standing
}

// IsForecast reports whether the value is a forecast.
func (v Value) IsForecast() bool { return v.Status == record.StatusForecast }

// isValid reports whether the value has a figure that was not retracted.
func (v Value) isValid() bool { return v.Known && !v.Standing.IsLost() }

// Replaces reports whether next, the value that follows now in its series, replaces now as the
// latest value. A forecast replaces only a missing value.
func Replaces(now, next Value) bool {
	if !now.isValid() || !next.isValid() {
		return !now.isValid()
	}
	return !next.IsForecast()
}

// Index returns the index of the latest of n values of one series, sorted by time, or -1. After the
// latest value, withdrawn is the index of the last retracted value and projected that of the last
// forecast, or -1 if there is none.
func Index(n int, value func(i int) Value) (latest, withdrawn, projected int) {
	latest, withdrawn, projected = -1, -1, -1
	var now Value
	for i := range n {
		switch v := value(i); {
		case v.isValid() && Replaces(now, v):
			latest, now, withdrawn, projected = i, v, -1, -1
		case v.isValid() && !now.IsForecast():
			projected = i
		case v.Known && !v.isValid() && !v.IsForecast():
			withdrawn = i
		}
	}
	return latest, withdrawn, projected
}
