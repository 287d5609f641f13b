package record

import (
	"reflect"
	"strconv"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// AppendJSON writes a record as compact JSON: members in declared order, then the publisher's own
// in the author's order. Optional members that are not set are left out; lists that are set are
// written even when empty.
func AppendJSON(b []byte, k *Kind, rec Record) []byte {
	b = appendMembers(append(b, '{'), k.Shape(), reflect.ValueOf(rec).Elem())
	for _, x := range rec.Common().Extra {
		b = append(jsonline.AppendText(append(b, ','), x.Name), ':')
		b = append(b, x.JSON...)
	}
	return append(b, '}')
}

func appendMembers(b []byte, s *Shape, v reflect.Value) []byte {
	first := true
	for i := range s.Members {
		m := &s.Members[i]
		f := m.of(v)
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
		return appendTerms(b, v.Interface().(Terms))
	case s.Type == schema.Object:
		return append(appendMembers(append(b, '{'), s, v), '}')
	case s.Type == schema.Array:
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
	case s.Type == schema.Bool:
		return strconv.AppendBool(b, v.Bool())
	case s.Type == schema.Digits && v.Len() == 0: // a number that has to be there and is not
		return append(b, "null"...)
	case s.Type == schema.Digits:
		return append(b, v.String()...)
	}
	return jsonline.AppendText(b, v.String())
}

func appendTerms(b []byte, terms Terms) []byte {
	b = append(b, '{')
	for i, t := range terms {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonline.AppendText(append(jsonline.AppendText(b, t.Name), ':'), t.Text)
	}
	return append(b, '}')
}
