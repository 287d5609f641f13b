package describe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/jsonline"
	"stele/internal/build/render"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// parseObject reads an object. What is inside its members stays as it is, in the memory of data.
func parseObject(data []byte) (object, error) {
	var o object
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		end := d.InputOffset()
		m.value = json.RawMessage(data[end-int64(len(value)) : end])
		o = append(o, m)
	}
	_, err := d.ReadToken() // the bracket, or what is wrong
	return o, err
}

// schemaObject reads a schema of the program's own, or a part of one.
func schemaObject(data []byte) object {
	o, err := parseObject(data)
	if err != nil {
		panic("describe: " + err.Error()) // the program wrote it
	}
	return o
}

// at is the number of a member; -1 if there is none.
func (o object) at(name string) int {
	return slices.IndexFunc(o, func(m member) bool { return m.name == name })
}

// get is the value of a member, or nil.
func (o object) get(name string) any {
	if i := o.at(name); i >= 0 {
		return o[i].value
	}
	return nil
}

// with is the object with a member that has another value, in its place, or at the end where it is
// new.
func (o object) with(name string, value any) object {
	o = slices.Clone(o)
	if i := o.at(name); i >= 0 {
		o[i].value = value
		return o
	}
	return append(o, member{name, value})
}

// without is the object without some members.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) { return appendValue(nil, o) }

// appendValue appends the JSON of a value. Objects inside objects are appended here, because
// encoding/json reads again, at each level, what a value wrote of itself.
func appendValue(b []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case object:
		return appendObject(b, value)
	case []object:
		return appendList(b, value)
	case []any:
		return appendList(b, value)
	}
	data, err := jsonline.Marshal(value, "")
	return append(b, bytes.TrimSuffix(data, []byte{'\n'})...), err
}

func appendObject(b []byte, o object) (_ []byte, err error) {
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonline.AppendText(b, m.name), ':')
		if b, err = appendValue(b, m.value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
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

// encode is what the program made as JSON.
func encode(document any, indent string) []byte {
	data, err := jsonline.Marshal(document, indent)
	if err != nil {
		panic("describe: " + err.Error()) // texts and numbers can be encoded
	}
	return data
}

// putJSON writes a JSON document for people's eyes too.
func putJSON(out render.Output, path string, document any) error {
	return out.Put(path, encode(document, "  "))
}

// asBytes is the JSON of a member that parseObject left as it was.
func asBytes(value any) []byte {
	raw, _ := value.(json.RawMessage)
	return raw
}
