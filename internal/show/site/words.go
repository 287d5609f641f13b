package site

import (
	"cmp"

	"stele/internal/base/layout"
	"stele/internal/build/render"
	"stele/internal/trust/standing"
	"stele/record"
)

// words are what the pages say in their own voice. A translation is another value of this type;
// everything else on a page comes from the records, the settings or the tables of package record.
type words struct {
	// every page
	Skip, Main, Breadcrumb, Home, Records, Statistics, Graph, Changes, Developers, Labels, License, Contact string
	Manifest, Release, NothingPromised, ScriptFailed                                                        string

	// not found
	NotFound, NotFoundText, Nearest string

	// the first page
	KindsHead, Kind, Count, Newest, HomeHead, NoChanges, AllChanges, GetData, GetDataText string

	HomeCorrected string
	homeHeads     map[string]string // by the name of the kind

	// the search
	Search, SearchAll, SearchText, SearchHint, SearchShort, SearchNoScript string

	// the trace
	TraceDown, TraceDownText, TraceUp, TraceUpText, TraceUpFigures, TraceWeakest, StatusChanged string
	TraceBelow, TraceAbove                                                                      string

	// lists
	Title, Updated, Version, Records1, RecordsN, KindEmpty, PageOf, Previous, Next, Pages, JSONOfKind string
	ListingOfKind, SchemaOfKind, WrittenText                                                          string

	// the opening of a record
	Illustrative, IllustrativeText, Retracted, RetractedText, Partial, PartialText, Concern, ConcernText string
	RatedPublisher                                                                                       string

	// the claim boundary
	Boundary, Population, Place, Period, Excludes string

	// facts
	Facts, ID, Verified, Published, Subjects, Aliases, SeeAlso, OwnMembers, Yes, No, None, AndMore string
	LicenseOfSource, LicenseOfRecord, LicenseUnknown                                               string

	// sources and history
	Sources, History, HistoryNone, FirstPublished, InVersion, FromVersion, ChangedFields, ReportedBy, Notice string
	EventInRelease, Quoted                                                                                   string

	// versions that are not the newest any more
	Superseded, SupersededText, RemovedRecord, ThisIsVersion, ReadNewest, ChangedAfter, VersionData string
	VersionsAll, SeeVersion, RemovedShort, RemovedText                                              string

	// connections
	Connections, ConnectionsNone, ConnectionsPicture, ExploreGraph string

	// reuse
	Use, UseJSON, UseCollection, UseCite, UsePreserve, UsePreserveText, Copy, Copied, CiteVersion      string
	CiteVerified, CiteRetracted, UseCiteSource, UseCiteRecord, CiteRelease, CiteDataset, CiteIndicator string

	// claims and evidence
	EvidenceHead, EvidenceNone, EffectSize, Interval, Participants, Studies string

	// decision views
	Options, Chosen, OptionNone, RestsOn, Considerations string

	// statistics
	Indicator, Values, Chart, ChartKey, FiguresHead, Status string
	Figure1, FigureN, FiguresCorrected, FiguresByArea       string

	// changes
	ChangesText, Change, Follow string

	// developers
	DevelopersText, Routes, RoutesText, Returns, All, One, Try, Address, Fetch, Examples, More string
	FirstListing, SecondListing, HasAlone                                                      string
	Downloads, DownloadsText, Formats, AllKinds, DataPackageText                               string
	MoreOpenAPI, MoreManifest, MoreIndex, MoreFeeds, MoreSitemap                               string

	// the signature
	Signed, SignedText, SignedBy, SignedTrust, SignedPlace, SignedEntry, SignedNone, SignedProof string
	SignedFileProof, SignedFileLog, SignedCheck, SignedHow, SignedProves                         string

	// the graph
	GraphText, GraphKinds, GraphRelations, RelationsN, Omitted, ExploreRecords string
	graphLayers                                                                [layerCount]string

	// labels
	LabelsText string

	Preserve                []string // what stays with a record
	relationOut, relationIn map[record.Relation]string
	Standing                string
	SourceRetracted         [2]string
	SourcePartial           [2]string
	SourceConcern           [2]string
	standings               map[standing.Standing][2]string // what a banner says
	causes                  map[standing.Cause]string
	stances                 map[record.Stance]string
	script                  scriptWords
}

// scriptWords are those that scripts use. They stand in the page as data.
type scriptWords struct {
	Search     string            `json:"search"`
	SearchHint string            `json:"searchHint"`
	Any        string            `json:"any"`
	Subject    string            `json:"subject"`
	Of         string            `json:"of"`
	Records    string            `json:"records"`
	More       string            `json:"more"`
	Nothing    string            `json:"nothing"`
	Clear      string            `json:"clear"`
	Kind       string            `json:"kind"`
	Release    string            `json:"release"`
	Version    string            `json:"version"`
	Changed    string            `json:"changed"`
	Areas      string            `json:"areas"`
	Unit       string            `json:"unit"`
	Chart      string            `json:"chart"`
	Tables     string            `json:"chartTables"`
	ChartHint  string            `json:"chartHint"`
	AxisCut    string            `json:"axisCut"`
	Standings  map[string]string `json:"standings"`
	Lang       string            `json:"lang,omitempty"` // of the records, where it is not the page's
	Dir        string            `json:"dir,omitempty"`
	FindHint   string            `json:"findHint"`
	FindNone   string            `json:"findNone"`
	FindSome   string            `json:"findSome"`
	FindMeant  string            `json:"findMeant"`
	FindOne    string            `json:"findOne"`
	FindMany   string            `json:"findMany"`
	FindBound  string            `json:"findCompared"`
	FindFailed string            `json:"findFailed"`
	Again      string            `json:"again"`
	FromZero   string            `json:"fromZero"`
	Whole      string            `json:"whole"`
	Around     string            `json:"around"`
	Expand     string            `json:"expand"`
	Relations  string            `json:"relations"`
	Kinds      string            `json:"kinds"`
	GraphHint  string            `json:"graphHint"`
	Loading    string            `json:"loading"`
	NotLoaded  string            `json:"notLoaded"`
	Drawn      string            `json:"graphDrawn"`
	Overview   string            `json:"overview"`
	Picture    string            `json:"picture"`
	Keys       string            `json:"pictureKeys"`
	ZoomIn     string            `json:"zoomIn"`
	ZoomOut    string            `json:"zoomOut"`
	Fit        string            `json:"fit"`
	Open       string            `json:"open"`
	Status     string            `json:"status"`
	Headers    string            `json:"headers"`
	Body       string            `json:"body"`
	Failed     string            `json:"failed"`
	Cut        string            `json:"cut"`
}

// scriptWords writes the words of scripts into the page.
func (p *page) scriptWords() {
	w := p.words.script
	w.Standings = map[string]string{}
	for _, v := range standings.List {
		w.Standings[v.Word] = wordOf(standings, v.Word)
	}
	if p.foreign {
		w.Lang = p.settings.Language
		if rightToLeft(w.Lang) {
			w.Dir = "rtl"
		}
	}
	p.Data("words", layout.TypeJSON, w)
}

var english = words{
	Skip:            "Skip to the content",
	Main:            "Main",
	Breadcrumb:      "Where you are",
	Home:            "Home",
	Records:         "Records",
	Statistics:      "Statistics",
	Graph:           "Graph",
	Changes:         "Changes",
	Developers:      "Developers",
	Labels:          "What the labels mean",
	License:         "Licence",
	Contact:         "Contact",
	Manifest:        "Manifest",
	Release:         "Release",
	NothingPromised: render.NothingPromised,
	ScriptFailed:    "Part of this page could not be loaded. Reload the page to try again.",

	NotFound:     "Not found",
	NotFoundText: "There is no page at this address. Records keep their addresses: check this one for typing mistakes.",
	Nearest:      "Did you mean",

	KindsHead:   "What is published",
	Kind:        "Kind",
	Count:       "Records",
	Newest:      "Newest",
	HomeHead:    "Latest changes",
	NoChanges:   "Nothing has changed since the first release.",
	AllChanges:  "All changes",
	GetData:     "Get the data",
	GetDataText: "Every page here is made from JSON files that anyone can read, without a key or an account.",

	HomeCorrected: "Recent corrections",
	homeHeads: map[string]string{
		record.KindProofClaim: "Claims", record.KindSignal: "Signals",
		record.KindHealthcareStatistic: "Figures", record.KindDecisionView: "Decisions",
	},

	Search:         "Search",
	SearchAll:      "Search everything",
	SearchText:     "Searches the titles, claims, summaries, other names, places and codes of all records and statistics.",
	SearchHint:     "Search records, places and figures",
	SearchShort:    "Search  ( / )",
	SearchNoScript: "The search runs in your browser and needs JavaScript. Without it, browse by type:",

	TraceDown:      "Based on",
	TraceDownText:  "Step by step, down to the sources. Open an item to see its own sources.",
	TraceUp:        "Used by",
	TraceUpText:    "Records that depend on this one. Open an item to see what depends on it.",
	TraceUpFigures: "Records that depend on figures of this indicator.",
	TraceWeakest:   "least certain evidence",
	TraceBelow:     "Based on",
	TraceAbove:     "Used by",
	StatusChanged:  "changed",

	Title:         "Title",
	Updated:       "Updated",
	Version:       "Version",
	Records1:      "record",
	RecordsN:      "records",
	KindEmpty:     "This release has no records of this kind.",
	PageOf:        "Page",
	Previous:      "Previous page",
	Next:          "Next page",
	Pages:         "Pages of this list",
	JSONOfKind:    "All as JSON",
	ListingOfKind: "Listing with digests",
	SchemaOfKind:  "Schema",
	WrittenText:   "Most of these are derived from the references between records. They are in the JSON file and in the graph; this list has only those that the publisher wrote.",

	Illustrative:     "Illustrative",
	IllustrativeText: "an example, not a finding",
	Retracted:        "This record has been retracted.",
	RetractedText:    "It no longer holds. It stays online so that anyone who cited it can see what happened.",
	Partial:          "Part of this record has been retracted.",
	PartialText:      "Read its history before you rely on it.",
	Concern:          "Concerns have been raised about this record.",
	ConcernText:      "They have not been resolved.",
	RatedPublisher:   "rated by the publisher",

	Boundary:   "Claim boundary",
	Population: "Population",
	Place:      "Place",
	Period:     "Period",
	Excludes:   "Does not cover",

	Facts:           "Facts",
	ID:              "ID",
	Verified:        "Verified",
	Published:       "Published",
	Subjects:        "Subjects",
	Aliases:         "Also known as",
	SeeAlso:         "See also",
	LicenseOfSource: "Licence of the source",
	LicenseOfRecord: "Licence of this record",
	LicenseUnknown:  "not recorded",
	OwnMembers:      "Added by the publisher",
	Yes:             "yes",
	No:              "no",
	None:            "none",
	AndMore:         "more",

	Sources:        "Sources",
	History:        "History",
	HistoryNone:    "No corrections, and no changes to its sources.",
	FirstPublished: "First published",
	InVersion:      "in version",
	FromVersion:    "version",
	ChangedFields:  "Changed",
	ReportedBy:     "Reported by",
	Notice:         "Notice",
	EventInRelease: "release",
	Quoted:         "Quoted from the source",

	Superseded:     "Superseded.",
	SupersededText: "Kept as a record of what we published. Do not rely on it.",
	RemovedRecord:  "Removed.",
	RemovedShort:   "removed",
	RemovedText:    "This record was removed from the service. Do not rely on it.",
	ThisIsVersion:  "This is version",
	ReadNewest:     "Read the newest version",
	ChangedAfter:   "What changed after this version",
	VersionData:    "Download this version:",
	VersionsAll:    "Download all published versions:",
	SeeVersion:     "See version",

	Connections:        "Connections",
	ConnectionsNone:    "This record is not connected with any other.",
	ConnectionsPicture: "The records connected with this one. The lists below give the same in words.",
	ExploreGraph:       "Explore in the graph",

	Use:             "Use this record",
	UseJSON:         "This record as JSON",
	UseCollection:   "Download all {records} (JSON)",
	UseCite:         "Cite it",
	UsePreserve:     "What to preserve",
	UsePreserveText: "You may copy and reuse this record. When you do, keep with it:",
	Copy:            "Copy",
	Copied:          "Copied",
	CiteVersion:     "version",
	CiteVerified:    "verified",
	CiteRetracted:   "retracted",
	UseCiteSource:   "Cite the source",
	UseCiteRecord:   "Cite our record of this source",
	CiteRelease:     "release",
	CiteDataset:     "data set",
	CiteIndicator:   "indicator",

	EvidenceHead: "Evidence",
	EvidenceNone: "None found so far.",
	EffectSize:   "Size of the effect",
	Interval:     "interval",
	Participants: "Participants",
	Studies:      "Studies",

	Options:        "Options",
	Chosen:         "Chosen",
	OptionNone:     "No recommendation addresses this option.",
	RestsOn:        "Based on",
	Considerations: "What was considered",

	Indicator:        "Indicator",
	Values:           "Values",
	Chart:            "Chart",
	ChartKey:         "Hollow dots are provisional, forecast, imputed or unreliable values. A bar across a line marks a break in the series or a change of definition. A band is the uncertainty interval. A gap means that there is no figure for that time. A cross beside the line marks a value that was retracted.",
	FiguresHead:      "Figures",
	FiguresByArea:    "Choose an area to see its figures, their status and corrections.",
	Figure1:          "value",
	FigureN:          "values",
	FiguresCorrected: "corrected",
	Status:           "Status",

	ChangesText: "What has changed, release by release, newest first.",
	Change:      "Change",
	Follow:      "Follow the changes",

	DevelopersText:  "Everything here is a static file. Anyone can read all files with GET, without a key, from any origin. Read-only.",
	Routes:          "Routes",
	RoutesText:      "What a route returns is described by its schema; schemas may change. Some routes are in only one of the two published listings.",
	Returns:         "Returns",
	FirstListing:    "first listing",
	SecondListing:   "second listing",
	HasAlone:        "Only in the",
	All:             "all",
	One:             "one",
	Try:             "Try it",
	Address:         "Address",
	Fetch:           "Fetch",
	Examples:        "Examples",
	More:            "More files",
	Downloads:       "Downloads",
	DownloadsText:   "All records of a kind in one file, for notebooks, databases and spreadsheets. How to read each of them, and what its columns mean, is described in",
	Formats:         "Formats",
	AllKinds:        "All kinds",
	DataPackageText: "and for programs that load tables in",
	MoreOpenAPI:     "the routes, described for programs (OpenAPI)",
	MoreManifest:    "the release: its ID, its date, every file with its size and SHA-256",
	MoreIndex:       "a small listing of a kind: ID, version, title, date and digest of each record; the same for every type",
	MoreFeeds:       "feed of changes",
	MoreSitemap:     "all pages",

	Signed:          "Signed releases",
	SignedText:      "The publisher signs releases and enters them in a public log that only grows. Anybody who has a copy and the publisher's key can check that the copy is complete and unaltered.",
	SignedBy:        "The publisher's key",
	SignedTrust:     "A key proves little if it comes from the same place as the data. Compare it with the key that the publisher gives elsewhere.",
	SignedPlace:     "This release in the log",
	SignedEntry:     "This release is entry {entry} of {entries} in the log.",
	SignedNone:      "This copy of the release has no signature.",
	SignedProof:     "The place of this release in the log is written in its proof.",
	SignedFileProof: "the detached signature of this release",
	SignedFileLog:   "the newest root of the log, signed",
	SignedCheck:     "Check it",
	SignedHow:       "This checks the signature, the log and every file. The same works with a copy in a folder or a zip, without a network.",
	SignedProves:    "A signature proves who published these files, and that nobody changed them. It does not prove that the records are true.",

	GraphText:      "How the records are connected: which evidence supports or disputes a claim, which sources a record is based on, and what it is about.",
	ExploreRecords: "Explore record by record",
	GraphKinds:     "Kinds of records",
	GraphRelations: "How they are related",
	RelationsN:     "relations",
	graphLayers:    [layerCount]string{"Sources", "Evidence and figures", "Claims and signals", "Recommendations", "Decisions", "Subjects"},
	Omitted:        "records are not shown here",

	LabelsText: "Labels come from fixed lists. Here are all of them, with what each one means.",

	Preserve: render.Preserve,

	Standing:        "Standing",
	SourceRetracted: [2]string{"This source has been retracted.", "Do not rely on it, or on anything based only on it."},
	SourcePartial:   [2]string{"Part of this source has been retracted.", "Read the notice before you rely on it."},
	SourceConcern:   [2]string{"Concerns have been raised about this source.", "They have not been resolved."},
	standings: map[standing.Standing][2]string{
		standing.Due:            {"This record is due for review.", "It was last verified longer ago than the publisher allows."},
		standing.SourceChanged:  {"A source has changed since this record was verified.", "What that means for it has not been assessed yet."},
		standing.SupportChanged: {"A record that this one is based on has changed since it was verified.", "What that means for it has not been assessed yet."},
		standing.Weakened:       {"Part of what this record is based on no longer holds.", "The rest still holds."},
		standing.Unsupported:    {"Nothing that this record is based on holds any more.", "Do not rely on it."},
	},
	causes: map[standing.Cause]string{
		standing.WasVerified: "last verified on", standing.SourceUpdate: "the source changed on", standing.Correction: "corrected on",
		standing.Concern: "concerns were raised on", standing.PartialRetraction: "retracted in part on",
		standing.Replacement: "replaced on", standing.Retraction: "retracted on",
	},
	relationOut: map[record.Relation]string{
		record.RelationSupports:    "Supports",
		record.RelationDisputes:    "Disputes",
		record.RelationQualifies:   "Qualifies",
		record.RelationCites:       "Cites",
		record.RelationDerivedFrom: "Derived from",
		record.RelationAbout:       "About",
		record.RelationClaimedBy:   "Claimed by",
		record.RelationPartOf:      "Part of",
		record.RelationReplaces:    "Replaces",
		record.RelationRespondsTo:  "Responds to",
		record.RelationRecommends:  "Recommends",
	},
	relationIn: map[record.Relation]string{
		record.RelationSupports:    "Supported by",
		record.RelationDisputes:    "Disputed by",
		record.RelationQualifies:   "Qualified by",
		record.RelationCites:       "Cited by",
		record.RelationDerivedFrom: "Source of",
		record.RelationAbout:       "Subject of",
		record.RelationClaimedBy:   "Claims",
		record.RelationPartOf:      "Consists of",
		record.RelationReplaces:    "Replaced by",
		record.RelationRespondsTo:  "Answered by",
		record.RelationRecommends:  "Recommended by",
	},
	stances: map[record.Stance]string{
		record.StanceSupports: "For", record.StanceDisputes: "Against",
		record.StanceQualifies: "Qualifying", record.StanceContext: "Context",
	},
	script: scriptWords{
		Search: "Search", SearchHint: "title or ID", Any: "any", Subject: "Subject", Of: "of", Records: "records", More: "Show more", Nothing: "Nothing matches.",
		Clear: "Clear all filters", Kind: "Kind", Release: "Release", Version: "version", Changed: "Changed",
		Areas: "Areas", Unit: "Unit", Chart: "Chart", Tables: "The tables below have the same values.",
		ChartHint: "Choose areas below. Hover, tap or use the arrow keys to see values.",
		FindHint:  "Search by disease, place, claim, author or code", FindNone: "Nothing was found. Try fewer or other words.",
		FindSome: "No exact match. Closest results:", FindMeant: "Showing results for", FindOne: "result", FindMany: "results",
		FindBound:  "At least {count} results. {compared} of {documents} records were compared.",
		FindFailed: "The search could not be loaded.", Again: "Try again",
		AxisCut: "The axis does not start at zero", FromZero: "Start axis at zero",
		Whole: "All records", Around: "Show only this and what is connected", Expand: "Show connected records", Relations: "Relations", Kinds: "Kinds",
		GraphHint: "Search for a record, or select one in the picture. Select it again to show the records that are connected with it.",
		Loading:   "Loading…", NotLoaded: "The explorer could not be loaded. Reload the page to try again.",
		Drawn: "{drawn} of {records} shown", Overview: "Overview",
		Picture: "Picture of the graph. The lists beside it give the same in words.",
		Keys:    "Picture of the graph: arrow keys scroll, + and - zoom.",
		ZoomIn:  "Zoom in", ZoomOut: "Zoom out", Fit: "Show all", Open: "Open the record",
		Status: "Status", Headers: "Headers", Body: "Body", Failed: "The address could not be fetched.", Cut: "… cut here; open the address to see all of it",
	},
}

// written are the words of closed lists that say too little when they stand alone.
var written = map[string]map[string]string{
	"evidence_label": {
		string(record.LabelHigh):     "High certainty",
		string(record.LabelModerate): "Moderate certainty",
		string(record.LabelLow):      "Low certainty",
		string(record.LabelVeryLow):  "Very low certainty",
		string(record.LabelNotRated): "Certainty not rated",
	},
	"standing": {
		standing.Stands.String(): "No known problems", standing.Undecided.String(): "Not decided",
		standing.Due.String(): "Due for review",
	},
	"direction":   {"either": "No preference"},
	"signal_type": {"wild_card": "Unlikely but serious"},
	"obs_status":  {"E": "Estimated", "F": "Forecast", "I": "Imputed", "P": "Provisional", "M": "Missing"},
	"strength":    {"strong": "Strong recommendation", "conditional": "Conditional recommendation"},
}

// relation is how a link reads from one of its ends. A relation that has no words here is called by
// its name.
func (t *words) relation(r record.Relation, out bool) string {
	phrase, arrow := t.relationOut[r], "→ "
	if !out {
		phrase, arrow = t.relationIn[r], "← "
	}
	if phrase == "" {
		return arrow + phraseOf(string(r))
	}
	return phrase
}

// kindWords are what pages call a kind of which the name says little to readers: one, and many.
var kindWords = map[string][2]string{
	record.KindProofClaim: {"claim", "claims"}, record.KindSourceObject: {"source", "sources"},
	record.KindPublicReference: {"further reading", "further reading"},
}

// one is what pages call a record of a kind.
func (t *words) one(k *record.Kind) string { return cmp.Or(kindWords[k.Name][0], k.One) }

// many is what they call several.
func (t *words) many(k *record.Kind) string { return cmp.Or(kindWords[k.Name][1], k.Many) }

// phraseOf makes words of a name: very_low is "Very low".
func phraseOf(name string) string {
	switch name { // what does not read well otherwise
	case "obs_status":
		return "Observation status"
	case "citation_full":
		return "Full citation"
	case "url_main":
		return "Main URL"
	case "iso3166":
		return "ISO 3166"
	case "un_m49":
		return "UN M49"
	}
	b := []byte(name)
	for i, c := range b {
		if c == '_' || c == '-' {
			b[i] = ' '
		}
	}
	return capital(string(b))
}

// capital makes the first letter a capital one.
func capital(s string) string {
	if s != "" && 'a' <= s[0] && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
