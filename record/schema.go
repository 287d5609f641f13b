package record

import (
	"slices"
	"strings"

	"stele/internal/base/schema"
)

const noStability = "This schema is not guaranteed to be stable: the shape of any file may change."

// schemaRuler is implemented by kinds with rules between members that tags cannot express.
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

// EnvelopeSchema returns the JSON Schema 2020-12 of the members that every kind has. It allows
// other members.
func EnvelopeSchema() []byte {
	return (&schema.Document{
		Shape: schema.ShapeOf[Envelope](), ID: "envelope", Title: "Envelope",
		Doc: "The members of every kind of record. " + noStability, Partial: true,
	}).JSON()
}

// atLeastOne returns the schema of an object with a non-empty list as member.
func atLeastOne(member string) map[string]any {
	return hasMember(member, map[string]any{"type": "array", "minItems": 1})
}

// hasMember returns the schema of an object with a member. It always includes types, because strict
// validators require them.
func hasMember(member string, value map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{member: value}, "required": []any{member}}
}
