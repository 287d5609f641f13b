package audit

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/fold"
	"stele/internal/base/layout"
	"stele/record"
)

// names recognizes the members of a kind's records by their names, which the specification does not
// define.
type names struct {
	kind  *record.Kind
	ids   []string // of the ID member, the likeliest first
	lists []string // of the member with the records
	known map[string]meaning
}

// meaning is the meaning of a member, according to its name.
type meaning struct {
	id     int    // index among the names of IDs, or -1
	ref    string // key in kindsByIDName if it contains IDs, or ""
	end    bool   // whether it is an end of an edge
	member string // the name as written
}

var nothing = meaning{id: -1}

const (
	unknownName = 1000             // rank of a list with another name
	maxNames    = 10_000           // to cache
	maxName     = 100              // bytes of a cached name
	maxID       = 1000             // bytes of an ID
	edgeEnd     = "end of an edge" // a reference to any record
	anyRecord   = "recordid"       // the same, by name
)

// kindNames returns the names of a kind, such as graphnode, graph, node.
func kindNames(k *record.Kind) []string {
	return append([]string{fold.Letters(k.Name)}, strings.Split(k.Name, "_")...)
}

func newNames(k *record.Kind) *names {
	n := &names{kind: k, known: map[string]meaning{}}
	if k.HasSingle() {
		n.ids = append(n.ids, fold.Letters(k.IDMember()))
	}
	n.ids = append(n.ids, "id", "identifier", "uid")
	n.lists = []string{"records", "data", "items", "results", "value", "values", "entries", "rows", "list", fold.Letters(k.Folder()), fold.Letters(k.Many)}
	for _, name := range kindNames(k) {
		n.ids = append(n.ids, name+"id")
		n.lists = append(n.lists, name, name+"s")
	}
	if k.Name == record.KindGraphEdge {
		n.ids = slices.DeleteFunc(n.ids, func(id string) bool { return slices.Contains(endNames, id) })
	}
	return n
}

var endNames = []string{"source", "target", "from", "to", "sourceid", "targetid", "fromid", "toid", "sourcenode", "targetnode", "fromnode", "tonode", "sourcenodeid", "targetnodeid", "fromnodeid", "tonodeid"}

// rank returns how likely it is, by its name, that the list at a path contains the records: lower
// is likelier.
func (n *names) rank(at string) int {
	if at == "" {
		return 0
	}
	if i := slices.Index(n.lists, fold.Letters(at[strings.LastIndexByte(at, '/')+1:])); i >= 0 {
		return i
	}
	return unknownName
}

func (n *names) lookUp(name string) meaning {
	if m, ok := n.known[name]; ok {
		return m
	}
	plain := fold.Letters(name)
	m := meaning{id: slices.Index(n.ids, plain), member: truncate(name)}
	m.end = n.kind.Name == record.KindGraphEdge && slices.Contains(endNames, plain)
	one := strings.TrimSuffix(plain, "s")
	if _, ok := kindsByIDName[one]; ok && n.kind.Name != record.KindChangeEvent {
		m.ref = one
	}
	if len(n.known) < maxNames && len(name) <= maxName {
		n.known[name] = m
	}
	return m
}

// kindsByIDName maps the name of an ID member to the kinds whose IDs it may contain.
var kindsByIDName = func() map[string][]*record.Kind {
	all := map[string][]*record.Kind{anyRecord: record.Kinds, edgeEnd: record.Kinds}
	for _, k := range record.Kinds {
		for _, name := range kindNames(k) {
			all[name+"id"] = append(all[name+"id"], k)
		}
	}
	return all
}()

// reference is an ID in a record, and the kinds of record that it may refer to.
type reference struct {
	to string // a key of kindsByIDName
	id layout.Short
}

// example is the location of a reference.
type example struct{ record, member, text string }

// facts are the ID and references of a record.
type facts struct {
	id   string
	rank int
	refs []foundReference
}

type foundReference struct {
	reference
	member, text string
}

// walk reads a value and collects the ID and references in it. Only members of the record itself
// can be its ID or the end of an edge.
func (n *names) walk(d *jsontext.Decoder, f *facts, m meaning, depth int) error {
	switch d.PeekKind() {
	case '{':
		return n.forEachItem(d, '}', func() error {
			t, err := d.ReadToken()
			if err != nil {
				return err
			}
			return n.walk(d, f, n.lookUp(t.String()), depth+1)
		})
	case '[':
		if depth <= 1 {
			depth++ // a list does not contain the ID
		}
		return n.forEachItem(d, ']', func() error { return n.walk(d, f, m, depth) })
	}
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' && t.Kind() != '0' {
		return err
	}
	n.collect(f, m, t, depth)
	return nil
}

func (*names) forEachItem(d *jsontext.Decoder, end jsontext.Kind, each func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != end {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// collect stores a text or number, if its name has a meaning.
func (n *names) collect(f *facts, m meaning, t jsontext.Token, depth int) {
	switch {
	case m.id >= 0 && depth == 1:
		if text := t.String(); m.id < f.rank && len(text) <= maxID {
			f.id, f.rank = text, m.id
		}
	case m.end && depth == 1:
		m.ref = edgeEnd
		fallthrough
	case m.ref != "":
		if text := t.String(); text != "" {
			f.refs = append(f.refs, foundReference{reference{m.ref, layout.Shorten(text)}, m.member, truncate(text)})
		}
	}
}

// truncate shortens text for messages.
func truncate(text string) string {
	if len(text) <= maxName {
		return text
	}
	return strings.ToValidUTF8(text[:maxName], "") + "…"
}
