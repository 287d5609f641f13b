package standing

import "stele/record"

// Neighbor is the other end of an edge of the graph, as a record sees it.
type Neighbor struct {
	Relation record.Relation
	Out      bool   // whether the edge leads away from this record: this record "supports" the other
	ID       string // of the record at the other end
}
