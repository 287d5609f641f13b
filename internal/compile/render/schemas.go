package render

import (
	"encoding/json"
	"fmt"

	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/record"
)

// SchemaChange is how what records of a kind may hold differs from the release before.
type SchemaChange struct {
	Date  record.Date     `json:"date" doc:"The date of the release that first had it so."`
	Since string          `json:"since,omitempty" doc:"The ID of the release before it."`
	Kind  record.KindName `json:"kind" doc:"The kind of record."`
	schema.Difference
}

// mostSchemaChanges is how many a release has: the newest.
const mostSchemaChanges = 1000

// SchemaChanges returns how schemas differ from those of the release before, and then what that
// release had of the ones before it. Where the release before has no schemas, nothing is known.
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
			return nil, fmt.Errorf("%s of the release before: %w", layout.SchemasPath, err)
		}
		for _, c := range known.Changes {
			if record.KindNamed(string(c.Kind)) != nil {
				list = append(list, c)
			}
		}
	}
	return list[:min(len(list), mostSchemaChanges)], nil
}
