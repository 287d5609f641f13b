package input

import (
	"fmt"

	"stele/record"
)

// Parser turns the JSON of published records back into typed ones. It keeps its memory from one to
// the next; each goroutine needs its own.
type Parser struct {
	json    *jsonReader
	tree    record.Tree
	decoder record.Decoder
}

// NewParser makes a parser.
func NewParser() *Parser { return &Parser{json: newJSONReader()} }

// Parse reads a record. The record does not share memory with data.
func (p *Parser) Parse(k *record.Kind, data []byte) (record.Record, error) {
	tree, err := p.Tree(k, data)
	if err != nil {
		return nil, err
	}
	rec, _, problems := p.decoder.Decode(k, tree)
	for _, problem := range problems {
		if problem.Severity() == record.Error {
			return nil, fmt.Errorf("%s %s: %s", k.One, rec.Common().ID, problem.Message)
		}
	}
	return rec, nil
}

// Tree reads a record as a tree, for those who do not need its type. It is valid until the next one
// is read, and does not share memory with data.
func (p *Parser) Tree(k *record.Kind, data []byte) (*record.Tree, error) {
	if !scanLine(&p.tree, "", string(data), 1) {
		p.json.reset("", data, 1)
		if problem := p.json.value(&p.tree); problem != nil {
			return nil, fmt.Errorf("%s: %s", k.One, problem.Message)
		}
	}
	return &p.tree, nil
}
