package record

// GraphNode is a node of the graph that represents a record. Nodes are also derived: each record
// with a page has one.
type GraphNode struct {
	Envelope
	RecordID   ID       `json:"record_id" identity:"fixed" ref:"*" doc:"The ID of the record that the node represents."`
	RecordKind KindName `json:"record_kind" doc:"The kind of that record."`
	Label      string   `json:"label" max:"160" doc:"The label of the node."`
}

// MarshalJSON returns the record as it is published.
func (g GraphNode) MarshalJSON() ([]byte, error) { return marshal(&g) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (g *GraphNode) UnmarshalJSON(data []byte) error { return unmarshal(data, g) }
