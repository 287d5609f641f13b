package record

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checker decodes one record, and collects its problems and references.
type checker struct {
	schema.Decoder
	rec    Record
	extras map[string]bool // names of custom members so far
	hold   Hold
}

func (c *checker) reset(t *schema.Tree, rec Record) {
	c.Decoder.Reset(t)
	c.Custom, c.rec, c.extras, c.hold = c, rec, nil, Hold{}
}

// DecodeCustom decodes member i if it is a custom one (x_…) or belongs to a Hold, and reports
// whether it did.
func (c *checker) DecodeCustom(i int32) bool {
	if name := c.Tree.Nodes[i].Name; c.Lenient || len(name) > 2 && strings.HasPrefix(name, "x_") {
		c.decodeExtra(i)
		return true
	}
	return c.decodeHold(i)
}

// checkSameID checks that own, the member with the kind's own name for the ID, equals id.
func (c *checker) checkSameID(name string, id, own ID) {
	if own != id && id != "" && own != "" {
		c.Report(codes.MismatchedID, "/"+name, name+" is "+schema.Quote(string(own))+", but id is "+schema.Quote(string(id)),
			"write "+schema.Quote(string(id))+", or delete "+name+": it is filled in")
	}
}

// checkBoundary warns about a boundary that only repeats the claim.
func (c *checker) checkBoundary(b *ClaimBoundary, claims ...string) {
	if b == nil || b.Statement == "" {
		return
	}
	for _, claim := range claims {
		if claim != "" && sameWords(b.Statement, claim) {
			c.Report(codes.BoundaryRepeatsClaim, "/claim_boundary/statement", "the boundary only repeats the claim", "say what the claim does not cover: other people, places, times or effects")
			return
		}
	}
}

// sameWords reports whether a and b have the same words, ignoring case, spaces and punctuation.
func sameWords(a, b string) bool {
	for {
		x, restA := nextLetter(a)
		y, restB := nextLetter(b)
		if x != y || x == 0 {
			return x == y
		}
		a, b = restA, restB
	}
}

// nextLetter returns the first letter or digit of s, or 0, in lower case, and the rest of s.
func nextLetter(s string) (rune, string) {
	for i, r := range s {
		if r >= utf8.RuneSelf || isAlphanumeric(byte(r)) {
			_, size := utf8.DecodeRuneInString(s[i:])
			return unicode.ToLower(r), s[i+size:]
		}
	}
	return 0, ""
}

// checkInside checks that value is not outside the interval from lower to upper.
func (c *checker) checkInside(at string, value, lower, upper Number) {
	if lower != "" && upper != "" && lower.Compare(upper) > 0 {
		c.Report(codes.WrongFigure, at+"/lower", "lower "+string(lower)+" is above upper "+string(upper), "swap the two")
		return
	}
	if value == "" {
		return
	}
	if lower != "" && value.Compare(lower) < 0 || upper != "" && value.Compare(upper) > 0 {
		c.Report(codes.WrongFigure, at+"/value", "value "+string(value)+" is outside "+interval(lower, upper), "correct the value or its interval")
	}
}

func interval(lower, upper Number) string {
	switch {
	case lower == "":
		return "the interval up to " + string(upper)
	case upper == "":
		return "the interval from " + string(lower)
	}
	return string(lower) + " to " + string(upper)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
