package compiler

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"stele/internal/author/judging/check"
	"stele/internal/base/parallel"
	"stele/internal/compile/files"
	"stele/record"
)

// derived are the records of a kind that follow from the others.
type derived struct {
	count int
	asOf  record.Date             // the newest date of the records whose versions are in it
	write func(*files.File) error // nil if there are none
}

// derive returns what the program adds to a kind that the publisher may write too; nothing for
// other kinds.
func derive(records *corpus, k *record.Kind) derived {
	switch k.Name {
	case record.KindGraphNode:
		return deriveNodes(records)
	case record.KindGraphEdge:
		return deriveEdges(records)
	}
	return derived{}
}

// withNodes returns the records that have nodes, kind by kind, in the order of their IDs.
func withNodes(records *corpus) (numbers []int32, asOf record.Date) {
	for _, k := range records.kinds {
		before := len(numbers)
		for _, n := range k.numbers {
			if records.nodes[n] {
				numbers = append(numbers, n)
			}
		}
		if len(numbers) > before {
			asOf = max(asOf, k.asOf)
		}
	}
	return numbers, asOf
}

func deriveNodes(records *corpus) derived {
	numbers, asOf := withNodes(records)
	return derived{len(numbers), asOf, func(f *files.File) error {
		entries := records.spool.Reader()
		var line []byte
		return writeEach(f, numbers, func(n int32) ([]byte, error) {
			entry, err := entries.Entry(n)
			line = appendNode(line[:0], records.checker.ID(n), record.Kinds[records.checker.Kind(n)].Name, entry)
			return line, err
		})
	}}
}

// deriveEdges renders the edges on all cores, because there are several for each record, and writes
// them in order.
func deriveEdges(records *corpus) derived {
	const batch = 512
	numbers, _ := withNodes(records)
	d := derived{}
	var list []check.Relation
	for _, n := range numbers {
		list = records.checker.Relations(n, list) // their order does not matter here
		d.count += len(list)
	}
	d.write = func(f *files.File) error {
		var idle sync.Pool // memory of lines that were used, to be used again
		for lines := range parallel.Map((len(numbers)+batch-1)/batch, func(part int) *[]byte {
			lines, ok := idle.Get().(*[]byte)
			if !ok {
				lines = new([]byte)
			}
			b := (*lines)[:0]
			var list []check.Relation
			for _, n := range numbers[part*batch : min(len(numbers), (part+1)*batch)] {
				list = sortedRelations(records.checker, n, list)
				for _, r := range list {
					b = appendEdge(append(b, ",\n"...), r, records.checker.ID(n))
				}
			}
			*lines = b
			return lines
		}) {
			if len(*lines) > 0 {
				f.WriteLines(*lines)
			}
			idle.Put(lines)
		}
		return nil
	}
	return d
}

// sortedRelations returns what a record refers to, in an order that does not depend on that of the
// members in the publisher's file.
func sortedRelations(c *check.Checker, n int32, list []check.Relation) []check.Relation {
	list = c.Relations(n, list)
	slices.SortFunc(list, func(x, y check.Relation) int {
		return cmp.Or(
			strings.Compare(x.Source, y.Source),
			strings.Compare(string(x.Relation), string(y.Relation)),
			strings.Compare(x.Target, y.Target),
		)
	})
	return list
}

// appendNode writes the node of a record, with what its line of the listing has, where quotation
// marks of texts are escaped. It has the record's ID, so that edges join records by the IDs that
// everybody knows.
func appendNode(b []byte, id, kind string, entry []byte) []byte {
	_, entry, _ = bytes.Cut(entry, []byte(`,"version":`))
	version, entry, _ := bytes.Cut(entry, []byte(`,`))
	title := []byte(`""`)
	if rest, ok := bytes.CutPrefix(entry, []byte(`"title":`)); ok {
		title, _, _ = bytes.Cut(rest[:bytes.Index(rest, []byte(`,"sha256":"`))], []byte(`,"updated_date":"`))
	}
	b = append(append(append(b, `{"id":"`...), id...), `","kind":"`+record.KindGraphNode+`","version":`...)
	b = append(append(append(append(b, version...), `,"record_id":"`...), id...), `","record_kind":"`...)
	b = append(append(b, kind...), `","label":`...)
	return append(append(b, title...), '}')
}

// appendEdge writes the edge that a reference stands for.
func appendEdge(line []byte, r check.Relation, assertedBy string) []byte {
	line = append(appendEdgeID(append(line, `{"id":"`...), r), `","kind":"`+record.KindGraphEdge+`","version":1,"source":"`...)
	line = append(append(append(line, r.Source...), `","target":"`...), r.Target...)
	line = append(append(append(line, `","relation":"`...), r.Relation...), `","directed":true,"asserted_by":"`...)
	return append(append(line, assertedBy...), `"}`...)
}

// appendEdgeID names an edge after what it joins; where that is too long for an ID, or could be
// read in two ways, by a digest of it. The checker keeps publishers from using such IDs.
func appendEdgeID(b []byte, r check.Relation) []byte {
	start := len(b)
	b = append(append(append(append(append(b, r.Source...), "--"...), r.Relation...), "--"...), r.Target...)
	if id := b[start:]; len(id) <= 128 && bytes.Count(id, []byte("--")) == 2 {
		return b
	}
	sum := sha256.Sum256([]byte(r.Source + " " + string(r.Relation) + " " + r.Target))
	return hex.AppendEncode(append(b[:start], "edge--"...), sum[:16])
}

// writeEach writes a line for each number.
func writeEach(f *files.File, numbers []int32, read func(n int32) ([]byte, error)) error {
	for _, n := range numbers {
		line, err := read(n)
		if err != nil {
			return err
		}
		f.WriteLine(line)
	}
	return nil
}
