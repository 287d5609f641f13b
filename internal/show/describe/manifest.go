package describe

import (
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// The listings of a release. They are declared like the kinds, so that their schemas are derived as
// those of kinds are. The manifest and the lines of listings are declared in package release.
type (
	indexShape struct {
		Kind    record.KindName `json:"kind" doc:"The kind of the records."`
		Count   int64           `json:"count" doc:"The number of records."`
		Records []release.Entry `json:"records" doc:"The records that the publisher wrote, and change events."`
	}
	standingsShape struct {
		Salt    string             `json:"salt,omitempty" doc:"The secret text that is part of the release's ID, so that the ID cannot confirm guesses of redacted content."`
		Count   int64              `json:"count" doc:"The number of records."`
		Records []release.Standing `json:"records" doc:"The records that are not valid as they are. All others are valid."`
	}
	releasesShape struct {
		Count   int64         `json:"count" doc:"The number of releases."`
		Records []layout.Past `json:"records" doc:"All known releases, oldest first, this one last."`
	}
	pagesShape struct {
		Kind    string         `json:"kind" doc:"The word page or the word history."`
		Count   int64          `json:"count" doc:"The number of files."`
		Records []release.File `json:"records" doc:"The files."`
	}
)

// writeManifestSchemas writes the schemas of the manifest, of the listings of records and of the
// listings of routes.
func (s *service) writeManifestSchemas(out render.Output) error {
	releases := schema.ShapeOf[releasesShape]()
	releases.Member("records").Shape.Elem.Member("settings").Shape = settings.StoredShape()
	for _, d := range []struct {
		path, title, doc string
		shape            *schema.Shape
	}{
		{layout.ManifestSchema, "Manifest", "The content of a release, with a digest of every file.", schema.ShapeOf[release.Manifest]()},
		{layout.ListingSchema, "Listing", "The records of a kind in short form, with a digest of each.", schema.ShapeOf[indexShape]()},
		{layout.PagesSchema, "Pages", "The pages of a release, or the histories of its single records, with a digest of each: the manifest omits them, because there are too many.", schema.ShapeOf[pagesShape]()},
		{layout.SchemasSchema, "Schema changes", "Changes to record schemas since earlier releases.", schema.ShapeOf[schemaChanges]()},
		{layout.StandingSchema, "Standings", "The records that are not valid as they are, with the cause. Standings are derived from all records, and are not part of the records.", schema.ShapeOf[standingsShape]()},
		{layout.ReleasesSchema, "Releases", "All releases of the service, with the digests of their records.", releases},
		{layout.RoutesSchema, "Routes", "One of the two published listings of routes.", schema.ShapeOf[routesShape]()},
	} {
		schema := parseObject(schema.JSONSchema(d.shape, d.title, d.doc))
		if err := putJSON(out, d.path, s.withID(s.withDescription(schema, d.doc), d.path)); err != nil {
			return err
		}
	}
	return putJSON(out, layout.HistorySchema, s.withID(s.historySchema(), layout.HistorySchema))
}

// historySchema returns the schema of a line of a history, which contains a record of any kind.
func (s *service) historySchema() object {
	text := func(pattern, doc string) object {
		return object{{"type", "string"}, {"pattern", pattern}, {"description", doc}}
	}
	schema := object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "Earlier version"},
		{"description", ""},
		{"type", "object"},
		{"properties", object{
			{"release", text(`^[A-Za-z0-9._~-]+$`, "The ID of the first known release that contains this version.")},
			{"date", text(`^\d{4}-\d{2}-\d{2}$`, "The date of that release.")},
			{"version", object{{"type", "integer"}, {"minimum", 1}, {"description", "The version. Omitted in files of many records."}}},
			{"sha256", text(`^[0-9a-f]{64}$`, "The SHA-256 of the record's bytes. Omitted in files of many records, because it can be computed.")},
			{"record", object{{"type", "object"}, {"description", "The record as it was published, byte for byte."}}},
		}},
		{"required", []string{"release", "date", "record"}},
		{"additionalProperties", false},
	}
	return s.withDescription(schema, "A line of a history: a superseded version of a record. Change events refer to it by its digest and say what replaced it, when and why.")
}
