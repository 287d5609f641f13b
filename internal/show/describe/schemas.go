package describe

import (
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/record"
)

// collectionSchemaPath is where the schema of a kind's collection is, which holds that of its
// records too.
func collectionSchemaPath(k *record.Kind) string { return layout.CollectionSchemaPath(k.Folder()) }

// recordSchemaPath is where the schema of one record of a kind is.
func recordSchemaPath(k *record.Kind) string { return layout.RecordSchemaPath(k.Folder()) }

// writeSchemas writes two schemas for each kind, each complete in itself, because validators differ
// in what they fetch.
func (s *service) writeSchemas(out render.Output) error {
	for _, k := range record.Kinds {
		one := s.recordSchema(k)
		if err := putJSON(out, recordSchemaPath(k), s.identified(one, recordSchemaPath(k))); err != nil {
			return err
		}
		all := s.identified(s.collectionSchema(k, "#/$defs/record"), collectionSchemaPath(k)).
			With("$defs", object{{"record", one.Without("$schema", "$id")}})
		if err := putJSON(out, collectionSchemaPath(k), all); err != nil {
			return err
		}
	}
	envelope := s.explained(schemaObject(record.EnvelopeSchema()), "What every kind of record has.")
	return putJSON(out, layout.EnvelopeSchema, s.identified(envelope, layout.EnvelopeSchema))
}

// schemaChanges is what a release says of its schemas.
type schemaChanges struct {
	Notice  string                `json:"notice" doc:"What readers must know."`
	Changes []render.SchemaChange `json:"changes" doc:"How schemas of records differ from those of the release before, the newest first. What a newer release alone can say is not here."`
}

// writeSchemaChanges writes how schemas differ from those of the releases before. The first release
// has none.
func (s *service) writeSchemaChanges(out render.Output) error {
	return putJSON(out, layout.SchemasPath, schemaChanges{noStability, append([]render.SchemaChange{}, s.schemas...)})
}

// identified gives a schema the address that it is published at.
func (s *service) identified(schema object, path string) object {
	return schema.With("$id", s.at(path))
}

// recordSchema is that of a published record.
func (s *service) recordSchema(k *record.Kind) object {
	return s.explained(schemaObject(k.Schema(schema.Published)), k.Doc)
}

// noStability is what every schema says.
const noStability = "No stability of this schema is promised: the shape of any file may change."

// explained gives a schema a description with what every reader has to know.
func (s *service) explained(schema object, doc string) object {
	return schema.With("description", doc+" "+noStability+" "+s.terms())
}

// collection is what stands around the records of a kind. It is declared in the way of the kinds,
// and its schema is derived in the same way.
type collection struct {
	Kind    record.KindName `json:"kind" doc:"What kind the records are of."`
	Count   int64           `json:"count" min:"0" doc:"How many records there are."`
	AsOf    record.Date     `json:"as_of,omitempty" doc:"The newest updated_date of the records, or published_date where they have no other; left out where there is none."`
	License string          `json:"license" doc:"The SPDX identifier of the licence of all records that name no other."`
	Notice  string          `json:"notice" doc:"What readers must know."`
}

// collectionSchema is that of a kind's collection. A reference leads to the schema of its records.
func (s *service) collectionSchema(k *record.Kind, ref string) object {
	doc := "All " + k.Many + ", in the order of their IDs. " + k.Doc
	if k.Name == record.KindChangeEvent {
		doc = "All " + k.Many + ", oldest first. " + k.Doc
	}
	schema := schemaObject(schema.JSONSchema(schema.ShapeOf[collection](), words.Capital(k.Many), doc))
	members := properties(schema)
	members = members.With("kind", object{{"description", "What kind the records are of."}, {"const", k.Name}}).
		With("records", object{{"description", "The records."}, {"type", "array"}, {"items", object{{"$ref", ref}}}})
	required := []string{"kind", "count", "license", "notice", "records"}
	return s.explained(schema.With("properties", members).With("required", required), doc)
}
