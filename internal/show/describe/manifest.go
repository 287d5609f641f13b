package describe

import (
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/compile/render"
	"stele/record"
	"stele/release"
)

// The listings of a release, declared in the way of the kinds, so that their schemas are derived in
// the same way. The manifest and the lines of listings are declared where they are read.
type (
	indexShape struct {
		Kind    record.KindName `json:"kind" doc:"What kind the records are of."`
		Count   int64           `json:"count" doc:"How many records are listed."`
		Records []release.Entry `json:"records" doc:"The records that a publisher wrote, and change events."`
	}
	standingsShape struct {
		Salt    string             `json:"salt,omitempty" doc:"What the ID of the release was made with, so that nobody can compute the ID from a guess."`
		Count   int64              `json:"count" doc:"How many records are listed."`
		Records []release.Standing `json:"records" doc:"The records that do not stand as they are. All others stand."`
	}
	releasesShape struct {
		Count   int64         `json:"count" doc:"How many releases are listed."`
		Records []layout.Past `json:"records" doc:"All releases that are known, the oldest first, this one last."`
	}
	pagesShape struct {
		Kind    string         `json:"kind" doc:"The word page or the word history."`
		Count   int64          `json:"count" doc:"How many files are listed."`
		Records []release.File `json:"records" doc:"The files."`
	}
)

// writeManifestSchemas writes the schemas of the manifest, of the listings of records and of those
// of routes.
func (s *service) writeManifestSchemas(out render.Output) error {
	releases := schema.ShapeOf[releasesShape]()
	releases.Member("records").Shape.Elem.Member("settings").Shape = settings.KeptShape()
	for _, d := range []struct {
		path, title, doc string
		shape            *schema.Shape
	}{
		{layout.ManifestSchema, "Manifest", "What is in a release, with a digest of every file.", schema.ShapeOf[release.Manifest]()},
		{layout.ListingSchema, "Listing", "The records of a kind in short, with a digest of each.", schema.ShapeOf[indexShape]()},
		{layout.PagesSchema, "Pages", "The pages of a release, or the files of what its single records said before, with a digest of each: they are too many for the manifest.", schema.ShapeOf[pagesShape]()},
		{layout.SchemasSchema, "Schema changes", "How schemas of records differ from those of the releases before.", schema.ShapeOf[schemaChanges]()},
		{layout.StandingSchema, "Standings", "The records that do not stand as they are, with what that comes from. It follows from all records and is no part of them.", schema.ShapeOf[standingsShape]()},
		{layout.ReleasesSchema, "Releases", "All releases of the service, with the digests of their records.", releases},
		{layout.RoutesSchema, "Routes", "One of the two published listings of routes.", schema.ShapeOf[routesShape]()},
	} {
		schema := schemaObject(schema.JSONSchema(d.shape, d.title, d.doc))
		if err := putJSON(out, d.path, s.identified(s.explained(schema, d.doc), d.path)); err != nil {
			return err
		}
	}
	return putJSON(out, layout.HistorySchema, s.identified(s.historySchema(), layout.HistorySchema))
}

// historySchema is that of a line of a history, which has a record of any kind in it.
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
			{"release", text(`^[A-Za-z0-9._~-]+$`, "The ID of the first release that had this version, as far as is known.")},
			{"date", text(`^\d{4}-\d{2}-\d{2}$`, "The date of that release.")},
			{"version", object{{"type", "integer"}, {"minimum", 1}, {"description", "The version. Left out of files of many records."}}},
			{"sha256", text(`^[0-9a-f]{64}$`, "The SHA-256 of the record's bytes. Left out of files of many records: it can be made of them.")},
			{"record", object{{"type", "object"}, {"description", "The record as it was published, to the byte."}}},
		}},
		{"required", []string{"release", "date", "record"}},
		{"additionalProperties", false},
	}
	return s.explained(schema, "A line of a history: a version of a record that another took the place of. Change events say what, when and why, by its digest.")
}
