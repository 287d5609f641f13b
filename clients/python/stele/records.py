"""The types of records, written by make docs. No stability of any schema is promised.

A record may also have members of the publisher's own, whose names begin with x_.
"""

from decimal import Decimal
from typing import Dict, Generic, List, Literal, Optional, TypedDict, TypeVar, Union

R = TypeVar("R")
Number = Union[int, Decimal]  # with the digits of its author


class Kind(str, Generic[R]):
    """The name of a kind, whose records have a type."""



KindName = Literal[
    "signal",
    "evidence",
    "proof_claim",
    "healthcare_statistic",
    "source_object",
    "public_reference",
    "graph_node",
    "graph_edge",
    "change_event",
    "entity",
    "opportunity",
    "recommendation",
    "decision_view",
]


class _ClaimBoundary(TypedDict):
    statement: str  # The limits of the claim in words.


class ClaimBoundary(_ClaimBoundary, total=False):
    population: str  # Whom the claim is about.
    place: str  # Where it holds.
    period: str  # When it holds.
    excludes: List[str]  # What it says nothing about.


SourceRole = Literal[
    "primary",
    "secondary",
    "background",
    "disputed",
    "superseded",
    "archive",
]


class _Quote(TypedDict):
    text: str  # The words of the source, at most 2000 characters. [...] stands where some were left out.


class Quote(_Quote, total=False):
    locator: str  # Where the words stand, if the link's own locator does not say it.


class _SourceLink(TypedDict):
    url: str  # The address of the source: an absolute http or https URL.
    role: SourceRole  # What part the source plays.


class SourceLink(_SourceLink, total=False):
    source_id: str  # The ID of the source object that describes it.
    locator: str  # Where in the source: a page, a table, a section.
    quote: Quote  # What the source says there, word for word.


UpdateType = Literal[
    "new_version",
    "new_edition",
    "data_revision",
    "addendum",
    "clarification",
    "correction",
    "expression_of_concern",
    "partial_retraction",
    "retraction",
    "withdrawal",
    "removal",
    "reinstatement",
    "moved",
]


Effect = Literal[
    "none",
    "already_reflected",
    "record_changed",
]


class _SourceUpdate(TypedDict):
    date: str  # The day on which the source changed.
    type: UpdateType  # How it changed.
    summary: str  # What changed, in a sentence.
    effect: Effect  # What that meant for this record.


class SourceUpdate(_SourceUpdate, total=False):
    source_id: str  # The ID of the source object that changed.
    notice_url: str  # Where the change was announced.
    in_version: int  # The version of this record that took the change in.


CorrectionType = Literal[
    "correction",
    "clarification",
    "expression_of_concern",
    "partial_retraction",
    "retraction",
    "reinstatement",
]


class _Correction(TypedDict):
    date: str  # The day on which the record was corrected.
    type: CorrectionType  # How grave the correction is.
    in_version: int  # The version of this record that put it right.
    fields: List[str]  # The members that were corrected, such as claim or source_links.
    summary: str  # What was wrong and what stands there now.


class Correction(_Correction, total=False):
    reported_by: str  # Who noticed it.
    because_of: List[str]  # The IDs of records that were lost or changed, and of which the correction takes account.


class _Subject(TypedDict):
    scheme: str  # The scheme's name, such as MeSH or ICD-11.
    code: str  # The code within the scheme.


class Subject(_Subject, total=False):
    pass


SignalType = Literal[
    "indicator_change",
    "event_report",
    "weak_signal",
    "trend",
    "wild_card",
]


class _Signal(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["signal"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    signal_id: str  # The record ID again, under the name that the routes use.
    signal_type: SignalType  # What sort of signal it is.
    observation: str  # What was observed, with figures, in a sentence or two.
    detected_date: str  # The day on which it was noticed.


class Signal(_Signal, total=False):
    """Something observed that may matter: a change in an indicator, a report of an event, an early sign."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    evidence_ids: List[str]  # The IDs of the evidence that shows it. A signal has these, or statistic_ids, or both.
    statistic_ids: List[str]  # The IDs of the statistics that show it.
    entity_ids: List[str]  # The IDs of the entities that it is about.


SIGNAL: Kind[Signal] = Kind("signal")


EvidenceType = Literal[
    "systematic_review",
    "randomized_trial",
    "observational_study",
    "modelled_estimate",
    "surveillance_report",
    "official_statistic",
    "guideline",
    "qualitative_study",
]


EvidenceLabel = Literal[
    "high",
    "moderate",
    "low",
    "very_low",
    "not_rated",
]


Assessor = Literal[
    "source",
    "service",
]


StartLabel = Literal[
    "high",
    "moderate",
    "low",
    "very_low",
]


CertaintyFactor = Literal[
    "risk_of_bias",
    "inconsistency",
    "indirectness",
    "imprecision",
    "publication_bias",
    "large_effect",
    "dose_response",
    "opposing_confounding",
]


class _LabelFactor(TypedDict):
    factor: CertaintyFactor  # What lowers or raises the certainty.
    levels: int  # By how many levels: 1 or 2; 0 if it was considered and changed nothing.
    why: str  # The reason, in a sentence.


class LabelFactor(_LabelFactor, total=False):
    pass


class _LabelBasis(TypedDict):
    scheme: str  # The scheme by which it was rated, such as GRADE.
    assessed_by: Assessor  # Who rated it.


class LabelBasis(_LabelBasis, total=False):
    source_id: str  # The ID of the source object that gives the rating.
    locator: str  # Where in that source.
    start: StartLabel  # The certainty before any factor is applied: in GRADE high for randomized trials, low for observational studies.
    factors: List[LabelFactor]  # The reasons that lower or raise the certainty. An empty list says that there are none.


class _Comparison(TypedDict):
    pass


class Comparison(_Comparison, total=False):
    population: str  # Who was studied.
    intervention: str  # What was done or given.
    comparator: str  # What it was compared with.
    outcome: str  # What was counted or measured.
    time: str  # When it was counted or measured.


MeasureCode = Literal[
    "rr",
    "or",
    "hr",
    "rate_ratio",
    "rd",
    "md",
    "smd",
]


Interval = Literal[
    "confidence",
    "credible",
    "prediction",
    "uncertainty",
    "range",
]


Magnitude = Literal[
    "large",
    "moderate",
    "small",
    "trivial",
]


class _Risk(TypedDict):
    assumed: str  # How many have the outcome without the intervention.
    per: int  # Of how many: people, or person-years for a rate; such as 1000.


class Risk(_Risk, total=False):
    corresponding: str  # How many have the outcome with the intervention. Without it, pages compute it.
    lower: str  # The lower end of its interval.
    upper: str  # The upper end of its interval.
    label: str  # Whose risk it is, such as low risk.
    source_id: str  # The ID of the source object that gives the assumed risk, if it is another.


class _EffectSize(TypedDict):
    measure: str  # What is measured, such as risk ratio.
    value: Number  # The estimate.


class EffectSize(_EffectSize, total=False):
    measure_code: MeasureCode  # The same as a code. Without it, known spellings of measure are recognized.
    lower: Number  # The lower end of the interval.
    upper: Number  # The upper end of the interval.
    interval: Interval  # What sort of interval it is.
    level: Number  # The interval's level in per cent, such as 95.
    participants: int  # How many people were studied.
    studies: int  # How many studies it rests on.
    size: Magnitude  # How large the effect is, as a person judged it against a threshold. It is never computed.
    risks: List[Risk]  # The absolute effect, as the source printed it, for each assumed risk.


class _Evidence(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["evidence"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    evidence_id: str  # The record ID again, under the name that the routes use.
    evidence_type: EvidenceType  # What sort of evidence it is.
    finding: str  # What was found, with figures, in a sentence or two.
    evidence_label: EvidenceLabel  # How certain the finding is.


class Evidence(_Evidence, total=False):
    """What a study, a statistic or a guideline found, and how certain that is."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    label_basis: LabelBasis  # Who rated the certainty, and by which scheme. Needed unless the label is not_rated.
    comparison: Comparison  # The question that the finding answers: who, what, against what, and which outcome.
    effect: EffectSize  # The size of the effect that was found.
    statistic_ids: List[str]  # The IDs of the statistics that the finding is made of.
    entity_ids: List[str]  # The IDs of the entities that it is about.


EVIDENCE: Kind[Evidence] = Kind("evidence")


Stance = Literal[
    "supports",
    "disputes",
    "qualifies",
    "context",
]


class _ClaimEvidence(TypedDict):
    evidence_id: str  # The ID of the evidence.
    stance: Stance  # How it bears on the claim.


class ClaimEvidence(_ClaimEvidence, total=False):
    pass


class _ProofClaim(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["proof_claim"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    claim_id: str  # The record ID again, under the name that the routes use.
    claim: str  # The claim, in a sentence that can be true or false.
    evidence: List[ClaimEvidence]  # The evidence that bears on the claim, and how.


class ProofClaim(_ProofClaim, total=False):
    """A claim, the evidence for and against it, and the limits within which it holds."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    evidence_label: EvidenceLabel  # How certain the claim is: no stronger than its best supporting evidence.
    claimant_id: str  # The ID of the organization that makes the claim.


PROOF_CLAIM: Kind[ProofClaim] = Kind("proof_claim")


AreaScheme = Literal[
    "iso3166",
    "un_m49",
    "entity",
]


ObsStatus = Literal[
    "A",
    "B",
    "D",
    "E",
    "F",
    "G",
    "H",
    "I",
    "J",
    "K",
    "L",
    "M",
    "N",
    "O",
    "P",
    "Q",
    "S",
    "U",
    "V",
    "W",
]


class _HealthcareStatistic(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["healthcare_statistic"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    indicator: str  # The short code of the indicator, the same for all its values, such as mcv1.
    ref_area_scheme: AreaScheme  # Which codes ref_area uses: one of these, or a scheme that stele.yaml names under areas.
    ref_area: str  # The area that the value is for, as a code of that scheme.
    time_period: str  # The period that the value is for.
    unit: str  # The short code of the unit, such as percent or deaths.
    unit_label: str  # The unit in words, such as per cent of one-year-olds.
    obs_status: ObsStatus  # The status of the value, as in SDMX.


class HealthcareStatistic(_HealthcareStatistic, total=False):
    """One value of one indicator, for one area and one period."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    vintage: str  # The edition of the source that gives the value, by its year, month or day, where values of several editions stand side by side.
    value: Number  # The value. A statistic has this or one of less_than, greater_than and code, unless its obs_status says why there is none.
    less_than: Number  # What the value is less than, where the source gives that alone, such as <5.
    greater_than: Number  # What the value is greater than, where the source gives that alone, such as >95.
    code: str  # The answer where it is no quantity, as one of the codes that the indicator's entity lists.
    decimals: int  # How many decimals to show.
    lower: Number  # The lower end of the interval in which the value lies.
    upper: Number  # The upper end of that interval.
    interval: Interval  # What sort of interval it is.
    level: Number  # The interval's level in per cent, such as 95.
    numerator: Number  # What was counted, where the value is a part or a rate.
    denominator: Number  # What it is a part of, or was divided by.
    dimensions: Dict[str, str]  # What else the value is broken down by, such as sex and age.
    note: str  # What a reader of this one value needs to know, such as a footnote of the source.
    method: str  # How the value was obtained.
    indicator_id: str  # The ID of the entity that describes the indicator.


HEALTHCARE_STATISTIC: Kind[HealthcareStatistic] = Kind("healthcare_statistic")


SourceType = Literal[
    "dataset",
    "article",
    "review",
    "guideline",
    "report",
    "web_page",
    "legislation",
]


class _SourceLicense(TypedDict):
    name: str  # The licence's name.


class SourceLicense(_SourceLicense, total=False):
    url: str  # Where its text stands.


class _SourceObject(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["source_object"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    source_type: SourceType  # What sort of source it is.
    producer: str  # Who made it.
    citation_full: str  # The full citation, as a reader would find it in a bibliography.
    url_main: str  # Where it can be found.


class SourceObject(_SourceObject, total=False):
    """A publication or data set that other records rest on."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    date_published: str  # The day on which it was published.
    date_accessed: str  # The day on which it was read or retrieved.
    url_download: str  # Where its data can be downloaded.
    version_producer: str  # Its producer's name for this version.
    source_license: SourceLicense  # The licence under which the source stands.
    identifiers: Dict[str, str]  # The identifiers by scheme, such as doi and pmid.
    sha256: str  # The SHA-256 of the file that was read, as 64 lower-case hexadecimal digits.
    text_sha256: str  # The SHA-256 of its plain text as the publisher has it, with which quotes are compared. The text itself is not published.


SOURCE_OBJECT: Kind[SourceObject] = Kind("source_object")


class _PublicReference(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["public_reference"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    reference_note: str  # What the reference shows, and why it is only an illustration.


class PublicReference(_PublicReference, total=False):
    """A public document that illustrates a subject. It is never evidence."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    illustrates: List[str]  # The IDs of the records that it illustrates.


PUBLIC_REFERENCE: Kind[PublicReference] = Kind("public_reference")


class _GraphNode(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["graph_node"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    record_id: str  # The ID of the record that the node stands for.
    record_kind: KindName  # The kind of that record.
    label: str  # What to write at the node.


class GraphNode(_GraphNode, total=False):
    """A record as a node of the graph."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it then, where the publisher names them.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.


GRAPH_NODE: Kind[GraphNode] = Kind("graph_node")


Relation = Literal[
    "supports",
    "disputes",
    "qualifies",
    "cites",
    "derived_from",
    "about",
    "claimed_by",
    "part_of",
    "replaces",
    "responds_to",
    "recommends",
]


class _GraphEdge(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["graph_edge"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    source: str  # Where the edge begins: ID of a record, or of a node that the publisher wrote.
    target: str  # Where the edge ends, likewise.
    relation: Relation  # How the first is related to the second.
    directed: bool  # Whether the direction of the edge matters.
    asserted_by: str  # The ID of the record that says so: a source, an organization, or the record whose reference this is.


class GraphEdge(_GraphEdge, total=False):
    """A relation between two records."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it then, where the publisher names them.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.


GRAPH_EDGE: Kind[GraphEdge] = Kind("graph_edge")


ChangeType = Literal[
    "created",
    "updated",
    "reverified",
    "source_updated",
    "corrected",
    "retracted",
    "removed",
    "redacted",
    "restored",
    "relicensed",
]


class _RecordDigest(TypedDict):
    version: int  # The record's version.
    sha256: Optional[str]  # The SHA-256 of the record's canonical bytes; null where that version was redacted.


class RecordDigest(_RecordDigest, total=False):
    pass


class _ChangeEvent(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["change_event"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    published_date: str  # The day on which the record was first published.
    record_id: str  # The ID of the record that changed; of a change of licence or notice, the folder of the kind.
    record_kind: KindName  # The kind of that record.
    change_type: ChangeType  # What happened to it.
    before: Optional[RecordDigest]  # The record before the change; null where there was none.
    after: Optional[RecordDigest]  # The record after the change; null where it was removed.
    changed_fields: List[str]  # The JSON Pointers to what changed, sorted.
    release: str  # The ID of the release that brought the change.


class ChangeEvent(_ChangeEvent, total=False):
    """What happened to a record between one release and the next."""

    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    verified_by: str  # Who checked it then, where the publisher names them.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    updated_date: str  # The day on which its content last changed.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    redacted_versions: List[int]  # The versions of the record that were taken out of the history with this release; the summary says why.


CHANGE_EVENT: Kind[ChangeEvent] = Kind("change_event")


EntityType = Literal[
    "organization",
    "place",
    "population",
    "condition",
    "intervention",
    "outcome",
    "indicator",
]


class _MeasureDimension(TypedDict):
    name: str  # The name that the dimensions of statistics have, such as sex.


class MeasureDimension(_MeasureDimension, total=False):
    label: str  # What pages call it.
    codes: Dict[str, str]  # What the dimension can be, and what each means; anything where they are not listed.


class _MeasureBreak(TypedDict):
    time_period: str  # The first period with the new method.
    summary: str  # What changed, in a sentence.


class MeasureBreak(_MeasureBreak, total=False):
    pass


Aggregation = Literal[
    "sum",
    "mean",
    "weighted_mean",
    "none",
]


class _Measure(TypedDict):
    code: str  # The short code of the indicator, which its statistics have as indicator.


class Measure(_Measure, total=False):
    definition: str  # What is measured, exactly: who or what is counted, and who is not.
    unit: str  # The short code of the unit that its values have.
    unit_label: str  # That unit in words.
    min: Number  # The least value that there can be.
    max: Number  # The greatest value that there can be.
    codes: Dict[str, str]  # The codes that stand in the place of values, and what each means, where the answers are no quantities.
    dimensions: List[MeasureDimension]  # What its values may be broken down by.
    method: str  # How it is made.
    breaks: List[MeasureBreak]  # When its method changed, so that values before and after do not compare.
    aggregation: Aggregation  # How values of parts make that of the whole.
    look_back: int  # How many periods back pages look for a value where a period has none: 5 unless given.


class _Entity(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["entity"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    entity_type: EntityType  # What sort of entity it is.
    name: str  # What it is called.


class Entity(_Entity, total=False):
    """An organization, place, population, condition, intervention, outcome or indicator that records are about. Not used for people."""

    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    same_as: List[str]  # The addresses that stand for the same thing elsewhere.
    measure: Measure  # What an indicator measures and what its values may be. Statistics that point to it by indicator_id are held to it.


ENTITY: Kind[Entity] = Kind("entity")


class _Opportunity(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["opportunity"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    need: str  # What is needed, and by whom.
    evidence_ids: List[str]  # The IDs of the evidence that shows the need.


class Opportunity(_Opportunity, total=False):
    """An unmet need that evidence points to, and that could be acted on."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    signal_ids: List[str]  # The IDs of the signals that pointed to it.
    entity_ids: List[str]  # The IDs of the entities that it is about.


OPPORTUNITY: Kind[Opportunity] = Kind("opportunity")


Direction = Literal[
    "for",
    "against",
    "either",
]


Strength = Literal[
    "strong",
    "conditional",
]


class _Recommendation(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["recommendation"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    action: str  # What to do, as an instruction.
    direction: Direction  # Whether to do it.
    strength: Strength  # How strongly it is meant.
    opportunity_ids: List[str]  # The IDs of the opportunities that it responds to.
    evidence_ids: List[str]  # The IDs of the evidence that it rests on.


class Recommendation(_Recommendation, total=False):
    """Advice on what to do about an opportunity, and how strongly it is meant."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    audience: str  # Whom it is addressed to.


RECOMMENDATION: Kind[Recommendation] = Kind("recommendation")


class _Option(TypedDict):
    option_id: str  # The identifier of the option within this record.
    label: str  # The option in a few words.
    recommendation_ids: List[str]  # The IDs of the recommendations that speak to it; may be empty.


class Option(_Option, total=False):
    pass


DecisionLabel = Literal[
    "adopt",
    "adopt_with_conditions",
    "more_research",
    "do_not_adopt",
    "undecided",
]


class _Considerations(TypedDict):
    pass


class Considerations(_Considerations, total=False):
    priority: str  # Is the problem a priority?
    effects: str  # What are the benefits and harms?
    resources: str  # What does it cost?
    equity: str  # What does it do for equity?
    acceptability: str  # Is it acceptable to those concerned?
    feasibility: str  # Can it be done?


class _DecisionView(TypedDict):
    id: str  # The record ID. It is never reused and never renamed.
    kind: Literal["decision_view"]  # What kind of record this is.
    version: int  # The version of this record: 1 at first, one more whenever its content changes.
    title: str  # A title in plain text, at most 160 characters.
    summary: str  # What the record says, in a sentence or two of plain text.
    claim_boundary: ClaimBoundary  # The limits of the claim: what it does not reach.
    source_links: List[SourceLink]  # The links to the sources of the record, at least one.
    verification_date: str  # The day on which someone last checked the record against its sources.
    source_updates: List[SourceUpdate]  # What happened to the sources since; empty where nothing did.
    corrections: List[Correction]  # Where this record was wrong and was put right; empty where it was not.
    published_date: str  # The day on which the record was first published.
    updated_date: str  # The day on which its content last changed.
    question: str  # What has to be decided.
    options: List[Option]  # The options there are.
    decision_label: DecisionLabel  # What was decided.


class DecisionView(_DecisionView, total=False):
    """A question to decide: the options, what is recommended for each, and what was decided."""

    verified_by: str  # Who checked it then, where the publisher names them.
    first_published_elsewhere: str  # Where the record was published before this service had it, where published_date is a day before that.
    license: str  # The SPDX identifier of the record's licence, where it is not the publisher's.
    aliases: List[str]  # The other names by which the record is known elsewhere.
    replaced_by: str  # The ID of the record of the same kind that takes its place.
    see_also: List[str]  # The IDs of other records that a reader may want next.
    subjects: List[Subject]  # What the record is about, in the codes of a published scheme.
    illustrative: bool  # True where the record is an example and not a finding of the publisher's.
    chosen_option_id: str  # The option that was chosen; left out while undecided.
    considerations: Considerations  # What was weighed.


DECISION_VIEW: Kind[DecisionView] = Kind("decision_view")

__all__ = [
    "CHANGE_EVENT",
    "ChangeEvent",
    "DECISION_VIEW",
    "DecisionView",
    "ENTITY",
    "EVIDENCE",
    "Entity",
    "Evidence",
    "GRAPH_EDGE",
    "GRAPH_NODE",
    "GraphEdge",
    "GraphNode",
    "HEALTHCARE_STATISTIC",
    "HealthcareStatistic",
    "Kind",
    "Number",
    "OPPORTUNITY",
    "Opportunity",
    "PROOF_CLAIM",
    "PUBLIC_REFERENCE",
    "ProofClaim",
    "PublicReference",
    "RECOMMENDATION",
    "Recommendation",
    "SIGNAL",
    "SOURCE_OBJECT",
    "Signal",
    "SourceObject",
]
