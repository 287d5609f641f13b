package record

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checker collects what is wrong with one record, and what it refers to.
type checker struct {
	tree     *schema.Tree
	lenient  bool // read what is there, and hold it to no rules; see unmarshal
	date     Date
	newest   newestDate
	id       string
	path     []step
	problems []schema.Problem
	refs     []Reference
	extras   map[string]bool // names of the publisher's own members so far
	hold     Hold
}

// maxProblems is how many problems of one record are kept. A record with more is not a record.
const maxProblems = 1000

// newestDate is the newest of the dates that say what a record tells of.
type newestDate struct {
	Date
	in string // the member of the record that it stands in
}

type step struct {
	name  string
	index int // -1 for a name
}

// part says which part of a node a problem points at.
type part bool

const (
	nodeItself part = false
	nodeName   part = true
)

func (c *checker) reset(t *schema.Tree, date Date) {
	*c = checker{tree: t, date: date, path: c.path[:0], problems: c.problems[:0], refs: c.refs[:0]}
}

func (c *checker) push(name string) { c.path = append(c.path, step{name, -1}) }
func (c *checker) pushIndex(at int) { c.path = append(c.path, step{"", at}) }
func (c *checker) pop()             { c.path = c.path[:len(c.path)-1] }
func (c *checker) full() bool       { return len(c.problems) >= maxProblems }

// hasProblemAt reports whether there is a problem at a JSON Pointer already.
func (c *checker) hasProblemAt(p string) bool {
	for i := range c.problems {
		if c.problems[i].Pointer == p {
			return true
		}
	}
	return false
}

// problem adds a problem at a JSON Pointer, for rules that look at the decoded record.
func (c *checker) problem(code codes.Code, at, message, fix string) {
	if c.full() {
		return
	}
	i, whole := c.tree.At(at)
	n := &c.tree.Nodes[i]
	if !whole || i == 0 {
		n = &schema.Node{At: n.At, File: n.File, Type: schema.Object}
	}
	c.addProblem(code, n, n.At, width(n), at, message, fix)
}

// add adds a problem at node i, where decoding stands.
func (c *checker) add(code codes.Code, i int32, p part, message, fix string) {
	c.addNode(code, &c.tree.Nodes[i], p, message, fix)
}

func (c *checker) addNode(code codes.Code, n *schema.Node, p part, message, fix string) {
	if c.full() {
		return
	}
	steps := make([]any, len(c.path))
	for i, s := range c.path {
		if steps[i] = s.name; s.index >= 0 {
			steps[i] = s.index
		}
	}
	at, wide := n.At, width(n)
	if p == nodeName {
		at, wide = n.NameAt, utf8.RuneCountInString(n.Name)
	}
	c.addProblem(code, n, at, wide, schema.Pointer(steps...), message, fix)
}

func (c *checker) addProblem(code codes.Code, n *schema.Node, at schema.Pos, wide int, pointer, message, fix string) {
	c.problems = append(c.problems, schema.Problem{
		Code: code, File: c.tree.Files[n.File], Line: int(at.Line), Column: int(at.Column), Width: wide,
		Pointer: pointer, Value: strings.Clone(schema.Shorten(n.Text)), Message: message, Fix: fix,
	})
}

// width is how many characters a scalar takes, at a guess: enough to underline it.
func width(n *schema.Node) int {
	if n.Type == schema.Array || n.Type == schema.Object || strings.Contains(n.Text, "\n") {
		return 0
	}
	w := utf8.RuneCountInString(n.Text)
	if n.Type == schema.String {
		w += 2
	}
	return w
}

// ref notes a reference that only the decoded record shows.
func (c *checker) ref(r *RefType, at, to string) {
	i, _ := c.tree.At(at)
	n := &c.tree.Nodes[i]
	c.refs = append(c.refs, Reference{RefType: r, To: to, At: n.At, File: n.File})
}

// refHere notes a reference where decoding stands.
func (c *checker) refHere(r *RefType, to string, n *schema.Node) {
	ref := Reference{RefType: r, To: to, At: n.At, File: n.File}
	arrays := 0
	for _, s := range c.path {
		if s.index >= 0 && arrays < len(ref.Index) {
			ref.Index[arrays] = int32(s.index)
			arrays++
		}
	}
	c.refs = append(c.refs, ref)
}

// sameID checks a kind's own name for the ID against the ID.
func (c *checker) sameID(name string, id, own ID) {
	if own != id && id != "" && own != "" {
		c.problem(codes.MismatchedID, "/"+name, name+" is "+schema.Quote(string(own))+", but id is "+schema.Quote(string(id)),
			"write "+schema.Quote(string(id))+", or leave "+name+" out: it is filled in")
	}
}

// boundaryRepeats warns of a boundary that only says the claim again.
func (c *checker) boundaryRepeats(b *ClaimBoundary, claims ...string) {
	if b == nil || b.Statement == "" {
		return
	}
	for _, claim := range claims {
		if claim != "" && sameWords(b.Statement, claim) {
			c.problem(codes.BoundaryRepeatsClaim, "/claim_boundary/statement", "the boundary only repeats the claim", "say what the claim does not reach: other people, places, times or effects")
			return
		}
	}
}

// sameWords compares two texts without regard to case, spaces and punctuation.
func sameWords(a, b string) bool {
	for {
		x, restA := nextLetter(a)
		y, restB := nextLetter(b)
		if x != y || x == 0 {
			return x == y
		}
		a, b = restA, restB
	}
}

// nextLetter is the first letter or digit of a text in lower case, and what follows; 0 at its end.
func nextLetter(s string) (rune, string) {
	for i, r := range s {
		if r >= utf8.RuneSelf || alnum(byte(r)) {
			_, size := utf8.DecodeRuneInString(s[i:])
			return unicode.ToLower(r), s[i+size:]
		}
	}
	return 0, ""
}

// outside checks that a value lies in its interval.
func (c *checker) outside(at string, value, lower, upper Number) {
	if lower != "" && upper != "" && lower.Compare(upper) > 0 {
		c.problem(codes.WrongFigure, at+"/lower", "lower "+string(lower)+" is above upper "+string(upper), "swap the two")
		return
	}
	if value == "" {
		return
	}
	if lower != "" && value.Compare(lower) < 0 || upper != "" && value.Compare(upper) > 0 {
		c.problem(codes.WrongFigure, at+"/value", "value "+string(value)+" lies outside "+interval(lower, upper), "correct the value or its interval")
	}
}

func interval(lower, upper Number) string {
	switch {
	case lower == "":
		return "the upper end " + string(upper)
	case upper == "":
		return "the lower end " + string(lower)
	}
	return string(lower) + " to " + string(upper)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
