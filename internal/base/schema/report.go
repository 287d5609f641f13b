package schema

import (
	"slices"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema/codes"
)

// MaxProblems is how many problems of one value are kept. A record with more is not a record.
const MaxProblems = 1000

// step is a step of the path to where decoding stands.
type step struct {
	name  string
	index int // -1 for a name
}

func (d *Decoder) push(name string) { d.path = append(d.path, step{name, -1}) }
func (d *Decoder) pushIndex(at int) { d.path = append(d.path, step{"", at}) }
func (d *Decoder) pop()             { d.path = d.path[:len(d.path)-1] }
func (d *Decoder) full() bool       { return len(d.Problems) >= MaxProblems }

// HasProblemAt reports whether there is a problem at a JSON Pointer already.
func (d *Decoder) HasProblemAt(p string) bool {
	return slices.ContainsFunc(d.Problems, func(x Problem) bool { return x.Pointer == p })
}

// Report adds a problem at a JSON Pointer, for rules that look at the decoded value.
func (d *Decoder) Report(code codes.Code, at, message, fix string) {
	if d.full() {
		return
	}
	i, whole := d.Tree.At(at)
	n := &d.Tree.Nodes[i]
	if !whole || i == 0 {
		n = &Node{At: n.At, File: n.File, Type: Object}
	}
	d.addProblem(code, n, n.At, width(n), at, message, fix)
}

// ReportValue adds a problem with the value of node i, where decoding stands.
func (d *Decoder) ReportValue(code codes.Code, i int32, message, fix string) {
	if n := &d.Tree.Nodes[i]; !d.full() {
		d.addProblem(code, n, n.At, width(n), d.pointer(), message, fix)
	}
}

// reportName adds a problem with the name of a member, where decoding stands.
func (d *Decoder) reportName(code codes.Code, n *Node, message, fix string) {
	if !d.full() {
		d.addProblem(code, n, n.NameAt, utf8.RuneCountInString(n.Name), d.pointer(), message, fix)
	}
}

// Twice reports a member whose name another one has.
func (d *Decoder) Twice(n *Node) {
	d.reportName(codes.DuplicateMember, n, "member "+Quote(n.Name)+" stands twice", "delete one of the two")
}

// pointer leads to where decoding stands.
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

// width is how many characters a scalar takes, at a guess: enough to underline it.
func width(n *Node) int {
	if n.Type == Array || n.Type == Object || strings.Contains(n.Text, "\n") {
		return 0
	}
	w := utf8.RuneCountInString(n.Text)
	if n.Type == String {
		w += 2
	}
	return w
}

// Refer notes a reference that only the decoded record shows.
func (d *Decoder) Refer(r *RefType, at, to string) {
	i, _ := d.Tree.At(at)
	n := &d.Tree.Nodes[i]
	d.Refs = append(d.Refs, Reference{RefType: r, To: to, At: n.At, File: n.File})
}

// refHere notes a reference where decoding stands.
func (d *Decoder) refHere(r *RefType, to string, n *Node) {
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
