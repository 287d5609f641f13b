package record

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Parser turns the JSON of published records into typed ones, and holds them to the rules that
// concern a record alone. It keeps its memory from one to the next; each goroutine needs its own.
// The zero Parser is ready for use.
type Parser struct {
	tree    schema.Tree
	decoder Decoder
}

// Parse reads a record. The record does not share memory with data.
func (p *Parser) Parse(k *Kind, data []byte) (Record, error) {
	tree, err := p.Tree(k, data)
	if err != nil {
		return nil, err
	}
	rec, _, problems := p.decoder.Decode(k, tree)
	if p.decoder.Hold != (Hold{}) {
		return nil, fmt.Errorf("%s %s: a published record is no draft", k.One, rec.Common().ID)
	}
	for _, problem := range problems {
		if problem.Severity() == codes.Error {
			return nil, fmt.Errorf("%s %s: %s", k.One, rec.Common().ID, problem.Message)
		}
	}
	return rec, nil
}

// Tree reads a record as a tree, for those who do not need its type. It is valid until the next one
// is read, and does not share memory with data.
func (p *Parser) Tree(k *Kind, data []byte) (*schema.Tree, error) {
	if !p.tree.ScanJSON("", string(data), 1) {
		return nil, fmt.Errorf("%s: %w", k.One, syntaxError(data))
	}
	return &p.tree, nil
}

// Unmarshal reads a published record of any kind from JSON. Its member "kind" says which.
//
// Unmarshal, and json.Unmarshal into a type of this package, read what is there and judge nothing:
// words that a closed list does not have are kept, and so are, in Extra, members that the type does
// not have. Marshalling gives all of them back, and numbers in their author's digits. What is lost
// is members inside of other members that these do not have. It is an error if a value is of the
// wrong JSON type or a member stands twice.
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
		return nil, fmt.Errorf("record: %s is not the name of a kind", schema.Quote(name))
	}
	rec := k.New()
	return rec, decodeLenient(t, k, rec)
}

// unmarshal is the UnmarshalJSON of every kind.
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
	c := checker{tree: t, lenient: true}
	if t.Nodes[0].Type != schema.Object {
		return fmt.Errorf("record: a record is an object with members, not %s", describe(&t.Nodes[0]))
	}
	c.object(0, k.Shape(), reflect.ValueOf(rec).Elem())
	e := rec.Common()
	if len(c.problems) > 0 {
		p := &c.problems[0]
		return fmt.Errorf("record: %s %s: %s: %s", k.One, e.ID, p.Pointer, p.Message)
	}
	if e.Kind != "" && e.Kind != KindName(k.Name) {
		return fmt.Errorf("record: %s is of kind %s, not %s", e.ID, e.Kind, k.Name)
	}
	return nil
}

// marshal is the MarshalJSON of every kind.
func marshal(rec Record) ([]byte, error) { return AppendJSON(nil, kindOf(rec), rec), nil }

// kindOf returns the kind of a record by its Go type.
func kindOf(rec Record) *Kind { return kindsByType()[reflect.TypeOf(rec)] }

var kindsByType = sync.OnceValue(func() map[reflect.Type]*Kind {
	m := make(map[reflect.Type]*Kind, len(Kinds))
	for _, k := range Kinds {
		m[reflect.TypeOf(k.New())] = k
	}
	return m
})

// syntaxError says why the scanner could not read JSON.
func syntaxError(data []byte) error {
	if !jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) {
		return fmt.Errorf("not valid JSON in UTF-8")
	}
	return fmt.Errorf("the JSON holds a control character, more than %d values, or values nested more than %d deep", schema.MaxNodes, schema.MaxDepth)
}
