package record

import (
	"strconv"
)

func didYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return "did you mean " + quote(nearest) + "?"
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
