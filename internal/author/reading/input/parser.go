package input

import (
	"fmt"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// file is a file of records.
type file struct {
	Source
	kind     *record.Kind
	format   string // .yaml, .json, .ndjson or .csv
	size     int64
	defaults *schema.Tree // what its records share, or nil
	shared   uint64       // the digest of that
	beside   beside       // what a file beside a table says of its rows
}

// Reader turns batches into items. Each goroutine has its own.
type Reader struct {
	tree   schema.Tree      // the record as it was written
	joined schema.Tree      // with what stands beside its table
	merged schema.Tree      // with its defaults
	cut    []schema.Problem // with its texts, from reading it
	found  int
	whole  bool // a whole file is read, and not lines or rows, which have limits of their own
	emit   func(Item)
}

// record passes on the record in p.tree, laid over its defaults.
func (p *Reader) record(f *file) {
	p.found++
	item := Item{Kind: f.kind, Tree: &p.tree, Own: &p.tree}
	if f.beside != nil {
		item.Tree, item.Problems = p.besides(f)
	}
	if f.defaults != nil && p.tree.Nodes[0].Type == schema.Object {
		item.Problems = append(item.Problems, fill(&p.merged, item.Tree, f.defaults)...)
		item.Tree = &p.merged
	}
	item.Problems = append(item.Problems, p.cut...)
	p.cut = nil
	if p.whole {
		if problem := tooMuchText(f.Path, item.Tree); problem != nil {
			item = Item{Kind: f.kind, Problems: []schema.Problem{*problem}}
		}
	}
	p.emit(item)
}

// tooMuchText refuses a record whose names and texts have more bytes than readers take, and names
// the member with the most of them. It returns nil if the record is small enough.
func tooMuchText(file string, t *schema.Tree) *schema.Problem {
	total, largest, most := 0, int32(0), 0
	for i := range t.Children(0) {
		size := 0
		for _, n := range t.Within(i) {
			size += len(n.Name) + len(n.Text)
		}
		if total += size; size > most {
			largest, most = i, size
		}
	}
	if total <= maxRecord {
		return nil
	}
	id, name := "the record", t.Nodes[largest].Name
	if i := t.Find(0, "id"); i >= 0 {
		id = "this version of " + t.Nodes[i].Text
	}
	return fault(codes.TooLarge, file, t.Nodes[largest].At,
		fmt.Sprintf("%s has %.1f MB of text, %.1f MB of it in %s; at most %.1f MB are allowed",
			id, float64(total)/1e6, float64(most)/1e6, name, maxRecord/1e6),
		"shorten "+name+", or divide the record; text of a YAML alias counts each time it is used")
}

func (p *Reader) fail(f *file, problem *schema.Problem) {
	p.found++
	p.emit(Item{Kind: f.kind, Problems: []schema.Problem{*problem}})
}
