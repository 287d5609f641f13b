package render

import (
	"encoding/json"
	"fmt"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/record"
)

// SchemaChange is a change to a kind's schema since the previous release.
type SchemaChange struct {
	Date  record.Date     `json:"date" doc:"The date of the first release with the change."`
	Since string          `json:"since,omitempty" doc:"The ID of the release before that one."`
	Kind  record.KindName `json:"kind" doc:"The kind of record."`
	schema.Difference
}

// maxSchemaChanges is the number of changes that a release lists at most, the latest first.
const maxSchemaChanges = 1000

// SchemaChanges returns the changes to schemas since the previous release, followed by the changes
// that the previous release lists. If that release has no schemas, there are none.
func SchemaChanges(r Records) ([]SchemaChange, error) {
	var list []SchemaChange
	m, since := r.Release(), ""
	if m.Previous != nil {
		since = m.Previous.Release
	}
	for _, k := range record.Kinds {
		before, err := r.Before(layout.RecordSchemaPath(k.Folder()))
		if err != nil {
			return nil, err
		}
		if before == nil {
			continue
		}
		differences, err := schema.Compare(before, k.Schema(schema.Published))
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			list = append(list, SchemaChange{record.Date(m.Date), since, record.KindName(k.Name), d})
		}
	}
	data, err := r.Before(layout.SchemasPath)
	if err != nil {
		return nil, err
	}
	if data != nil {
		var known struct{ Changes []SchemaChange }
		if err := json.Unmarshal(data, &known); err != nil {
			return nil, fmt.Errorf("%s of the previous release: %w", layout.SchemasPath, err)
		}
		for _, c := range known.Changes {
			if record.KindNamed(string(c.Kind)) != nil {
				list = append(list, c)
			}
		}
	}
	return list[:min(len(list), maxSchemaChanges)], nil
}
