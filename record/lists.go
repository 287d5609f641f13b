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
		{"primary", "the record rests on it"},
		{"secondary", "it reports on the primary source"},
		{"background", "it helps to understand the record, which does not rest on it"},
		{"disputed", "the record contradicts it"},
		{"superseded", "the record rested on it once"},
		{"archive", "a kept copy of a source"},
	},
	// Crossref's update types, and two that data need: data_revision and moved.
	reflect.TypeFor[UpdateType](): {
		{"new_version", "a new version replaced it"},
		{"new_edition", "a new edition appeared"},
		{"data_revision", "its figures were revised"},
		{"addendum", "something was added"},
		{"clarification", "something was made clearer"},
		{"correction", "something was corrected"},
		{"expression_of_concern", "its editors have doubts"},
		{"partial_retraction", "a part was retracted"},
		{"retraction", "it was retracted"},
		{"withdrawal", "it was withdrawn"},
		{"removal", "it was removed"},
		{"reinstatement", "it was taken back by mistake, and stands again"},
		{"moved", "it has another address now"},
	},
	reflect.TypeFor[Effect](): {
		{"none", "nothing in this record changes"},
		{"already_reflected", "this record says so already"},
		{"record_changed", "this record was changed"},
	},
	reflect.TypeFor[CorrectionType](): {
		{"correction", "something was wrong and is right now"},
		{"clarification", "something could be misread and is clearer now"},
		{"expression_of_concern", "there are doubts that are not settled"},
		{"partial_retraction", "a part no longer stands"},
		{"retraction", "the record no longer stands"},
		{"reinstatement", "the retraction was a mistake, and the record stands again"},
	},
	// GRADE's levels of certainty. A lone statistic has no GRADE rating: not_rated.
	reflect.TypeFor[EvidenceLabel](): {
		{"high", "the true effect lies close to the estimate"},
		{"moderate", "the true effect is probably close to the estimate"},
		{"low", "the true effect may differ much from the estimate"},
		{"very_low", "the true effect probably differs much from the estimate"},
		{"not_rated", "nobody rated the certainty"},
	},
	// After the types of recommendation that NICE makes.
	reflect.TypeFor[DecisionLabel](): {
		{"adopt", "do it"},
		{"adopt_with_conditions", "do it where the conditions are met"},
		{"more_research", "find out more first"},
		{"do_not_adopt", "do not do it"},
		{"undecided", "no decision yet"},
	},
	reflect.TypeFor[Direction](): {{"for", "do it"}, {"against", "do not do it"}, {"either", "both ways are reasonable"}},
	reflect.TypeFor[Strength]():  {{"strong", "most people would want it"}, {"conditional", "it depends on circumstances"}},
	reflect.TypeFor[ChangeType](): {
		{"created", "the record is new"},
		{"updated", "its content changed"},
		{"reverified", "it was checked again and stands"},
		{"source_updated", "a source changed"},
		{"corrected", "an error was put right"},
		{"retracted", "the record no longer stands"},
		{"removed", "the record was taken out"},
		{"restored", "the record is back, or stands again"},
		{"relicensed", "licence or notice of all records of the kind changed"},
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
		{"trend", "a direction kept over years"},
		{"wild_card", "unlikely, and grave if it comes"},
	},
	reflect.TypeFor[EntityType](): {
		{"organization", "a body, office or company"},
		{"place", "a country, region or site"},
		{"population", "a group of people"},
		{"condition", "a disease or state of health"},
		{"intervention", "something done for health"},
		{"outcome", "something that is hoped for or feared"},
		{"indicator", "something that is measured"},
	},
	reflect.TypeFor[EvidenceType](): {
		{"systematic_review", "a review of all studies of a question"},
		{"randomized_trial", "a trial that assigned people by chance"},
		{"observational_study", "a study that watched and did not assign"},
		{"modelled_estimate", "a figure worked out by a model"},
		{"surveillance_report", "cases counted as they were reported"},
		{"official_statistic", "a figure from a statistical office"},
		{"guideline", "advice of an expert body"},
		{"qualitative_study", "a study of words and views"},
	},
	reflect.TypeFor[SourceType](): {
		{"dataset", "data"},
		{"article", "an article in a journal"},
		{"review", "a systematic review"},
		{"guideline", "advice of an expert body"},
		{"report", "a report"},
		{"web_page", "a page on the web"},
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
