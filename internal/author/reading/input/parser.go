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
	if p.whole && textSize(item.Tree) > maxRecord {
		item = Item{Kind: f.kind, Problems: []schema.Problem{*fault(codes.TooLarge, f.Path, p.tree.Nodes[0].At,
			fmt.Sprintf("the record holds more than %d MiB of text", maxRecord>>20), "divide it, or write fewer aliases")}}
	}
	p.emit(item)
}

// textSize returns how many bytes the names and texts of a tree have.
func textSize(t *schema.Tree) (size int) {
	for i := range t.Nodes {
		size += len(t.Nodes[i].Name) + len(t.Nodes[i].Text)
	}
	return size
}

func (p *Reader) fail(f *file, problem *schema.Problem) {
	p.found++
	p.emit(Item{Kind: f.kind, Problems: []schema.Problem{*problem}})
}
