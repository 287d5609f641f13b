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
	defaults *schema.Tree // shared members of its records, or nil
	shared   uint64       // digest of the defaults
	beside   beside       // corrections of the rows
}

// Reader converts batches to items. Each goroutine needs its own.
type Reader struct {
	tree   schema.Tree      // the record as written
	joined schema.Tree      // with the corrections of its table
	merged schema.Tree      // with its defaults
	cut    []schema.Problem // problems of texts that a comment may have cut off
	found  int
	whole  bool // the batch is a whole file, not lines or rows, which have their own limits
	emit   func(Item)
}

// yieldRecord yields the record in p.tree, merged over its defaults.
func (p *Reader) yieldRecord(f *file) {
	p.found++
	item := Item{Kind: f.kind, Tree: &p.tree, Own: &p.tree}
	if f.beside != nil {
		item.Tree, item.Problems = p.mergeCorrections(f)
	}
	if f.defaults != nil && p.tree.Nodes[0].Type == schema.Object {
		item.Problems = append(item.Problems, fillDefaults(&p.merged, item.Tree, f.defaults)...)
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

// tooMuchText returns a problem if the names and texts of a record have more bytes than readers
// accept. It names the largest member.
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
	return newProblem(codes.TooLarge, file, t.Nodes[largest].At,
		fmt.Sprintf("%s has %.1f MB of text, %.1f MB of it in %s; at most %.1f MB are allowed",
			id, float64(total)/1e6, float64(most)/1e6, name, maxRecord/1e6),
		"shorten "+name+", or split the record; the text of a YAML alias counts each time it is used")
}

func (p *Reader) yieldProblem(f *file, problem *schema.Problem) {
	p.found++
	p.emit(Item{Kind: f.kind, Problems: []schema.Problem{*problem}})
}
