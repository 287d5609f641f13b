package record

import (
	"slices"
	"strings"

	"stele/internal/base/schema"
)

const noStability = "No stability of this schema is promised: the shape of any file may change."

// schemaRuler is implemented by kinds whose members depend on one another in a way that tags cannot
// say.
type schemaRuler interface {
	schemaRules() map[string]any
}

// Schema returns the JSON Schema 2020-12 of a kind's records.
func (k *Kind) Schema(p schema.Purpose) []byte {
	d := schema.Document{
		Shape: k.Shape(), Purpose: p, Kind: k.Name,
		ID:    k.Name + [...]string{schema.Published: "", schema.Authored: ":authored", schema.Defaults: ":defaults"}[p],
		Title: strings.ToUpper(k.One[:1]) + k.One[1:], Doc: k.Doc + " " + noStability,
	}
	if p != schema.Published {
		d.Shape = &schema.Shape{Members: slices.Concat(d.Shape.Members, holdShape().Members), Extra: true}
	}
	if r, ok := k.New().(schemaRuler); ok && p != schema.Defaults {
		d.Rules = r.schemaRules()
	}
	return d.JSON()
}

// EnvelopeSchema returns the JSON Schema 2020-12 of the members that every kind has. It leaves room
// for the kinds' own.
func EnvelopeSchema() []byte {
	return (&schema.Document{
		Shape: schema.ShapeOf[Envelope](), ID: "envelope", Title: "Envelope",
		Doc: "What every kind of record has. " + noStability, Partial: true,
	}).JSON()
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
