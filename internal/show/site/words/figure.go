package words

import (
	"math"
	"strconv"
	"strings"

	"stele/record"
)

// Figure writes a number with commas between thousands and no more decimals than are wanted.
// Digits stay those of the author.
func Figure(n record.Number, decimals *int64) string {
	text := string(n)
	if decimals != nil && *decimals < 12 {
		if f := n.Float(); !math.IsNaN(f) && math.Abs(f) < 1e15 {
			text = strconv.FormatFloat(f, 'f', int(*decimals), 64)
		}
	}
	if strings.ContainsAny(text, "eE") {
		return text
	}
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "−", text[1:]
	}
	whole, fraction, dot := strings.Cut(text, ".")
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(whole[i])
	}
	if dot {
		return sign + b.String() + "." + fraction
	}
	return sign + b.String()
}
