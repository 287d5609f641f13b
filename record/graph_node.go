package record

// GraphNode is a record as a point of the graph. Nodes are also derived: each record that has a
// page has one.
type GraphNode struct {
	Envelope
	RecordID   ID       `json:"record_id" identity:"fixed" ref:"*" doc:"The ID of the record that the node stands for."`
	RecordKind KindName `json:"record_kind" doc:"The kind of that record."`
	Label      string   `json:"label" max:"160" doc:"What to write at the node."`
}

// MarshalJSON writes the record as it is published.
func (g GraphNode) MarshalJSON() ([]byte, error) { return marshal(&g) }

// UnmarshalJSON reads the record as Unmarshal does.
func (g *GraphNode) UnmarshalJSON(data []byte) error { return unmarshal(data, g) }
