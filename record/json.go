package record

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/schema"
)

// Unmarshal decodes a published record of any kind from JSON. Its member "kind" says which.
//
// Unmarshal, and json.Unmarshal into a type of this package, do not validate: they keep unknown
// values of closed lists and, in Extra, unknown members. Marshalling writes all of them again, and
// numbers with their author's digits. Only unknown members inside other members are lost. Values of
// the wrong JSON type and duplicate members are errors.
func Unmarshal(data []byte) (Record, error) {
	t, err := lenientTree(data)
	if err != nil {
		return nil, err
	}
	name := ""
	if i := t.Find(0, "kind"); i >= 0 {
		name = t.Nodes[i].Text
	}
	k := KindNamed(name)
	if k == nil {
		return nil, fmt.Errorf("record: unknown kind %s", schema.Quote(name))
	}
	rec := k.New()
	return rec, decodeLenient(t, k, rec)
}

// unmarshal implements UnmarshalJSON for every kind.
func unmarshal(data []byte, rec Record) error {
	if string(data) == "null" { // by convention
		return nil
	}
	t, err := lenientTree(data)
	if err != nil {
		return err
	}
	reflect.ValueOf(rec).Elem().SetZero()
	return decodeLenient(t, kindOf(rec), rec)
}

func lenientTree(data []byte) (*schema.Tree, error) {
	t := new(schema.Tree)
	if !t.ScanLenient(string(data)) {
		return nil, fmt.Errorf("record: %w", syntaxError(data))
	}
	return t, nil
}

func decodeLenient(t *schema.Tree, k *Kind, rec Record) error {
	c := checker{}
	c.Lenient = true
	c.reset(t, rec)
	if t.Nodes[0].Type != schema.Object {
		return fmt.Errorf("record: a record must be a JSON object, not %s", t.Nodes[0].Describe())
	}
	c.DecodeObject(0, k.Shape(), reflect.ValueOf(rec).Elem())
	e := rec.Common()
	if len(c.Problems) > 0 {
		p := &c.Problems[0]
		return fmt.Errorf("record: %s %s: %s: %s", k.One, e.ID, p.Pointer, p.Message)
	}
	if e.Kind != "" && e.Kind != KindName(k.Name) {
		return fmt.Errorf("record: %s is of kind %s, not %s", e.ID, e.Kind, k.Name)
	}
	return nil
}

// marshal implements MarshalJSON for every kind.
func marshal(rec Record) ([]byte, error) { return kindOf(rec).AppendJSON(nil, rec), nil }

// kindOf returns the kind of rec by its Go type.
func kindOf(rec Record) *Kind { return kindsByType()[reflect.TypeOf(rec)] }

var kindsByType = sync.OnceValue(func() map[reflect.Type]*Kind {
	m := make(map[reflect.Type]*Kind, len(Kinds))
	for _, k := range Kinds {
		m[reflect.TypeOf(k.New())] = k
	}
	return m
})

// syntaxError returns the reason why JSON cannot be parsed.
func syntaxError(data []byte) error {
	if !jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) {
		return fmt.Errorf("invalid JSON in UTF-8")
	}
	return fmt.Errorf("the JSON contains a control character, more than %d values, or values nested more than %d levels deep", schema.MaxNodes, schema.MaxDepth)
}
