package record

import (
	"reflect"
	"slices"
)

// value is a value of a closed list with its meaning.
type value struct{ Word, Doc string }

// The types with values from closed lists.
type (
	KindName        string
	SourceRole      string
	UpdateType      string
	Effect          string
	CorrectionType  string
	EvidenceLabel   string
	DecisionLabel   string
	Direction       string
	Strength        string
	ChangeType      string
	Relation        string
	Stance          string
	SignalType      string
	EntityType      string
	EvidenceType    string
	SourceType      string
	ObsStatus       string
	AreaScheme      string
	Interval        string
	Aggregation     string
	Assessor        string
	MeasureCode     string
	Magnitude       string
	StartLabel      string
	CertaintyFactor string
)

// The names of the kinds, as in the member "kind".
const (
	KindSignal              = "signal"
	KindEvidence            = "evidence"
	KindProofClaim          = "proof_claim"
	KindHealthcareStatistic = "healthcare_statistic"
	KindSourceObject        = "source_object"
	KindPublicReference     = "public_reference"
	KindGraphNode           = "graph_node"
	KindGraphEdge           = "graph_edge"
	KindChangeEvent         = "change_event"
	KindEntity              = "entity"
	KindOpportunity         = "opportunity"
	KindRecommendation      = "recommendation"
	KindDecisionView        = "decision_view"
)

// The values of the other lists that rules and pages depend on.
const (
	RolePrimary    SourceRole = "primary"
	RoleSecondary  SourceRole = "secondary"
	RoleBackground SourceRole = "background"
	RoleDisputed   SourceRole = "disputed"
	RoleSuperseded SourceRole = "superseded"
	RoleArchive    SourceRole = "archive"

	UpdateNewVersion          UpdateType = "new_version"
	UpdateNewEdition          UpdateType = "new_edition"
	UpdateDataRevision        UpdateType = "data_revision"
	UpdateAddendum            UpdateType = "addendum"
	UpdateClarification       UpdateType = "clarification"
	UpdateCorrection          UpdateType = "correction"
	UpdateExpressionOfConcern UpdateType = "expression_of_concern"
	UpdatePartialRetraction   UpdateType = "partial_retraction"
	UpdateRetraction          UpdateType = "retraction"
	UpdateWithdrawal          UpdateType = "withdrawal"
	UpdateRemoval             UpdateType = "removal"
	UpdateReinstatement       UpdateType = "reinstatement"
	UpdateMoved               UpdateType = "moved"

	EffectNone             Effect = "none"
	EffectAlreadyReflected Effect = "already_reflected"
	EffectRecordChanged    Effect = "record_changed"

	CorrectionCorrection          CorrectionType = "correction"
	CorrectionClarification       CorrectionType = "clarification"
	CorrectionExpressionOfConcern CorrectionType = "expression_of_concern"
	CorrectionPartialRetraction   CorrectionType = "partial_retraction"
	CorrectionRetraction          CorrectionType = "retraction"
	CorrectionReinstatement       CorrectionType = "reinstatement"

	LabelHigh     EvidenceLabel = "high"
	LabelModerate EvidenceLabel = "moderate"
	LabelLow      EvidenceLabel = "low"
	LabelVeryLow  EvidenceLabel = "very_low"
	LabelNotRated EvidenceLabel = "not_rated"

	DecisionAdopt               DecisionLabel = "adopt"
	DecisionAdoptWithConditions DecisionLabel = "adopt_with_conditions"
	DecisionMoreResearch        DecisionLabel = "more_research"
	DecisionDoNotAdopt          DecisionLabel = "do_not_adopt"
	DecisionUndecided           DecisionLabel = "undecided"

	ChangeCreated       ChangeType = "created"
	ChangeUpdated       ChangeType = "updated"
	ChangeReverified    ChangeType = "reverified"
	ChangeSourceUpdated ChangeType = "source_updated"
	ChangeCorrected     ChangeType = "corrected"
	ChangeRetracted     ChangeType = "retracted"
	ChangeRemoved       ChangeType = "removed"
	ChangeRedacted      ChangeType = "redacted"
	ChangeRestored      ChangeType = "restored"
	ChangeRelicensed    ChangeType = "relicensed"
	ChangeAreas         ChangeType = "areas_changed"

	RelationSupports    Relation = "supports"
	RelationDisputes    Relation = "disputes"
	RelationQualifies   Relation = "qualifies"
	RelationCites       Relation = "cites"
	RelationDerivedFrom Relation = "derived_from"
	RelationAbout       Relation = "about"
	RelationClaimedBy   Relation = "claimed_by"
	RelationPartOf      Relation = "part_of"
	RelationReplaces    Relation = "replaces"
	RelationRespondsTo  Relation = "responds_to"
	RelationRecommends  Relation = "recommends"

	StanceSupports  Stance = "supports"
	StanceDisputes  Stance = "disputes"
	StanceQualifies Stance = "qualifies"
	StanceContext   Stance = "context"

	EntityOrganization EntityType = "organization"
	EntityPlace        EntityType = "place"
	EntityPopulation   EntityType = "population"
	EntityCondition    EntityType = "condition"
	EntityIntervention EntityType = "intervention"
	EntityOutcome      EntityType = "outcome"
	EntityIndicator    EntityType = "indicator"

	SourceDataset     SourceType = "dataset"
	SourceArticle     SourceType = "article"
	SourceReview      SourceType = "review"
	SourceGuideline   SourceType = "guideline"
	SourceReport      SourceType = "report"
	SourceWebPage     SourceType = "web_page"
	SourceLegislation SourceType = "legislation"

	StatusNormal            ObsStatus = "A"
	StatusBreak             ObsStatus = "B"
	StatusDefinitionDiffers ObsStatus = "D"
	StatusEstimated         ObsStatus = "E"
	StatusForecast          ObsStatus = "F"
	StatusExperimental      ObsStatus = "G"
	StatusHoliday           ObsStatus = "H"
	StatusImputed           ObsStatus = "I"
	StatusDerogation        ObsStatus = "J"
	StatusInAnother         ObsStatus = "K"
	StatusNotCollected      ObsStatus = "L"
	StatusCannotExist       ObsStatus = "M"
	StatusNotSignificant    ObsStatus = "N"
	StatusMissing           ObsStatus = "O"
	StatusProvisional       ObsStatus = "P"
	StatusSuppressed        ObsStatus = "Q"
	StatusSpecialEvent      ObsStatus = "S"
	StatusLowReliability    ObsStatus = "U"
	StatusUnvalidated       ObsStatus = "V"
	StatusIncludesOther     ObsStatus = "W"

	IntervalConfidence  Interval = "confidence"
	IntervalCredible    Interval = "credible"
	IntervalPrediction  Interval = "prediction"
	IntervalUncertainty Interval = "uncertainty"
	IntervalRange       Interval = "range"

	AggregateSum          Aggregation = "sum"
	AggregateMean         Aggregation = "mean"
	AggregateWeightedMean Aggregation = "weighted_mean"
	AggregateNone         Aggregation = "none"

	MeasureRR        MeasureCode = "rr"
	MeasureOR        MeasureCode = "or"
	MeasureHR        MeasureCode = "hr"
	MeasureRateRatio MeasureCode = "rate_ratio"
	MeasureRD        MeasureCode = "rd"
	MeasureMD        MeasureCode = "md"
	MeasureSMD       MeasureCode = "smd"

	SchemeISO3166 AreaScheme = "iso3166"
	SchemeUNM49   AreaScheme = "un_m49"
	SchemeEntity  AreaScheme = "entity"
)

// lists are the closed lists, by Go type.
var lists = map[reflect.Type][]value{
	reflect.TypeFor[KindName](): kindNames(),
	reflect.TypeFor[SourceRole](): {
		{string(RolePrimary), "the record is based on this source"},
		{string(RoleSecondary), "a report on the primary source"},
		{string(RoleBackground), "context only; the record is not based on this source"},
		{string(RoleDisputed), "the record disagrees with this source"},
		{string(RoleSuperseded), "the record was once based on this source"},
		{string(RoleArchive), "an archived copy of a source"},
	},
	// Crossref's update types, and two that data need: data_revision and moved.
	reflect.TypeFor[UpdateType](): {
		{string(UpdateNewVersion), "a new version has replaced the source"},
		{string(UpdateNewEdition), "a new edition appeared"},
		{string(UpdateDataRevision), "figures were revised"},
		{string(UpdateAddendum), "material was added"},
		{string(UpdateClarification), "the wording was made clearer"},
		{string(UpdateCorrection), "an error was corrected"},
		{string(UpdateExpressionOfConcern), "the editors have raised concerns"},
		{string(UpdatePartialRetraction), "part of the source was retracted"},
		{string(UpdateRetraction), "the source was retracted"},
		{string(UpdateWithdrawal), "the source was withdrawn"},
		{string(UpdateRemoval), "the source was removed"},
		{string(UpdateReinstatement), "a retraction or concern was reversed"},
		{string(UpdateMoved), "the source has a new address"},
	},
	reflect.TypeFor[Effect](): {
		{string(EffectNone), "this record is not affected"},
		{string(EffectAlreadyReflected), "this record already takes the change into account"},
		{string(EffectRecordChanged), "this record was changed"},
	},
	reflect.TypeFor[CorrectionType](): {
		{string(CorrectionCorrection), "an error was corrected"},
		{string(CorrectionClarification), "wording that could be misread was made clearer"},
		{string(CorrectionExpressionOfConcern), "concerns have been raised and are not resolved"},
		{string(CorrectionPartialRetraction), "part of the record has been retracted"},
		{string(CorrectionRetraction), "the record has been retracted"},
		{string(CorrectionReinstatement), "a retraction or concern was a mistake and has been reversed"},
	},
	// GRADE's levels of certainty. A lone statistic has no GRADE rating: not_rated.
	reflect.TypeFor[EvidenceLabel](): {
		{string(LabelHigh), "very confident that the true effect is close to the estimate"},
		{string(LabelModerate), "moderately confident: the true effect is probably close to the estimate"},
		{string(LabelLow), "limited confidence: the true effect may be substantially different from the estimate"},
		{string(LabelVeryLow), "very little confidence: the true effect is probably substantially different from the estimate"},
		{string(LabelNotRated), "the certainty has not been rated"},
	},
	// After the types of recommendation that NICE makes.
	reflect.TypeFor[DecisionLabel](): {
		{string(DecisionAdopt), "go ahead"},
		{string(DecisionAdoptWithConditions), "go ahead if the conditions are met"},
		{string(DecisionMoreResearch), "more evidence is needed first"},
		{string(DecisionDoNotAdopt), "do not go ahead"},
		{string(DecisionUndecided), "no decision has been made yet"},
	},
	reflect.TypeFor[Direction](): {{"for", "take the action"}, {"against", "do not take the action"}, {"either", "no preference: both choices are reasonable"}},
	reflect.TypeFor[Strength]():  {{"strong", "right for nearly everyone"}, {"conditional", "the right choice depends on the circumstances"}},
	reflect.TypeFor[ChangeType](): {
		{string(ChangeCreated), "the record is new"},
		{string(ChangeUpdated), "the content of the record changed"},
		{string(ChangeReverified), "the record was checked again and is still valid"},
		{string(ChangeSourceUpdated), "a source of the record changed"},
		{string(ChangeCorrected), "an error was corrected"},
		{string(ChangeRetracted), "the record has been retracted"},
		{string(ChangeRemoved), "the record was removed"},
		{string(ChangeRedacted), "some versions of the record were redacted"},
		{string(ChangeRestored), "the record was restored, or a retraction or concern was reversed"},
		{string(ChangeRelicensed), "the licence or the notice of all records of this kind changed"},
		{string(ChangeAreas), "the tables of a scheme of areas changed"},
	},
	// Terms of CiTO, PROV, schema.org and DCTERMS.
	reflect.TypeFor[Relation](): {
		{string(RelationSupports), "is evidence for"},
		{string(RelationDisputes), "is evidence against"},
		{string(RelationQualifies), "limits"},
		{string(RelationCites), "mentions"},
		{string(RelationDerivedFrom), "was made from"},
		{string(RelationAbout), "is about"},
		{string(RelationClaimedBy), "is claimed by"},
		{string(RelationPartOf), "is a part of"},
		{string(RelationReplaces), "replaces"},
		{string(RelationRespondsTo), "answers"},
		{string(RelationRecommends), "recommends"},
	},
	reflect.TypeFor[Stance](): {
		{string(StanceSupports), "is evidence for the claim"},
		{string(StanceDisputes), "is evidence against the claim"},
		{string(StanceQualifies), "limits the claim"},
		{string(StanceContext), "helps readers understand the claim"},
	},
	reflect.TypeFor[SignalType](): {
		{"indicator_change", "an indicator rose or fell"},
		{"event_report", "something happened and was reported"},
		{"weak_signal", "an early sign that may come to nothing"},
		{"trend", "a change in one direction over years"},
		{"wild_card", "unlikely, but serious if it happens"},
	},
	reflect.TypeFor[EntityType](): {
		{string(EntityOrganization), "an organization, office or company"},
		{string(EntityPlace), "a country, region or site"},
		{string(EntityPopulation), "a group of people"},
		{string(EntityCondition), "a disease or health condition"},
		{string(EntityIntervention), "an action meant to improve health"},
		{string(EntityOutcome), "a health result, good or bad"},
		{string(EntityIndicator), "something that is measured"},
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
		{string(SourceDataset), "a data set"},
		{string(SourceArticle), "a journal article"},
		{string(SourceReview), "a systematic review"},
		{string(SourceGuideline), "advice from an expert body"},
		{string(SourceReport), "a report"},
		{string(SourceWebPage), "a web page"},
		{string(SourceLegislation), "a law or regulation"},
	},
	reflect.TypeFor[ObsStatus](): obsStatuses(),
	reflect.TypeFor[AreaScheme](): {
		{string(SchemeISO3166), "a country by its ISO 3166-1 code of two or three letters, or a part of it by ISO 3166-2"},
		{string(SchemeUNM49), "a country or region by its three digits in UN M49"},
		{string(SchemeEntity), "a place by the ID of its entity record"},
	},
	reflect.TypeFor[Interval](): {
		{string(IntervalConfidence), "a confidence interval"},
		{string(IntervalCredible), "a credible interval"},
		{string(IntervalPrediction), "a prediction interval"},
		{string(IntervalUncertainty), "an uncertainty interval of a model"},
		{string(IntervalRange), "the smallest and the largest of several values"},
	},
	reflect.TypeFor[Aggregation](): {
		{string(AggregateSum), "the sum of the values"},
		{string(AggregateMean), "the mean of the values"},
		{string(AggregateWeightedMean), "the mean of the values, weighted by the denominator"},
		{string(AggregateNone), "not combined: the whole is measured separately"},
	},
	reflect.TypeFor[MeasureCode](): {
		{string(MeasureRR), "risk ratio"},
		{string(MeasureOR), "odds ratio"},
		{string(MeasureHR), "hazard ratio"},
		{string(MeasureRateRatio), "rate ratio"},
		{string(MeasureRD), "risk difference"},
		{string(MeasureMD), "mean difference"},
		{string(MeasureSMD), "standardized mean difference"},
	},
	reflect.TypeFor[Magnitude](): {
		{"large", "a large effect"},
		{"moderate", "an effect that matters"},
		{"small", "a small effect that matters"},
		{"trivial", "little to no effect"},
	},
	reflect.TypeFor[StartLabel](): {
		{string(LabelHigh), "as for randomized trials"},
		{string(LabelModerate), "for schemes that begin at moderate"},
		{string(LabelLow), "as for observational studies"},
		{string(LabelVeryLow), "for schemes that begin at very_low"},
	},
	// GRADE's five reasons to lower the certainty, and three to raise it.
	reflect.TypeFor[CertaintyFactor](): {
		{"risk_of_bias", "lowers: limitations in how the studies were designed or carried out"},
		{"inconsistency", "lowers: results differ between studies, and the difference is not explained"},
		{"indirectness", "lowers: the people, intervention, comparison or outcome differ from those in the question"},
		{"imprecision", "lowers: a wide interval, or few people or events"},
		{"publication_bias", "lowers the certainty: some results may not have been published"},
		{"large_effect", "raises: a risk ratio above 2 or below 0.5; above 5 or below 0.2 for two levels"},
		{"dose_response", "raises: more of the intervention has more effect"},
		{"opposing_confounding", "raises: unmeasured differences would have made the effect smaller"},
	},
	reflect.TypeFor[Assessor](): {{"source", "the source gives this label"}, {"service", "this service gave the label"}},
}

// Raises reports whether the factor raises the certainty; the others lower it.
func (f CertaintyFactor) Raises() bool {
	return f == "large_effect" || f == "dose_response" || f == "opposing_confounding"
}

func kindNames() []value {
	values := make([]value, len(Kinds))
	for i, k := range Kinds {
		values[i] = value{k.Name, k.Doc}
	}
	return values
}

// labelsByStrength are the evidence labels by strength; not_rated is the weakest, because its
// certainty is unknown.
var labelsByStrength = []EvidenceLabel{LabelNotRated, LabelVeryLow, LabelLow, LabelModerate, LabelHigh}

// Rank returns the strength of l; 0 is the weakest.
func (l EvidenceLabel) Rank() uint8 { return uint8(max(0, slices.Index(labelsByStrength, l))) }
