package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema/codes"
)

// MaxProblems is the greatest number of problems that are reported for one value.
const MaxProblems = 1000

// step is a step of the path to the value that is being decoded.
type step struct {
	name  string
	index int // -1 for a member
}

func (d *Decoder) push(name string) { d.path = append(d.path, step{name, -1}) }
func (d *Decoder) pop()             { d.path = d.path[:len(d.path)-1] }
func (d *Decoder) isFull() bool     { return len(d.Problems) >= MaxProblems }

// HasProblemAt reports whether a problem at the JSON Pointer p was reported.
func (d *Decoder) HasProblemAt(p string) bool {
	return slices.ContainsFunc(d.Problems, func(x Problem) bool { return x.Pointer == p })
}

// Report adds a problem with the value at the JSON Pointer at, for rules about the decoded record.
func (d *Decoder) Report(code codes.Code, at, message, fix string) {
	if d.isFull() {
		return
	}
	i, whole := d.Tree.At(at)
	n := &d.Tree.Nodes[i]
	if !whole || i == 0 {
		n = &Node{At: n.At, File: n.File, Type: Object}
	}
	d.addProblem(code, n, n.At, displayWidth(n), at, message, fix)
}

// ReportValue adds a problem with node i, which is being decoded.
func (d *Decoder) ReportValue(code codes.Code, i int32, message, fix string) {
	if n := &d.Tree.Nodes[i]; !d.isFull() {
		d.addProblem(code, n, n.At, displayWidth(n), d.pointer(), message, fix)
	}
}

// reportName adds a problem with the name of member n, which is being decoded.
func (d *Decoder) reportName(code codes.Code, n *Node, message, fix string) {
	if !d.isFull() {
		d.addProblem(code, n, n.NameAt, utf8.RuneCountInString(n.Name), d.pointer(), message, fix)
	}
}

// ReportDuplicate reports that n repeats the name of another member.
func (d *Decoder) ReportDuplicate(n *Node) {
	d.reportName(codes.DuplicateMember, n, "duplicate member "+Quote(n.Name), "delete one of the two")
}

// pointer returns the JSON Pointer to the value that is being decoded.
func (d *Decoder) pointer() string {
	steps := make([]any, len(d.path))
	for i, s := range d.path {
		if steps[i] = s.name; s.index >= 0 {
			steps[i] = s.index
		}
	}
	return Pointer(steps...)
}

func (d *Decoder) addProblem(code codes.Code, n *Node, at Pos, wide int, pointer, message, fix string) {
	d.Problems = append(d.Problems, Problem{
		Code: code, File: d.Tree.Files[n.File], Line: int(at.Line), Column: int(at.Column), Width: wide,
		Pointer: pointer, Value: strings.Clone(Shorten(n.Text)), Message: message, Fix: fix,
	})
}

// displayWidth returns the approximate number of characters to underline for n, or 0 if unknown.
func displayWidth(n *Node) int {
	if n.Type == Array || n.Type == Object || strings.Contains(n.Text, "\n") {
		return 0
	}
	w := utf8.RuneCountInString(n.Text)
	if n.Type == String {
		w += 2
	}
	return w
}

// AddReference adds a reference at the JSON Pointer at, which only the decoded record shows.
func (d *Decoder) AddReference(r *RefType, at, to string) {
	i, _ := d.Tree.At(at)
	n := &d.Tree.Nodes[i]
	d.Refs = append(d.Refs, Reference{RefType: r, To: to, At: n.At, File: n.File})
}

// addReferenceHere adds a reference at the value that is being decoded.
func (d *Decoder) addReferenceHere(r *RefType, to string, n *Node) {
	ref := Reference{RefType: r, To: to, At: n.At, File: n.File}
	arrays := 0
	for _, s := range d.path {
		if s.index >= 0 && arrays < len(ref.Index) {
			ref.Index[arrays] = int32(s.index)
			arrays++
		}
	}
	d.Refs = append(d.Refs, ref)
}
