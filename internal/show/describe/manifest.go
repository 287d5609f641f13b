package describe

import (
	"stele/internal/author/reading/settings"
	"stele/internal/base/layout"
	"stele/internal/base/schema"
	"stele/internal/build/render"
	"stele/record"
)

// The files that tell what is in a release, declared in the way of the kinds, so that their schemas
// are derived in the same way.
type (
	manifestShape struct {
		Format   string          `json:"format" doc:"The form of the release."`
		Release  string          `json:"release" doc:"The ID of the release."`
		Date     record.Date     `json:"date" doc:"The date of the release."`
		Previous *previousShape  `json:"previous,omitempty" doc:"The release before it."`
		GaveUp   []string        `json:"gave_up,omitempty" doc:"The IDs of the releases whose place it takes on purpose, although it was not built on them."`
		Earlier  []previousShape `json:"earlier,omitempty" doc:"The releases that deltas begin at, the oldest first."`
		Content  record.SHA256   `json:"content" doc:"The digest of the records and of what the publisher says of the service."`
		Settings record.SHA256   `json:"settings,omitempty" doc:"The digest of the other settings, which the listing of releases has."`
		serviceShape
		NextPlanned record.Moment `json:"next_planned,omitempty" doc:"When the publisher plans to publish next: a day, or an hour with its zone. Planned, not promised."`
		Built       *builtShape   `json:"built,omitempty" doc:"How the release was made, as far as its bytes depend on that."`
		Kinds       []kindShape   `json:"kinds" doc:"Where the records of each kind are."`
		Histories   string        `json:"histories,omitempty" doc:"The path of the listing of what single records said before."`
		Pages       string        `json:"pages,omitempty" doc:"The path of the listing of pages."`
		Files       []fileShape   `json:"files" doc:"Every file but single records, what they said before and pages, by path."`
	}
	serviceShape struct {
		Title     string     `json:"title" doc:"What the service is called."`
		BaseURL   record.URL `json:"base_url" doc:"The address that it is published at."`
		Publisher string     `json:"publisher" doc:"Who publishes it."`
		License   string     `json:"license" doc:"The SPDX identifier of the licence of the records."`
		Contact   string     `json:"contact" doc:"Where to write to."`
		Language  string     `json:"language" doc:"The language of the records as a BCP 47 tag."`
		Notice    string     `json:"notice" doc:"What readers must know."`
	}
	builtShape struct {
		Program    string `json:"program,omitempty" doc:"The version of the program."`
		Compressor int64  `json:"compressor,omitempty" doc:"Which compressors made the variants."`
		Deltas     bool   `json:"deltas" doc:"Whether it has deltas."`
		ByHash     bool   `json:"by_hash" doc:"Whether it has files by their digest."`
		Pages      bool   `json:"pages" doc:"Whether it has pages, descriptions, feeds and downloads."`
		Downloads  string `json:"downloads,omitempty" doc:"Which downloads, in the words of the command."`
	}
	previousShape struct {
		Release string      `json:"release" doc:"The ID of the release."`
		Date    record.Date `json:"date" doc:"The date of the release."`
	}
	kindShape struct {
		Kind       record.KindName `json:"kind" doc:"What kind the records are of."`
		Count      int64           `json:"count" doc:"How many records the collection has."`
		Derived    int64           `json:"derived,omitempty" doc:"How many of them no publisher wrote."`
		Collection string          `json:"collection" doc:"The path of the collection."`
		Index      string          `json:"index" doc:"The path of the listing."`
		Single     string          `json:"single,omitempty" doc:"The path of a single record, with its ID in braces."`
		History    string          `json:"history,omitempty" doc:"The path of what records said before, with the name of a member in braces. A file for each record that ever changed; or, where it ends in .zst, files of many, compressed, by the value of the member in lower case with a hyphen for each byte that is no letter, digit, hyphen or underscore, cut after 100 bytes. None is there where nothing changed."`
		Pack       string          `json:"pack,omitempty" doc:"Where each record has a history of its own, the path of the file that has all of them, compressed."`
		Since      string          `json:"since,omitempty" doc:"The oldest release since which deltas tell all that changed."`
		Deltas     []deltaShape    `json:"deltas,omitempty" doc:"What changed in the collection, a step for each release that changed it, the oldest first."`
		Archives   []archiveShape  `json:"archives,omitempty" doc:"Of change events: those that are in the collection no more, a file for each year, the oldest first."`
	}
	archiveShape struct {
		Year   int64         `json:"year" doc:"The last year that its events are of."`
		Path   string        `json:"path" doc:"The path of the file: a line for each event, as it stood in the collection, compressed with Zstandard."`
		Count  int64         `json:"count" doc:"How many events it has."`
		Size   int64         `json:"size" doc:"The size of the lines in bytes, when they are not compressed."`
		SHA256 record.SHA256 `json:"sha256" doc:"The SHA-256 of the lines, likewise."`
	}
	deltaShape struct {
		From   string        `json:"from" doc:"The ID of the release that it leads from, to the one after it."`
		Path   string        `json:"path" doc:"The path of the delta."`
		Before record.SHA256 `json:"before" doc:"The SHA-256 of the collection that it leads from."`
	}
	fileShape struct {
		Path     string         `json:"path" doc:"The path of the file, without a slash before it."`
		Size     int64          `json:"size" doc:"Its size in bytes."`
		SHA256   record.SHA256  `json:"sha256" doc:"The SHA-256 of its bytes."`
		Variants []variantShape `json:"variants,omitempty" doc:"The same file in content encodings."`
	}
	variantShape struct {
		Encoding string        `json:"encoding" doc:"The content encoding: br, zstd or gzip."`
		Path     string        `json:"path" doc:"The path of the variant."`
		Size     int64         `json:"size" doc:"Its size in bytes."`
		SHA256   record.SHA256 `json:"sha256" doc:"The SHA-256 of its bytes."`
	}
	indexShape struct {
		Kind    record.KindName `json:"kind" doc:"What kind the records are of."`
		Count   int64           `json:"count" doc:"How many records are listed."`
		Records []entryShape    `json:"records" doc:"The records that a publisher wrote, and change events."`
	}
	entryShape struct {
		ID          record.ID     `json:"id" doc:"The record ID."`
		Version     int64         `json:"version" min:"1" doc:"The version of the record."`
		Title       string        `json:"title,omitempty" doc:"Its title."`
		UpdatedDate record.Date   `json:"updated_date,omitempty" doc:"The day on which its content last changed."`
		SHA256      record.SHA256 `json:"sha256" doc:"The SHA-256 of its bytes, which stand on one line of the collection."`
	}
	standingsShape struct {
		Count   int64           `json:"count" doc:"How many records are listed."`
		Records []standingShape `json:"records" doc:"The records that do not stand as they are. All others stand."`
	}
	standingShape struct {
		ID       record.ID       `json:"id" doc:"The record ID."`
		Kind     record.KindName `json:"kind" doc:"What kind of record it is."`
		Standing string          `json:"standing" doc:"How it stands: undecided, due, source_changed, support_changed, in_question, weakened, partly_retracted, unsupported or retracted."`
		Since    record.Date     `json:"since" doc:"The day on which what it comes from happened."`
		Cause    string          `json:"cause" doc:"What happened: last verified, source updated, corrected, replaced or retracted."`
		Path     []record.ID     `json:"path" doc:"The records that lead from this one to the one at which it happened; empty where that is this one."`
		Noticed  record.Date     `json:"noticed" doc:"The date of the release that first had it so."`
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
		Kinds []pastKindShape `json:"kinds" doc:"What it had of each kind but change events."`
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
	pastKindShape struct {
		Kind       record.KindName `json:"kind" doc:"What kind the records are of."`
		Count      int64           `json:"count" doc:"How many records the collection had."`
		Derived    int64           `json:"derived,omitempty" doc:"How many of them no publisher wrote."`
		Collection record.SHA256   `json:"collection" doc:"The SHA-256 of the collection."`
		Index      record.SHA256   `json:"index" doc:"The SHA-256 of the listing."`
	}
	pagesShape struct {
		Kind    string      `json:"kind" doc:"The word page or the word history."`
		Count   int64       `json:"count" doc:"How many files are listed."`
		Records []fileShape `json:"records" doc:"The files."`
	}
)

// writeManifestSchemas writes the schemas of the manifest, of the listings of records and of those
// of routes.
func (s *service) writeManifestSchemas(out render.Output) error {
	for _, d := range []struct {
		path, title, doc string
		shape            *schema.Shape
	}{
		{layout.ManifestSchema, "Manifest", "What is in a release, with a digest of every file.", schema.ShapeOf[manifestShape]()},
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
