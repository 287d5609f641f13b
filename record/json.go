package record

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Parser turns the JSON of published records into typed ones, and holds them to the rules that
// concern a record alone. It keeps its memory from one to the next; each goroutine needs its own.
// The zero Parser is ready for use.
type Parser struct {
	tree    Tree
	decoder Decoder
}

// Parse reads a record. The record does not share memory with data.
func (p *Parser) Parse(k *Kind, data []byte) (Record, error) {
	tree, err := p.Tree(k, data)
	if err != nil {
		return nil, err
	}
	rec, _, problems := p.decoder.Decode(k, tree)
	for _, problem := range problems {
		if problem.Severity() == Error {
			return nil, fmt.Errorf("%s %s: %s", k.One, rec.Common().ID, problem.Message)
		}
	}
	return rec, nil
}

// Tree reads a record as a tree, for those who do not need its type. It is valid until the next one
// is read, and does not share memory with data.
func (p *Parser) Tree(k *Kind, data []byte) (*Tree, error) {
	if !p.tree.ScanJSON("", string(data), 1) {
		return nil, fmt.Errorf("%s: %w", k.One, syntaxError(data))
	}
	return &p.tree, nil
}

// syntaxError says why the scanner could not read JSON.
func syntaxError(data []byte) error {
	if !jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true)) {
		return fmt.Errorf("not valid JSON in UTF-8")
	}
	return fmt.Errorf("the JSON holds a control character, more than %d values, or values nested more than %d deep", MaxNodes, MaxDepth)
}
