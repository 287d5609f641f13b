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

// derived describes the records that are added to a kind.
type derived struct {
	count int
	asOf  record.Date             // latest date of the records that they are derived from
	write func(*files.File) error // nil if there are none
}

// derive returns the records that the program adds to k: nodes and edges, or no records for other
// kinds.
func derive(records *corpus, k *record.Kind) derived {
	switch k.Name {
	case record.KindGraphNode:
		return deriveNodes(records)
	case record.KindGraphEdge:
		return deriveEdges(records)
	}
	return derived{}
}

// numbersWithNodes returns the numbers of records that have nodes, sorted by kind and ID, and their
// latest date.
func numbersWithNodes(records *corpus) (numbers []int32, asOf record.Date) {
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
	numbers, asOf := numbersWithNodes(records)
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

// deriveEdges returns the edges. They are written in order, but rendered on all cores, because each
// record has several.
func deriveEdges(records *corpus) derived {
	const batch = 512
	numbers, _ := numbersWithNodes(records)
	d := derived{}
	var list []check.Relation
	for _, n := range numbers {
		list = records.checker.Relations(n, list) // in any order
		d.count += len(list)
	}
	d.write = func(f *files.File) error {
		var idle sync.Pool // slices to reuse
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

// sortedRelations returns the relations of record n, sorted independently of the publisher's file.
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

// appendNode appends the node of a record, taking version and title from the record's listing
// entry, where quotation marks in texts are escaped. The node has the record's ID, so that edges
// use the published IDs.
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

func appendEdge(line []byte, r check.Relation, assertedBy string) []byte {
	line = append(appendEdgeID(append(line, `{"id":"`...), r), `","kind":"`+record.KindGraphEdge+`","version":1,"source":"`...)
	line = append(append(append(line, r.Source...), `","target":"`...), r.Target...)
	line = append(append(append(line, `","relation":"`...), r.Relation...), `","directed":true,"asserted_by":"`...)
	return append(append(line, assertedBy...), `"}`...)
}

// appendEdgeID appends an edge's ID, which contains the IDs of both ends, or a digest if that is
// too long or ambiguous. The checker prevents publishers from using such IDs.
func appendEdgeID(b []byte, r check.Relation) []byte {
	start := len(b)
	b = append(append(append(append(append(b, r.Source...), "--"...), r.Relation...), "--"...), r.Target...)
	if id := b[start:]; len(id) <= 128 && bytes.Count(id, []byte("--")) == 2 {
		return b
	}
	sum := sha256.Sum256([]byte(r.Source + " " + string(r.Relation) + " " + r.Target))
	return hex.AppendEncode(append(b[:start], "edge--"...), sum[:16])
}

// writeEach writes to f the line that read returns for each of numbers.
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
