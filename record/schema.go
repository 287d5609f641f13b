package record

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

const (
	schemaDialect = "https://json-schema.org/draft/2020-12/schema"
	noStability   = "No stability of this schema is promised: the shape of any file may change."
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

// schemaRuler is implemented by kinds whose members depend on one another in a way that tags cannot
// say.
type schemaRuler interface {
	schemaRules() map[string]any
}

// Schema returns the JSON Schema 2020-12 of a kind's records.
func (k *Kind) Schema(p Purpose) []byte {
	shape := k.Shape()
	if p != Published {
		shape = &Shape{Members: slices.Concat(shape.Members, holdShape().Members), Extra: true}
	}
	s := objectSchema(shape, p, k.Name)
	s.put("title", strings.ToUpper(k.One[:1])+k.One[1:])
	s.put("description", k.Doc+" "+noStability)
	if r, ok := k.New().(schemaRuler); ok && p != Defaults {
		s.put("allOf", []any{r.schemaRules()})
	}
	return document(s, k.Name+[...]string{Published: "", Authored: ":authored", Defaults: ":defaults"}[p])
}

// EnvelopeSchema returns the JSON Schema 2020-12 of the members that every kind has. It leaves room
// for the kinds' own.
func EnvelopeSchema() []byte {
	s := objectSchema(EnvelopeShape(), Published, "")
	s.put("title", "Envelope")
	s.put("description", "What every kind of record has. "+noStability)
	s.remove("additionalProperties", "patternProperties")
	return document(s, "envelope")
}

// SchemaOf returns the JSON Schema 2020-12 of any shape, for instance of the publisher's settings.
func SchemaOf(s *Shape, name, doc string) []byte {
	o := objectSchema(s, Authored, "")
	o.put("title", name)
	o.put("description", doc)
	return document(o, name)
}

func document(s *ordered, name string) []byte {
	for _, key := range []string{"description", "title"} {
		s.first(key, s.values[key])
	}
	s.first("$id", "urn:stele:schema:"+name)
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
	case s.Type == schema.Object:
		// defaults are merged with the record's own, so they too may be in parts
		return objectSchema(s, p, "")
	case s.Type == schema.Array:
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
	case s.Type == schema.Digits:
		o.put("type", "number")
	case s.Type == schema.Bool:
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

// atLeastOne is the schema of an object whose member is a list that is not empty.
func atLeastOne(member string) map[string]any {
	return hasMember(member, map[string]any{"type": "array", "minItems": 1})
}

// hasMember is the schema of an object that has a member. Types stand everywhere, because strict
// validators want to know what each rule is about.
func hasMember(member string, value map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{member: value}, "required": []any{member}}
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
