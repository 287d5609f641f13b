package record

import (
	"fmt"
	"reflect"
	"strings"

	"stele/internal/base/jsonline"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// Parser decodes records and applies the rules about single records. It reuses memory, so each
// goroutine needs its own. The zero Parser is ready to use.
type Parser struct {
	Date Date // the release date, which no other date may exceed; "" for no check
	Hold Hold // the Hold of the last record decoded

	tree schema.Tree
	c    checker
}

// Parse decodes a published record from JSON. The record does not share memory with data.
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

// Tree parses a record into a tree, for callers that do not need its type. The tree is valid until
// the next call, and does not share memory with data.
func (p *Parser) Tree(k *Kind, data []byte) (*schema.Tree, error) {
	if !p.tree.ScanJSON("", string(data), 1) {
		return nil, fmt.Errorf("%s: %w", k.One, syntaxError(data))
	}
	return &p.tree, nil
}

// Decode decodes t as a record of kind k. The record contains the members that could be decoded.
// The problems contain the members that could not be decoded, and violated rules about single
// records. References and problems are valid until the next call. The texts of the record and of
// its references are those of the tree; problems share no memory with it.
func (p *Parser) Decode(k *Kind, t *schema.Tree) (Record, []schema.Reference, []schema.Problem) {
	rec := k.New()
	p.c.reset(t, rec)
	p.c.Date, p.Hold = string(p.Date), Hold{}
	if t.Nodes[0].Type != schema.Object {
		p.c.Report(codes.WrongValue, "", "a record must be an object with members, not "+t.Nodes[0].Describe(), "write the members of the record, such as id: and title:")
		return rec, nil, p.c.Problems
	}
	e := rec.Common()
	p.c.DecodeObject(0, k.Shape(), reflect.ValueOf(rec).Elem())
	p.Hold = p.c.hold
	p.c.fillImplied(k, rec)
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

// fillImplied fills in members that an author may omit: the kind, which the folder determines, and
// the kind's own name for the ID.
func (c *checker) fillImplied(k *Kind, rec Record) {
	e := rec.Common()
	if e.Kind == "" {
		e.Kind = KindName(k.Name)
	} else if e.Kind != KindName(k.Name) && !c.HasProblemAt("/kind") {
		c.Report(codes.NotInList, "/kind", "kind is "+schema.Quote(string(e.Kind))+", but this is the folder of "+k.Many, "write "+k.Name+", or move the record to the folder of that kind")
	}
	if name := k.IDMember(); name != "" && c.Tree.Find(0, name) < 0 {
		v := k.Shape().Member(name).Field(reflect.ValueOf(rec).Elem())
		v.SetString(string(e.ID))
	}
}

// AppendJSON appends a record as compact JSON: members in declared order, then custom members in
// the author's order. Optional members that are not set are omitted; lists that are set are written
// even if empty.
func (k *Kind) AppendJSON(b []byte, rec Record) []byte {
	b = schema.AppendMembers(append(b, '{'), k.Shape(), reflect.ValueOf(rec).Elem())
	for _, x := range rec.Common().Extra {
		b = append(jsonline.AppendText(append(b, ','), x.Name), ':')
		b = append(b, x.JSON...)
	}
	return append(b, '}')
}
