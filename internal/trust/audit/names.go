package audit

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/fold"
	"stele/internal/base/layout"
	"stele/record"
)

// names is what the members of a kind's records may be called. The specification does not say, so
// they are recognised by what they look like.
type names struct {
	kind  *record.Kind
	ids   []string // of the member with the ID, the likeliest first
	lists []string // of the member with the records
	known map[string]meaning
}

// meaning is what the name of a member says.
type meaning struct {
	id     int    // its place among the names of IDs; -1 if it is none
	ref    string // which IDs it holds, if it holds any
	end    bool   // whether an edge begins or ends there
	member string // as it is written
}

var nothing = meaning{id: -1}

const (
	unknownName = 1000             // the rank of a list with another name
	mostNames   = 10_000           // that are remembered
	longestName = 100              // bytes of a name that is
	longestID   = 1000             // bytes of an ID
	edgeEnd     = "end of an edge" // a reference to any record
	anyRecord   = "recordid"       // the same, by its name
)

// callings are the names that a kind goes by: graphnode, graph, node.
func callings(k *record.Kind) []string {
	return append([]string{fold.Letters(k.Name)}, strings.Split(k.Name, "_")...)
}

func newNames(k *record.Kind) *names {
	n := &names{kind: k, known: map[string]meaning{}}
	if k.HasSingle() {
		n.ids = append(n.ids, fold.Letters(k.IDMember()))
	}
	n.ids = append(n.ids, "id", "identifier", "uid")
	n.lists = []string{"records", "data", "items", "results", "value", "values", "entries", "rows", "list", fold.Letters(k.Folder()), fold.Letters(k.Many)}
	for _, name := range callings(k) {
		n.ids = append(n.ids, name+"id")
		n.lists = append(n.lists, name, name+"s")
	}
	if k.Name == record.KindGraphEdge {
		n.ids = slices.DeleteFunc(n.ids, func(id string) bool { return slices.Contains(endNames, id) })
	}
	return n
}

var endNames = []string{"source", "target", "from", "to", "sourceid", "targetid", "fromid", "toid", "sourcenode", "targetnode", "fromnode", "tonode", "sourcenodeid", "targetnodeid", "fromnodeid", "tonodeid"}

// rank is how likely a list is that of the records, by its name.
func (n *names) rank(at string) int {
	if at == "" {
		return 0
	}
	if i := slices.Index(n.lists, fold.Letters(at[strings.LastIndexByte(at, '/')+1:])); i >= 0 {
		return i
	}
	return unknownName
}

// meaning finds out what a name says.
func (n *names) meaning(name string) meaning {
	if m, ok := n.known[name]; ok {
		return m
	}
	plain := fold.Letters(name)
	m := meaning{id: slices.Index(n.ids, plain), member: cut(name)}
	m.end = n.kind.Name == record.KindGraphEdge && slices.Contains(endNames, plain)
	one := strings.TrimSuffix(plain, "s")
	if _, ok := referred[one]; ok && n.kind.Name != record.KindChangeEvent {
		m.ref = one
	}
	if len(n.known) < mostNames && len(name) <= longestName {
		n.known[name] = m
	}
	return m
}

// referred are the kinds whose IDs a member may hold, by its name: those that are called so.
var referred = func() map[string][]*record.Kind {
	all := map[string][]*record.Kind{anyRecord: record.Kinds, edgeEnd: record.Kinds}
	for _, k := range record.Kinds {
		for _, name := range callings(k) {
			all[name+"id"] = append(all[name+"id"], k)
		}
	}
	return all
}()

// reference is an ID that a record names, and what it is the ID of.
type reference struct {
	to string // a key of referred
	id layout.Short
}

// example is where a reference stands.
type example struct{ record, member, text string }

// facts are what is gathered from a record.
type facts struct {
	id   string
	rank int
	refs []found
}

type found struct {
	reference
	member, text string
}

// walk goes through a value. Only members of the record itself can be its ID or the end of an edge.
func (n *names) walk(d *jsontext.Decoder, f *facts, m meaning, depth int) error {
	switch d.PeekKind() {
	case '{':
		return n.inside(d, '}', func() error {
			t, err := d.ReadToken()
			if err != nil {
				return err
			}
			return n.walk(d, f, n.meaning(t.String()), depth+1)
		})
	case '[':
		if depth <= 1 {
			depth++ // an ID does not stand in a list
		}
		return n.inside(d, ']', func() error { return n.walk(d, f, m, depth) })
	}
	t, err := d.ReadToken()
	if err != nil || t.Kind() != '"' && t.Kind() != '0' {
		return err
	}
	n.take(f, m, t, depth)
	return nil
}

func (*names) inside(d *jsontext.Decoder, end jsontext.Kind, each func() error) error {
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

// take takes down a text or number, if its name says something.
func (n *names) take(f *facts, m meaning, t jsontext.Token, depth int) {
	switch {
	case m.id >= 0 && depth == 1:
		if text := t.String(); m.id < f.rank && len(text) <= longestID {
			f.id, f.rank = text, m.id
		}
	case m.end && depth == 1:
		m.ref = edgeEnd
		fallthrough
	case m.ref != "":
		if text := t.String(); text != "" {
			f.refs = append(f.refs, found{reference{m.ref, layout.Shorten(text)}, m.member, cut(text)})
		}
	}
}

// cut shortens a text of others for messages.
func cut(text string) string {
	if len(text) <= longestName {
		return text
	}
	return strings.ToValidUTF8(text[:longestName], "") + "…"
}
