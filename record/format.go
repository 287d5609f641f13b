package record

import (
	"reflect"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// SHA256 is a digest as 64 lower-case hexadecimal digits.
type SHA256 string

// Figure is a decimal number that is not negative, as a text: 12.0 remains 12.0 in every format.
type Figure string

// maxFigure is the greatest length of a Figure.
const maxFigure = 18

// neverInURL is notInURL as a character class that all regular expression dialects accept.
const neverInURL = "\\s\\xa0\u2028\u2029\"<>\\\\^`{|}"

// Formats, by Go type.
var formats = map[reflect.Type]*schema.Format{
	reflect.TypeFor[ID](): {Code: codes.MalformedID, Problem: idProblem, Schema: map[string]any{
		"pattern": "^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", "maxLength": maxID,
		"not": map[string]any{"pattern": `\.\.|^([Cc][Oo][Nn]|[Pp][Rr][Nn]|[Aa][Uu][Xx]|[Nn][Uu][Ll]|[Cc][Oo][Mm][0-9]|[Ll][Pp][Tt][0-9])(\.|$)`},
	}},
	reflect.TypeFor[Date](): {Code: codes.MalformedDate, Problem: dateProblem, Rule: dateRule, Schema: map[string]any{
		"format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
	}},
	reflect.TypeFor[Moment](): {Code: codes.MalformedDate, Problem: momentProblem, Schema: map[string]any{
		"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2}))?$",
	}},
	reflect.TypeFor[URL](): {Code: codes.MalformedURL, Problem: urlProblem, Schema: map[string]any{
		"format": "uri-reference", "maxLength": maxURL, "pattern": "^https?://[^:/?#@" + neverInURL + "][^/?#@" + neverInURL + "]*([/?#][^" + neverInURL + "]*)?$",
	}},
	reflect.TypeFor[Period](): {Code: codes.MalformedPeriod, Problem: periodProblem, Schema: map[string]any{
		"pattern": `^[0-9]{4}(-(0[1-9]|1[0-2])(-[0-3][0-9])?|-Q[1-4]|-S[12]|-W[0-5][0-9])?$|^[0-9]{4}(-(0[1-9]|1[0-2])(-[0-3][0-9])?)?/P([0-9]{1,6}Y([0-9]{1,6}M)?([0-9]{1,6}W)?([0-9]{1,6}D)?|[0-9]{1,6}M([0-9]{1,6}W)?([0-9]{1,6}D)?|[0-9]{1,6}W([0-9]{1,6}D)?|[0-9]{1,6}D)$`,
		// leap years and weeks 53 are checked by the checker
		"not": map[string]any{"pattern": `W00|W5[4-9]|-00|-02-3|-(04|06|09|11)-31|-3[2-9]|P$`},
	}},
	reflect.TypeFor[Figure](): {Code: codes.WrongFigure, Problem: figureProblem, Schema: map[string]any{
		"pattern": "^[0-9]+(\\.[0-9]+)?$", "maxLength": maxFigure,
	}},
	reflect.TypeFor[SHA256](): {Code: codes.WrongValue, Problem: digestProblem, Schema: map[string]any{"pattern": "^[0-9a-f]{64}$"}},
}

func init() {
	for t, format := range formats {
		schema.Define(t, schema.Shape{Type: schema.String, Format: format})
	}
	for t, values := range lists {
		list := make([]schema.Value, len(values))
		for i, v := range values {
			list[i] = schema.Value(v)
		}
		s := schema.Shape{Type: schema.String, List: list}
		if t == reflect.TypeFor[AreaScheme]() {
			s.Format = &schema.Format{
				Code: codes.NotInList, Problem: schemeProblem, Schema: map[string]any{"pattern": schemePattern},
			}
		}
		schema.Define(t, s)
	}
	schema.Define(reflect.TypeFor[Number](), schema.Shape{Type: schema.Digits})
	schema.Define(reflect.TypeFor[Terms](), schema.Shape{Type: schema.Object, Open: true})
}

func figureProblem(s string) (message, fix string) {
	whole, fraction, point := strings.Cut(s, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if digits(whole) && (!point || digits(fraction)) && len(s) <= maxFigure {
		return "", ""
	}
	return schema.Quote(s) + " is not a number of 0 or more", "write digits with a point for decimals, such as 1675 or 13.3"
}

func digestProblem(s string) (message, fix string) {
	if len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" {
		return "", ""
	}
	if lower := strings.ToLower(s); lower != s && len(s) == 64 && strings.Trim(lower, "0123456789abcdef") == "" {
		return "a digest must be lower case", "write " + lower
	}
	return schema.Quote(s) + " is not a SHA-256 digest", "write 64 hexadecimal digits, as sha256sum prints them"
}
