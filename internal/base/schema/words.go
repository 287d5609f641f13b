package schema

import "strconv"

// DidYouMean asks whether the nearest word was meant; "" where there is none.
func DidYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return "did you mean " + Quote(nearest) + "?"
}

// Quote puts a value into quotation marks, shortened to what fits into a message.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }
