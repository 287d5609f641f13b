package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/record"
)

// readYAML passes on the record of each document of a YAML file; a document may also be a list of records.
func (p *parser) readYAML(f *file, data []byte) {
	problem := eachDocument(f.path, data, func(n *yaml.Node) *record.Problem {
		records := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			records = n.Content
		}
		for _, n := range records {
			p.tree.Reset(f.path)
			if problem := addYAML(p.tree, f.path, n); problem != nil {
				p.fail(f, *problem)
				continue
			}
			p.record(f)
		}
		return nil
	})
	if problem != nil {
		p.fail(f, *problem)
	}
}

// eachDocument parses a YAML file and visits its documents, but for empty ones.
func eachDocument(file string, data []byte, visit func(*yaml.Node) *record.Problem) (problem *record.Problem) {
	if problem := checkText(file, data, 1); problem != nil {
		return problem
	}
	defer func() { // the parser is not ours, and what it reads may be hostile
		if r := recover(); r != nil {
			p := fault(record.FIL03, file, record.Pos{}, fmt.Sprintf("the YAML cannot be parsed: %v", r), "")
			problem = &p
		}
	}()
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			p := yamlSyntax(file, data, err)
			return &p
		}
		if len(doc.Content) == 0 || isEmptyYAML(doc.Content[0]) {
			continue
		}
		if problem := visit(doc.Content[0]); problem != nil {
			return problem
		}
	}
}

func isEmptyYAML(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Tag == "!!null"
}

// addYAML adds a YAML node to a tree.
func addYAML(t *record.Tree, file string, n *yaml.Node) *record.Problem {
	at := record.Pos{Line: int32(n.Line), Column: int32(n.Column)}
	if problem := limits(t, file, at); problem != nil {
		return problem
	}
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str" {
		p := fault(record.FIL03, file, at, "the tag "+strconv.Quote(n.Tag)+" is not read", "write the value without a tag")
		return &p
	}
	switch n.Kind {
	case yaml.AliasNode:
		return addYAML(t, file, n.Alias)
	case yaml.SequenceNode:
		t.Open(record.Array, at)
		for _, c := range n.Content {
			if problem := addYAML(t, file, c); problem != nil {
				return problem
			}
		}
		t.Close()
	case yaml.MappingNode:
		return addMapping(t, file, n, at)
	default:
		addScalar(t, n, at)
	}
	return nil
}

func addMapping(t *record.Tree, file string, n *yaml.Node, at record.Pos) *record.Problem {
	t.Open(record.Object, at)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := record.Pos{Line: int32(key.Line), Column: int32(key.Column)}
		switch {
		case key.Tag == "!!merge":
			p := fault(record.FIL03, file, at, "merge keys (<<) are not read", "put what records share into "+defaultsFile)
			return &p
		case key.Kind != yaml.ScalarNode:
			p := fault(record.FIL03, file, at, "the name of a member must be plain text", "")
			return &p
		}
		t.Member(key.Value, at)
		if problem := addYAML(t, file, n.Content[i+1]); problem != nil {
			return problem
		}
	}
	t.Close()
	return nil
}

func addScalar(t *record.Tree, n *yaml.Node, at record.Pos) {
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		t.Scalar(record.String, strings.TrimRight(n.Value, "\n"), at) // a block's last line break ends the block, not the text
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.TaggedStyle) != 0:
		t.Scalar(record.String, n.Value, at)
	default:
		t.Scalar(record.Plain, n.Value, at)
	}
}

// limits keeps a record within what a worker will hold.
func limits(t *record.Tree, file string, at record.Pos) *record.Problem {
	if t.Depth() <= maxDepth && len(t.Nodes) <= maxNodes {
		return nil
	}
	p := fault(record.FIL05, file, at, fmt.Sprintf("a record has more than %d values", maxNodes), "divide it, or write fewer aliases")
	if t.Depth() > maxDepth {
		p = fault(record.FIL05, file, at, fmt.Sprintf("values are nested more than %d deep", maxDepth), "write it flatter")
	}
	return &p
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// yamlSyntax turns the parser's error into a problem with a line.
func yamlSyntax(file string, data []byte, err error) record.Problem {
	parts := yamlLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	line, _ := strconv.Atoi(parts[1]) // 0 where it names none
	message, fix := parts[2], ""
	at := record.Pos{Line: int32(line)}
	tab := firstTab(data)
	switch {
	case tab.Line > 0 && (strings.Contains(message, "cannot start any token") || strings.Contains(message, "tab")):
		at, message, fix = tab, "a tab at the beginning of a line", "YAML indents with spaces only"
	case strings.Contains(message, "mapping values are not allowed"):
		fix = "there may be a colon in the text: put the text in quotation marks"
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "did not find expected '-' indicator"):
		fix = "look at the indentation here and above: members of one object begin in the same column"
	case strings.Contains(message, "unknown anchor"):
		fix = "put a text that begins with * in quotation marks"
	}
	if at.Line == 0 {
		at.Line = 1
	}
	return fault(record.FIL03, file, at, "not valid YAML: "+message, fix)
}

// firstTab finds a tab in the indentation of a line.
func firstTab(data []byte) record.Pos {
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(bytes.TrimSpace(line)) > 0 {
			return record.Pos{Line: int32(i + 1), Column: int32(tab + 1)}
		}
	}
	return record.Pos{}
}
