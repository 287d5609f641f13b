package record

import (
	"errors"
	"fmt"
	"reflect"

	"stele/internal/base/schema"
)

// Term is a name with a text.
type Term struct{ Name, Text string }

// Terms are names with texts, in the author's order: an object whose member names the author
// chooses.
type Terms []Term

// Get returns the text of the given name, or "" if there is none.
func (t Terms) Get(name string) string {
	for _, term := range t {
		if term.Name == name {
			return term.Text
		}
	}
	return ""
}

// MarshalJSON returns an object whose members keep their order.
func (t Terms) MarshalJSON() ([]byte, error) { return schema.AppendTerms(nil, reflect.ValueOf(t)), nil }

// UnmarshalJSON decodes an object of texts and keeps the order of its members.
func (t *Terms) UnmarshalJSON(data []byte) error {
	if string(data) == "null" { // by convention
		return nil
	}
	tree, err := lenientTree(data)
	if err != nil {
		return err
	}
	if n := &tree.Nodes[0]; n.Type != schema.Object {
		return fmt.Errorf("record: want an object of texts, not %s", n.Describe())
	}
	d := schema.Decoder{Tree: tree, Lenient: true}
	d.DecodeTerms(0, reflect.ValueOf(t).Elem())
	if len(d.Problems) > 0 {
		return errors.New("record: " + d.Problems[0].Message)
	}
	return nil
}
