package schema

import (
	"iter"
	"strconv"
	"strings"
)

// Type is the type of a value in a Tree.
type Type uint8

const (
	Null   Type = iota
	Bool        // Text is true or false
	Digits      // Text holds the digits
	String      // Text holds the content
	// an unquoted word of YAML: a number, true, false or null if it looks like one and text is not
	// asked for
	Plain
	Cell // a cell of CSV: it has whatever type is asked for
	Array
	Object
)

// Pos is a position in a file: line and column from 1, columns in characters; 0 where not known.
type Pos struct{ Line, Column int32 }

// Node is a value as its author wrote it.
type Node struct {
	Name   string // the member's name, in an object
	Text   string
	At     Pos
	NameAt Pos
	end    int32 // index of the next node that is not inside this one
	File   uint8 // which of the tree's Files the node stands in
	Type   Type
}

// Tree is a value with positions: what every format is read into and every record is decoded from.
// It is one flat slice, so that a worker can use the same memory for one record after another. The
// zero Tree is empty and ready for use.
type Tree struct {
	Files []string // where it stands: the record's own file first, then those of its defaults
	Nodes []Node
	open  []int32
	name  string
	at    Pos
	file  uint8
	// Looked counts the nodes that Find and At look at, for a test that holds it to the size of a
	// record. It is nil otherwise: trees are shared.
	Looked *int
}

// What a tree may hold. Every reader keeps to it.
const (
	MaxDepth = 100     // objects and arrays inside one another
	MaxNodes = 200_000 // values in one record, aliases written out
)

// Reset empties the tree for a new value in a file.
func (t *Tree) Reset(files ...string) {
	t.Files = append(t.Files[:0], files...)
	t.Nodes, t.open, t.name, t.at, t.file = t.Nodes[:0], t.open[:0], "", Pos{}, 0
}

// Member names the value that is added next.
func (t *Tree) Member(name string, at Pos) { t.name, t.at = name, at }

// Scalar adds a value that holds no others.
func (t *Tree) Scalar(typ Type, text string, at Pos) {
	i := int32(len(t.Nodes))
	t.Nodes = append(t.Nodes, Node{Name: t.name, Text: text, At: at, NameAt: t.at, end: i + 1, File: t.file, Type: typ})
	t.name, t.at = "", Pos{}
}

// Open begins an object or array; Close ends it.
func (t *Tree) Open(typ Type, at Pos) {
	t.open = append(t.open, int32(len(t.Nodes)))
	t.Scalar(typ, "", at)
}

// Close ends the object or array that was opened last.
func (t *Tree) Close() {
	last := len(t.open) - 1
	t.Nodes[t.open[last]].end = int32(len(t.Nodes))
	t.open = t.open[:last]
}

// In says which of the tree's files the values that are added next stand in.
func (t *Tree) In(file uint8) { t.file = file }

// Depth returns how many objects and arrays are open.
func (t *Tree) Depth() int { return len(t.open) }

// Children returns the indexes of the nodes directly inside node i.
func (t *Tree) Children(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := i + 1; c < t.Nodes[i].end; c = t.Nodes[c].end {
			if !yield(c) {
				return
			}
		}
	}
}

// Within returns node i and all nodes inside it.
func (t *Tree) Within(i int32) []Node { return t.Nodes[i:t.Nodes[i].end] }

// Count returns how many nodes are directly inside node i.
func (t *Tree) Count(i int32) (n int) {
	for range t.Children(i) {
		n++
	}
	return n
}

// Holds reports whether node i holds another one, at any depth.
func (t *Tree) Holds(i, inner int32) bool { return i < inner && inner < t.Nodes[i].end }

// Find returns the index of the member of object i with a name, or -1.
func (t *Tree) Find(i int32, name string) int32 {
	for c := i + 1; c < t.Nodes[i].end; c = t.Nodes[c].end {
		t.look()
		if t.Nodes[c].Name == name {
			return c
		}
	}
	return -1
}

// Text returns the text of a member of the whole, or "".
func (t *Tree) Text(name string) string {
	if i := t.Find(0, name); i >= 0 {
		return t.Nodes[i].Text
	}
	return ""
}

func (t *Tree) look() {
	if t.Looked != nil {
		*t.Looked++
	}
}

// At returns the index of the node at a JSON Pointer, or of the nearest node above it; whole says
// which.
func (t *Tree) At(pointer string) (i int32, whole bool) {
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			return 0, true
		}
		next := t.step(i, unescapeStep.Replace(step))
		if next < 0 {
			return i, false
		}
		i = next
	}
	return i, true
}

func (t *Tree) step(i int32, step string) int32 {
	if t.Nodes[i].Type == Object {
		return t.Find(i, step)
	}
	n, err := strconv.Atoi(step)
	if err != nil {
		return -1
	}
	for c := range t.Children(i) {
		t.look()
		if n == 0 {
			return c
		}
		n--
	}
	return -1
}

// In a JSON Pointer, two characters of a name are written otherwise.
var (
	escapeStep   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapeStep = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer joins steps, each a string or an int, to a JSON Pointer.
func Pointer(steps ...any) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		switch s := s.(type) {
		case int:
			b.WriteString(strconv.Itoa(s))
		case string:
			b.WriteString(escapeStep.Replace(s))
		}
	}
	return b.String()
}

// Steps takes a JSON Pointer apart; nil if it is none, or leads to the whole.
func Steps(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		steps[i] = unescapeStep.Replace(step)
	}
	return steps
}

// TopMember returns the member of a record that a path leads into: a JSON Pointer, or names with
// dots.
func TopMember(path string) string {
	path = strings.TrimPrefix(path, "/")
	if i := strings.IndexAny(path, "/.["); i >= 0 {
		path = path[:i]
	}
	return path
}
