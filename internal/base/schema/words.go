package schema

import "strconv"

// DidYouMean returns the question whether nearest was meant, or "" if nearest is "".
func DidYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return "did you mean " + Quote(nearest) + "?"
}

// Quote returns s in quotation marks, shortened for a message.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }
