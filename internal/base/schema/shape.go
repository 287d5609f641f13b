package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema/codes"
)

// Shape is what a value looks like. Shapes are read off the Go types once; decoding, encoding and
// JSON Schema all follow them.
//
// A member's Go type gives its JSON type, its list and its format. Its tags say the rest:
//
//	json         name; omitempty makes it optional
//	doc          what it holds, for people
//	max, min     most characters of a text; least value of an integer
//	items        least number of elements
//	missing      the code of the problem that it is missing or empty, if not SCH01
//	implied      the author may leave it out, and it is filled in
//	nullable     null may stand there
//	ref          the kinds that it may refer to, or * for all
//	missing-ref  the code of the problem that the reference leads nowhere, if not REF01
//	relation     what the reference means in the graph
//	identity     it makes the record the thing it is: "fixed" never changes, "kept" neither once
//	             it is there, "corrected" only where a correction or source update tells of it
//	otherwise    the member that does so where this one is not there
//	others       it keeps the members that no other field has
//	as           the name of a type whose shape it has, where its own package does not know that
type Shape struct {
	Type    Type // String, Digits, Bool, Array or Object
	Go      reflect.Type
	List    []Value  // the closed list that a text comes from, or nil
	Format  *Format  // the form of a text, or nil
	Integer bool     // digits only
	Elem    *Shape   // of an array's elements
	Members []Member // of an object, in declared order
	Open    bool     // an object of texts whose names are the author's own
	Extra   bool     // an object that may have x_ members

	index map[string]int
	words map[string]string
	none  reflect.Value // an array that is there and has no elements
}

// Member is a member of an object.
type Member struct {
	Name     string
	Doc      string
	Shape    *Shape
	Required bool
	Implied  bool
	Nullable bool
	Max, Min int
	Items    int
	Missing  codes.Code
	Ref      *RefType
	// Identity and Otherwise are what the tags say.
	Identity, Otherwise string

	quoted string // the name in JSON, with its colon
	field  []int  // one index, or two where it lies in an embedded struct
}

// Field is the member's field of a struct.
func (m *Member) Field(v reflect.Value) reflect.Value {
	for _, i := range m.field {
		v = v.Field(i)
	}
	return v
}

// RefType declares that a member holds the ID of another record.
type RefType struct {
	Path     []string   // names from the record down to the member; arrays between them are not named
	Kinds    []string   // the kinds that it may lead to; empty for any
	Missing  codes.Code // the problem if it leads nowhere
	Relation string     // what it means in the graph; empty for nothing
	Order    int32      // grows in the order in which the members of a record are declared
}

// refTypes counts the declarations of references.
var refTypes atomic.Int32

// Member returns the member with a name, or nil.
func (s *Shape) Member(name string) *Member {
	if i, ok := s.index[name]; ok {
		return &s.Members[i]
	}
	return nil
}

// MemberNames returns the names of an object's members in declared order.
func (s *Shape) MemberNames() []string {
	names := make([]string, len(s.Members))
	for i, m := range s.Members {
		names[i] = m.Name
	}
	return names
}

// Words returns the words of the shape's closed list.
func (s *Shape) Words() []string {
	words := make([]string, len(s.List))
	for i, v := range s.List {
		words[i] = v.Word
	}
	return words
}

// definitions are the shapes of types that reflection does not show.
var definitions = map[reflect.Type]Shape{}

// Define gives a Go type a shape of its own: a list, a format, or another type than it has in Go.
// Only the beginning of a program calls it.
func Define(t reflect.Type, s Shape) {
	s.Go = t
	definitions[t] = s
}

// ListOf returns the closed list that a type's values come from.
func ListOf[T ~string]() []Value { return definitions[reflect.TypeFor[T]()].List }

// Lists returns the shapes of all types whose values come from a closed list, sorted by what the
// types are called.
func Lists(called func(reflect.Type) string) (shapes []*Shape) {
	for _, s := range definitions {
		if s.List != nil {
			shapes = append(shapes, &s)
		}
	}
	slices.SortFunc(shapes, func(a, b *Shape) int { return strings.Compare(called(a.Go), called(b.Go)) })
	return shapes
}

// ShapeOf returns the shape of a Go type.
func ShapeOf[T any]() *Shape { return ShapeOfType(reflect.TypeFor[T]()) }

// ShapeOfType does so for a type that is known only when the program runs.
func ShapeOfType(t reflect.Type) *Shape { return shapeOf(t, nil) }

func shapeOf(t reflect.Type, path []string) *Shape {
	s := &Shape{Go: t, Type: String}
	if defined, ok := definitions[t]; ok {
		*s = defined
	}
	switch {
	case s.Type != String || s.Open:
	case t.Kind() == reflect.Pointer:
		s = shapeOf(t.Elem(), path)
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int:
		s.Type, s.Integer = Digits, true
	case t.Kind() == reflect.Bool:
		s.Type = Bool
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8: // as Base64
	case t.Kind() == reflect.Slice:
		s.Type, s.Elem, s.none = Array, shapeOf(t.Elem(), path), reflect.MakeSlice(t, 0, 0)
	case t.Kind() == reflect.Struct:
		s.Type = Object
		s.addMembers(t, nil, path)
		s.index = make(map[string]int, len(s.Members))
		for i, m := range s.Members {
			s.index[m.Name] = i
		}
	case t.Kind() != reflect.String:
		panic(fmt.Sprintf("schema: no shape for %v", t))
	}
	if len(s.Members) > 64 {
		panic(fmt.Sprintf("schema: %v has more than 64 members", t))
	}
	for _, v := range s.List {
		if s.words == nil {
			s.words = map[string]string{}
		}
		s.words[v.Word] = v.Word
	}
	return s
}

func (s *Shape) addMembers(t reflect.Type, field []int, path []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(field), i)
		if f.Anonymous {
			s.addMembers(f.Type, at, path)
			continue
		}
		s.Extra = s.Extra || f.Tag.Get("others") != ""
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		inner := append(slices.Clone(path), name)
		s.Members = append(s.Members, Member{
			Name: name, Doc: f.Tag.Get("doc"), Shape: shapeOf(typeOf(f), inner), Required: options == "",
			Implied: f.Tag.Get("implied") != "", Nullable: f.Tag.Get("nullable") != "",
			Max: tagInt(f, "max"), Min: tagInt(f, "min"), Items: tagInt(f, "items"),
			Missing: codes.Code(tagOr(f, "missing", string(codes.WrongValue))), Ref: refOf(f, inner),
			Identity: f.Tag.Get("identity"), Otherwise: f.Tag.Get("otherwise"),
			quoted: string(jsonline.AppendText(nil, name)) + ":", field: at,
		})
	}
}

// typeOf is the type that a field stands for.
func typeOf(f reflect.StructField) reflect.Type {
	name, ok := f.Tag.Lookup("as")
	if !ok {
		return f.Type
	}
	for t := range definitions {
		if t.Name() == name && f.Type.Kind() == reflect.Slice {
			return reflect.SliceOf(t)
		} else if t.Name() == name {
			return t
		}
	}
	panic("schema: there is no type " + name)
}

func refOf(f reflect.StructField, path []string) *RefType {
	to, ok := f.Tag.Lookup("ref")
	if !ok {
		return nil
	}
	ref := &RefType{
		Path: path, Missing: codes.Code(tagOr(f, "missing-ref", string(codes.UnknownReference))),
		Relation: f.Tag.Get("relation"), Order: refTypes.Add(1),
	}
	if to != "*" {
		ref.Kinds = strings.Split(to, ",")
	}
	return ref
}

func tagInt(f reflect.StructField, name string) int {
	n, err := strconv.Atoi(tagOr(f, name, "0"))
	if err != nil {
		panic(fmt.Sprintf("schema: %s: tag %s: %v", f.Name, name, err))
	}
	return n
}

func tagOr(f reflect.StructField, name, other string) string {
	if v, ok := f.Tag.Lookup(name); ok {
		return v
	}
	return other
}
