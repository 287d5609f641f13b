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

// Decoder decodes trees by their shapes, and collects problems and references. It reuses its memory
// from tree to tree, so each goroutine needs its own.
type Decoder struct {
	Tree     *Tree
	Lenient  bool   // whether to decode without checking
	Date     string // the release date, which no other date may be after; "" turns this check off
	Latest   LatestDate
	Custom   CustomMembers // decodes members that no shape names; may be nil
	Problems []Problem
	Refs     []Reference

	path []step
}

// LatestDate is the latest date in a value, and the member that contains it. Only dates of events
// that the value mentions count.
type LatestDate struct {
	Date   string
	Member string
}

// CustomMembers decodes members that a shape does not name.
type CustomMembers interface {
	// DecodeCustom decodes node i, and reports whether its name is that of a custom member.
	DecodeCustom(i int32) bool
}

// Reset prepares d for decoding t.
func (d *Decoder) Reset(t *Tree) {
	d.Tree, d.Latest = t, LatestDate{}
	d.path, d.Problems, d.Refs = d.path[:0], d.Problems[:0], d.Refs[:0]
}

// CurrentMember returns the name of the top-level member that is being decoded.
func (d *Decoder) CurrentMember() string { return d.path[0].name }

// DecodeInto decodes t into a struct that is declared as Shape describes, and returns the problems.
func DecodeInto[T any](t *Tree, into *T) []Problem {
	var d Decoder
	d.Reset(t)
	if t.Nodes[0].Type != Object {
		d.Report(codes.WrongValue, "", "expected members, not "+t.Nodes[0].Describe(), "write members, each with a name, a colon and a value")
		return d.Problems
	}
	d.DecodeObject(0, ShapeOf[T](), reflect.ValueOf(into).Elem())
	return d.Problems
}

// DecodeObject decodes the members of node i into the struct v.
func (d *Decoder) DecodeObject(i int32, s *Shape, v reflect.Value) {
	var seen, excused uint64
	var free []string // the names of the members that are not used, once needed
	next := 0         // most members are in declared order
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		at, ok := next, next < len(s.Members) && s.Members[next].Name == n.Name
		if !ok {
			at, ok = s.index[n.Name]
		}
		next = at + 1
		d.push(n.Name)
		switch {
		case !ok && s.Extra && d.Custom != nil && d.Custom.DecodeCustom(child), !ok && d.Lenient:
		case !ok:
			if free == nil {
				free = d.unusedMembers(i, s)
			}
			excused |= d.reportUnknown(n, s, free)
		case seen&(1<<at) != 0:
			d.ReportDuplicate(n)
		default:
			seen |= 1 << at
			m := &s.Members[at]
			d.DecodeMember(child, m, m.Field(v))
		}
		d.pop()
	}
	d.reportMissing(i, s, seen|excused)
}

// reportMissing reports the required members that are not in seen.
func (d *Decoder) reportMissing(i int32, s *Shape, seen uint64) {
	if bits.OnesCount64(seen) == len(s.Members) || d.Lenient {
		return
	}
	for at := range s.Members {
		if m := &s.Members[at]; m.Required && !m.Implied && seen&(1<<at) == 0 {
			d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" is missing", "add "+m.Name+": "+lowerFirst(m.Doc))
		}
	}
}

// unusedMembers returns the names of the shape's members that node i does not have.
func (d *Decoder) unusedMembers(i int32, s *Shape) []string {
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

// reportUnknown reports the unknown member n. If its name is close to an unused member's, it
// returns that member as a bit, so that it is not reported as missing too.
func (d *Decoder) reportUnknown(n *Node, s *Shape, free []string) (meant uint64) {
	if d.isFull() { // then do not report a missing member either
		return 0
	}
	near := suggest.Closest(n.Name, free)
	fix := DidYouMean(near)
	switch {
	case near != "":
		meant = 1 << s.index[near]
	case s.Extra:
		fix = "delete it, or call it " + Quote("x_"+strings.ToLower(n.Name)) + " if it is your own"
	default:
		fix = "the members here are " + strings.Join(s.MemberNames(), ", ")
	}
	d.reportName(codes.UnknownMember, n, "unknown member "+Quote(n.Name), fix)
	return meant
}

// DecodeMember decodes node i into the field v of member m.
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
	d.decodeValue(i, m, m.Shape, v)
	if m.Shape.Type == Array && n.Type == Array && v.Len() < m.Items && !d.Lenient {
		d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" has no elements", "add at least "+strconv.Itoa(m.Items))
	}
}

// emptyFix returns the remedy for an empty value of m.
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

// decodeValue decodes node i, which is not null, by its shape.
func (d *Decoder) decodeValue(i int32, m *Member, s *Shape, v reflect.Value) {
	n := &d.Tree.Nodes[i]
	switch {
	case s.Type == Object && n.Type == Object && s.Open && s.Elem != nil:
		d.decodeNamed(i, s, v)
	case s.Type == Object && n.Type == Object && s.Open:
		d.DecodeTerms(i, v)
	case s.Type == Object && n.Type == Object:
		d.DecodeObject(i, s, v)
	case s.Type == Array && n.Type == Array:
		d.decodeArray(i, m, s, v)
	case s.Type == String && (n.Type == String || n.Type == Cell ||
		n.Type == Plain && !isBool(n.Text)):
		d.decodeText(i, m, s, v)
	case s.Type == Digits && (n.Type == Digits || n.Type == Plain || n.Type == Cell):
		d.decodeNumber(i, m, s, v)
	case s.Type == Bool && (n.Type == Bool ||
		(n.Type == Plain || n.Type == Cell) && isBool(n.Text)):
		v.SetBool(n.Text == "true")
	default:
		d.reportWrongType(i, m, s)
	}
}

func (d *Decoder) decodeArray(i int32, m *Member, s *Shape, v reflect.Value) {
	count := d.Tree.Count(i)
	if count == 0 {
		v.Set(s.empty)
		return
	}
	v.Grow(count)
	v.SetLen(count)
	at := 0
	for child := range d.Tree.Children(i) {
		d.path = append(d.path, step{"", at})
		if n := &d.Tree.Nodes[child]; n.Type == Null || n.Type == Plain && isNull(n.Text) {
			d.ReportValue(codes.WrongValue, child, ""+Quote(m.Name)+" has an empty element", "delete it, or write a value")
		} else {
			d.decodeValue(child, m, s.Elem, v.Index(at))
		}
		d.pop()
		at++
	}
}

// decodeNamed decodes an object with member names of the author's choice into a slice of structs.
// Each of these embeds the value's struct, followed by a field for the name.
func (d *Decoder) decodeNamed(i int32, s *Shape, v reflect.Value) {
	seen := map[string]bool{}
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		d.push(n.Name)
		switch {
		case seen[n.Name]:
			d.ReportDuplicate(n)
		case n.Type != Object:
			d.reportWrongType(child, &Member{Name: n.Name}, s.Elem)
		default:
			seen[n.Name] = true
			one := reflect.New(v.Type().Elem()).Elem()
			d.DecodeObject(child, s.Elem, one.Field(0))
			one.Field(1).SetString(n.Name)
			v.Set(reflect.Append(v, one))
		}
		d.pop()
	}
}

// DecodeTerms decodes an object with member names of the author's choice into a slice of terms.
func (d *Decoder) DecodeTerms(i int32, v reflect.Value) {
	names, texts, seen := []string{}, []string{}, map[string]bool{}
	for child := range d.Tree.Children(i) {
		n := &d.Tree.Nodes[child]
		d.push(n.Name)
		switch {
		case seen[n.Name]:
			d.ReportDuplicate(n)
		case n.Name == "" && !d.Lenient:
			d.reportName(codes.WrongValue, n, "member without a name", "give it a name")
		case n.Type != String && n.Type != Cell &&
			(n.Type != Plain || isNull(n.Text) || isBool(n.Text)) ||
			isBlank(n.Text) && !d.Lenient:
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

func (d *Decoder) decodeText(i int32, m *Member, s *Shape, v reflect.Value) {
	text := d.Tree.Nodes[i].Text
	switch {
	case d.Lenient:
	case s.List != nil:
		word, ok := s.words[text]
		if !ok && s.Format != nil {
			if message, _ := s.Format.Problem(text); message == "" {
				break
			}
		}
		if !ok {
			d.ReportValue(codes.NotInList, i, m.Name+": unknown value "+Quote(text), listFix(text, s))
			return
		}
		text = word // an equal string that does not keep the file's text in memory
	case s.Format != nil:
		if message, fix := s.Format.Problem(text); message != "" {
			d.ReportValue(s.Format.Code, i, message, fix)
			return
		}
		if s.Format.Rule != nil && !s.Format.Rule(d, i, m, text) {
			return
		}
	case isBlank(text):
		d.ReportValue(m.Missing, i, "member "+Quote(m.Name)+" is empty", emptyFix(m))
		return
	case m.Max > 0 && len(text) > m.Max && utf8.RuneCountInString(text) > m.Max:
		d.ReportValue(codes.WrongValue, i, m.Name+" has "+strconv.Itoa(utf8.RuneCountInString(text))+" characters; at most "+
			strconv.Itoa(m.Max)+" are allowed", "shorten it")
		return
	}
	v.SetString(text)
	if m.Ref != nil && !d.Lenient {
		d.addReferenceHere(m.Ref, text, &d.Tree.Nodes[i])
	}
}

func listFix(text string, s *Shape) string {
	return cmp.Or(DidYouMean(suggest.Closest(text, s.Words())), "write one of "+strings.Join(s.Words(), ", "))
}

func (d *Decoder) decodeNumber(i int32, m *Member, s *Shape, v reflect.Value) {
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
		d.ReportValue(codes.WrongValue, i, m.Name+" must be a whole number, not "+text, "write digits only")
	case n < int64(m.Min) && !d.Lenient:
		d.ReportValue(codes.WrongValue, i, m.Name+" must be at least "+strconv.Itoa(m.Min), "write "+strconv.Itoa(m.Min)+" or more")
	default:
		v.SetInt(n)
	}
}
