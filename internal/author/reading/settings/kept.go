package settings

import (
	"encoding/json"
	"maps"
	"slices"

	"stele/internal/base/schema"
	"stele/record"
)

// Kept contains the settings that a release stores besides those in its manifest, so that it can be
// restored, with the contents of files that they name.
type Kept struct {
	Settings
	AreaSums   record.Terms `json:"area_digests,omitempty" doc:"The SHA-256 digests of the tables of areas, by scheme."`
	LogoBytes  []byte       `json:"logo_data,omitempty" doc:"The logo's file, as Base64."`
	StyleBytes []byte       `json:"style_data,omitempty" doc:"The style sheet's file, as Base64."`
}

// InManifest are the settings in the manifest of each release.
var InManifest = []string{"title", "base_url", "publisher", "license", "contact", "language", "notice"}

// Private are the settings that no release contains: destinations, accepted problems (which may
// name records that are held back), and suppression.
var Private = []string{"publish", "accept", "suppression"}

// isStored reports whether the listing of releases stores the setting called name.
func isStored(name string) bool {
	return !slices.Contains(InManifest, name) && !slices.Contains(Private, name)
}

// StoredShape returns the shape of the settings that a release stores.
func StoredShape() *schema.Shape {
	s := schema.ShapeOf[Kept]()
	s.Members = slices.DeleteFunc(s.Members, func(m schema.Member) bool { return !isStored(m.Name) })
	return s
}

// StoredJSON returns the settings that a release stores as a JSON object with ordered members, or
// nil.
func (s *Settings) StoredJSON() ([]byte, error) {
	data, err := json.Marshal(Kept{*s, s.AreaDigests, []byte(s.LogoData), []byte(s.StyleData)})
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return !isStored(name) })
	if len(members) == 0 {
		return nil, nil
	}
	return json.Marshal(members)
}
