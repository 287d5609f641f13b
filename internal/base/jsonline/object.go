package jsonline

import (
	"bytes"
	"fmt"
	"slices"
)

// Object is a JSON object whose members keep their order.
type Object []Named

// Named is a member of it.
type Named = struct {
	Name  string
	Value any
}

// at is the number of a member; -1 if there is none.
func (o Object) at(name string) int {
	return slices.IndexFunc(o, func(m Named) bool { return m.Name == name })
}

// Get is the value of a member, or nil.
func (o Object) Get(name string) any {
	if i := o.at(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

// With is the object with a member that has another value, in its place, or at the end where it is
// new.
func (o Object) With(name string, value any) Object {
	o = slices.Clone(o)
	if i := o.at(name); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Named{name, value})
}

// Without is the object without some members.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Named) bool { return slices.Contains(names, m.Name) })
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) { return appendValue(nil, o) }

// appendValue appends the JSON of a value. Objects inside objects are appended here, because
// encoding/json reads again, at each level, what a value wrote of itself.
func appendValue(b []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case Object:
		return appendObject(b, value)
	case []Object:
		return appendList(b, value)
	case []any:
		return appendList(b, value)
	}
	data, err := Marshal(value, "")
	return append(b, bytes.TrimSuffix(data, []byte{'\n'})...), err
}

// AppendMember adds a member to an object that is not closed yet.
func AppendMember(object []byte, name string, value []byte) []byte {
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	return append(append(AppendText(object, name), ':'), value...)
}

func appendObject(b []byte, o Object) (_ []byte, err error) {
	b = append(b, '{')
	for _, m := range o {
		if b, err = appendValue(AppendMember(b, m.Name, nil), m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return append(b, '}'), nil
}

func appendList[T any](b []byte, list []T) (_ []byte, err error) {
	if list == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	for i, value := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, value); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}
