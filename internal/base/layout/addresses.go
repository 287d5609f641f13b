package layout

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The addresses of a release that do not follow from the table of routes. A path is relative to the
// root of the release; its address has a slash before it.
const (
	ManifestPath  = "manifest.json"
	HistoriesPath = "index/histories.json" // the listing of what single records said before
	PagesPath     = "index/pages.json"     // the listing of pages
	StandingPath  = "index/standing.json"  // the records that do not stand as they are
	ReleasesPath  = "index/releases.json"  // all releases, this one too

	// The log of signed releases. None of it is listed in the manifest, whose digest it holds.
	LogFolder      = "log/"
	CheckpointPath = LogFolder + "checkpoint" // the newest root, signed
	PolicyPath     = LogFolder + "policy"     // the keys, for convenience: trust comes from elsewhere
	ProofPath      = ManifestPath + Proof     // the detached signature of the release
	TileFolder     = LogFolder + "tile/"      // what the log consists of
	Proof          = ".tlog-proof"            // how the names of proofs end

	// Descriptions.
	CatalogPath = ".well-known/api-catalog"
	DatasetPath = "dataset.jsonld"
	DCATPath    = "catalog.jsonld"
	LLMsPath    = "llms.txt"
	OpenAPIPath = "openapi.json"
	ReadmePath  = BulkFolder + "README.md" // of the downloads
	SchemasPath = "schema-changes.json"    // how schemas differ from those of the releases before

	// Schemas of what is no record.
	EnvelopeSchema = SchemaFolder + "envelope.json"
	HistorySchema  = SchemaFolder + "history.json"
	ListingSchema  = SchemaFolder + "index.json"
	ManifestSchema = SchemaFolder + "manifest.json"
	PagesSchema    = SchemaFolder + "pages.json"
	ReleasesSchema = SchemaFolder + "releases.json"
	RoutesSchema   = SchemaFolder + "routes.json"
	SchemasSchema  = SchemaFolder + "schema-changes.json"
	StandingSchema = SchemaFolder + "standing.json"

	// Pages that belong to no kind, and what hosts and search engines look for.
	CalendarICS    = "calendar.ics" // the same for calendar programs
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

	// CopyPath is what a copy of a release leaves out. It lies beside the manifest.
	CopyPath = "copy.json"

	// Folders.
	EventFolder  = "archive/" // change events that are in their collection no more
	AssetFolder  = "assets/"  // files with a digest in their names
	BulkFolder   = "bulk/"    // downloads
	ByHashFolder = "by-hash/" // what the manifest lists, by digest
	DeltaFolder  = "deltas/"  // what changed in collections
	EmbedFolder  = "embed/"   // charts, which the pages of others may frame
	FeedFolder   = "feeds/"
	GraphFolder  = "graph/"
	IndexFolder  = "index/"
	RoutesFolder = "routes/"
	SchemaFolder = "schemas/"
	SearchFolder = "search/" // what scripts of the pages read
	SearchPage   = SearchFolder + Index
	SearchHead   = SearchFolder + "head.json" // how the words of all records are divided among files
	SearchWords  = SearchFolder + "words/"
	SkillFolder  = "skills/"
	SearchBlocks = SearchFolder + "blocks/" // all records that have common words
	SearchRows   = SearchFolder + "rows/"   // what results show
	// FigureFolder has the pages of indicators and, beside them, their files.
	FigureFolder = "healthcare-statistics/"
	AreaFolder   = "areas/" // of an indicator

	// IndicatorsPath is the list of indicators.
	IndicatorsPath = FigureFolder + "index.json"
	// MetadataSuffix ends the file that says what the columns of an indicator's CSV hold.
	MetadataSuffix = ".metadata.json"

	// Index is the name of the file that an address stands for which ends in a slash.
	Index = "index.html"
)

// Address returns where a file is asked for.
func Address(path string) string {
	if dir, ok := strings.CutSuffix(path, Index); ok && (dir == "" || strings.HasSuffix(dir, "/")) {
		path = dir
	}
	return "/" + path
}

// IsDownload reports whether a file holds many records for notebooks, databases and spreadsheets:
// what is below bulk/, and the files of indicators and of their areas.
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

// Of more statistics than MostInOneFile no Parquet file holds all: each indicator has parts, of so
// many rows at most that its footer stays small.
const (
	MostInOneFile = 100_000
	MostInPart    = 500_000
	// PartsPath lists the parts.
	PartsPath     = BulkFolder + "healthcare-statistics.parts.csv"
	ParquetSuffix = ".parquet"
)

// PartPath returns where a part lies, in folders that query engines read as one table.
func PartPath(indicator string, n int) string {
	return fmt.Sprintf("%shealthcare-statistics/%s/part-%d%s", BulkFolder, indicator, n, ParquetSuffix)
}

// Indexed returns the path of what an address without its first slash stands for.
func Indexed(at string) string {
	if at == "" || at[len(at)-1] == '/' {
		return at + Index
	}
	return at
}

// What belongs to a kind lies where its folder's name says.

// ListingPath returns the path of the listing of a kind: its records in short, with a digest of
// each.
func ListingPath(folder string) string { return IndexFolder + folder + ".json" }

// FolderOf returns the folder's name of the kind that has a listing.
func FolderOf(listing string) string {
	return strings.TrimSuffix(path.Base(listing), ".json")
}

// DeltaPath returns the path of what changed in the collection of a kind from a release to the
// next.
func DeltaPath(from, folder string) string { return DeltaFolder + from + "/" + folder + ".json" }

// ArchivePath returns where the change events of a year lie that are in the collection no more.
func ArchivePath(folder string, year int) string {
	return fmt.Sprintf("%s%s-%04d%s", EventFolder, folder, year, HistoryPack)
}

// ByHashPath returns where a file can be read whose SHA-256 has these digits.
func ByHashPath(sha256 string) string { return ByHashFolder + sha256 }

// StaysByHash reports whether a file can be read by its digest for a release longer than it is
// there. Downloads cannot: they weigh more than all the rest.
func StaysByHash(path string) bool { return !strings.HasPrefix(path, BulkFolder) }

// SearchPath returns the path of what the search of a kind reads.
func SearchPath(folder string) string { return SearchFolder + folder + ".json" }

// CollectionSchemaPath describes a collection.
func CollectionSchemaPath(folder string) string { return SchemaFolder + folder + ".json" }

// RecordSchemaPath describes a record of a kind.
func RecordSchemaPath(folder string) string { return SchemaFolder + folder + "/record.json" }

// PagePath returns the path of the page of a record.
func PagePath(folder, id string) string { return folder + "/" + id + "/" + Index }

// PageAddress returns where the page of a record is asked for.
func PageAddress(folder, id string) string { return "/" + folder + "/" + id + "/" }

// ListAddress returns where page n of the list of a kind is asked for; the first is 0.
func ListAddress(folder string, n int) string {
	if n == 0 {
		return "/" + folder + "/"
	}
	return "/" + folder + "/page/" + strconv.Itoa(n+1) + "/"
}

// MostSuperseded is how many earlier versions of a record have pages.
const MostSuperseded = 20

// VersionPath returns the path of the page of a version of a record that is not the newest any
// more.
func VersionPath(folder, id string, version int64) string {
	return folder + "/" + id + "/versions/" + strconv.FormatInt(version, 10) + "/" + Index
}

// KindPage returns the path of the page of a kind.
func KindPage(folder string) string { return folder + "/" + Index }

// TwinPath returns the path of the page of a record as Markdown.
func TwinPath(folder, id string) string { return folder + "/" + id + ".md" }

// FeedPath returns the path of the feed of a kind's changes. The suffix is that of its format.
func FeedPath(folder, suffix string) string { return FeedFolder + folder + suffix }

// FeedArchivePath returns the path of a page of a feed's archive.
func FeedArchivePath(folder string, page int, suffix string) string {
	return FeedFolder + "archive/" + folder + "-" + strconv.Itoa(page) + suffix
}

// SkillPath returns the path of what agents are taught about a service.
func SkillPath(name string) string { return SkillFolder + name + "/SKILL.md" }

// RoutesPath returns the path of one of the two published listings of routes.
func RoutesPath(listing string) string { return RoutesFolder + listing + ".json" }

// Temporary is how the names of files begin that are being written. Such a file that nobody writes
// was left by a process that was killed.
const Temporary = ".stele-new-"
