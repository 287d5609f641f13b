package site

import "stele/record"

// words are what the pages say in their own voice. A translation is another value of this type; everything else on a page comes from the records, the settings
// or the tables of package record.
type words struct {
	Skip, Main, Breadcrumb, OnThisPage                 string
	Home, Records, Statistics, Graph, Changes          string
	Developers, Labels, NotFound, NotFoundText         string
	Publisher, License, Contact, Manifest, Release     string
	Records1, RecordsN, Newest, AllChanges, GetData    string
	GetDataText, NothingPromised, NoChanges, KindsHead string
	HomeHead, Kind, Count, Updated, Version, Verified  string
	Published, Title, ID, Illustrative                 string
	IllustrativeText                                   string

	Boundary, Population, Place, Period, Excludes     string
	Details, OwnMembers, Facts, Sources, SourceRecord string
	Locator, Aliases, Subjects, SeeAlso, RatedBy      string
	RatedPublisher, Retracted, RetractedText          string
	Concern, ConcernText, Partial, PartialText        string
	History, HistoryNone, Correction, SourceUpdate    string
	Change, InVersion, ChangedFields, ReportedBy      string
	Notice, Effect, FromVersion, ToVersion            string
	FirstPublished, EventInRelease                    string
	Connections, ConnectionsNone, ConnectionsPicture  string
	AndMore, ExploreGraph, Yes, No, None              string
	Use, UseJSON, UseCollection, UseCite, UsePreserve string
	UsePreserveText, CiteText, Copy, Copied           string
	Preserve                                          []string

	EvidenceHead, EvidenceNone, EffectSize, Interval  string
	Participants, Studies, Options, Chosen, NotChosen string
	OptionNone, RestsOn, Decision, Considerations     string
	KindEmpty, PageOf, Previous, Next, Pages          string
	Written, WrittenText, IndicatorsHead              string
	Areas, Values, Latest, Periods                    string
	JSONOfKind, ListingOfKind, SchemaOfKind           string
	LabelsText, Indicator, Chart, ChartKey            string
	FiguresHead, Status                               string
	ChangesText, Follow, DevelopersText, Routes       string
	RoutesText, Returns, ListedIn, All, One, Try      string
	Address, Fetch, Examples, More, MoreOpenAPI       string
	MoreManifest, MoreIndex, MoreFeeds, MoreSitemap   string
	MoreLicenses, GraphText, RelationsN, Omitted      string
	GraphKinds, GraphRelations                        string
	script                                            scriptWords
	relationOut, relationIn                           map[record.Relation]string
	stances                                           map[record.Stance]string
}

// scriptWords are those that scripts use. They stand in the page as data.
type scriptWords struct {
	Search     string `json:"search"`
	SearchHint string `json:"searchHint"`
	Any        string `json:"any"`
	Subject    string `json:"subject"`
	Of         string `json:"of"`
	Records    string `json:"records"`
	More       string `json:"more"`
	Nothing    string `json:"nothing"`
	Clear      string `json:"clear"`
	Kind       string `json:"kind"`
	Release    string `json:"release"`
	Version    string `json:"version"`
	Changed    string `json:"changed"`
	Retraction string `json:"retraction"`
	Areas      string `json:"areas"`
	Value      string `json:"value"`
	ChartHint  string `json:"chartHint"`
	Whole      string `json:"whole"`
	Around     string `json:"around"`
	Expand     string `json:"expand"`
	Relations  string `json:"relations"`
	Kinds      string `json:"kinds"`
	GraphHint  string `json:"graphHint"`
	NoPicture  string `json:"noPicture"`
	Picture    string `json:"picture"`
	ZoomIn     string `json:"zoomIn"`
	ZoomOut    string `json:"zoomOut"`
	Fit        string `json:"fit"`
	Open       string `json:"open"`
	Status     string `json:"status"`
	Headers    string `json:"headers"`
	Body       string `json:"body"`
	Failed     string `json:"failed"`
	Cut        string `json:"cut"`
}

// scriptWords writes the words of scripts into the page.
func (p *page) scriptWords() { p.Data("words", "application/json", p.words.script) }

var english = words{
	Skip: "Skip to the content", Main: "Main", Breadcrumb: "Where you are", OnThisPage: "On this page",
	Home: "Home", Records: "Records", Statistics: "Statistics", Graph: "Graph", Changes: "Changes",
	Developers: "Developers", Labels: "What the labels mean", NotFound: "Not found",
	NotFoundText: "There is nothing at this address. Records never change their address, so it was probably mistyped.",
	Publisher:    "Publisher", License: "Licence", Contact: "Contact", Manifest: "Manifest", Release: "Release",
	Records1: "record", RecordsN: "records", Newest: "Newest", AllChanges: "All changes", GetData: "Get the data",
	GetDataText:     "Every page here is made from a JSON file that anybody may read, without a key and without signing in.",
	NothingPromised: "No availability, uptime, schema stability or service level is promised.",
	NoChanges:       "Nothing has changed since the first release.", KindsHead: "What is published",
	HomeHead: "Latest changes", Kind: "Kind", Count: "Records", Updated: "Updated", Version: "Version", Verified: "Verified",
	Published: "Published", Title: "Title", ID: "ID", Illustrative: "Illustrative",
	IllustrativeText: "an example, not a finding of the publisher's",

	Boundary: "Claim boundary", Population: "Population", Place: "Place", Period: "Period", Excludes: "Says nothing about",
	Details: "Details", OwnMembers: "The publisher's own members", Facts: "Facts", Sources: "Sources", SourceRecord: "About this source",
	Locator: "Where in it", Aliases: "Also known as", Subjects: "Subjects", SeeAlso: "See also", RatedBy: "Rated by",
	RatedPublisher: "given by the publisher",
	Retracted:      "This record is retracted.", RetractedText: "It no longer stands. It stays here so that whoever cited it can see what became of it.",
	Concern: "There are doubts about this record.", ConcernText: "They are not settled.",
	Partial: "A part of this record is retracted.", PartialText: "Read the history before you rely on it.",
	History: "History", HistoryNone: "Nothing was corrected, no source has changed.",
	Correction: "Correction", SourceUpdate: "Source", Change: "Change", InVersion: "in version", ChangedFields: "Changed",
	ReportedBy: "Reported by", Notice: "Notice", Effect: "For this record", FromVersion: "version", ToVersion: "to",
	FirstPublished: "First published", EventInRelease: "release",
	Connections: "Connections", ConnectionsNone: "Nothing refers to this record, and it refers to nothing.",
	ConnectionsPicture: "The records around this one. The lists below say the same in words.",
	AndMore:            "more", ExploreGraph: "Explore in the graph", Yes: "yes", No: "no", None: "none",
	Use: "Use this record", UseJSON: "This record as JSON", UseCollection: "All records of this kind as JSON", UseCite: "Cite it",
	UsePreserve:     "What to preserve",
	UsePreserveText: "You may copy and reuse this record. Keep with it:",
	CiteText:        "Text", Copy: "Copy", Copied: "Copied",
	Preserve: []string{
		"the record ID", "the source links", "the version", "the verification date", "the claim boundary",
		"the source updates", "the corrections", "the labels, word for word",
	},

	EvidenceHead: "Evidence", EvidenceNone: "None is recorded.", EffectSize: "Size of the effect", Interval: "interval",
	Participants: "Participants", Studies: "Studies", Options: "Options", Chosen: "Chosen", NotChosen: "Not chosen",
	OptionNone: "No recommendation speaks to this option.", RestsOn: "Rests on", Decision: "Decision",
	Considerations: "What was weighed",
	KindEmpty:      "There are no records of this kind in this release.", PageOf: "Page", Previous: "Previous page", Next: "Next page",
	Pages:   "Pages of this list",
	Written: "Written by the publisher", WrittenText: "Most are derived from what records refer to. They are in the JSON file and in the graph; this list has those that the publisher wrote.",
	IndicatorsHead: "Indicators", Areas: "Areas", Values: "Values", Latest: "Latest period", Periods: "Periods",
	JSONOfKind: "All as JSON", ListingOfKind: "Listing with digests", SchemaOfKind: "Schema",
	LabelsText: "Labels come from closed lists. These are all of them, with what each word means.",
	Indicator:  "Indicator", Chart: "Chart", FiguresHead: "Figures", Status: "Status",
	ChartKey:    "A hollow dot is provisional, a forecast, imputed or of low reliability. A bar across a line is a break in the series or another definition. A band is the uncertainty interval. A gap is a missing value.",
	ChangesText: "What happened to which record, by release, the newest first.", Follow: "Follow them",
	DevelopersText: "Everything here is a file. All files can be read with GET, without a key, from any origin. Nothing can be written.",
	Routes:         "Routes",
	RoutesText:     "The service has two published listings of routes, which differ in a few. What a route returns is described by its schema; schemas may change.",
	Returns:        "Returns", ListedIn: "Listed in", All: "all", One: "one", Try: "Try it", Address: "Address", Fetch: "Fetch", Examples: "Examples",
	More: "What else there is", MoreOpenAPI: "the routes, described for programs (OpenAPI)",
	MoreManifest: "the release: its ID, its date, every file with its size and SHA-256",
	MoreIndex:    "a small listing of a kind: ID, version, title, date and digest of each record. Other kinds likewise",
	MoreFeeds:    "the changes, to subscribe to", MoreSitemap: "all pages", MoreLicenses: "licences of the scripts that these pages use",
	GraphText:  "How the records hang together: which evidence bears on which claim, what rests on which source, what is about what.",
	RelationsN: "relations", Omitted: "records are left out here",
	GraphKinds: "Records in the graph", GraphRelations: "Relations in the graph",
	script: scriptWords{
		Search: "Search", SearchHint: "title or ID", Any: "any", Subject: "Subject", Of: "of", Records: "records", More: "Show more", Nothing: "Nothing matches.",
		Clear: "Clear all filters", Kind: "Kind", Release: "Release", Version: "version", Changed: "Changed", Retraction: "Retraction",
		Areas: "Areas", Value: "Value", ChartHint: "Pick areas below. Point at the chart, or move along it with the arrow keys, to read values.",
		Whole: "Show everything", Around: "Show only this and its neighbours", Expand: "Add its neighbours", Relations: "Relations", Kinds: "Kinds",
		GraphHint: "Search for a record, or click on a dot. Click on it again to add its neighbours.",
		NoPicture: "This browser cannot draw the picture (it has no WebGL). The lists work all the same.",
		Picture:   "Picture of the graph. The lists beside it say the same in words.", ZoomIn: "Zoom in", ZoomOut: "Zoom out", Fit: "Fit", Open: "Open the record",
		Status: "Status", Headers: "Headers", Body: "Body", Failed: "The address could not be fetched.", Cut: "… cut here; open the address to see all of it",
	},
	relationOut: map[record.Relation]string{
		"supports": "Supports", "disputes": "Disputes", "qualifies": "Qualifies", "cites": "Cites", "derived_from": "Derived from", "about": "About",
		"part_of": "Part of", "replaces": "Replaces", "responds_to": "Responds to", "recommends": "Recommends",
	},
	relationIn: map[record.Relation]string{
		"supports": "Supported by", "disputes": "Disputed by", "qualifies": "Qualified by", "cites": "Cited by", "derived_from": "Source of", "about": "Subject of",
		"part_of": "Has as a part", "replaces": "Replaced by", "responds_to": "Answered by", "recommends": "Recommended by",
	},
	stances: map[record.Stance]string{"supports": "For", "disputes": "Against", "qualifies": "Qualifying", "context": "Context"},
}

// relation is how a link reads from one of its ends. A relation that has no words here is called by its name.
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

// phraseOf makes words of a name: very_low is "Very low".
func phraseOf(name string) string {
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
