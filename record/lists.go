package record

import (
	"reflect"
	"slices"
)

// Value is a word of a closed list and what it means.
type Value struct{ Word, Doc string }

// The types whose values come from a closed list.
type (
	KindName       string
	SourceRole     string
	UpdateType     string
	Effect         string
	CorrectionType string
	EvidenceLabel  string
	DecisionLabel  string
	Direction      string
	Strength       string
	ChangeType     string
	Relation       string
	Stance         string
	SignalType     string
	EntityType     string
	EvidenceType   string
	SourceType     string
	ObsStatus      string
	AreaScheme     string
	Interval       string
	Assessor       string
)

// Lists are the closed lists, by the Go type that draws on each.
var Lists = map[reflect.Type][]Value{
	reflect.TypeFor[KindName](): kindNames(),
	reflect.TypeFor[SourceRole](): {
		{"primary", "the record is based on it"},
		{"secondary", "it reports on the primary source"},
		{"background", "it gives context; the record is not based on it"},
		{"disputed", "the record disagrees with it"},
		{"superseded", "the record was once based on it"},
		{"archive", "an archived copy of a source"},
	},
	// Crossref's update types, and two that data need: data_revision and moved.
	reflect.TypeFor[UpdateType](): {
		{"new_version", "a new version has replaced it"},
		{"new_edition", "a new edition appeared"},
		{"data_revision", "its figures were revised"},
		{"addendum", "material was added"},
		{"clarification", "the wording was made clearer"},
		{"correction", "an error was corrected"},
		{"expression_of_concern", "its editors have raised concerns"},
		{"partial_retraction", "part of it was retracted"},
		{"retraction", "it was retracted"},
		{"withdrawal", "it was withdrawn"},
		{"removal", "it was removed"},
		{"reinstatement", "its retraction was reversed"},
		{"moved", "it has a new address"},
	},
	reflect.TypeFor[Effect](): {
		{"none", "this record is not affected"},
		{"already_reflected", "this record already takes it into account"},
		{"record_changed", "this record was changed"},
	},
	reflect.TypeFor[CorrectionType](): {
		{"correction", "an error was corrected"},
		{"clarification", "wording that could be misread was made clearer"},
		{"expression_of_concern", "concerns have been raised and are not resolved"},
		{"partial_retraction", "part of the record has been retracted"},
		{"retraction", "the record has been retracted"},
		{"reinstatement", "the retraction was a mistake and has been reversed"},
	},
	// GRADE's levels of certainty. A lone statistic has no GRADE rating: not_rated.
	reflect.TypeFor[EvidenceLabel](): {
		{"high", "very confident that the true effect is close to the estimate"},
		{"moderate", "moderately confident: the true effect is probably close to the estimate"},
		{"low", "limited confidence: the true effect may be substantially different from the estimate"},
		{"very_low", "very little confidence: the true effect is probably substantially different from the estimate"},
		{"not_rated", "the certainty has not been rated"},
	},
	// After the types of recommendation that NICE makes.
	reflect.TypeFor[DecisionLabel](): {
		{"adopt", "go ahead"},
		{"adopt_with_conditions", "go ahead where the conditions are met"},
		{"more_research", "more evidence is needed first"},
		{"do_not_adopt", "do not go ahead"},
		{"undecided", "no decision has been made yet"},
	},
	reflect.TypeFor[Direction](): {{"for", "do it"}, {"against", "do not do it"}, {"either", "both choices are reasonable"}},
	reflect.TypeFor[Strength]():  {{"strong", "right for nearly everyone"}, {"conditional", "the right choice depends on the circumstances"}},
	reflect.TypeFor[ChangeType](): {
		{"created", "the record is new"},
		{"updated", "its content changed"},
		{"reverified", "it was checked again and still holds"},
		{"source_updated", "one of its sources changed"},
		{"corrected", "an error was corrected"},
		{"retracted", "the record has been retracted"},
		{"removed", "the record was removed"},
		{"restored", "the record is back, or its retraction was reversed"},
		{"relicensed", "the licence or the notice of all records of this kind changed"},
	},
	// Words of CiTO, PROV, schema.org and DCTERMS.
	reflect.TypeFor[Relation](): {
		{"supports", "speaks for"},
		{"disputes", "speaks against"},
		{"qualifies", "limits"},
		{"cites", "mentions"},
		{"derived_from", "was made from"},
		{"about", "is about"},
		{"claimed_by", "is claimed by"},
		{"part_of", "is a part of"},
		{"replaces", "takes the place of"},
		{"responds_to", "answers"},
		{"recommends", "recommends"},
	},
	reflect.TypeFor[Stance](): {
		{"supports", "speaks for the claim"},
		{"disputes", "speaks against the claim"},
		{"qualifies", "limits the claim"},
		{"context", "helps to understand the claim"},
	},
	reflect.TypeFor[SignalType](): {
		{"indicator_change", "an indicator rose or fell"},
		{"event_report", "something happened and was reported"},
		{"weak_signal", "an early sign that may come to nothing"},
		{"trend", "a change in one direction over years"},
		{"wild_card", "unlikely, but serious if it happens"},
	},
	reflect.TypeFor[EntityType](): {
		{"organization", "an organization, office or company"},
		{"place", "a country, region or site"},
		{"population", "a group of people"},
		{"condition", "a disease or health condition"},
		{"intervention", "an action meant to improve health"},
		{"outcome", "a result that is hoped for or feared"},
		{"indicator", "something that is measured"},
	},
	reflect.TypeFor[EvidenceType](): {
		{"systematic_review", "a review of all studies on a question"},
		{"randomized_trial", "a trial that assigned participants at random"},
		{"observational_study", "a study that observed people without assigning treatment"},
		{"modelled_estimate", "a figure calculated with a model"},
		{"surveillance_report", "a count of reported cases"},
		{"official_statistic", "a figure from a statistical office"},
		{"guideline", "advice from an expert body"},
		{"qualitative_study", "a study of people's views and experiences"},
	},
	reflect.TypeFor[SourceType](): {
		{"dataset", "a data set"},
		{"article", "a journal article"},
		{"review", "a systematic review"},
		{"guideline", "advice from an expert body"},
		{"report", "a report"},
		{"web_page", "a web page"},
		{"legislation", "a law or regulation"},
	},
	// SDMX code list CL_OBS_STATUS.
	reflect.TypeFor[ObsStatus](): {
		{"A", "normal value"},
		{"B", "break in the series"},
		{"D", "definition differs"},
		{"E", "estimated"},
		{"F", "forecast"},
		{"I", "imputed"},
		{"P", "provisional"},
		{"U", "low reliability"},
		{"O", "missing"},
	},
	reflect.TypeFor[AreaScheme](): {
		{"iso3166", "a country by its ISO 3166-1 code of two or three letters, or a part of it by ISO 3166-2"},
		{"un_m49", "a country or region by its three digits in UN M49"},
		{"entity", "a place by the ID of its entity record"},
	},
	reflect.TypeFor[Interval](): {
		{"confidence", "a confidence interval"},
		{"credible", "a credible interval"},
		{"prediction", "a prediction interval"},
		{"uncertainty", "an uncertainty interval of a model"},
	},
	reflect.TypeFor[Assessor](): {{"source", "the source gives this label"}, {"service", "this service gave the label"}},
}

func kindNames() []Value {
	values := make([]Value, len(Kinds))
	for i, k := range Kinds {
		values[i] = Value{k.Name, k.Doc}
	}
	return values
}

// ranked are the evidence labels by strength; not_rated is the weakest, because nobody vouches for
// more.
var ranked = []EvidenceLabel{"not_rated", "very_low", "low", "moderate", "high"}

// Rank orders labels by how much they say; 0 is the least.
func (l EvidenceLabel) Rank() uint8 { return uint8(max(0, slices.Index(ranked, l))) }

// LabelRanked returns the label of a rank.
func LabelRanked(rank uint8) EvidenceLabel { return ranked[rank] }

// ListOf returns the closed list that a type's values come from.
func ListOf[T ~string]() []Value { return Lists[reflect.TypeFor[T]()] }
