package schema

import (
	"cmp"
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// Decoder reads values from trees by their shapes, and collects what is wrong with them and what
// they refer to. It keeps memory from one to the next, so each goroutine needs its own.
type Decoder struct {
	Tree     *Tree
	Lenient  bool   // read what is there, and hold it to no rules
	Date     string // the release date, which no other may lie after; "" leaves that unchecked
	Newest   NewestDate
	Owner    Owner // what has the members that no shape names; nil where none has
	Problems []Problem
	Refs     []Reference

	path []step
}

// NewestDate is the newest of the dates that say what a value tells of.
type NewestDate struct {
	Date string
	In   string // the member that it stands in
}

// Owner is what has members that its shape does not name.
type Owner interface {
	// Take decodes node i, and reports whether the owner has such a member.
	Take(i int32) bool
}

// Reset prepares for another tree.
func (d *Decoder) Reset(t *Tree) {
	d.Tree, d.Newest = t, NewestDate{}
	d.path, d.Problems, d.Refs = d.path[:0], d.Problems[:0], d.Refs[:0]
}

// Top is the member of the whole value that decoding stands in.
func (d *Decoder) Top() string { return d.path[0].name }

// DecodeInto reads a tree as a value of any type that is declared as the package says.
func DecodeInto[T any](t *Tree, into *T) []Problem {
	var d Decoder
	d.Reset(t)
	if t.Nodes[0].Type != Object {
		d.Report(codes.WrongValue, "", "members are expected here, not "+t.Nodes[0].Describe(), "write members, each with a name, a colon and a value")
		return d.Problems
	}
	d.DecodeObject(0, ShapeOf[T](), reflect.ValueOf(into).Elem())
	return d.Problems
}

// DecodeObject decodes the members of node i into a struct.
func (d *Decoder) DecodeObject(i int32, s *Shape, v reflect.Value) {
	var seen, excused uint64
	var free []string // the members that are not there, once somebody asks
	next := 0         // most members stand in declared order
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		at, ok := next, next < len(s.Members) && s.Members[next].Name == n.Name
		if !ok {
			at, ok = s.index[n.Name]
		}
		next = at + 1
		d.push(n.Name)
		switch {
		case !ok && s.Extra && d.Owner != nil && d.Owner.Take(child), !ok && d.Lenient:
		case !ok:
			if free == nil {
				free = d.free(i, s)
			}
			excused |= d.unknown(n, s, free)
		case seen&(1<<at) != 0:
			d.Twice(n)
		default:
			seen |= 1 << at
			m := &s.Members[at]
			d.DecodeMember(child, m, m.Field(v))
		}
		d.pop()
	}
	d.missing(i, s, seen|excused)
}

// missing reports the required members that are not there.
func (d *Decoder) missing(i int32, s *Shape, seen uint64) {
	if bits.OnesCount64(seen) == len(s.Members) || d.Lenient {
		return
	}
	for at := range s.Members {
		if m := &s.Members[at]; m.Required && !m.Implied && seen&(1<<at) == 0 {
			d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" is missing", "add "+m.Name+": "+lowerFirst(m.Doc))
		}
	}
}

// free returns the names of the members that a shape has and node i has not.
func (d *Decoder) free(i int32, s *Shape) []string {
	var there uint64
	for child := range d.Tree.Children(i) {
		if at, ok := s.index[d.Tree.Nodes[child].Name]; ok {
			there |= 1 << at
		}
	}
	names := make([]string, 0, len(s.Members))
	for at := range s.Members {
		if there&(1<<at) == 0 {
			names = append(names, s.Members[at].Name)
		}
	}
	return names
}

// unknown reports a member that the shape does not have. It returns the free member that was
// probably meant, as a bit: that one is then not missing.
func (d *Decoder) unknown(n *Node, s *Shape, free []string) (meant uint64) {
	if d.full() { // nor is it reported that one is missing
		return 0
	}
	near := suggest.Closest(n.Name, free)
	fix := DidYouMean(near)
	switch {
	case near != "":
		meant = 1 << s.index[near]
	case s.Extra:
		fix = "delete it, or call it " + Quote("x_"+strings.ToLower(n.Name)) + " if it is a member of your own"
	default:
		fix = "the members here are " + strings.Join(s.MemberNames(), ", ")
	}
	d.reportName(codes.UnknownMember, n, "unknown member "+Quote(n.Name), fix)
	return meant
}

// DecodeMember decodes node i into the field of a member.
func (d *Decoder) DecodeMember(i int32, m *Member, v reflect.Value) {
	n := &d.Tree.Nodes[i]
	if n.Type == Null || n.Type == Plain && isNull(n.Text) {
		if !m.Nullable && !d.Lenient {
			d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" is empty", emptyFix(m))
		}
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	d.value(i, m, m.Shape, v)
	if m.Shape.Type == Array && n.Type == Array && v.Len() < m.Items && !d.Lenient {
		d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" has no elements", "add at least "+strconv.Itoa(m.Items))
	}
}

func emptyFix(m *Member) string {
	switch {
	case m.Required && m.Shape.Type == Array && m.Items == 0:
		return "write [] if there are none"
	case m.Shape.List != nil:
		return "write one of " + strings.Join(m.Shape.Words(), ", ")
	case m.Required:
		return "write " + lowerFirst(m.Doc)
	}
	return "delete it, or write " + lowerFirst(m.Doc)
}

// value decodes node i, which is not null, by its shape.
func (d *Decoder) value(i int32, m *Member, s *Shape, v reflect.Value) {
	n := &d.Tree.Nodes[i]
	switch {
	case s.Type == Object && n.Type == Object && s.Open:
		d.DecodeTerms(i, v)
	case s.Type == Object && n.Type == Object:
		d.DecodeObject(i, s, v)
	case s.Type == Array && n.Type == Array:
		d.array(i, m, s, v)
	case s.Type == String && (n.Type == String || n.Type == Cell ||
		n.Type == Plain && !isBool(n.Text)):
		d.text(i, m, s, v)
	case s.Type == Digits && (n.Type == Digits || n.Type == Plain || n.Type == Cell):
		d.number(i, m, s, v)
	case s.Type == Bool && (n.Type == Bool ||
		(n.Type == Plain || n.Type == Cell) && isBool(n.Text)):
		v.SetBool(n.Text == "true")
	default:
		d.wrongType(i, m, s)
	}
}

func (d *Decoder) array(i int32, m *Member, s *Shape, v reflect.Value) {
	count := d.Tree.Count(i)
	if count == 0 {
		v.Set(s.none)
		return
	}
	v.Grow(count)
	v.SetLen(count)
	at := 0
	for child := range d.Tree.Children(i) {
		d.pushIndex(at)
		if n := &d.Tree.Nodes[child]; n.Type == Null || n.Type == Plain && isNull(n.Text) {
			d.ReportValue(codes.WrongValue, child, "an element of "+Quote(m.Name)+" is empty", "delete it, or write what belongs there")
		} else {
			d.value(child, m, s.Elem, v.Index(at))
		}
		d.pop()
		at++
	}
}

// DecodeTerms decodes an object whose member names are the author's own.
func (d *Decoder) DecodeTerms(i int32, v reflect.Value) {
	names, texts, seen := []string{}, []string{}, map[string]bool{}
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		d.push(n.Name)
		switch {
		case seen[n.Name]:
			d.Twice(n)
		case n.Name == "" && !d.Lenient:
			d.reportName(codes.WrongValue, n, "a member without a name", "name it")
		case n.Type != String && n.Type != Cell &&
			(n.Type != Plain || isNull(n.Text) || isBool(n.Text)) ||
			blank(n.Text) && !d.Lenient:
			d.ReportValue(codes.WrongValue, child, "member "+Quote(n.Name)+" must be text, not "+n.Describe(), textFix(n))
		default:
			seen[n.Name] = true
			names, texts = append(names, n.Name), append(texts, n.Text)
		}
		d.pop()
	}
	v.Set(reflect.MakeSlice(v.Type(), len(names), len(names)))
	for at := range names {
		term := v.Index(at)
		term.Field(0).SetString(names[at])
		term.Field(1).SetString(texts[at])
	}
}

func (d *Decoder) text(i int32, m *Member, s *Shape, v reflect.Value) {
	text := d.Tree.Nodes[i].Text
	switch {
	case d.Lenient:
	case s.List != nil:
		word, ok := s.words[text]
		if !ok {
			d.ReportValue(codes.NotInList, i, Quote(text)+" is not a value of "+m.Name, listFix(text, s))
			return
		}
		text = word // the same, but not cut out of a file's text, so that it can be kept
	case s.Format != nil:
		if message, fix := s.Format.Problem(text); message != "" {
			d.ReportValue(s.Format.Code, i, message, fix)
			return
		}
		if s.Format.Rule != nil && !s.Format.Rule(d, i, m, text) {
			return
		}
	case blank(text):
		d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" is empty", emptyFix(m))
		return
	case m.Max > 0 && len(text) > m.Max && utf8.RuneCountInString(text) > m.Max:
		d.ReportValue(codes.WrongValue, i, m.Name+" has "+strconv.Itoa(utf8.RuneCountInString(text))+" characters; at most "+
			strconv.Itoa(m.Max)+" are allowed", "shorten it")
		return
	}
	v.SetString(text)
	if m.Ref != nil && !d.Lenient {
		d.refHere(m.Ref, text, &d.Tree.Nodes[i])
	}
}

func listFix(text string, s *Shape) string {
	return cmp.Or(DidYouMean(suggest.Closest(text, s.Words())), "write one of "+strings.Join(s.Words(), ", "))
}

func (d *Decoder) number(i int32, m *Member, s *Shape, v reflect.Value) {
	text := d.Tree.Nodes[i].Text
	if message, fix := NumberProblem(text); message != "" {
		if s.Integer {
			fix = "write digits only, such as 1"
		}
		d.ReportValue(codes.WrongValue, i, m.Name+": "+message, fix)
		return
	}
	if !s.Integer {
		v.SetString(text)
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		d.ReportValue(codes.WrongValue, i, m.Name+" is a whole number, not "+text, "write digits only")
	case n < int64(m.Min) && !d.Lenient:
		d.ReportValue(codes.WrongValue, i, m.Name+" is at least "+strconv.Itoa(m.Min), "write "+strconv.Itoa(m.Min)+" or more")
	default:
		v.SetInt(n)
	}
}
