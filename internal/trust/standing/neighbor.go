package standing

import "stele/record"

// Neighbor is the other end of an edge of the graph, seen from a record.
type Neighbor struct {
	Relation record.Relation
	Out      bool   // whether the edge points away from this record: it "supports" the other
	ID       string // of the other record
}
