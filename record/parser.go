package record

import (
	"fmt"
	"reflect"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Parser turns records into typed ones, and holds them to the rules that concern a record alone. It
// keeps its memory from one to the next; each goroutine needs its own. The zero Parser is ready for
// use.
type Parser struct {
	Date Date // the release date, which no other may lie after; "" leaves that unchecked
	Hold Hold // what keeps the record that was decoded last from being published

	tree schema.Tree
	c    checker
}

// Parse reads a published record from JSON. The record does not share memory with data.
func (p *Parser) Parse(k *Kind, data []byte) (Record, error) {
	tree, err := p.Tree(k, data)
	if err != nil {
		return nil, err
	}
	rec, _, problems := p.Decode(k, tree)
	if p.Hold != (Hold{}) {
		return nil, fmt.Errorf("%s %s: a published record cannot be a draft", k.One, rec.Common().ID)
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

// Decode reads a tree as a record of a kind. The record holds what could be read; the problems say
// what could not and what is wrong by the rules that concern the record alone. References and
// problems are valid until the next call. The texts of the record and of its references are those
// of the tree; problems share no memory with it and can be kept.
func (p *Parser) Decode(k *Kind, t *schema.Tree) (Record, []schema.Reference, []schema.Problem) {
	rec := k.New()
	p.c.reset(t, rec)
	p.c.Date, p.Hold = string(p.Date), Hold{}
	if t.Nodes[0].Type != schema.Object {
		p.c.Report(codes.WrongValue, "", "a record is an object with members, not "+t.Nodes[0].Describe(), "write members, such as id: and title:")
		return rec, nil, p.c.Problems
	}
	e := rec.Common()
	p.c.DecodeObject(0, k.Shape(), reflect.ValueOf(rec).Elem())
	p.Hold = p.c.hold
	p.c.imply(k, rec)
	e.check(&p.c)
	if r, ok := rec.(checked); ok {
		r.check(&p.c)
	}
	if len(p.c.Problems) > 0 {
		id := strings.Clone(string(e.ID))
		for i := range p.c.Problems {
			p.c.Problems[i].Record = id
		}
	}
	return rec, p.c.Refs, p.c.Problems
}

// imply fills in what an author may leave out: the kind, which the folder gives, and the kind's own
// name for the ID.
func (c *checker) imply(k *Kind, rec Record) {
	e := rec.Common()
	if e.Kind == "" {
		e.Kind = KindName(k.Name)
	} else if e.Kind != KindName(k.Name) && !c.HasProblemAt("/kind") {
		c.Report(codes.NotInList, "/kind", "kind is "+schema.Quote(string(e.Kind))+", but this is the folder of "+k.Many, "write "+k.Name+", or move the record to the folder of its kind")
	}
	if name := k.IDMember(); name != "" && c.Tree.Find(0, name) < 0 {
		v := k.Shape().Member(name).Field(reflect.ValueOf(rec).Elem())
		v.SetString(string(e.ID))
	}
}

// AppendJSON writes a record as compact JSON: members in declared order, then the publisher's own
// in the author's order. Optional members that are not set are left out; lists that are set are
// written even when empty.
func (k *Kind) AppendJSON(b []byte, rec Record) []byte {
	b = schema.AppendMembers(append(b, '{'), k.Shape(), reflect.ValueOf(rec).Elem())
	for _, x := range rec.Common().Extra {
		b = append(jsonline.AppendText(append(b, ','), x.Name), ':')
		b = append(b, x.JSON...)
	}
	return append(b, '}')
}
