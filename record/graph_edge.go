package record

import (
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// GraphEdge is a relation between two records. Edges are also derived from references between
// records.
type GraphEdge struct {
	Envelope
	Source     ID       `json:"source" identity:"fixed" ref:"*" missing-ref:"GRA01" doc:"The start of the edge: the ID of a record, or of a node that the publisher wrote."`
	Target     ID       `json:"target" identity:"fixed" ref:"*" missing-ref:"GRA01" doc:"The end of the edge, as for source."`
	Relation   Relation `json:"relation" identity:"fixed" doc:"The relation of the source to the target."`
	Directed   bool     `json:"directed" doc:"Whether the direction of the edge matters."`
	AssertedBy ID       `json:"asserted_by" ref:"*" doc:"The ID of the record that asserts the edge: a source, an organization, or the record with the reference."`
}

// MarshalJSON returns the record as it is published.
func (e GraphEdge) MarshalJSON() ([]byte, error) { return marshal(&e) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (e *GraphEdge) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

func (e *GraphEdge) check(c *checker) {
	if strings.Contains(string(e.ID), "--") {
		c.Report(codes.MalformedID, "/id", "edge IDs with -- are reserved for edges derived from references", "write "+schema.Quote(strings.ReplaceAll(string(e.ID), "--", "-")))
	}
	if e.Source != "" && e.Source == e.Target {
		c.Report(codes.RedundantEdge, "/target", "the edge leads from "+schema.Quote(string(e.Source))+" to itself", "an edge must join two different records: correct one end or delete the edge")
	}
}
