package record

import (
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// GraphEdge is a relation between two records. Edges are also derived from what records refer to.
type GraphEdge struct {
	Envelope
	Source     ID       `json:"source" identity:"fixed" ref:"*" missing-ref:"GRA01" doc:"Where the edge begins: ID of a record, or of a node that the publisher wrote."`
	Target     ID       `json:"target" identity:"fixed" ref:"*" missing-ref:"GRA01" doc:"Where the edge ends, likewise."`
	Relation   Relation `json:"relation" identity:"fixed" doc:"How the first is related to the second."`
	Directed   bool     `json:"directed" doc:"Whether the direction of the edge matters."`
	AssertedBy ID       `json:"asserted_by" ref:"*" doc:"The ID of the record that says so: a source, an organization, or the record whose reference this is."`
}

// MarshalJSON writes the record as it is published.
func (e GraphEdge) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON reads the record as Unmarshal does.
func (e *GraphEdge) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

func (e *GraphEdge) check(c *checker) {
	if strings.Contains(string(e.ID), "--") {
		c.Report(codes.MalformedID, "/id", "IDs of edges with -- are kept for those that follow from references", "write "+schema.Quote(strings.ReplaceAll(string(e.ID), "--", "-")))
	}
	if e.Source != "" && e.Source == e.Target {
		c.Report(codes.RedundantEdge, "/target", "the edge leads from "+schema.Quote(string(e.Source))+" to itself", "an edge joins two different records: correct one end or delete the edge")
	}
}
