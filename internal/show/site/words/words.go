// Package words contains the texts of the pages, with one file for each language, and formats
// values of closed lists, names of members, numbers and dates. It contains no markup.
package words

import (
	"cmp"
	"strings"

	"stele/internal/author/reading/settings"
	"stele/record"
)

// Set contains the texts of the pages in one language. Everything else on a page comes from the
// records and the settings.
type Set struct {
	settings.Language `json:"-"`

	// numbers and dates
	Digits, Group, Point, Minus, Percent, Thousands, Millions, Billions string
	Millionths, Billionths                                              string
	Date, Month, Quarter, Week, Arrow, Comma                            string // the arrow points to what comes next
	Months                                                              []string

	// every page
	Skip, Main, Breadcrumb, Home, RecordsHead, Statistics, Graph, Changes, Developers, Labels, License, Contact string
	Manifest, Release, NothingPromised, ScriptFailed                                                            string

	// not found
	NotFound, NotFoundText, DidYouMean string

	// the first page
	KindsHead, Kind, Count, Newest, HomeHead, NoChanges, AllChanges, GetData, GetDataText string

	Topics, TrustLimits, TrustCorrections string

	AllIndicators Forms
	AllPlaces     string
	HomeHeads     map[string]string // by the name of the kind

	// the search
	Search, SearchAll, SearchText, SearchHint, SearchShort, SearchNoScript, AboutSite string

	// the trace
	TraceDown, TraceDownText, TraceUp, TraceUpText, Definition, TraceWeakest, StatusChanged string
	TraceBelow, TraceAbove                                                                  string

	// lists
	Title, Updated, Version, KindEmpty, PageOf, Previous, Next, Pages, JSONOfKind string
	ListingOfKind, SchemaOfKind, WrittenText                                      string
	CountedRecords, AndMore                                                       Forms

	// the opening of a record
	Illustrative, IllustrativeText, Retracted, RetractedText, Partial, PartialText, Concern, ConcernText string
	RatedPublisher                                                                                       string

	// the claim boundary
	Boundary, Population, Place, Period, Excludes string

	// facts
	Facts, Contents, ID, Verified, VerifiedBy, Published, Subjects, Aliases, SeeAlso, OwnMembers, Yes, No, None string
	LicenseOfSource, LicenseOfRecord, LicenseUnknown                                                            string

	// sources and history
	Sources, History, HistoryNone, FirstPublished, InVersion, FromVersion, ChangedFields, ReportedBy, Notice string
	EventInRelease, Quoted, BecauseOf                                                                        string

	// superseded versions
	Superseded, SupersededText, RemovedRecord, ThisIsVersion, ReadNewest, ChangedAfter string
	VersionsAll, SeeVersion, RemovedShort, RemovedText, RedactedVersion, RedactedText  string

	// connections
	Connections, ConnectionsPicture, ExploreGraph string

	// reuse
	Use, UseJSON, UseCollection, UseCite, UsePreserve, UsePreserveText, Copy, Copied, CiteVersion      string
	CiteVerified, CiteRetracted, UseCiteSource, UseCiteRecord, CiteRelease, CiteDataset, CiteIndicator string

	// claims and evidence
	EvidenceHead, EvidenceNone, EvidenceWithdrawn, EffectSize, Interval, IntervalOf, Participants, Studies string
	EffectLower, EffectHigher, EffectNull, EffectLog                                                       string

	// tables of findings
	Findings, FindingsText, FindingsWithdrawn, FindingsOutcome, FindingsRelative, FindingsWithout      string
	FindingsWith, FindingsDifference, FindingsStudied, FindingsCertainty, FindingsAgainst              string
	FromTo, PerPeople, PerYears, FewerOf, MoreOf, NoDifference, NotEstimable, NotFromZero, ComputedFor string
	WhyLabel, WhyCertainty, LabelStart, ReasonsUnknown, ReasonsNone, Step, StepLevels, StepWhy         string
	WeakestOutcome                                                                                     string
	SentenceMade, PeopleOf, PeopleEither, PeopleSpared, PeopleHarmed, PeopleNeither                    string
	// Sentences are the patterns by label, size and direction.
	Sentences map[string]string

	// decision views
	Options, Chosen, OptionNone, OptionAdvice, OptionEvidence string

	// statistics
	Indicator, Values, Chart, FiguresHead, Status  string
	FiguresByArea, Indicators, Area                string
	LastChanged, In, And, After, Value             string
	MedianOf, Spread, Edition                      string // of all areas
	Ranking, RankingText, ChartAlone, CompareAreas string
	PastHead, PastText, PastAdded                  string
	Compared                                       [3]string // lower, equal, higher than before

	CountedFigures, CountedAreas, CountedIndicators, FiguresCorrected, MoreLines Forms

	// areas whose codes change
	AreaTo, AreaFrom, AreaBetween, AreaBecame, AreaDivided, AreaPart, AreaBoundary, AreaBegan, AreaGone string
	AreaCode, AreaLevel, AreaDays, AreaParent, AreaChildren, AreaBefore, AreaAfter, AreaChanges         string
	AreaApart, AreaSchemeText                                                                           string

	// places and topics
	FiguresOfPlaces, Places, PlacesText, PlaceText, AllOfPlace, AboutHead, PlaceValues, OtherTopics string

	// changes
	ChangesText, Change, Follow, FollowIndicator                                                string
	PointsHead, PointNew, PointFigures, PointRevised, PointLost, ReleaseFiles, ReleaseFilesText string

	// developers
	DevelopersText, Routes, RoutesText, Try, Address, Fetch, Examples, More string
	FirstListing, SecondListing, RoutesListed, HasAlone                     string
	Downloads, DownloadsText, Formats, AllKinds, AreaFiles                  string
	SchemaChanges, SchemaChangesText, SchemaSince, SchemaMember             string
	SchemaChange                                                            map[string]string
	MoreOpenAPI, MoreManifest, MoreIndex, MoreFeeds, MoreSitemap            string

	// the signature
	Signed, SignedText, SignedBy, SignedTrust, SignedPlace, SignedEntry, SignedNone, SignedProof string
	SignedFileProof, SignedFileLog, SignedCheck, SignedHow, SignedProves                         string

	// the calendar
	Calendar, CalendarText, CalendarNext, CalendarMoved, CalendarFollow string
	PlanStatus                                                          map[string]string

	// the graph
	GraphText, GraphKinds, GraphRelations, ExploreRecords string
	CountedRelations, Omitted                             Forms
	GraphLayers                                           []string // from what others rest on to what rests on them

	// labels
	LabelsText string

	// how this is made, and what is in question
	How, HowText, HowDecides, HowDecidesText, HowReview, HowLabels, HowLabelsText, HowCorrected string
	HowCorrectedText, HowSigned, HowUnsigned, HowCheck, HowReuse, HowReuseText                  string
	InQuestion, InQuestionText, InQuestionNone, InQuestionData                                  string

	Preserve                                                []string // what must stay with a record
	Standing                                                string
	SourceRetracted, Replaced, SourcePartial, SourceConcern [2]string
	Standings                                               map[string][2]string // texts of banners
	Causes                                                  map[string]string
	RelationsOut, RelationsIn                               map[record.Relation]string
	Stances                                                 map[record.Stance]string

	Kinds   map[string]kindWords
	Lists   map[string]map[string][2]string // by list and value: how it is written, and its meaning
	Members map[string]string
	// FormatNames are the names of formats that differ by language.
	FormatNames map[string]string
	// Questions are the questions of decisions, by member.
	Questions map[string]string
	// Keys are the meanings of marks in charts, by class.
	Keys map[string]string
	// Script contains the texts of scripts, by the names used there.
	Script map[string]string
	// Found counts results of scripts.
	Found Forms
}

// kindWords contains the names of a kind (singular, plural and with a count) and its description.
type kindWords struct {
	One, Many string
	Counted   Forms
	Doc       string
}

// scriptNumbers contains the formats of numbers and dates in scripts. It contains marks only if
// they differ from English.
type scriptNumbers struct {
	Tag     string            `json:"tag"`
	Percent string            `json:"percent"`
	Ticks   [4][3]any         `json:"ticks"` // minimum, divisor, pattern
	Million string            `json:"million"`
	Billion string            `json:"billion"`
	Marks   map[string]string `json:"marks,omitempty"`
	Date    string            `json:"date"`
	Month   string            `json:"month"`
	Quarter string            `json:"quarter"`
	Week    string            `json:"week"`
	Months  []string          `json:"months"`
}

// Scripts returns the data that scripts need: their texts, and the formats shared with the pages.
func (t *Set) Scripts() map[string]any {
	w := map[string]any{"arrow": t.Arrow, "comma": t.Comma, "keys": t.Keys, "found": t.Found, "numbers": t.scriptNumbers()}
	for name, text := range t.Script {
		w[name] = text
	}
	standings := map[string]string{}
	for _, v := range Standings.List {
		standings[v.Word] = t.Written(Standings, v.Word)
	}
	w["standings"] = standings
	return w
}

func (t *Set) scriptNumbers() (n scriptNumbers) {
	n.Tag, n.Percent, n.Million, n.Billion = t.Tag, t.Percent, t.Millionths, t.Billionths
	for i, tick := range t.ticks() {
		n.Ticks[i] = [3]any{tick.least, tick.by, tick.form}
	}
	n.Date, n.Month, n.Quarter, n.Week, n.Months = t.Date, t.Month, t.Quarter, t.Week, t.Months
	if t.Tag != "en" {
		n.Marks = map[string]string{}
		for _, c := range "0123456789,.-−" {
			n.Marks[string(c)] = t.localMark(c)
		}
	}
	return n
}

// Relation returns the name of a link with relation r, seen from its source if out is true, and
// otherwise from its target. A relation without a translation keeps its own name.
func (t *Set) Relation(r record.Relation, out bool) string {
	phrase, arrow := t.RelationsOut[r], "→ "
	if !out {
		phrase, arrow = t.RelationsIn[r], "← "
	}
	if phrase == "" {
		return arrow + Phrase(string(r))
	}
	return phrase
}

// Singular returns the name of one record of k.
func (t *Set) Singular(k *record.Kind) string { return cmp.Or(t.Kinds[k.Name].One, k.One) }

// Cited returns the name of k in citations, which is in English, as in the specification.
func (t *Set) Cited(k *record.Kind) string {
	if t.Kinds[k.Name].Doc == "" {
		return k.One
	}
	return t.Singular(k)
}

// Plural returns the name of several records of k.
func (t *Set) Plural(k *record.Kind) string { return cmp.Or(t.Kinds[k.Name].Many, k.Many) }

// Name returns the plural of k, capitalized.
func (t *Set) Name(k *record.Kind) string { return Capital(t.Plural(k)) }

// Doc returns the description of k.
func (t *Set) Doc(k *record.Kind) string { return cmp.Or(t.Kinds[k.Name].Doc, k.Doc) }

// RecordCount formats n as a number of records of k.
func (t *Set) RecordCount(k *record.Kind, n int) string {
	forms := t.Kinds[k.Name].Counted
	if forms == nil {
		forms = Forms{"one": "{n} " + t.Singular(k), "other": "{n} " + t.Plural(k)}
	}
	return t.Counted(forms, n)
}

// Fill fills in the placeholders of sentence. list contains their names and texts, alternating.
func Fill(sentence string, list ...string) string {
	for i := 0; i < len(list); i += 2 {
		sentence = strings.Replace(sentence, "{"+list[i]+"}", list[i+1], 1)
	}
	return sentence
}
