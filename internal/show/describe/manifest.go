package describe

import (
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/build/render"
	"stele/record"
	"stele/release"
)

// The listings of a release, declared in the way of the kinds, so that their schemas are derived in
// the same way. The manifest and the lines of listings are declared where they are read.
type (
	serviceShape struct {
		Title     string     `json:"title" doc:"What the service is called."`
		BaseURL   record.URL `json:"base_url" doc:"The address that it is published at."`
		Publisher string     `json:"publisher" doc:"Who publishes it."`
		License   string     `json:"license" doc:"The SPDX identifier of the licence of the records."`
		Contact   string     `json:"contact" doc:"Where to write to."`
		Language  string     `json:"language" doc:"The language of the records as a BCP 47 tag."`
		Notice    string     `json:"notice" doc:"What readers must know."`
	}
	indexShape struct {
		Kind    record.KindName `json:"kind" doc:"What kind the records are of."`
		Count   int64           `json:"count" doc:"How many records are listed."`
		Records []release.Entry `json:"records" doc:"The records that a publisher wrote, and change events."`
	}
	standingsShape struct {
		Count   int64              `json:"count" doc:"How many records are listed."`
		Records []release.Standing `json:"records" doc:"The records that do not stand as they are. All others stand."`
	}
	releasesShape struct {
		Count   int64       `json:"count" doc:"How many releases are listed."`
		Records []pastShape `json:"records" doc:"All releases that are known, the oldest first, this one last."`
	}
	pastShape struct {
		Release  string        `json:"release" doc:"The ID of the release."`
		Date     record.Date   `json:"date" doc:"The date of the release."`
		Previous string        `json:"previous,omitempty" doc:"The ID of the release before it."`
		GaveUp   []string      `json:"gave_up,omitempty" doc:"The IDs of the releases whose place it took on purpose, although it was not built on them."`
		Content  record.SHA256 `json:"content" doc:"The digest of the records and of what the publisher said of the service."`
		Settings *keptShape    `json:"settings,omitempty" doc:"The publisher's other settings, by which it can be restored; missing where they are those of the release before it."`
		serviceShape
		Kinds []layout.PastKind `json:"kinds" doc:"What it had of each kind but change events."`
	}
	keptShape struct {
		Description string                `json:"description,omitempty" doc:"What it is, in the publisher's words."`
		Keywords    []string              `json:"keywords,omitempty" doc:"What the records are about."`
		Words       string                `json:"words,omitempty" doc:"The language of the pages' own words."`
		AccentColor string                `json:"accent_color,omitempty" doc:"The colour of links and marks."`
		Logo        string                `json:"logo,omitempty" doc:"The name of the logo's file."`
		LogoData    string                `json:"logo_data,omitempty" doc:"What it holds, as Base64."`
		Style       string                `json:"style,omitempty" doc:"The name of the style sheet's file."`
		StyleData   string                `json:"style_data,omitempty" doc:"What it holds, as Base64."`
		ReviewAfter record.Terms          `json:"review_after,omitempty" doc:"How long records of a kind may go without being verified again."`
		AxisFrom    record.Terms          `json:"axis_from,omitempty" doc:"Where the axis of an indicator's charts begins."`
		Home        []string              `json:"home,omitempty" doc:"The parts of the first page."`
		SigningKeys []string              `json:"signing_keys,omitempty" doc:"The public keys that releases are signed with."`
		Calendar    []settings.Plan       `json:"calendar,omitempty" doc:"What is planned to be published."`
		Accept      []settings.Acceptance `json:"accept,omitempty" doc:"Warnings that are accepted."`
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
	for _, d := range []struct {
		path, title, doc string
		shape            *schema.Shape
	}{
		{layout.ManifestSchema, "Manifest", "What is in a release, with a digest of every file.", schema.ShapeOf[release.Manifest]()},
		{layout.ListingSchema, "Listing", "The records of a kind in short, with a digest of each.", schema.ShapeOf[indexShape]()},
		{layout.PagesSchema, "Pages", "The pages of a release, or the files of what its single records said before, with a digest of each: they are too many for the manifest.", schema.ShapeOf[pagesShape]()},
		{layout.SchemasSchema, "Schema changes", "How schemas of records differ from those of the releases before.", schema.ShapeOf[schemaChanges]()},
		{layout.StandingSchema, "Standings", "The records that do not stand as they are, with what that comes from. It follows from all records and is no part of them.", schema.ShapeOf[standingsShape]()},
		{layout.ReleasesSchema, "Releases", "All releases of the service, with the digests of their records.", schema.ShapeOf[releasesShape]()},
		{layout.RoutesSchema, "Routes", "One of the two published listings of routes.", schema.ShapeOf[routesShape]()},
	} {
		schema := schemaObject(schema.Of(d.shape, d.title, d.doc))
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
