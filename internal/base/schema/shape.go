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

// Shape describes the values that a Go type allows. It is derived from the type once. Decoding,
// encoding and JSON Schema all follow it.
//
// A member's Go type determines its JSON type, list and format. Its tags declare the rest:
//
//	json         name; omitempty makes it optional
//	doc          a description
//	max, min     greatest number of characters; least value of an integer
//	items        least number of elements
//	missing      code of the problem if it is missing or empty; SCH01 by default
//	implied      optional for authors, filled in for readers
//	nullable     null is allowed
//	ref          kinds that it may refer to, or * for all
//	missing-ref  code of the problem if the reference is unknown; REF01 by default
//	relation     meaning of the reference in the graph
//	identity     part of the record's identity: "fixed" never changes, "kept" does not change
//	             once it is set, "corrected" changes only with a correction or source update
//	otherwise    member that identifies the record if this one is missing
//	others       contains the members that no other field has
//	as           name of a type whose shape it has, if its package cannot import that type
type Shape struct {
	Type    Type // String, Digits, Bool, Array or Object
	Go      reflect.Type
	List    []Value  // the list of a text's values, or nil
	Format  *Format  // the form of a text, or of values that are not in List; or nil
	Integer bool     // whether a number must be an integer
	Elem    *Shape   // of an array, or of an open object's values; nil if these are texts
	Members []Member // of an object, in declared order
	Open    bool     // whether it is an object whose member names are the author's choice
	Extra   bool     // whether it is an object that may have x_ members

	index map[string]int
	words map[string]string
	empty reflect.Value // an empty array
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
	// Identity and Otherwise are the values of the tags.
	Identity, Otherwise string

	quoted string // the name in JSON, with a colon
	field  []int  // one index, or two for a field of an embedded struct
}

// Field returns the member's field of the struct v.
func (m *Member) Field(v reflect.Value) reflect.Value {
	for _, i := range m.field {
		v = v.Field(i)
	}
	return v
}

// RefType declares that a member contains the ID of another record.
type RefType struct {
	Path     []string   // names from the record to the member, without array indexes
	Kinds    []string   // the allowed kinds; empty for any
	Missing  codes.Code // code of the problem if the reference is unknown
	Relation string     // its meaning in the graph; "" for none
	Order    int32      // increases in the order in which members are declared
}

// refTypes counts the declarations of references.
var refTypes atomic.Int32

// Member returns the named member, or nil.
func (s *Shape) Member(name string) *Member {
	if i, ok := s.index[name]; ok {
		return &s.Members[i]
	}
	return nil
}

func (s *Shape) MemberNames() []string {
	names := make([]string, len(s.Members))
	for i, m := range s.Members {
		names[i] = m.Name
	}
	return names
}

// Words returns the values of the shape's closed list.
func (s *Shape) Words() []string {
	words := make([]string, len(s.List))
	for i, v := range s.List {
		words[i] = v.Word
	}
	return words
}

// definitions are the shapes of types that cannot be derived by reflection.
var definitions = map[reflect.Type]Shape{}

// Define sets the shape of the Go type t: a list, a format, or a JSON type that differs from the Go
// type. Call it only during initialization.
func Define(t reflect.Type, s Shape) {
	s.Go = t
	definitions[t] = s
}

// ListOf returns the closed list of T's values.
func ListOf[T ~string]() []Value { return definitions[reflect.TypeFor[T]()].List }

// Lists returns the shapes of all types with a closed list, sorted by the names that nameOf returns
// for the types.
func Lists(nameOf func(reflect.Type) string) (shapes []*Shape) {
	for _, s := range definitions {
		if s.List != nil {
			shapes = append(shapes, &s)
		}
	}
	slices.SortFunc(shapes, func(a, b *Shape) int { return strings.Compare(nameOf(a.Go), nameOf(b.Go)) })
	return shapes
}

func ShapeOf[T any]() *Shape { return ShapeOfType(reflect.TypeFor[T]()) }

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
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8: // written as Base64
	case t.Kind() == reflect.Slice:
		s.Type, s.Elem, s.empty = Array, shapeOf(t.Elem(), path), reflect.MakeSlice(t, 0, 0)
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
	panic("schema: unknown type " + name)
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
