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
	Digits      // Text is a number
	String      // Text is the content
	// An unquoted word of YAML. It is a number, true, false or null if it looks like one, unless
	// decodeText is expected.
	Plain
	Cell // a cell of CSV, which has whatever type is expected
	Array
	Object
)

// Pos is a position in a file: line and column, both from 1, columns in characters; 0 if unknown.
type Pos struct{ Line, Column int32 }

// Node is a value as its author wrote it.
type Node struct {
	Name   string // the member's name, if it is in an object
	Text   string
	At     Pos
	NameAt Pos
	end    int32 // index of the next node that is not inside this one
	File   uint8 // index in the tree's Files
	Type   Type
}

// Tree is a value with positions. All formats are parsed into trees, and records are decoded from
// them. Its nodes are one flat slice, so that workers can reuse the memory. The zero Tree is empty
// and ready for use.
type Tree struct {
	Files []string // the record's own file first, then the files of its defaults
	Nodes []Node
	open  []int32
	name  string
	at    Pos
	file  uint8
	// Visited counts the nodes that Find and At visit, for a test of their cost. It is nil
	// otherwise, because trees are shared.
	Visited *int
}

// Limits of a tree, which every parser respects.
const (
	MaxDepth = 100     // of nested objects and arrays
	MaxNodes = 200_000 // values in one record, with aliases expanded
)

// Reset empties the tree for a new value from files.
func (t *Tree) Reset(files ...string) {
	t.Files = append(t.Files[:0], files...)
	t.Nodes, t.open, t.name, t.at, t.file = t.Nodes[:0], t.open[:0], "", Pos{}, 0
}

// SetName sets the name of the value that is added next.
func (t *Tree) SetName(name string, at Pos) { t.name, t.at = name, at }

// AddScalar adds a value that is not an object or array.
func (t *Tree) AddScalar(typ Type, text string, at Pos) {
	i := int32(len(t.Nodes))
	t.Nodes = append(t.Nodes, Node{Name: t.name, Text: text, At: at, NameAt: t.at, end: i + 1, File: t.file, Type: typ})
	t.name, t.at = "", Pos{}
}

// Open adds an object or array. The values added until Close are inside it.
func (t *Tree) Open(typ Type, at Pos) {
	t.open = append(t.open, int32(len(t.Nodes)))
	t.AddScalar(typ, "", at)
}

// Close ends the object or array that was opened last.
func (t *Tree) Close() {
	last := len(t.open) - 1
	t.Nodes[t.open[last]].end = int32(len(t.Nodes))
	t.open = t.open[:last]
}

// SetFile sets the file, an index in Files, of the values that are added next.
func (t *Tree) SetFile(file uint8) { t.file = file }

// Depth returns the number of open objects and arrays.
func (t *Tree) Depth() int { return len(t.open) }

// Children yields the indexes of the nodes directly inside node i.
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

// Count returns the number of nodes directly inside node i.
func (t *Tree) Count(i int32) (n int) {
	for range t.Children(i) {
		n++
	}
	return n
}

// Contains reports whether node inner is inside node i, at any depth.
func (t *Tree) Contains(i, inner int32) bool { return i < inner && inner < t.Nodes[i].end }

// Find returns the index of the named member of object i, or -1.
func (t *Tree) Find(i int32, name string) int32 {
	for c := i + 1; c < t.Nodes[i].end; c = t.Nodes[c].end {
		t.countVisit()
		if t.Nodes[c].Name == name {
			return c
		}
	}
	return -1
}

// Text returns the text of a member of the root object, or "".
func (t *Tree) Text(name string) string {
	if i := t.Find(0, name); i >= 0 {
		return t.Nodes[i].Text
	}
	return ""
}

func (t *Tree) countVisit() {
	if t.Visited != nil {
		*t.Visited++
	}
}

// At returns the index of the node at the JSON Pointer pointer, or of the closest existing node
// above it; exact says whether the node itself was found.
func (t *Tree) At(pointer string) (i int32, exact bool) {
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			return 0, true
		}
		next := t.findStep(i, unescapeStep.Replace(step))
		if next < 0 {
			return i, false
		}
		i = next
	}
	return i, true
}

func (t *Tree) findStep(i int32, step string) int32 {
	if t.Nodes[i].Type == Object {
		return t.Find(i, step)
	}
	n, err := strconv.Atoi(step)
	if err != nil {
		return -1
	}
	for c := range t.Children(i) {
		t.countVisit()
		if n == 0 {
			return c
		}
		n--
	}
	return -1
}

// JSON Pointers escape two characters of names.
var (
	escapeStep   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapeStep = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer joins steps, which are strings and ints, to a JSON Pointer.
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

// Steps returns the steps of a JSON Pointer, or nil if pointer is invalid or empty.
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

// TopMember returns the top-level member that contains path, which is a JSON Pointer or names
// joined by dots.
func TopMember(path string) string {
	path = strings.TrimPrefix(path, "/")
	if i := strings.IndexAny(path, "/.["); i >= 0 {
		path = path[:i]
	}
	return path
}
