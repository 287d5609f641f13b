package bulk

import (
	"reflect"
	"slices"

	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/record"
)

// Type is the type of a column.
type Type string

// The types of columns.
const (
	Text    Type = "text"
	Integer Type = "integer"
	Decimal Type = "decimal" // number in its author's digits
	Boolean Type = "boolean"
	Date    Type = "date"
	JSON    Type = "json" // list or object: JSON text, unless the format has a type for it
)

// Column is a column of a kind's table. A cell is empty, or NULL, if a record does not have the
// member.
type Column struct {
	Name     string
	Doc      string
	Type     Type
	Required bool
	Ref      *schema.RefType // if the column contains IDs of other records
	shape    *schema.Shape   // of lists and objects
}

// extraColumn contains the custom members as one JSON object.
const extraColumn = "extra"

// The columns that the release adds to the members of a record.
const (
	standingColumn = "standing"
	sinceColumn    = "standing_since"
)

// textSuffix is the suffix of the columns that contain numbers as their authors wrote them.
const textSuffix = "_text"

// Columns returns the columns of k: one for each member, in declared order, and one for custom
// members. Nested members stay in one column, so that the columns do not depend on the records.
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
			Column{Name: standingColumn, Doc: "Whether the record is still valid, as in index/standing.json. It is not a member of the record.", Type: Text},
			Column{Name: sinceColumn, Doc: "The date since which the record has this standing; empty if the record stands.", Type: Date})
	}
	return append(columns, Column{Name: extraColumn, Doc: "Custom members, whose names begin with x_, as one object.", Type: JSON})
}

// nameColumn contains the name of a statistic's area, if a publisher's scheme defines the area.
const nameColumn = "ref_area_name"

// columnsIn returns the columns of k in a release. The columns of statistics include the area name
// if the release has area schemes.
func columnsIn(e render.Records, k *record.Kind) []Column {
	columns := Columns(k)
	if k.Name != record.KindHealthcareStatistic || len(e.Areas()) == 0 {
		return columns
	}
	at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == standingColumn })
	return slices.Insert(columns, at, Column{
		Name: nameColumn, Doc: "The name of the area at the time, if its code is in a publisher's scheme. It is not a member of the record.", Type: Text,
	})
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

// typedColumn is a column of a typed format, such as Parquet.
type typedColumn struct {
	Column
	cell int // index of its cell in a row
}

// typedColumns returns the columns of k with a second column for each decimal, because typed
// formats round numbers, and the author's digits must not be lost.
func typedColumns(e render.Records, k *record.Kind) []typedColumn {
	var typed []typedColumn
	for i, c := range columnsIn(e, k) {
		typed = append(typed, typedColumn{c, i})
		if c.Type == Decimal {
			typed = append(typed, typedColumn{Column{Name: c.Name + textSuffix, Doc: "The digits of " + c.Name + " as its author wrote them.", Type: Text}, i})
		}
	}
	return typed
}

// textMembers returns the free-text members of k, which are searched besides title and summary.
func textMembers(k *record.Kind) []string {
	envelope := schema.ShapeOf[record.Envelope]().MemberNames()
	var names []string
	for _, m := range k.Shape().Members {
		if m.Shape.Go == reflect.TypeFor[string]() && !slices.Contains(envelope, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}
