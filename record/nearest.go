package record

import (
	"strconv"

	"stele/internal/nearest"
)

// Nearest is the candidate that s was most likely meant to be, or "" if none comes near. It is what findings and messages suggest.
func Nearest(s string, candidates []string) string { return nearest.To(s, candidates) }

func didYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return "did you mean " + quote(nearest) + "?"
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
