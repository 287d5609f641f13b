package bulk

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/record"
)

// Type is what a column holds.
type Type string

// The types of columns.
const (
	Text    Type = "text"
	Integer Type = "integer"
	Decimal Type = "decimal" // a number in its author's digits
	Boolean Type = "boolean"
	Date    Type = "date"
	JSON    Type = "json" // a list or an object: JSON text, where the format has nothing for it
)

// Column is a column of a kind's table. A cell is empty, or NULL, where a record does not have the
// member.
type Column struct {
	Name     string
	Doc      string
	Type     Type
	Required bool
	Ref      *schema.RefType // where the column holds the ID of another record
	shape    *schema.Shape   // where it holds a list or an object
}

// extraColumn holds the members of the publisher's own, which no shape knows, as one JSON object.
const extraColumn = "extra"

// The columns for what a release says of a record, and the record does not say itself.
const (
	standingColumn = "standing"
	sinceColumn    = "standing_since"
)

// textSuffix ends the name of the column that has the digits of a number.
const textSuffix = "_text"

// Columns returns the columns of a kind: a column for each member, in declared order, and one for
// the publisher's own members. What is nested stays together in one, as JSON text or as the format
// has it, so that nothing is lost and no column depends on what the records hold.
func Columns(k *record.Kind) []Column {
	shape := k.Shape()
	columns := make([]Column, 0, len(shape.Members)+1)
	for _, m := range shape.Members {
		c := Column{Name: m.Name, Doc: m.Doc, Type: typeOf(m.Shape), Required: m.Required && !m.Nullable}
		switch c.Type {
		case Text:
			c.Ref = m.Ref
		case JSON:
			c.shape = m.Shape
		}
		columns = append(columns, c)
	}
	if k.HasNode() {
		columns = append(columns,
			Column{Name: standingColumn, Doc: "Whether the record still holds, as index/standing.json says. It is no member of the record.", Type: Text},
			Column{Name: sinceColumn, Doc: "Since when it has that standing; empty where it stands.", Type: Date})
	}
	return append(columns, Column{Name: extraColumn, Doc: "The publisher's own members, whose names begin with x_, as one object.", Type: JSON})
}

func typeOf(s *schema.Shape) Type {
	switch {
	case s.Type == schema.Array || s.Type == schema.Object:
		return JSON
	case s.Type == schema.Bool:
		return Boolean
	case s.Integer:
		return Integer
	case s.Type == schema.Digits:
		return Decimal
	case s.Go == reflect.TypeFor[record.Date]():
		return Date
	}
	return Text
}

// typedColumn is a column of a format that has types of its own.
type typedColumn struct {
	Column
	cell int // which cell of a row it is made from
}

// typedColumns gives each decimal a second column: formats with types round numbers to what
// computers compute with, and the author's digits must not be lost.
func typedColumns(k *record.Kind) []typedColumn {
	var typed []typedColumn
	for i, c := range Columns(k) {
		typed = append(typed, typedColumn{c, i})
		if c.Type == Decimal {
			typed = append(typed, typedColumn{Column{Name: c.Name + textSuffix, Doc: "The digits of " + c.Name + " as its author wrote them.", Type: Text}, i})
		}
	}
	return typed
}

// prose are the members of a kind's own that people write in words: what to search beside title and
// summary.
func prose(k *record.Kind) []string {
	envelope := schema.ShapeOf[record.Envelope]().MemberNames()
	var names []string
	for _, m := range k.Shape().Members {
		if m.Shape.Go == reflect.TypeFor[string]() && !slices.Contains(envelope, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}
