package bulk

import (
	"fmt"

	"github.com/parquet-go/parquet-go"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
)

// branch is a part of a record in Parquet: a value, or a list, struct or map of values.
//
// Parquet stores values in columns, one for each leaf of the tree. Each value has two levels: the
// definition level (def) is the number of optional branches and lists on its path that exist, and
// the repetition level (rep) is the number of the list that it continues.
type branch struct {
	sort     sort
	leaf     Type
	optional bool
	within   []inner // of a struct
	element  *branch // of a list
	rep      int     // level of all elements of a list or map but the first
	first    int     // the leaves are the columns from first
	end      int     // to end, which is excluded
	// state for splitting a struct: indexes of members by name, and their values
	number map[string]int
	names  []string
	cells  []cell
}

type sort uint8

const (
	isLeaf sort = iota
	isStruct
	isList
	isMap // of texts, with names chosen by the author
)

// inner is a branch of a struct, derived from one of its members. A number becomes two branches,
// and the second contains its author's digits.
type inner struct {
	*branch
	name   string
	member int
}

// newBranch returns the branch of shape s. rep is the number of lists around it, and next is the
// index of its first column.
func newBranch(s *schema.Shape, rep, next int, optional bool) *branch {
	b := &branch{sort: isLeaf, leaf: typeOf(s), optional: optional, first: next, end: next + 1}
	switch {
	case s.Open:
		b.sort, b.rep, b.end = isMap, rep+1, next+2
	case s.Type == schema.Array:
		b.sort, b.rep = isList, rep+1
		b.element = newBranch(s.Elem, rep+1, next, false)
		if b.element.leaf == Decimal {
			b.element.leaf = Text // lists have no second column for digits
		}
		b.end = b.element.end
	case s.Type == schema.Object:
		b.sort, b.names, b.number, b.end = isStruct, s.MemberNames(), map[string]int{}, next
		b.cells = make([]cell, len(s.Members))
		for i, m := range s.Members {
			b.number[m.Name] = i
			b.add(m.Name, i, newBranch(m.Shape, rep, b.end, true))
			if typeOf(m.Shape) == Decimal {
				b.add(m.Name+textSuffix, i, newLeaf(Text, b.end))
			}
		}
	}
	return b
}

// newLeaf returns the branch of an optional value of type t.
func newLeaf(t Type, column int) *branch {
	return &branch{leaf: t, optional: true, first: column, end: column + 1}
}

func (b *branch) add(name string, member int, of *branch) {
	b.within = append(b.within, inner{of, name, member})
	b.end = of.end
}

func (b *branch) node() parquet.Node {
	var n parquet.Node
	switch b.sort {
	case isStruct:
		n = newGroup(b.within)
	case isList:
		n = parquet.List(b.element.node())
	case isMap:
		n = parquet.Map(nodeOf(Text), nodeOf(Text))
	default:
		n = nodeOf(b.leaf)
	}
	if b.optional {
		return parquet.Optional(n)
	}
	return n
}

// shredder splits values into columns, row by row.
type shredder struct{ columns [][]parquet.Value }

// put appends value, which is JSON or empty for null, to the columns of branch b, with its levels.
func (s *shredder) put(b *branch, value cell, rep, def int) error {
	if b.optional {
		if len(value) == 0 || value[0] == 'n' { // null
			s.appendNull(b, rep, def)
			return nil
		}
		def++
	}
	switch b.sort {
	case isStruct:
		return s.putStruct(b, value, rep, def)
	case isList:
		return s.putList(b, value, rep, def)
	case isMap:
		return s.putMap(b, value, rep, def)
	}
	v, err := valueOf(b.leaf, value)
	s.set(b.first, v, rep, def)
	return err
}

func (s *shredder) set(column int, v parquet.Value, rep, def int) {
	s.columns[column] = append(s.columns[column], v.Level(rep, def, column))
}

func (s *shredder) appendNull(b *branch, rep, def int) {
	for column := b.first; column < b.end; column++ {
		s.set(column, parquet.NullValue(), rep, def)
	}
}

func (s *shredder) putStruct(b *branch, value cell, rep, def int) error {
	clear(b.cells)
	next := 0 // members are usually in declared order
	for m, err := range jsonline.Members(value) {
		if err != nil {
			return err
		}
		if next == len(b.names) || b.names[next] != string(m.Name) {
			known := false
			if next, known = b.number[string(m.Name)]; !known {
				return fmt.Errorf("no column for member %q", m.Name)
			}
		}
		b.cells[next] = m.Value
		next++
	}
	for _, in := range b.within {
		if err := s.put(in.branch, b.cells[in.member], rep, def); err != nil {
			return err
		}
	}
	return nil
}

func (s *shredder) putList(b *branch, value cell, rep, def int) error {
	empty := true
	for element, err := range jsonline.Elements(value) {
		if err == nil {
			err = s.put(b.element, element, rep, def+1)
		}
		if err != nil {
			return err
		}
		empty, rep = false, b.rep
	}
	if empty {
		s.appendNull(b, rep, def)
	}
	return nil
}

func (s *shredder) putMap(b *branch, value cell, rep, def int) error {
	empty := true
	for m, err := range jsonline.Members(value) {
		if err != nil {
			return err
		}
		text, err := cell(m.Value).text()
		if err != nil {
			return err
		}
		s.set(b.first, parquet.ByteArrayValue(m.Name), rep, def+1)
		s.set(b.first+1, parquet.ByteArrayValue(text), rep, def+1)
		empty, rep = false, b.rep
	}
	if empty {
		s.appendNull(b, rep, def)
	}
	return nil
}
