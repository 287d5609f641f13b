package jsonline

import (
	"bytes"
	"fmt"
	"slices"
)

// Object is a JSON object whose members keep their order.
type Object []Named

// Named is a member of an Object.
type Named = struct {
	Name  string
	Value any
}

// index returns the index of the named member, or -1.
func (o Object) index(name string) int {
	return slices.IndexFunc(o, func(m Named) bool { return m.Name == name })
}

// Get returns the value of the named member, or nil.
func (o Object) Get(name string) any {
	if i := o.index(name); i >= 0 {
		return o[i].Value
	}
	return nil
}

// With returns a copy of o in which the named member has this value. A new member is appended.
func (o Object) With(name string, value any) Object {
	o = slices.Clone(o)
	if i := o.index(name); i >= 0 {
		o[i].Value = value
		return o
	}
	return append(o, Named{name, value})
}

// Without returns a copy of o without the named members.
func (o Object) Without(names ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Named) bool { return slices.Contains(names, m.Name) })
}

// MarshalJSON returns the members in their order.
func (o Object) MarshalJSON() ([]byte, error) { return appendValue(nil, o) }

// appendValue appends value as JSON. It handles nested objects itself, because encoding/json parses
// the result of every MarshalJSON again at each level.
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

// AppendMember appends a member to object, JSON that has no closing brace yet.
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
