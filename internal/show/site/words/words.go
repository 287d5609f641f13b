// Package words is what the pages say in their own voice: one file a language, and how the words of
// closed lists and the names of members are written. It knows no markup.
package words

import (
	"cmp"

	"stele/internal/trust/standing"
	"stele/record"
)

// Set are what the pages say in their own voice. A translation is another value of this type;
// everything else on a page comes from the records, the settings or the tables of package record.
type Set struct {
	// every page
	Skip, Main, Breadcrumb, Home, Records, Statistics, Graph, Changes, Developers, Labels, License, Contact string
	Manifest, Release, NothingPromised, ScriptFailed                                                        string

	// not found
	NotFound, NotFoundText, Nearest string

	// the first page
	KindsHead, Kind, Count, Newest, HomeHead, NoChanges, AllChanges, GetData, GetDataText string

	AllIndicators, AllPlaces string
	HomeHeads                map[string]string // by the name of the kind

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
	Facts, ID, Verified, VerifiedBy, Published, Subjects, Aliases, SeeAlso, OwnMembers, Yes, No, None, AndMore string
	LicenseOfSource, LicenseOfRecord, LicenseUnknown                                                           string

	// sources and history
	Sources, History, HistoryNone, FirstPublished, InVersion, FromVersion, ChangedFields, ReportedBy, Notice string
	EventInRelease, Quoted, BecauseOf                                                                        string

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
	EffectLower, EffectHigher, EffectNull, EffectLog                        string

	// decision views
	Options, Chosen, OptionNone, OptionAdvice, OptionEvidence string

	// statistics
	Indicator, Values, Chart, ChartKey, FiguresHead, Status string
	Figure1, FigureN, FiguresCorrected, FiguresByArea       string
	Indicator1, IndicatorN, Area                            string
	LastChanged, In, And, After, MoreLines, Value           string
	Ranking, RankingText, ChartAlone, CompareAreas          string
	Compared                                                [3]string // lower, equal, higher than before

	// places and topics
	FiguresOfPlaces, Places, PlacesText, PlaceText, AllOfPlace, AboutHead string

	// changes
	ChangesText, Change, Follow string

	// developers
	DevelopersText, Routes, RoutesText, Returns, All, One, Try, Address, Fetch, Examples, More string
	FirstListing, SecondListing, HasAlone                                                      string
	Downloads, DownloadsText, Formats, AllKinds, DataPackageText, AreaFiles                    string
	MoreOpenAPI, MoreManifest, MoreIndex, MoreFeeds, MoreSitemap                               string

	// the signature
	Signed, SignedText, SignedBy, SignedTrust, SignedPlace, SignedEntry, SignedNone, SignedProof string
	SignedFileProof, SignedFileLog, SignedCheck, SignedHow, SignedProves                         string

	// the graph
	GraphText, GraphKinds, GraphRelations, RelationsN, Omitted, ExploreRecords string

	GraphLayers []string // from what others rest on to what rests on them

	// labels
	LabelsText string

	Preserve                []string // what stays with a record
	relationOut, relationIn map[record.Relation]string
	Standing                string
	SourceRetracted         [2]string
	Replaced                [2]string
	SourcePartial           [2]string
	SourceConcern           [2]string
	Standings               map[standing.Standing][2]string // what a banner says
	Causes                  map[standing.Cause]string
	Stances                 map[record.Stance]string
	Script                  scriptWords
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
	FindAll    string            `json:"findAll"`
	Since      string            `json:"since"`
	FindMeant  string            `json:"findMeant"`
	FindOne    string            `json:"findOne"`
	FindMany   string            `json:"findMany"`
	FindBound  string            `json:"findCompared"`
	FindFailed string            `json:"findFailed"`
	Again      string            `json:"again"`
	FromZero   string            `json:"fromZero"`

	View         string `json:"view"`
	Line         string `json:"line"`
	Table        string `json:"table"`
	Ranking      string `json:"ranking"`
	Map          string `json:"map"`
	Area         string `json:"area"`
	Value        string `json:"value"`
	Interval     string `json:"interval"`
	Change       string `json:"change"`
	Breakdown    string `json:"breakdown"`
	Total        string `json:"total"`
	From         string `json:"from"`
	To           string `json:"to"`
	Period       string `json:"period"`
	Play         string `json:"play"`
	Pause        string `json:"pause"`
	LogAxis      string `json:"logAxis"`
	LogNote      string `json:"logNote"`
	Relative     string `json:"relative"`
	RelativeNote string `json:"relativeNote"`
	MapNote      string `json:"mapNote"`
	NoValue      string `json:"noValue"`
	FindArea     string `json:"findArea"`
	ClearAreas   string `json:"clearAreas"`
	SkipAreas    string `json:"skipAreas"`
	Download     string `json:"download"`
	CopyLink     string `json:"copyLink"`
	Copy         string `json:"copy"`
	Copied       string `json:"copied"`
	NotCopied    string `json:"notCopied"`
	Embed        string `json:"embed"`
	AllValues    string `json:"allValues"`
	Source       string `json:"source"`
	Licence      string `json:"licence"`

	Whole     string `json:"whole"`
	Around    string `json:"around"`
	Expand    string `json:"expand"`
	Relations string `json:"relations"`
	Kinds     string `json:"kinds"`
	GraphHint string `json:"graphHint"`
	Loading   string `json:"loading"`
	NotLoaded string `json:"notLoaded"`
	Drawn     string `json:"graphDrawn"`
	Overview  string `json:"overview"`
	Picture   string `json:"picture"`
	Keys      string `json:"pictureKeys"`
	ZoomIn    string `json:"zoomIn"`
	ZoomOut   string `json:"zoomOut"`
	Fit       string `json:"fit"`
	Open      string `json:"open"`
	Status    string `json:"status"`
	Headers   string `json:"headers"`
	Body      string `json:"body"`
	Failed    string `json:"failed"`
	Cut       string `json:"cut"`
}

// Relation is how a link reads from one of its ends. A relation that has no words here is called by
// its name.
func (t *Set) Relation(r record.Relation, out bool) string {
	phrase, arrow := t.relationOut[r], "→ "
	if !out {
		phrase, arrow = t.relationIn[r], "← "
	}
	if phrase == "" {
		return arrow + Phrase(string(r))
	}
	return phrase
}

// Singular is what pages call a record of a kind.
func (t *Set) Singular(k *record.Kind) string { return cmp.Or(kindWords[k.Name][0], k.One) }

// Plural is what they call several.
func (t *Set) Plural(k *record.Kind) string { return cmp.Or(kindWords[k.Name][1], k.Many) }

// Name is what they call a kind where its name stands alone.
func (t *Set) Name(k *record.Kind) string { return Capital(t.Plural(k)) }
