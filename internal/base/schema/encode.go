package schema

import (
	"reflect"
	"strconv"

	"stele/internal/base/jsonline"
)

// AppendMembers appends the members of the struct v in declared order, without braces. It leaves
// out optional members that are not set. Lists that are set are written even if they are empty.
func AppendMembers(b []byte, s *Shape, v reflect.Value) []byte {
	first := true
	for i := range s.Members {
		m := &s.Members[i]
		f := m.Field(v)
		if !m.Required && f.IsZero() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, m.quoted...)
		if m.Nullable && f.Kind() == reflect.String && f.Len() == 0 {
			b = append(b, "null"...)
			continue
		}
		b = appendValue(b, m.Shape, f)
	}
	return b
}

func appendValue(b []byte, s *Shape, v reflect.Value) []byte {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return append(b, "null"...)
		}
		v = v.Elem()
	}
	switch {
	case s.Open:
		return AppendTerms(b, v)
	case s.Type == Object:
		return append(AppendMembers(append(b, '{'), s, v), '}')
	case s.Type == Array:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, s.Elem, v.Index(i))
		}
		return append(b, ']')
	case s.Integer:
		return strconv.AppendInt(b, v.Int(), 10)
	case s.Type == Bool:
		return strconv.AppendBool(b, v.Bool())
	case s.Type == Digits && v.Len() == 0: // a required number without a value
		return append(b, "null"...)
	case s.Type == Digits:
		return append(b, v.String()...)
	}
	return jsonline.AppendText(b, v.String())
}

// AppendTerms appends terms, a slice of names with texts, as an object.
func AppendTerms(b []byte, terms reflect.Value) []byte {
	b = append(b, '{')
	for i := range terms.Len() {
		t := terms.Index(i)
		b = jsonline.AppendText(jsonline.AppendMember(b, t.Field(0).String(), nil), t.Field(1).String())
	}
	return append(b, '}')
}
