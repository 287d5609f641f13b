package describe

import (
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/internal/show/site/words"
	"stele/record"
)

// collectionSchemaPath returns the path of the schema of k's collection, including its records.
func collectionSchemaPath(k *record.Kind) string { return layout.CollectionSchemaPath(k.Folder()) }

// recordSchemaPath returns the path of the schema of k's records.
func recordSchemaPath(k *record.Kind) string { return layout.RecordSchemaPath(k.Folder()) }

// writeSchemas writes two schemas for each kind. Each is self-contained, because some validators
// fetch no other schemas.
func (s *service) writeSchemas(out render.Output) error {
	for _, k := range record.Kinds {
		one := s.recordSchema(k)
		if err := putJSON(out, recordSchemaPath(k), s.withID(one, recordSchemaPath(k))); err != nil {
			return err
		}
		all := s.withID(s.collectionSchema(k, "#/$defs/record"), collectionSchemaPath(k)).
			With("$defs", object{{"record", one.Without("$schema", "$id")}})
		if err := putJSON(out, collectionSchemaPath(k), all); err != nil {
			return err
		}
	}
	envelope := s.withDescription(parseObject(record.EnvelopeSchema()), "The members of every kind of record.")
	return putJSON(out, layout.EnvelopeSchema, s.withID(envelope, layout.EnvelopeSchema))
}

// schemaChanges lists the changes to record schemas up to a release.
type schemaChanges struct {
	Notice  string                `json:"notice" doc:"What readers must know."`
	Changes []render.SchemaChange `json:"changes" doc:"The changes to record schemas since earlier releases, newest first."`
}

// writeSchemaChanges writes the schema changes since earlier releases. The first release has none.
func (s *service) writeSchemaChanges(out render.Output) error {
	return putJSON(out, layout.SchemasPath, schemaChanges{noStability, append([]render.SchemaChange{}, s.schemas...)})
}

// withID returns schema with the URL of path as its ID.
func (s *service) withID(schema object, path string) object {
	return schema.With("$id", s.urlOf(path))
}

func (s *service) recordSchema(k *record.Kind) object {
	return s.withDescription(parseObject(k.Schema(schema.Published)), k.Doc)
}

// noStability is part of the description of every schema.
const noStability = "This schema is not guaranteed to be stable: the shape of any file may change."

// withDescription returns schema with a description that contains doc, the terms and noStability.
func (s *service) withDescription(schema object, doc string) object {
	return schema.With("description", doc+" "+noStability+" "+s.terms())
}

// collection is the first line of a collection. It is declared like the kinds, so that its schema
// is derived as those of kinds are.
type collection struct {
	Kind    record.KindName `json:"kind" doc:"The kind of the records."`
	Count   int64           `json:"count" min:"0" doc:"The number of records."`
	AsOf    record.Date     `json:"as_of,omitempty" doc:"The latest updated_date of the records, or otherwise the latest published_date; omitted if there is none."`
	License string          `json:"license" doc:"The SPDX identifier of the licence of all records that do not name another."`
	Notice  string          `json:"notice" doc:"What readers must know."`
}

// collectionSchema returns the schema of k's collection. ref refers to the schema of its records.
func (s *service) collectionSchema(k *record.Kind, ref string) object {
	doc := "All " + k.Many + ", sorted by ID. " + k.Doc
	if k.Name == record.KindChangeEvent {
		doc = "All " + k.Many + ", oldest first. " + k.Doc
	}
	schema := parseObject(schema.JSONSchema(schema.ShapeOf[collection](), words.Capital(k.Many), doc))
	members := properties(schema)
	members = members.With("kind", object{{"description", "The kind of the records."}, {"const", k.Name}}).
		With("records", object{{"description", "The records."}, {"type", "array"}, {"items", object{{"$ref", ref}}}})
	required := []string{"kind", "count", "license", "notice", "records"}
	return s.withDescription(schema.With("properties", members).With("required", required), doc)
}
