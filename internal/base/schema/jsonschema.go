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
	// notBlank matches texts with more than spaces and line breaks, in all dialects of regular
	// expressions.
	notBlank = `[^\t\n\f\r ]`
)

// Purpose says which records a schema describes.
type Purpose uint8

const (
	Published Purpose = iota // published records: implied members are required
	Authored                 // records as their authors write them: implied members are optional
	Defaults                 // _defaults files: no member is required
	// Elements of a list in defaults. Lists are not merged, so their elements must be complete.
	element
)

// Document is a JSON Schema 2020-12 of a shape.
type Document struct {
	Shape      *Shape
	Purpose    Purpose
	ID         string // the part after urn:stele:schema:
	Title, Doc string
	Kind       string         // the value of the member "kind"; "" allows any
	Rules      map[string]any // conditions between members, as a schema, or nil
	Partial    bool           // whether other members are allowed
}

// JSONSchema returns the JSON Schema of a document that people write, such as stele.yaml.
func JSONSchema(s *Shape, name, doc string) []byte {
	return (&Document{Shape: s, Purpose: Authored, ID: name, Title: name, Doc: doc}).JSON()
}

// JSON returns the schema as indented JSON.
func (d *Document) JSON() []byte {
	s := append(jsonline.Object{
		{"$schema", schemaDialect},
		{"$id", "urn:stele:schema:" + d.ID},
		{"title", d.Title},
		{"description", d.Doc},
	}, objectSchema(d.Shape, d.Purpose, d.Kind)...)
	if d.Rules != nil {
		s = s.With("allOf", []any{d.Rules})
	}
	if d.Partial {
		s = s.Without("additionalProperties", "patternProperties")
	}
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // it contains only texts, numbers, lists and objects
	}
	return append(b, '\n')
}

func objectSchema(s *Shape, p Purpose, kind string) jsonline.Object {
	members, required := jsonline.Object{}, []string{}
	for i := range s.Members {
		m := &s.Members[i]
		members = append(members, jsonline.Named{m.Name, memberSchema(m, p, kind)})
		if p == Published && m.Required || (p == Authored || p == element) && m.Required && !m.Implied {
			required = append(required, m.Name)
		}
	}
	o := jsonline.Object{{"type", "object"}, {"properties", members}}
	if len(required) > 0 {
		o = o.With("required", required)
	}
	if s.Extra {
		o = o.With("patternProperties", map[string]any{`^x_[\s\S]`: map[string]any{"description": "A member defined by the publisher."}})
	}
	return o.With("additionalProperties", false)
}

func memberSchema(m *Member, p Purpose, kind string) jsonline.Object {
	o := valueSchema(m.Shape, m, p)
	switch {
	case m.Name == "kind" && kind != "":
		o = jsonline.Object{{"const", kind}}
	case m.Nullable:
		if one, ok := o.Get("type").(string); ok {
			o = o.With("type", []string{one, "null"})
		}
	}
	return append(jsonline.Object{{"description", describeMember(m)}}, o...)
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

func valueSchema(s *Shape, m *Member, p Purpose) jsonline.Object {
	switch {
	case s.Open && s.Elem != nil:
		return jsonline.Object{{"type", "object"}, {"additionalProperties", objectSchema(s.Elem, p, "")}}
	case s.Open:
		return jsonline.Object{
			{"type", "object"},
			{"propertyNames", map[string]any{"type": "string", "minLength": 1}},
			{"additionalProperties", map[string]any{"type": "string", "pattern": notBlank}},
		}
	case s.Type == Object:
		// Defaults are merged with the record, so objects in them may be incomplete too.
		return objectSchema(s, p, "")
	case s.Type == Array:
		o := jsonline.Object{{"type", "array"}}
		if m.Items > 0 {
			o = o.With("minItems", m.Items)
		}
		if p == Defaults {
			p = element
		}
		return o.With("items", valueSchema(s.Elem, m, p))
	case p == Defaults || p == element:
		// A default may contain placeholders for the record's own members, whatever its type.
		text := map[string]any{"type": "string", "pattern": `\{`}
		return jsonline.Object{{"anyOf", []any{valueSchema(s, m, Authored), text}}}
	case s.Integer:
		return jsonline.Object{{"type", "integer"}, {"minimum", m.Min}}
	case s.Type == Digits:
		return jsonline.Object{{"type", "number"}}
	case s.Type == Bool:
		return jsonline.Object{{"type", "boolean"}}
	}
	return textSchema(s, m)
}

func textSchema(s *Shape, m *Member) jsonline.Object {
	o := jsonline.Object{{"type", "string"}}
	switch {
	case s.List != nil && s.Format != nil:
		return o.With("anyOf", []any{map[string]any{"enum": s.Words()}, s.Format.Schema})
	case s.List != nil:
		return o.With("enum", s.Words())
	case s.Format != nil:
		for _, key := range slices.Sorted(maps.Keys(s.Format.Schema)) {
			o = o.With(key, s.Format.Schema[key])
		}
		return o
	case m.Max > 0:
		return o.With("pattern", notBlank).With("maxLength", m.Max)
	}
	return o.With("pattern", notBlank)
}
