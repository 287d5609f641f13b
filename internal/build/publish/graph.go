package publish

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"stele/internal/author/check"
	"stele/record"
)

// appendNode writes the node of a record. It has the record's ID, so that edges join records by the
// IDs that everybody knows.
func appendNode(b []byte, e *record.Envelope) []byte {
	b = append(append(append(b, `{"id":"`...), e.ID...), `","kind":"`+record.KindGraphNode+`","version":`...)
	b = strconv.AppendInt(b, e.Version, 10)
	b = append(append(append(b, `,"record_id":"`...), e.ID...), `","record_kind":"`...)
	b = append(append(b, e.Kind...), `","label":`...)
	return append(record.AppendText(b, e.Title), '}')
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
