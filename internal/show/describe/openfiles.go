package describe

import (
	"slices"
	"strings"

	"stele/internal/base/layout"
	"stele/internal/show/vintage"
	"stele/record"
)

// filesTag is the tag of the routes of files that describe the release or contain many records.
const filesTag = "files of the release"

// served is a route to other files. Its path contains parameters in braces.
type served struct {
	path, id, summary, mediaType string
	schema                       string // path of its JSON Schema, or ""
}

// releaseFiles lists the routes that all releases have.
var releaseFiles = []served{
	{layout.ManifestPath, "getManifest", "The release: its kinds, and its files with their digests", layout.TypeJSON, layout.ManifestSchema},
	{layout.ProofPath, "getProof", "The detached signature of the manifest, if releases are signed", layout.TypeText, ""},
	{layout.CheckpointPath, "getCheckpoint", "The latest signed root of the log of releases", layout.TypeText, ""},
	{layout.ReleasesPath, "getReleases", "All releases", layout.TypeJSON, layout.ReleasesSchema},
	{layout.StandingPath, "getStandings", "The records that were retracted, have lost their support, or must be checked again", layout.TypeJSON, layout.StandingSchema},
	{layout.HistoriesPath, "getHistories", "The listing of the histories of single records", layout.TypeJSON, layout.PagesSchema},
	{layout.PagesPath, "getPages", "The listing of pages", layout.TypeJSON, layout.PagesSchema},
	{layout.SchemasPath, "getSchemaChanges", "Changes to schemas since earlier releases", layout.TypeJSON, layout.SchemasSchema},
	{layout.OpenAPIPath, "getOpenAPI", "This description", layout.TypeJSON, ""},
	{layout.ByHashFolder + "{sha256}", "getByDigest", "A file listed in the manifest, by its SHA-256", "application/octet-stream", ""},
	{layout.HistoryFolder + "{folder}/{record}.ndjson", "getHistory", "Earlier versions of one record", layout.TypeNDJSON, ""},
	{layout.HistoryFolder + "{pack}" + layout.HistoryPack, "getHistoriesOfKind", "Earlier versions of a kind's records that have no files of their own", layout.TypeZstandard, ""},
	{layout.DeltaFolder + "{release}/{folder}.json", "getDelta", "Changes to a collection since an earlier release", layout.TypeJSON, ""},
	{layout.EventFolder + "{year}" + layout.HistoryPack, "getArchive", "Change events of earlier years", layout.TypeZstandard, ""},
}

// fileRoutes returns the routes of the manifest, the listings, the downloads, the feeds, and
// earlier versions. These routes are in neither published route listing.
func (s *service) fileRoutes() (paths object) {
	list := slices.Clone(releaseFiles)
	for _, k := range record.Kinds {
		list = append(list, served{
			layout.ListingPath(k.Folder()), "index" + camelCase(k.Many), "The listing of " + k.Many + ", with a digest of each", layout.TypeJSON, layout.ListingSchema,
		})
	}
	if len(s.indicators()) > 0 {
		list = append(list,
			served{layout.IndicatorsPath, "listIndicators", "The indicators, with their files", layout.TypeJSON, ""},
			served{layout.FigureFolder + "{indicator}" + vintage.Suffix, "getVintages", "The values of an indicator in earlier releases", layout.TypeCSV, ""},
			served{"places/{place}.csv", "getPlaceCsv", "The values of all indicators in one area", layout.TypeCSV, ""},
			served{"places/{place}.xlsx", "getPlaceXlsx", "The values of all indicators in one area as a workbook", layout.TypeXLSX, ""})
	}
	list = append(list, s.areaRoutes()...)
	if len(s.settings.Calendar) > 0 {
		list = append(list,
			served{layout.CalendarPath, "getCalendar", "Planned publications with their dates", layout.TypeJSON, ""},
			served{layout.CalendarICS, "getCalendarIcs", "Planned publications for calendar programs", layout.TypeCalendar, ""})
	}
	if s.base != "" {
		for _, f := range feedFormats {
			name, mediaType := camelCase(strings.TrimPrefix(f.suffix, ".")), layout.TypeAtom
			if f.suffix == ".json" {
				mediaType = layout.TypeJSONFeed
			}
			list = append(list,
				served{layout.FeedPath("{feed}", f.suffix), "getFeed" + name, "Changes to records of one kind, or of all kinds", mediaType, ""},
				served{layout.FeedFolder + "archive/{feed}" + f.suffix, "getEarlierFeed" + name, "An earlier part of a feed", mediaType, ""})
		}
	}
	for _, d := range s.downloads {
		if strings.HasPrefix(d.Path, layout.BulkFolder) {
			name := strings.ReplaceAll(strings.TrimPrefix(d.Path, layout.BulkFolder), ".", "_")
			list = append(list, served{d.Path, "download" + camelCase(name), d.Format, d.MediaType, ""})
		}
	}
	for _, f := range list {
		paths = append(paths, member{"/" + f.path, s.fileRoute(f)})
	}
	return paths
}

func (s *service) fileRoute(f served) object {
	schema := object{{"type", "string"}}
	if strings.HasSuffix(f.mediaType, "json") {
		schema = object{{"type", "object"}}
	}
	if f.schema != "" {
		schema = append(schema, member{"externalDocs", object{{"description", "Its schema"}, {"url", s.urlOf(f.schema)}}})
	}
	var parameters []object
	for rest := f.path; ; {
		_, after, ok := strings.Cut(rest, "{")
		if !ok {
			break
		}
		name, left, _ := strings.Cut(after, "}")
		parameters, rest = append(parameters, pathParameter(name, "Part of the path, as listed in the manifest.", object{{"type", "string"}})), left
	}
	return route(layout.Route{}, operation{
		id: f.id, tag: filesTag, summary: f.summary, parameters: parameters,
		found: object{{"description", "The file."}, {"content", object{{f.mediaType, object{{"schema", schema}}}}}},
	})
}
