package input

import (
	"cmp"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// BesideSuffix is the suffix of the file with the corrections of a table's rows: values.csv and
// values.corrections.yaml. A correction changes no other line, so two people can correct two rows.
const BesideSuffix = ".corrections.yaml"

// CorrectionsPath returns the path of the corrections file for a table.
func CorrectionsPath(table string) string {
	return strings.TrimSuffix(table, path.Ext(table)) + BesideSuffix
}

// beside contains the members from a corrections file, by row ID.
type beside map[string]*schema.Tree

// Named is a row ID in a corrections file.
type Named struct {
	ID, Table, File string
	At              schema.Pos
}

// readCorrections reads a list of corrections and source updates, each with the ID of its row. It
// sets the version and updated_date of a row, unless the row has later ones.
func readCorrections(fsys fs.FS, table string, defaults *schema.Tree) (beside, []Named, *schema.Problem) {
	at := CorrectionsPath(table)
	rows := map[string][]*yaml.Node{}
	var named []Named
	problem := readDocuments(fsys, at, func(n *yaml.Node) *schema.Problem {
		if n.Kind != yaml.SequenceNode {
			return newProblem(codes.Malformed, at, nodePosition(n), "corrections of rows must be a list", "write each correction as - {id: …, date: …, type: …, in_version: …, fields: […], summary: …}")
		}
		for _, entry := range n.Content {
			id, problem := entryID(at, entry)
			if problem != nil {
				return problem
			}
			if rows[id.Value] == nil {
				named = append(named, Named{id.Value, table, at, nodePosition(id)})
			}
			rows[id.Value] = append(rows[id.Value], entry)
		}
		return nil
	})
	all := beside{}
	for _, n := range named {
		if problem == nil {
			all[n.ID], problem = entriesToTree(at, rows[n.ID], defaults)
		}
	}
	if problem != nil {
		return nil, nil, problem
	}
	return all, named, nil
}

// Entry is an element of a corrections file.
type Entry struct {
	ID       string // of the row
	Line     int    // its first line
	IsUpdate bool   // a source update instead of a correction
}

// Entries returns the elements of a corrections file in their order.
func Entries(file string, data []byte) (list []Entry, problem *schema.Problem) {
	problem = eachDocument(file, data, func(n *yaml.Node) *schema.Problem {
		for _, entry := range n.Content {
			id, problem := entryID(file, entry)
			if problem != nil {
				return problem
			}
			list = append(list, Entry{id.Value, entry.Line, entryMember(entry, "effect") != nil})
		}
		return nil
	})
	return list, problem
}

// entryID returns the node of the row ID in an entry.
func entryID(file string, entry *yaml.Node) (id *yaml.Node, _ *schema.Problem) {
	if entry.Kind == yaml.MappingNode {
		seen := map[string]bool{}
		for i := 0; i+1 < len(entry.Content); i += 2 {
			name := entry.Content[i]
			if seen[name.Value] {
				return nil, newProblem(codes.DuplicateMember, file, nodePosition(name), "member "+strconv.Quote(name.Value)+" is duplicate", "delete one of the two")
			}
			if seen[name.Value] = true; name.Value == "id" && entry.Content[i+1].Kind == yaml.ScalarNode {
				id = entry.Content[i+1]
			}
		}
	}
	if id == nil || id.Value == "" {
		return nil, newProblem(codes.Malformed, file, nodePosition(entry), "the correction lacks the ID of its row", "begin the correction with its row: - {id: ID-OF-THE-ROW")
	}
	return id, nil
}

// entriesToTree returns the entries of a row as members of its record.
func entriesToTree(file string, entries []*yaml.Node, defaults *schema.Tree) (*schema.Tree, *schema.Problem) {
	w := newYAMLWriter(file)
	w.to.Open(schema.Object, nodePosition(entries[0]))
	var corrections, updates []*yaml.Node
	for _, e := range entries {
		if entryMember(e, "effect") != nil {
			updates = append(updates, e)
		} else {
			corrections = append(corrections, e)
		}
	}
	problem := cmp.Or(w.addEntries("corrections", corrections), w.addEntries("source_updates", updates))
	if problem != nil {
		return nil, problem
	}
	w.addLatest("version", "in_version", entries, defaults, func(a, b string) bool {
		x, _ := strconv.Atoi(a) // malformed versions are reported later
		y, _ := strconv.Atoi(b)
		return x > y
	})
	w.addLatest("updated_date", "date", entries, defaults, func(a, b string) bool { return a > b })
	w.to.Close()
	return w.to, nil
}

// addEntries adds a list with the entries, without their IDs.
func (w *yamlWriter) addEntries(name string, entries []*yaml.Node) *schema.Problem {
	if len(entries) == 0 {
		return nil
	}
	w.to.SetName(name, nodePosition(entries[0]))
	w.to.Open(schema.Array, nodePosition(entries[0]))
	for _, e := range entries {
		w.to.SetName("", schema.Pos{})
		w.to.Open(schema.Object, nodePosition(e))
		for i := 0; i+1 < len(e.Content); i += 2 {
			if name := e.Content[i]; name.Value != "id" {
				w.to.SetName(name.Value, nodePosition(name))
				if problem := w.addNode(e.Content[i+1]); problem != nil {
					return problem
				}
			}
		}
		w.to.Close()
	}
	w.to.Close()
	return nil
}

// addLatest adds the member called name with the latest value of from in the entries, if that is
// later than the default.
func (w *yamlWriter) addLatest(
	name, from string, entries []*yaml.Node, defaults *schema.Tree, later func(a, b string) bool,
) {
	was := ""
	if defaults != nil {
		if i := defaults.Find(0, name); i >= 0 {
			was = defaults.Nodes[i].Text
		}
	}
	var last *yaml.Node
	for _, e := range entries {
		if n := entryMember(e, from); n != nil && later(n.Value, was) {
			last, was = n, n.Value
		}
	}
	if last != nil {
		w.to.SetName(name, nodePosition(last))
		w.to.AddScalar(schema.Plain, last.Value, nodePosition(last))
	}
}

// entryMember returns the member of entry called name, or nil.
func entryMember(entry *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(entry.Content); i += 2 {
		if entry.Content[i].Value == name {
			return entry.Content[i+1]
		}
	}
	return nil
}

// mergeCorrections adds the corrections of the row in p.tree to its members, over the defaults.
func (p *Reader) mergeCorrections(f *file) (*schema.Tree, []schema.Problem) {
	of := &p.tree
	if f.defaults != nil {
		fillDefaults(&p.merged, &p.tree, f.defaults)
		of = &p.merged
	}
	i := of.Find(0, "id")
	if i < 0 {
		return &p.tree, nil
	}
	t := f.beside[of.Nodes[i].Text]
	if t == nil {
		return &p.tree, nil
	}
	for _, list := range []string{"corrections", "source_updates"} {
		own, other := p.tree.Find(0, list), t.Find(0, list)
		if own >= 0 && other >= 0 {
			return &p.tree, []schema.Problem{*newProblem(codes.DuplicateMember, f.Path, p.tree.Nodes[own].At,
				"the row has "+list+" in the table and in "+path.Base(t.Files[0])+", line "+strconv.Itoa(int(t.Nodes[other].At.Line)), "keep all of them in one of the two files")}
		}
	}
	mergeTrees(&merger{to: &p.joined, own: &p.tree, defaults: t})
	return &p.joined, nil
}
