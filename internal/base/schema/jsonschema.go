package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
)

const (
	schemaDialect = "https://json-schema.org/draft/2020-12/schema"
	// notBlank matches texts that hold more than spaces and line breaks, in every regular
	// expression dialect alike.
	notBlank = `[^\t\n\f\r ]`
)

// Purpose says what a schema is for.
type Purpose uint8

const (
	Published Purpose = iota // records as they are published: what is filled in has to be there
	Authored                 // records as they are written: what is filled in may be left out
	Defaults                 // members that records share: none has to be there
	// elements of a list in defaults: lists are taken whole, so these have to be complete
	element
)

// Document is a JSON Schema 2020-12 of a shape.
type Document struct {
	Shape      *Shape
	Purpose    Purpose
	ID         string // what follows urn:stele:schema:
	Title, Doc string
	Kind       string         // the value of the member "kind"; "" for any
	Rules      map[string]any // what its members have to do with one another; nil for nothing
	Partial    bool           // whether it leaves room for other members
}

// Of returns the JSON Schema of what people write, for instance of the publisher's settings.
func Of(s *Shape, name, doc string) []byte {
	return (&Document{Shape: s, Purpose: Authored, ID: name, Title: name, Doc: doc}).JSON()
}

// JSON returns the schema.
func (d *Document) JSON() []byte {
	s := objectSchema(d.Shape, d.Purpose, d.Kind)
	if d.Rules != nil {
		s.put("allOf", []any{d.Rules})
	}
	if d.Partial {
		s.remove("additionalProperties", "patternProperties")
	}
	s.first("description", d.Doc)
	s.first("title", d.Title)
	s.first("$id", "urn:stele:schema:"+d.ID)
	s.first("$schema", schemaDialect)
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // only texts, numbers, lists and objects are in it
	}
	return append(b, '\n')
}

func objectSchema(s *Shape, p Purpose, kind string) *ordered {
	members, required := new(ordered), []string{}
	for i := range s.Members {
		m := &s.Members[i]
		members.put(m.Name, memberSchema(m, p, kind))
		if p == Published && m.Required || (p == Authored || p == element) && m.Required && !m.Implied {
			required = append(required, m.Name)
		}
	}
	o := new(ordered)
	o.put("type", "object")
	o.put("properties", members)
	if len(required) > 0 {
		o.put("required", required)
	}
	if s.Extra {
		o.put("patternProperties", map[string]any{`^x_[\s\S]`: map[string]any{"description": "A member of the publisher's own."}})
	}
	o.put("additionalProperties", false)
	return o
}

func memberSchema(m *Member, p Purpose, kind string) *ordered {
	o := valueSchema(m.Shape, m, p)
	switch {
	case m.Name == "kind" && kind != "":
		o = new(ordered)
		o.put("const", kind)
	case m.Nullable:
		if one, ok := o.values["type"].(string); ok {
			o.put("type", []string{one, "null"})
		}
	}
	o.first("description", describeMember(m))
	return o
}

func describeMember(m *Member) string {
	d := m.Doc
	if m.Shape.List == nil || m.Name == "kind" || m.Name == "record_kind" {
		return d
	}
	meanings := make([]string, len(m.Shape.List))
	for i, v := range m.Shape.List {
		meanings[i] = v.Word + ": " + v.Doc
	}
	return d + " " + strings.Join(meanings, "; ") + "."
}

func valueSchema(s *Shape, m *Member, p Purpose) *ordered {
	o := new(ordered)
	switch {
	case s.Open:
		o.put("type", "object")
		o.put("propertyNames", map[string]any{"type": "string", "minLength": 1})
		o.put("additionalProperties", map[string]any{"type": "string", "pattern": notBlank})
	case s.Type == Object:
		// defaults are merged with the record's own, so they too may be in parts
		return objectSchema(s, p, "")
	case s.Type == Array:
		o.put("type", "array")
		if m.Items > 0 {
			o.put("minItems", m.Items)
		}
		if p == Defaults {
			p = element
		}
		o.put("items", valueSchema(s.Elem, m, p))
	case p == Defaults || p == element:
		// A default may be built from the record's own members, whatever it will be then.
		o.put("anyOf", []any{valueSchema(s, m, Authored), map[string]any{"type": "string", "pattern": `\{`}})
	case s.Integer:
		o.put("type", "integer")
		o.put("minimum", m.Min)
	case s.Type == Digits:
		o.put("type", "number")
	case s.Type == Bool:
		o.put("type", "boolean")
	default:
		o.put("type", "string")
		textSchema(o, s, m)
	}
	return o
}

func textSchema(o *ordered, s *Shape, m *Member) {
	switch {
	case s.List != nil:
		o.put("enum", s.Words())
	case s.Format != nil:
		for _, key := range slices.Sorted(maps.Keys(s.Format.Schema)) {
			o.put(key, s.Format.Schema[key])
		}
	default:
		o.put("pattern", notBlank)
		if m.Max > 0 {
			o.put("maxLength", m.Max)
		}
	}
}

// ordered is a JSON object whose members keep their order.
type ordered struct {
	names  []string
	values map[string]any
}

func (o *ordered) put(name string, value any) {
	if o.values == nil {
		o.values = map[string]any{}
	}
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

func (o *ordered) first(name string, value any) {
	o.remove(name)
	o.put(name, value)
	o.names = append([]string{name}, o.names[:len(o.names)-1]...)
}

func (o *ordered) remove(names ...string) {
	for _, name := range names {
		delete(o.values, name)
	}
	o.names = slices.DeleteFunc(o.names, func(n string) bool { return slices.Contains(names, n) })
}

// MarshalJSON writes the members in their order, without HTML escapes.
func (o *ordered) MarshalJSON() ([]byte, error) { return o.appendTo(nil) }

// appendTo appends the JSON of the members. Objects inside it are appended here, because
// encoding/json reads again, at each level, what a value wrote of itself.
func (o *ordered) appendTo(b []byte) (_ []byte, err error) {
	b = append(b, '{')
	for i, name := range o.names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonline.AppendText(b, name), ':')
		if inner, ok := o.values[name].(*ordered); ok {
			if b, err = inner.appendTo(b); err != nil {
				return nil, err
			}
			continue
		}
		value, err := json.Marshal(o.values[name])
		if err != nil {
			return nil, err
		}
		b = append(b, value...)
	}
	return append(b, '}'), nil
}
