package record

import (
	"strconv"

	"stele/internal/base/jsonline"
)

func didYouMean(nearest string) string {
	if nearest == "" {
		return ""
	}
	return "did you mean " + quote(nearest) + "?"
}

func quote(s string) string { return strconv.Quote(shorten(s)) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// AppendText writes a text as a JSON string, escaping only what JSON requires.
func AppendText(b []byte, s string) []byte { return jsonline.AppendText(b, s) }
