package record

import (
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
)

// Decoder reads records from trees. It keeps memory between records, so each goroutine needs its
// own.
type Decoder struct {
	Date Date // the release date, which no other may lie after; "" leaves that unchecked
	Hold Hold // what keeps the record that was decoded last from being published

	c checker
}

// Reference is one that a record makes.
type Reference struct {
	*RefType
	To    string
	Index [2]int32 // which element, for each array on the path
	At    schema.Pos
	File  uint8 // which of the tree's Files that is in
}

// Pointer returns the JSON Pointer to the reference, in a record that looks like the shape.
func (r *Reference) Pointer(s *Shape) string {
	steps, n := []any{}, 0
	for _, name := range r.Path {
		steps = append(steps, name)
		if m := s.Member(name); m != nil {
			if s = m.Shape; s.Type == schema.Array {
				steps, s = append(steps, int(r.Index[n])), s.Elem
				n++
			}
		}
	}
	return schema.Pointer(steps...)
}

// Member returns the member with a name, or nil.
func (s *Shape) Member(name string) *Member {
	if i, ok := s.index[name]; ok {
		return &s.Members[i]
	}
	return nil
}

// Decode reads a tree as a record of a kind. The record holds what could be read; the problems say
// what could not and what is wrong by the rules that concern the record alone. References and
// problems are valid until the next call. The texts of the record and of its references are those
// of the tree; problems share no memory with it and can be kept.
func (d *Decoder) Decode(k *Kind, t *schema.Tree) (Record, []Reference, []schema.Problem) {
	d.c.reset(t, d.Date)
	d.Hold = Hold{}
	rec := k.New()
	if t.Nodes[0].Type != schema.Object {
		d.c.problem(codes.WrongValue, "", "a record is an object with members, not "+describe(&t.Nodes[0]), "write members, such as id: and title:")
		return rec, nil, d.c.problems
	}
	e := rec.Common()
	d.c.object(0, k.Shape(), reflect.ValueOf(rec).Elem())
	d.Hold = d.c.hold
	d.c.imply(k, rec)
	d.c.id = string(e.ID)
	e.check(&d.c)
	if r, ok := rec.(checked); ok {
		r.check(&d.c)
	}
	if len(d.c.problems) > 0 {
		id := strings.Clone(d.c.id)
		for i := range d.c.problems {
			d.c.problems[i].Record = id
		}
	}
	return rec, d.c.refs, d.c.problems
}

// DecodeInto reads a tree as a value of any type that is declared in the way of this package.
func DecodeInto[T any](t *schema.Tree, into *T) []schema.Problem {
	var c checker
	c.reset(t, "")
	if t.Nodes[0].Type != schema.Object {
		c.problem(codes.WrongValue, "", "members are expected here, not "+describe(&t.Nodes[0]), "write members, each with a name, a colon and a value")
		return c.problems
	}
	c.object(0, ShapeOf[T](), reflect.ValueOf(into).Elem())
	return c.problems
}

// imply fills in what an author may leave out: the kind, which the folder gives, and the kind's own
// name for the ID.
func (c *checker) imply(k *Kind, rec Record) {
	e := rec.Common()
	if e.Kind == "" {
		e.Kind = KindName(k.Name)
	} else if e.Kind != KindName(k.Name) && !c.hasProblemAt("/kind") {
		c.problem(codes.NotInList, "/kind", "kind is "+schema.Quote(string(e.Kind))+", but this is the folder of "+k.Many, "write "+k.Name+", or move the record to the folder of its kind")
	}
	if name := k.IDMember(); name != "" && c.tree.Find(0, name) < 0 {
		v := k.Shape().Member(name).of(reflect.ValueOf(rec).Elem())
		v.SetString(string(e.ID))
	}
}

// object decodes the members of node i into a struct.
func (c *checker) object(i int32, s *Shape, v reflect.Value) {
	var seen, excused uint64
	var free []string // the members that are not there, once somebody asks
	next := 0         // most members stand in declared order
	for child := range c.tree.Children(i) {
		n := &c.tree.Nodes[child]
		at, ok := next, next < len(s.Members) && s.Members[next].Name == n.Name
		if !ok {
			at, ok = s.index[n.Name]
		}
		next = at + 1
		c.push(n.Name)
		switch {
		case !ok && s.Extra && (c.lenient || len(n.Name) > 2 && strings.HasPrefix(n.Name, "x_")):
			c.extra(child, v.Addr().Interface())
		case !ok && c.lenient, !ok && s.Extra && c.holds(child):
		case !ok:
			if free == nil {
				free = c.free(i, s)
			}
			excused |= c.unknown(n, s, free)
		case seen&(1<<at) != 0:
			c.twice(n)
		default:
			seen |= 1 << at
			m := &s.Members[at]
			c.member(child, m, m.of(v))
		}
		c.pop()
	}
	c.missing(i, s, seen|excused)
}

// missing reports the required members that are not there.
func (c *checker) missing(i int32, s *Shape, seen uint64) {
	if bits.OnesCount64(seen) == len(s.Members) || c.lenient {
		return
	}
	for at := range s.Members {
		if m := &s.Members[at]; m.Required && !m.Implied && seen&(1<<at) == 0 {
			c.add(m.Missing, i, nodeItself, "member "+schema.Quote(m.Name)+" is missing", "add "+m.Name+": "+lowerFirst(m.Doc))
		}
	}
}

// free returns the names of the members that a shape has and node i has not.
func (c *checker) free(i int32, s *Shape) []string {
	var there uint64
	for child := range c.tree.Children(i) {
		if at, ok := s.index[c.tree.Nodes[child].Name]; ok {
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
func (c *checker) unknown(n *schema.Node, s *Shape, free []string) (meant uint64) {
	if c.full() { // nor is it reported that one is missing
		return 0
	}
	near := suggest.To(n.Name, free)
	fix := schema.DidYouMean(near)
	switch {
	case near != "":
		meant = 1 << s.index[near]
	case s.Extra:
		fix = "delete it, or call it " + schema.Quote("x_"+strings.ToLower(n.Name)) + " if it is a member of your own"
	default:
		fix = "the members here are " + strings.Join(s.MemberNames(), ", ")
	}
	c.addNode(codes.UnknownMember, n, nodeName, "unknown member "+schema.Quote(n.Name), fix)
	return meant
}

func (c *checker) twice(n *schema.Node) {
	c.addNode(codes.DuplicateMember, n, nodeName, "member "+schema.Quote(n.Name)+" stands twice", "delete one of the two")
}

// member decodes node i into the field of a member.
func (c *checker) member(i int32, m *Member, v reflect.Value) {
	n := &c.tree.Nodes[i]
	if n.Type == schema.Null || n.Type == schema.Plain && isNull(n.Text) {
		if !m.Nullable && !c.lenient {
			c.add(m.Missing, i, nodeItself, "member "+schema.Quote(m.Name)+" is empty", emptyFix(m))
		}
		return
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	c.value(i, m, m.Shape, v)
	if m.Shape.Type == schema.Array && n.Type == schema.Array && v.Len() < m.Items && !c.lenient {
		c.add(m.Missing, i, nodeItself, "member "+schema.Quote(m.Name)+" has no elements", "add at least "+strconv.Itoa(m.Items))
	}
}

func emptyFix(m *Member) string {
	switch {
	case m.Required && m.Shape.Type == schema.Array && m.Items == 0:
		return "write [] if there are none"
	case m.Shape.List != nil:
		return "write one of " + strings.Join(m.Shape.Words(), ", ")
	case m.Required:
		return "write " + lowerFirst(m.Doc)
	}
	return "delete it, or write " + lowerFirst(m.Doc)
}

// value decodes node i, which is not null, by its shape.
func (c *checker) value(i int32, m *Member, s *Shape, v reflect.Value) {
	n := &c.tree.Nodes[i]
	switch {
	case s.Type == schema.Object && n.Type == schema.Object && s.Open:
		c.terms(i, v)
	case s.Type == schema.Object && n.Type == schema.Object:
		c.object(i, s, v)
	case s.Type == schema.Array && n.Type == schema.Array:
		c.array(i, m, s, v)
	case s.Type == schema.String && (n.Type == schema.String || n.Type == schema.Cell ||
		n.Type == schema.Plain && !isBool(n.Text)):
		c.text(i, m, s, v)
	case s.Type == schema.Digits && (n.Type == schema.Digits || n.Type == schema.Plain || n.Type == schema.Cell):
		c.number(i, m, s, v)
	case s.Type == schema.Bool && (n.Type == schema.Bool ||
		(n.Type == schema.Plain || n.Type == schema.Cell) && isBool(n.Text)):
		v.SetBool(n.Text == "true")
	default:
		c.wrongType(i, m, s)
	}
}

func (c *checker) array(i int32, m *Member, s *Shape, v reflect.Value) {
	count := 0
	for range c.tree.Children(i) {
		count++
	}
	if count == 0 {
		v.Set(s.none)
		return
	}
	v.Grow(count)
	v.SetLen(count)
	at := 0
	for child := range c.tree.Children(i) {
		c.pushIndex(at)
		if n := &c.tree.Nodes[child]; n.Type == schema.Null || n.Type == schema.Plain && isNull(n.Text) {
			c.add(codes.WrongValue, child, nodeItself, "an element of "+schema.Quote(m.Name)+" is empty", "delete it, or write what belongs there")
		} else {
			c.value(child, m, s.Elem, v.Index(at))
		}
		c.pop()
		at++
	}
}

// terms decodes an object whose member names are the author's own.
func (c *checker) terms(i int32, v reflect.Value) {
	terms, seen := Terms{}, map[string]bool{}
	for child := range c.tree.Children(i) {
		n := &c.tree.Nodes[child]
		c.push(n.Name)
		switch {
		case seen[n.Name]:
			c.twice(n)
		case n.Name == "" && !c.lenient:
			c.addNode(codes.WrongValue, n, nodeName, "a member without a name", "name it")
		case n.Type != schema.String && n.Type != schema.Cell &&
			(n.Type != schema.Plain || isNull(n.Text) || isBool(n.Text)) ||
			blank(n.Text) && !c.lenient:
			c.add(codes.WrongValue, child, nodeItself, "member "+schema.Quote(n.Name)+" must be text, not "+describe(n), textFix(n))
		default:
			seen[n.Name] = true
			terms = append(terms, Term{n.Name, n.Text})
		}
		c.pop()
	}
	v.Set(reflect.ValueOf(terms))
}

func (c *checker) text(i int32, m *Member, s *Shape, v reflect.Value) {
	text := c.tree.Nodes[i].Text
	switch {
	case c.lenient:
	case s.List != nil:
		word, ok := s.words[text]
		if !ok {
			c.add(codes.NotInList, i, nodeItself, schema.Quote(text)+" is not a value of "+m.Name, listFix(text, s))
			return
		}
		text = word // the same, but not cut out of a file's text, so that it can be kept
	case s.Format != nil:
		if message, fix := s.Format.Problem(text); message != "" {
			c.add(s.Format.Code, i, nodeItself, message, fix)
			return
		}
		if s.Format == dateFormat {
			if !c.inTime(i, m, Date(text)) {
				return
			}
			if d := Date(text); d > c.newest.Date && m.Name != "published_date" && m.Name != "verification_date" {
				c.newest = newestDate{d, c.path[0].name}
			}
		}
	case blank(text):
		c.add(m.Missing, i, nodeItself, "member "+schema.Quote(m.Name)+" is empty", emptyFix(m))
		return
	case m.Max > 0 && len(text) > m.Max && utf8.RuneCountInString(text) > m.Max:
		c.add(codes.WrongValue, i, nodeItself, m.Name+" has "+strconv.Itoa(utf8.RuneCountInString(text))+" characters; at most "+
			strconv.Itoa(m.Max)+" are allowed", "shorten it")
		return
	}
	v.SetString(text)
	if m.Ref != nil && !c.lenient {
		c.refHere(m.Ref, text, &c.tree.Nodes[i])
	}
}

func listFix(text string, s *Shape) string {
	words := s.Words()
	if fix := schema.DidYouMean(suggest.To(text, words)); fix != "" {
		return fix
	}
	return "write one of " + strings.Join(words, ", ")
}

func (c *checker) number(i int32, m *Member, s *Shape, v reflect.Value) {
	text := c.tree.Nodes[i].Text
	if message, fix := schema.NumberProblem(text); message != "" {
		if s.Integer {
			fix = "write digits only, such as 1"
		}
		c.add(codes.WrongValue, i, nodeItself, m.Name+": "+message, fix)
		return
	}
	if !s.Integer {
		v.SetString(text)
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		c.add(codes.WrongValue, i, nodeItself, m.Name+" is a whole number, not "+text, "write digits only")
	case n < int64(m.Min) && !c.lenient:
		c.add(codes.WrongValue, i, nodeItself, m.Name+" is at least "+strconv.Itoa(m.Min), "write "+strconv.Itoa(m.Min)+" or more")
	default:
		v.SetInt(n)
	}
}
