package layout

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Paths of a release that do not follow from the table of routes. A path is relative to the root of
// the release; its URL path begins with a slash.
const (
	ManifestPath  = "manifest.json"
	HistoriesPath = "index/histories.json" // the listing of earlier versions of records
	PagesPath     = "index/pages.json"     // the listing of pages
	StandingPath  = "index/standing.json"  // the records that are retracted, in question or otherwise affected
	ReleasesPath  = "index/releases.json"  // all releases, including this one

	// The log of signed releases. The manifest does not list its files, because the log contains
	// the manifest's digest.
	LogFolder      = "log/"
	CheckpointPath = LogFolder + "checkpoint" // the latest root hash, signed
	PolicyPath     = LogFolder + "policy"     // the keys, for convenience; do not take them from here to verify
	ProofPath      = ManifestPath + Proof     // the release's signature
	TileFolder     = LogFolder + "tile/"      // the hashes of the log
	Proof          = ".tlog-proof"            // the suffix of proofs

	// Descriptions.
	CatalogPath = ".well-known/api-catalog"
	DatasetPath = "dataset.jsonld"
	DCATPath    = "catalog.jsonld"
	LLMsPath    = "llms.txt"
	OpenAPIPath = "openapi.json"
	ReadmePath  = BulkFolder + "README.md" // about the downloads
	SchemasPath = "schema-changes.json"    // how schemas differ from those of earlier releases

	// Schemas of files other than records.
	AreasSchema    = SchemaFolder + "areas.json"
	EnvelopeSchema = SchemaFolder + "envelope.json"
	HistorySchema  = SchemaFolder + "history.json"
	ListingSchema  = SchemaFolder + "index.json"
	ManifestSchema = SchemaFolder + "manifest.json"
	PagesSchema    = SchemaFolder + "pages.json"
	ReleasesSchema = SchemaFolder + "releases.json"
	RoutesSchema   = SchemaFolder + "routes.json"
	SchemasSchema  = SchemaFolder + "schema-changes.json"
	StandingSchema = SchemaFolder + "standing.json"

	// Pages that belong to no kind, and files that hosts and search engines look for.
	CalendarICS    = "calendar.ics" // the calendar for calendar programs
	CalendarPage   = "calendar/" + Index
	CalendarPath   = "calendar.json"
	ChangesPage    = "changes/" + Index
	DevelopersPage = "developers/" + Index
	GraphPage      = GraphFolder + Index
	HowPage        = "how/" + Index
	InQuestionPage = "in-question/" + Index
	LabelsPage     = "labels/" + Index
	SignedPage     = "signed/" + Index
	NotFoundPage   = "404.html"
	HeadersPath    = "_headers"
	NoJekyllPath   = ".nojekyll"
	RobotsPath     = "robots.txt"
	SitemapPath    = "sitemap.xml"

	// CopyPath is the file in which a copy of a release says what it leaves out. It is next to the
	// manifest.
	CopyPath = "copy.json"

	// Folders.
	EventFolder  = "archive/" // change events that were moved out of their collection
	AssetFolder  = "assets/"  // files with a digest in their names
	BulkFolder   = "bulk/"    // downloads
	ByHashFolder = "by-hash/" // the manifest's files, by digest
	DeltaFolder  = "deltas/"  // changes to collections
	EmbedFolder  = "embed/"   // charts that other sites may embed
	FeedFolder   = "feeds/"
	GraphFolder  = "graph/"
	IndexFolder  = "index/"
	RoutesFolder = "routes/"
	SchemaFolder = "schemas/"
	SearchFolder = "search/" // indexes for the search of the pages
	SearchPage   = SearchFolder + Index
	SearchHead   = SearchFolder + "head.json" // the index of the word files
	SearchWords  = SearchFolder + "words/"
	SkillFolder  = "skills/"
	SearchBlocks = SearchFolder + "blocks/" // the records that contain common words
	SearchRows   = SearchFolder + "rows/"   // texts of search results
	// FigureFolder contains the pages of indicators and their data files.
	FigureFolder = "healthcare-statistics/"
	// AreaFolder contains the publisher's schemes of areas; below an indicator, its areas.
	AreaFolder = "areas/"
	// AreaEvent begins the record ID of an event about a scheme of areas.
	AreaEvent = "areas."

	// IndicatorsPath is the list of indicators.
	IndicatorsPath = FigureFolder + "index.json"
	// MetadataSuffix is the suffix of the file that describes the columns of an indicator's CSV.
	MetadataSuffix = ".metadata.json"

	// Index is the name of the file that is sent for a URL that ends in a slash.
	Index = "index.html"
)

// Address returns the URL path of the file at path.
func Address(path string) string {
	if dir, ok := strings.CutSuffix(path, Index); ok && (dir == "" || strings.HasSuffix(dir, "/")) {
		path = dir
	}
	return "/" + path
}

// AreaFile returns the path of a file with the tables of a scheme of areas.
func AreaFile(scheme, suffix string) string { return AreaFolder + scheme + suffix }

// IsDownload reports whether the file at path contains many records for notebooks, databases and
// spreadsheets: files below bulk/, and the data files of indicators and their areas.
func IsDownload(at string) bool {
	if strings.HasPrefix(at, BulkFolder) {
		return true
	}
	name, ok := strings.CutPrefix(at, FigureFolder)
	if _, area, of := strings.Cut(name, "/"+AreaFolder); of {
		name = area
	}
	return ok && !strings.Contains(name, "/") && path.Ext(name) != ".html"
}

// A release with more than MaxParquetRows statistics has no Parquet file of all of them. Instead,
// each indicator has parts with at most MaxPartRows rows, so that their footers stay small.
const (
	MaxParquetRows = 100_000
	MaxPartRows    = 500_000
	// PartsPath lists the parts.
	PartsPath     = BulkFolder + "healthcare-statistics.parts.csv"
	ParquetSuffix = ".parquet"
)

// PartPath returns the path of part n of an indicator, in folders that query engines read as one
// table.
func PartPath(indicator string, n int) string {
	return fmt.Sprintf("%shealthcare-statistics/%s/part-%d%s", BulkFolder, indicator, n, ParquetSuffix)
}

// ResolveIndex returns the path of the file for a URL path without its first slash.
func ResolveIndex(at string) string {
	if at == "" || at[len(at)-1] == '/' {
		return at + Index
	}
	return at
}

// Paths of the files that belong to a kind contain the name of the kind's folder.

// ListingPath returns the path of a kind's listing, which has the ID, version and digest of each
// record.
func ListingPath(folder string) string { return IndexFolder + folder + ".json" }

// FolderOfListing returns the folder name of the kind with this listing.
func FolderOfListing(listing string) string {
	return strings.TrimSuffix(path.Base(listing), ".json")
}

// DeltaPath returns the path of the changes in a kind's collection between release from and the
// next.
func DeltaPath(from, folder string) string { return DeltaFolder + from + "/" + folder + ".json" }

// ArchivePath returns the path of the archive of a year's change events.
func ArchivePath(folder string, year int) string {
	return fmt.Sprintf("%s%s-%04d%s", EventFolder, folder, year, HistoryPack)
}

// ByHashPath returns the path of the file with this SHA-256, given in hexadecimal digits.
func ByHashPath(sha256 string) string { return ByHashFolder + sha256 }

// IsKeptByHash reports whether the file at path stays available by digest for one release after the
// last release that contains it. Downloads do not: they are larger than everything else together.
func IsKeptByHash(path string) bool { return !strings.HasPrefix(path, BulkFolder) }

// SearchPath returns the path of a kind's search index.
func SearchPath(folder string) string { return SearchFolder + folder + ".json" }

// CollectionSchemaPath returns the path of the JSON Schema of a kind's collection.
func CollectionSchemaPath(folder string) string { return SchemaFolder + folder + ".json" }

// RecordSchemaPath returns the path of the JSON Schema of a kind's records.
func RecordSchemaPath(folder string) string { return SchemaFolder + folder + "/record.json" }

// PagePath returns the path of a record's page.
func PagePath(folder, id string) string { return folder + "/" + id + "/" + Index }

// PageAddress returns the URL path of a record's page.
func PageAddress(folder, id string) string { return "/" + folder + "/" + id + "/" }

// ReleaseAddress returns the URL path of the page of a release.
func ReleaseAddress(id string) string { return "/releases/" + id + "/" }

// ListAddress returns the URL path of page n of a kind's list of records, counted from 0.
func ListAddress(folder string, n int) string {
	if n == 0 {
		return "/" + folder + "/"
	}
	return "/" + folder + "/page/" + strconv.Itoa(n+1) + "/"
}

// MaxSuperseded is the number of earlier versions of a record that have pages.
const MaxSuperseded = 20

// VersionPath returns the path of the page of an earlier version of a record.
func VersionPath(folder, id string, version int64) string {
	return folder + "/" + id + "/versions/" + strconv.FormatInt(version, 10) + "/" + Index
}

// KindPage returns the path of a kind's page.
func KindPage(folder string) string { return folder + "/" + Index }

// TwinPath returns the path of a record's page in Markdown.
func TwinPath(folder, id string) string { return folder + "/" + id + ".md" }

// FeedPath returns the path of the feed of a kind's changes. The suffix is that of the feed's
// format.
func FeedPath(folder, suffix string) string { return FeedFolder + folder + suffix }

// FeedArchivePath returns the path of a page of a feed's archive.
func FeedArchivePath(folder string, page int, suffix string) string {
	return FeedFolder + "archive/" + folder + "-" + strconv.Itoa(page) + suffix
}

// SkillPath returns the path of the file of an agent skill.
func SkillPath(name string) string { return SkillFolder + name + "/SKILL.md" }

// RoutesPath returns the path of one of the two published listings of routes.
func RoutesPath(listing string) string { return RoutesFolder + listing + ".json" }

// TemporaryPrefix begins the names of files that are being written. Such a file without a writer is
// left over from a process that was killed.
const TemporaryPrefix = ".stele-new-"
