package settings

import (
	"encoding/json"
	"maps"
	"slices"

	"stele/internal/base/schema"
)

// Kept are the settings that a release keeps besides those in its manifest, so that it can be
// restored, with what the files hold that they name.
type Kept struct {
	Settings
	LogoBytes  []byte `json:"logo_data,omitempty" doc:"What the logo's file holds, as Base64."`
	StyleBytes []byte `json:"style_data,omitempty" doc:"What the style sheet's file holds, as Base64."`
}

// InManifest are the members that each release has in its manifest.
var InManifest = []string{"title", "base_url", "publisher", "license", "contact", "language", "notice"}

// Private are the members that no release has: where releases go, the findings that the publisher
// accepts, which name records that are held back, and what is suppressed.
var Private = []string{"publish", "accept", "suppression"}

// isKept reports whether the listing of releases keeps a member.
func isKept(name string) bool {
	return !slices.Contains(InManifest, name) && !slices.Contains(Private, name)
}

// KeptShape is the shape of those that a release keeps.
func KeptShape() *schema.Shape {
	s := schema.ShapeOf[Kept]()
	s.Members = slices.DeleteFunc(s.Members, func(m schema.Member) bool { return !isKept(m.Name) })
	return s
}

// Keep returns them as a JSON object whose members are in order; nil if there are none.
func (s *Settings) Keep() ([]byte, error) {
	data, err := json.Marshal(Kept{*s, []byte(s.LogoData), []byte(s.StyleData)})
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return !isKept(name) })
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}
