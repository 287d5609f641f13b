package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// readYAML yields the record of each document in a YAML file; a document can also be a list of
// records.
func (p *Reader) readYAML(f *file, data []byte) {
	w := yamlWriter{to: &p.tree, file: f.Path}
	problem := eachDocument(f.Path, data, func(n *yaml.Node) *schema.Problem {
		records := []*yaml.Node{n}
		if n.Kind == yaml.SequenceNode {
			records = n.Content
		}
		for _, n := range records {
			p.tree.Reset(f.Path)
			if problem := w.addNode(n); problem != nil {
				p.yieldProblem(f, problem)
				continue
			}
			p.cut, w.cut = w.cut, nil
			p.yieldRecord(f)
		}
		return nil
	})
	if problem != nil {
		p.yieldProblem(f, problem)
	}
}

// readDocuments reads a YAML file and calls visit for each document.
func readDocuments(fsys fs.FS, at string, visit func(*yaml.Node) *schema.Problem) *schema.Problem {
	data, problem := readWhole(fsys, at)
	if problem != nil {
		return problem
	}
	return eachDocument(at, data, visit)
}

// eachDocument parses a YAML file and calls visit for each document that is not empty.
func eachDocument(file string, data []byte, visit func(*yaml.Node) *schema.Problem) (problem *schema.Problem) {
	if problem := checkText(file, data, 1); problem != nil {
		return problem
	}
	if problem := checkBreaks(file, data); problem != nil {
		return problem
	}
	defer func() { // the parser may panic on hostile input
		if r := recover(); r != nil {
			problem = newProblem(codes.Malformed, file, schema.Pos{}, fmt.Sprintf("the YAML cannot be parsed: %v", r), "")
		}
	}()
	err := parseYAML(data, func(n *yaml.Node) bool {
		problem = visit(n)
		return problem == nil
	})
	if err != nil {
		return yamlProblem(file, data, err)
	}
	return problem
}

// checkBreaks reports characters that end a line in YAML 1.1 but not in YAML 1.2 or in editors.
func checkBreaks(file string, data []byte) *schema.Problem {
	bad := len(data)
	for _, odd := range []string{"\u0085", "\u2028", "\u2029"} {
		if i := bytes.Index(data[:bad], []byte(odd)); i >= 0 {
			bad = i
		}
	}
	for i, c := range data[:bad] {
		if c == '\r' && !bytes.HasPrefix(data[i+1:], []byte{'\n'}) {
			bad = i
			break
		}
	}
	if bad == len(data) {
		return nil
	}
	p := newCursor(data, 1)
	at := p.moveTo(bad)
	r, _ := utf8.DecodeRune(data[bad:])
	problem := newProblem(codes.NotText, file, at, fmt.Sprintf("U+%04X ends a line for some programs and not for others", r), "write an ordinary line break, or a space")
	problem.Width = 1
	return problem
}

// parseYAML calls visit for each document that is not empty, until visit returns false.
func parseYAML(data []byte, visit func(*yaml.Node) bool) error {
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if len(doc.Content) > 0 && !isEmptyYAML(doc.Content[0]) && !visit(doc.Content[0]) {
			return nil
		}
	}
}

func isEmptyYAML(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Tag == "!!null"
}

// yamlWriter adds the nodes of a YAML file to trees.
type yamlWriter struct {
	to      *schema.Tree
	file    string
	alias   int              // number of aliases that contain the current node
	aliased int              // number of bytes that aliases have expanded to
	cut     []schema.Problem // problems of texts that a comment may have cut off
}

func newYAMLWriter(file string) *yamlWriter {
	w := &yamlWriter{to: new(schema.Tree), file: file}
	w.to.Reset(file)
	return w
}

// addNode adds a node to the tree.
func (w *yamlWriter) addNode(n *yaml.Node) *schema.Problem {
	at := nodePosition(n)
	if problem := checkLimits(w.to.Depth(), len(w.to.Nodes), w.file, at); problem != nil {
		return problem
	}
	if w.alias > 0 { // a short file can expand to a very long one
		const node = 64 // bytes of a value besides its text
		w.aliased += node + len(n.Value)
	}
	switch {
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str":
		return newProblem(codes.Malformed, w.file, at, "the tag "+strconv.Quote(n.Tag)+" is not supported", "write the value without a tag")
	case w.aliased > maxAliased:
		return newProblem(codes.TooLarge, w.file, at, fmt.Sprintf("the aliases of the file expand to more than %d MiB", maxAliased>>20), "write fewer aliases")
	}
	switch n.Kind {
	case yaml.AliasNode:
		w.alias++
		problem := w.addNode(n.Alias)
		w.alias--
		return problem
	case yaml.SequenceNode:
		w.to.Open(schema.Array, at)
		for _, c := range n.Content {
			if problem := w.addNode(c); problem != nil {
				return problem
			}
		}
		w.to.Close()
		return nil
	case yaml.MappingNode:
		return w.addMapping(n, at)
	}
	return w.addScalar(n, at)
}

func (w *yamlWriter) addMapping(n *yaml.Node, at schema.Pos) *schema.Problem {
	w.to.Open(schema.Object, at)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := nodePosition(key)
		switch {
		case key.Tag == "!!merge":
			return newProblem(codes.Malformed, w.file, at, "merge keys (<<) are not supported", "put shared members into "+DefaultsFile)
		case key.Kind != yaml.ScalarNode:
			return newProblem(codes.Malformed, w.file, at, "the name of a member must be plain text", "")
		case hasControl(key.Value):
			return newProblem(codes.NotText, w.file, at, "the name contains a control character", "delete it")
		}
		w.to.SetName(key.Value, at)
		if problem := w.addNode(n.Content[i+1]); problem != nil {
			return problem
		}
	}
	w.to.Close()
	return nil
}

func (w *yamlWriter) addScalar(n *yaml.Node, at schema.Pos) *schema.Problem {
	if hasControl(n.Value) { // written as an escape
		return newProblem(codes.NotText, w.file, at, "the text contains a control character", "delete it")
	}
	if n.Style&^yaml.FlowStyle != 0 { // quoted, tagged as text, or a block
		w.to.AddScalar(schema.String, n.Value, at)
		return nil
	}
	w.to.AddScalar(schema.Plain, n.Value, at)
	if n.LineComment != "" && isCommentMeantAsText(n.Value, n.LineComment) {
		w.cut = append(w.cut, *newProblem(codes.GarbledText, w.file, at, "the text ends before "+strconv.Quote(n.LineComment)+": a # after a space starts a comment",
			"put the text in quotation marks, or write a space after the # of a comment"))
	}
	return nil
}

// isCommentMeantAsText reports whether comment is probably part of the text before it, as in
// outbreak #3.
func isCommentMeantAsText(text, comment string) bool {
	c, _ := utf8.DecodeRuneInString(comment[1:])
	return unicode.IsDigit(c) || unicode.IsLetter(c) && (unicode.IsUpper(c) || strings.Contains(text, " "))
}

func nodePosition(n *yaml.Node) schema.Pos {
	return schema.Pos{Line: int32(n.Line), Column: int32(n.Column)}
}

// checkLimits returns a problem if a record is too deep or has too many values.
func checkLimits(depth, nodes int, file string, at schema.Pos) *schema.Problem {
	switch {
	case depth > schema.MaxDepth:
		return newProblem(codes.TooLarge, file, at, fmt.Sprintf("values are nested more than %d deep", schema.MaxDepth), "nest fewer levels")
	case nodes > schema.MaxNodes:
		return newProblem(codes.TooLarge, file, at, fmt.Sprintf("a record has more than %d values", schema.MaxNodes), "split it, or use fewer aliases")
	}
	return nil
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// yamlProblem converts err, the parser's error, to a problem with a line.
func yamlProblem(file string, data []byte, err error) *schema.Problem {
	parts := yamlLine.FindStringSubmatch(strings.ReplaceAll(err.Error(), "\n", " "))
	message, fix := parts[2], ""
	named, _ := strconv.Atoi(parts[1]) // 0 if the error has no line
	at := schema.Pos{Line: int32(errorLine(data, err, named))}
	tab := firstTab(data)
	switch conflict := firstConflict(data); {
	case conflict > 0:
		return conflictProblem(file, conflict)
	case tab.Line > 0 && (strings.Contains(message, "cannot start any token") || strings.Contains(message, "tab")):
		at, message, fix = tab, "a tab at the beginning of a line", "YAML indents with spaces only"
	case strings.Contains(message, "mapping values are not allowed"):
		fix = "there may be a colon in the text: put the text in quotation marks"
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "did not find expected '-' indicator"):
		fix = "check the indentation here and above: members of one object must begin in the same column"
	case strings.Contains(message, "unknown anchor"):
		fix = "put a text that begins with * in quotation marks"
	}
	return newProblem(codes.Malformed, file, at, "malformed YAML: "+message, fix)
}

// errorLine finds the line of err. The parser often names the first line of the enclosing object.
// So errorLine parses files that are not too large again, cut off at different lines, and returns
// the first line at which the error occurs.
func errorLine(data []byte, err error, named int) int {
	const worthIt = 1 << 20
	lines := bytes.Count(bytes.TrimSuffix(data, []byte{'\n'}), []byte{'\n'}) + 1
	if len(data) > worthIt {
		return max(1, min(named, lines))
	}
	ends := make([]int, 0, lines)
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	return min(lines, 1+sort.Search(len(ends), func(i int) bool {
		cut := parseYAML(data[:ends[i]], func(*yaml.Node) bool { return true })
		return cut != nil && cut.Error() == err.Error()
	}))
}

// firstTab returns the position of a tab in the indentation of a line.
func firstTab(data []byte) schema.Pos {
	for i, line := range bytes.Split(data, []byte{'\n'}) {
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if tab := bytes.IndexByte(indent, '\t'); tab >= 0 && len(bytes.TrimSpace(line)) > 0 {
			return schema.Pos{Line: int32(i + 1), Column: int32(tab + 1)}
		}
	}
	return schema.Pos{}
}
