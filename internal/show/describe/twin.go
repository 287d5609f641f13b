package describe

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"stele/internal/base/jsonline"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/markdown"
	"stele/internal/trust/standing"
	"stele/record"
)

const (
	// A twin lists at most this many links and events. A record of an indicator may have as many
	// links as there are statistics.
	mostLinks  = 50
	mostEvents = 50
	// maxKnown is how many references a goroutine caches. The same few records are referred to
	// again and again.
	maxKnown = 4096
)

// twinPath returns the path of the Markdown version of a record page.
func twinPath(k *record.Kind, id string) string { return layout.TwinPath(k.Folder(), id) }

// writeTwins writes a Markdown version of each record page, for programs that read text. It does
// not name the release, so that it changes only when the record does.
func (s *service) writeTwins(out render.Output) error {
	for _, k := range record.Kinds {
		if !k.HasPage() {
			continue
		}
		plan := s.newTwinPlan(k)
		idle := sync.Pool{New: func() any { return s.newTwin(plan) }}
		path := func(i int) string { return twinPath(k, s.ID(k, i)) }
		err := out.Each(s.Len(k), path, func(i int, b []byte) ([]byte, error) {
			t := idle.Get().(*twin)
			defer idle.Put(t)
			return t.appendFile(i, b)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// twin converts a record to Markdown.
type twin struct {
	*service
	plan    *twinPlan
	records render.Reader
	parser  *record.Parser
	known   map[string]string // formatted references, by ID

	id    string
	tree  *schema.Tree // the record
	nodes []int32      // by index of a member: its node in the tree, or 0
	b     []byte
}

// appendFile appends the Markdown of record i to b.
func (t *twin) appendFile(i int, b []byte) ([]byte, error) {
	k := t.plan.kind
	t.id, t.b = t.ID(k, i), b
	data, err := t.records.Record(k, i)
	if err != nil {
		return nil, err
	}
	if t.tree, err = t.parser.Tree(k, data); err != nil {
		return nil, fmt.Errorf("%s: %w", t.id, err)
	}
	own := t.findMembers()
	t.writeOpening(t.Standing(k, i))
	for i := range t.plan.sections {
		t.writeSection(&t.plan.sections[i])
	}
	if own {
		if err := t.writeCustom(data); err != nil {
			return nil, fmt.Errorf("%s: %w", t.id, err)
		}
	}
	t.writeRelated(i)
	if err := t.writeChanges(i); err != nil {
		return nil, fmt.Errorf("%s: %w", t.id, err)
	}
	t.write(t.plan.footer)
	return t.b, nil
}

// findMembers stores the nodes of members in t.nodes, and reports whether the record has custom
// members.
func (t *twin) findMembers() (own bool) {
	clear(t.nodes)
	members, next := t.plan.kind.Shape().Members, 0 // members are in declared order
	for c := range t.tree.Children(0) {
		name := t.tree.Nodes[c].Name
		for next < len(members) && members[next].Name != name {
			next++
		}
		if next == len(members) {
			return isCustom(name)
		}
		t.nodes[next] = c
	}
	return false
}

// write appends parts, which are Markdown, to the twin.
func (t *twin) write(parts ...string) {
	for _, p := range parts {
		t.b = append(t.b, p...)
	}
}

func (t *twin) writeInline(text string) { t.b = markdown.AppendInline(t.b, text) }
func (t *twin) writeCode(text string)   { t.b = markdown.AppendCode(t.b, text) }

// member returns the node of the member with the given name, or nil.
func (t *twin) member(name string) *schema.Node {
	if number, ok := t.plan.numbers[name]; ok && t.nodes[number] > 0 {
		return &t.tree.Nodes[t.nodes[number]]
	}
	return nil
}

// writeOpening writes the title, summary, kind and standing, and links to other formats.
func (t *twin) writeOpening(is standing.Entry) {
	t.write("# ")
	if title := t.member("title"); title != nil && title.Text != "" {
		t.writeInline(title.Text)
	} else {
		t.writeInline(t.id)
	}
	t.write("\n\n")
	if summary := t.member("summary"); summary != nil {
		t.b = markdown.AppendParagraph(t.b, summary.Text)
		t.write("\n\n")
	}
	t.write(t.plan.one, " ")
	t.writeCode(t.id)
	t.write(", version ")
	if version := t.member("version"); version != nil {
		t.write(version.Text)
	}
	t.write(".\n")
	if t.member("illustrative") != nil {
		t.write("This is an example, not a finding.\n")
	}
	if is.Standing != standing.Stands {
		t.write("**Standing: ", strings.ReplaceAll(is.Standing.String(), "_", " "), "**, ", standing.Words[is.Standing].Doc,
			" (", is.Cause.String(), " ", is.Since.String(), ").\n")
	}
	t.write("\n- page: <", t.plan.page, t.id, "/>\n- JSON: <", t.urlOf(t.plan.kind.JSONPath(t.id)), ">", t.plan.schemaLine)
}

// writeSection writes the members of s that the record has. A simple member takes one line, and a
// list or object takes a line for each element.
func (t *twin) writeSection(s *twinSection) {
	begun := false
	for i := range s.members {
		m := &s.members[i]
		at := t.nodes[m.number]
		if at == 0 {
			continue
		}
		if !begun {
			t.write("\n## ", s.title, "\n\n")
			begun = true
		}
		t.write("- ", m.name, ":")
		switch {
		case m.Shape.Type == schema.Array:
			t.writeElements(m.Member, at)
		case m.Shape.Type == schema.Object && !m.Shape.Open:
			t.writeMembers(m.Shape, at)
		default:
			t.write(" ")
			t.writeValue(m.Member, m.Shape, at)
			t.writeMeaning(m.Shape, at)
			t.write("\n")
		}
	}
}

// writeElements writes each element of the list at node at on a line of its own.
func (t *twin) writeElements(m *schema.Member, at int32) {
	none := " none\n"
	for c := range t.tree.Children(at) {
		if none != "" {
			t.write("\n")
			none = ""
		}
		t.write("  - ")
		t.writeValue(m, m.Shape.Elem, c)
		t.write("\n")
	}
	t.write(none)
}

// writeMembers writes each member of the object at node at on a line of its own.
func (t *twin) writeMembers(s *schema.Shape, at int32) {
	if t.tree.Nodes[at].Type != schema.Object { // null
		t.write(" none\n")
		return
	}
	t.write("\n")
	for i := range s.Members {
		m := &s.Members[i]
		c := t.tree.Find(at, m.Name)
		if c < 0 {
			continue
		}
		t.write("  - ")
		t.b = markdown.AppendWords(t.b, m.Name)
		t.write(": ")
		t.writeValue(m, m.Shape, c)
		t.write("\n")
	}
}

// writeMeaning writes the meaning of the value at node at if s is a closed list.
func (t *twin) writeMeaning(s *schema.Shape, at int32) {
	for i := range s.List {
		if v := &s.List[i]; v.Word == t.tree.Nodes[at].Text && v.Doc != "" {
			t.write(" (")
			t.writeInline(strings.TrimSuffix(v.Doc, "."))
			t.write(")")
			return
		}
	}
}

// writeValue writes the value at node at on one line.
func (t *twin) writeValue(m *schema.Member, s *schema.Shape, at int32) {
	n := &t.tree.Nodes[at]
	switch {
	case s.Type == schema.Array:
		between := ""
		for c := range t.tree.Children(at) {
			t.write(between)
			t.writeValue(m, s.Elem, c)
			between = ", "
		}
	case s.Type == schema.Object:
		t.writeObject(s, at)
	case n.Type == schema.Null:
		t.write("null")
	case n.Type != schema.String: // a number or a boolean
		t.write(n.Text)
	case m.Ref != nil:
		t.write(t.reference(n.Text))
	case s.Go == reflect.TypeFor[record.URL]():
		t.write("<", n.Text, ">")
	case s.Go == reflect.TypeFor[record.ID]():
		t.writeCode(n.Text)
	default:
		t.writeInline(n.Text)
	}
}

func (t *twin) writeObject(s *schema.Shape, at int32) {
	if t.tree.Nodes[at].Type != schema.Object { // null
		t.write("none")
		return
	}
	if s.Go == reflect.TypeFor[record.Quote]() {
		t.writeQuote(at)
		return
	}
	between := ""
	for c := range t.tree.Children(at) {
		t.write(between)
		between = "; "
		name := t.tree.Nodes[c].Name
		inner := cmp.Or(s.Member(name), &authorsOwn)
		if !s.Open { // otherwise chosen by the author, for texts
			name = strings.ReplaceAll(name, "_", " ")
		}
		t.writeInline(name)
		t.write(": ")
		t.writeValue(inner, inner.Shape, c)
	}
}

// writeQuote writes the text of the quotation at node at in quotation marks, and its locator.
func (t *twin) writeQuote(at int32) {
	if c := t.tree.Find(at, "text"); c >= 0 {
		t.write("“")
		t.writeInline(t.tree.Nodes[c].Text)
		t.write("”")
	}
	if c := t.tree.Find(at, "locator"); c >= 0 {
		t.write(" (")
		t.writeInline(t.tree.Nodes[c].Text)
		t.write(")")
	}
}

var authorsOwn = schema.Member{Shape: &schema.Shape{Type: schema.String}}

// reference formats a reference to the record with the given ID: as ID, title and, if the record
// has a page, a link.
func (t *twin) reference(id string) string {
	if text, ok := t.known[id]; ok {
		return text
	}
	if len(t.known) >= maxKnown {
		clear(t.known)
	}
	text := markdown.Code(id)
	k, _, ok := t.Find(id)
	switch title := t.Title(id); {
	case !ok || title == "":
	case k.HasPage():
		text += " ([" + markdown.Inline(title) + "](" + t.urlOf(twinPath(k, id)) + "))"
	default:
		text += " (" + markdown.Inline(title) + ")"
	}
	t.known[strings.Clone(id)] = text // text must not refer to the record
	return text
}

func isCustom(name string) bool { return strings.HasPrefix(name, "x_") }

// writeCustom writes the custom members in data, a record, as JSON.
func (t *twin) writeCustom(data []byte) error {
	for m, err := range jsonline.Members(data) {
		if err != nil {
			return err
		}
		if name := string(m.Name); isCustom(name) {
			t.write("- ")
			t.writeCode(name)
			t.write(": ")
			t.writeCode(string(m.Value))
			t.write("\n")
		}
	}
	return nil
}

// writeRelated writes the graph links of record i.
func (t *twin) writeRelated(i int) {
	count := 0
	for l := range t.Edges(t.plan.kind, i) {
		switch count++; {
		case count == 1:
			t.write("\n## Related records\n\n→ points from this record to the other, ← from the other to this one.\n\n")
		case count > mostLinks:
			t.write("- and more, in <", t.urlOf(record.KindNamed(record.KindGraphEdge).Collection.Path), ">\n")
			return
		}
		if l.Out {
			t.write("- → ")
		} else {
			t.write("- ← ")
		}
		t.b = markdown.AppendWords(t.b, string(l.Relation))
		t.write(" ", t.reference(l.ID), "\n")
	}
}

// writeChanges writes the changes of record i, newest first.
func (t *twin) writeChanges(i int) error {
	events := t.EventsOf(t.plan.kind, i)
	if events.Len() == 0 {
		return nil
	}
	t.write("\n## Changes\n\n")
	count := 0
	for e, err := range events.From(0) {
		if err != nil {
			return err
		}
		if count++; count > mostEvents {
			t.write("- and more, in <", t.urlOf(changeEventKind().Collection.Path), ">\n")
			return nil
		}
		t.write("- ", string(e.PublishedDate), ": ")
		t.writeInline(changeText(e))
		t.write("\n")
	}
	return nil
}
