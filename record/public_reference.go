package record

import "stele/internal/base/schema/codes"

// PublicReference is a public document that illustrates a subject. It is never evidence.
type PublicReference struct {
	Envelope
	ReferenceNote string `json:"reference_note" doc:"What the reference shows, and why it is only an illustration."`
	Illustrates   []ID   `json:"illustrates,omitempty" ref:"*" relation:"about" doc:"The IDs of the records that it illustrates."`
}

// MarshalJSON returns the record as it is published.
func (p PublicReference) MarshalJSON() ([]byte, error) { return marshal(&p) }

// UnmarshalJSON decodes the record as Unmarshal does.
func (p *PublicReference) UnmarshalJSON(data []byte) error { return unmarshal(data, p) }

func (p *PublicReference) check(c *checker) {
	if !p.Illustrative && !c.HasProblemAt("/illustrative") {
		c.Report(codes.WrongValue, "/illustrative", "a public reference must have illustrative: true", "write illustrative: true")
	}
}

func (*PublicReference) schemaRules() map[string]any {
	return hasMember("illustrative", map[string]any{"const": true})
}
